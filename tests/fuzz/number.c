/* Numbers of every type: reading is judged by exact arithmetic and the bounds that strtold gives when it rounds down and
 * up; writing by reading it back, and by that nothing shorter would do.
 *
 * Input: type, how the text ends, the text; its bytes are also taken as an element of the type to be written. */
#include <fenv.h>
#include <math.h>

#include "api/json.h"
#include "tests/fuzz/json_grammar.h"

#define MAX_TEXT 4000

/* ---- integers ---- */

/* digits * 10^exponent without trailing zeros; more than 40 digits count as too many for any type. */
struct exact {
    unsigned __int128 digits;
    int64_t exponent;
    bool negative, huge;
};

static void add_digit(struct exact *e, int digit)
{
    if (e->digits > (unsigned __int128)-1 / 10 - 10)
        e->huge = true;
    else
        e->digits = e->digits * 10 + (unsigned)digit;
}

static int64_t read_exponent(const char *text, const char *end)
{
    int64_t value = 0;
    bool negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+') ? 1 : 0;
    for (; text < end && value < 1000000; text++)
        value = value * 10 + (*text - '0');
    return negative ? -value : value;
}

static struct exact read_exact(struct bytes token)
{
    const char *p = (const char *)token.ptr, *end = p + token.len;
    struct exact e = {.negative = *p == '-'};
    const char *mark = p;
    while (mark < end && (*mark | 0x20) != 'e')
        mark++;
    const char *last = mark; /* zeros at the end say nothing */
    int64_t dropped = 0;
    bool fraction = memchr(p, '.', (size_t)(mark - p)) != NULL;
    while (last > p && (last[-1] == '0' || last[-1] == '.')) {
        dropped += last[-1] == '0';
        fraction = fraction && last[-1] != '.';
        if (last[-1] == '.')
            dropped = 0;
        last--;
    }
    int64_t behind = 0;
    bool after = false;
    for (p += e.negative; p < last; p++) {
        if (*p == '.')
            after = true;
        else
            add_digit(&e, *p - '0');
        behind += after && *p != '.';
    }
    e.exponent = (fraction ? -behind : dropped) + (mark < end ? read_exponent(mark + 1, end) : 0);
    return e;
}

/* True if the number is whole; then *ret is its magnitude, or `huge`. */
static bool whole(struct exact e, unsigned __int128 *ret, bool *huge)
{
    *ret = e.digits;
    *huge = e.huge;
    if (e.digits == 0 && !e.huge)
        return true;
    for (int64_t i = 0; i < e.exponent && !*huge; i++) {
        *huge = *ret > (unsigned __int128)-1 / 10;
        *ret *= 10;
    }
    return e.exponent >= 0;
}

static void check_integer(enum dtype type, struct bytes token, enum number_code code, const void *out)
{
    const struct dtype_info *info = dtype_info(type);
    bool is_signed = info->kind == KIND_INT;
    unsigned bits = info->kind == KIND_BOOL ? 1 : info->bits;
    unsigned __int128 magnitude = 0, most = ((unsigned __int128)1 << (is_signed ? bits - 1 : bits)) - 1;
    bool huge = false;
    struct exact e = read_exact(token);
    bool integer = whole(e, &magnitude, &huge);
    bool fits = !huge && magnitude <= (e.negative ? is_signed ? most + 1 : 0 : most);
    REQUIRE((code == NUMBER_OK) == (integer && fits), "%.*s as %s gives %d", (int)token.len, token.ptr, info->name, code);
    REQUIRE(integer || code != NUMBER_OUT_OF_RANGE || !fits || e.exponent < 0, "wrong reason");
    if (code != NUMBER_OK)
        return;
    uint64_t got = 0, want = e.negative ? -(uint64_t)magnitude : (uint64_t)magnitude;
    memcpy(&got, out, number_type_of(type)->width);
    uint64_t mask = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << (info->kind == KIND_BOOL ? 8 : bits)) - 1;
    REQUIRE((got & mask) == (want & mask), "%.*s as %s is 0x%llx", (int)token.len, token.ptr, info->name,
            (unsigned long long)got);
}

/* ---- floats ---- */

/* Formats as the papers and ONNX's documentation have them. */
static const struct float_form {
    enum dtype type;
    int exponent_bits, mantissa_bits, bias;
    uint64_t max; /* bits of the largest finite one */
    bool no_minus_zero, no_sign;
} forms[] = {
    {DTYPE_FP64, 11, 52, 1023, 0x7fefffffffffffff, false, false},
    {DTYPE_FP32, 8, 23, 127, 0x7f7fffff, false, false},
    {DTYPE_FP16, 5, 10, 15, 0x7bff, false, false},
    {DTYPE_BF16, 8, 7, 127, 0x7f7f, false, false},
    {DTYPE_FP8_E4M3FN, 4, 3, 7, 0x7e, false, false},
    {DTYPE_FP8_E4M3FNUZ, 4, 3, 8, 0x7f, true, false},
    {DTYPE_FP8_E5M2, 5, 2, 15, 0x7b, false, false},
    {DTYPE_FP8_E5M2FNUZ, 5, 2, 16, 0x7f, true, false},
    {DTYPE_FP4_E2M1, 2, 1, 1, 0x7, false, false},
    {DTYPE_FP8_E8M0, 8, 0, 127, 0xfe, false, true},
};

static const struct float_form *form_of(enum dtype type)
{
    if (type == DTYPE_COMPLEX64 || type == DTYPE_COMPLEX128)
        type = type == DTYPE_COMPLEX64 ? DTYPE_FP32 : DTYPE_FP64;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (forms[i].type == type)
            return &forms[i];
    return NULL;
}

/* The value of a magnitude's bits, also one above the largest, as if the format went on. */
static long double value_of(const struct float_form *f, uint64_t bits)
{
    uint64_t mantissa = bits & (((uint64_t)1 << f->mantissa_bits) - 1);
    int exponent = (int)(bits >> f->mantissa_bits);
    if (f->no_sign)
        return ldexpl(1, exponent - f->bias);
    if (exponent == 0)
        return ldexpl((long double)mantissa, 1 - f->bias - f->mantissa_bits);
    return ldexpl((long double)(mantissa | (uint64_t)1 << f->mantissa_bits), exponent - f->bias - f->mantissa_bits);
}

/* The number lies between below and above, which are the same if it is exact. True if it may round to `bits`. */
static bool may_round_to(const struct float_form *f, uint64_t bits, long double below, long double above)
{
    long double value = value_of(f, bits);
    long double low = f->no_sign ? bits == 0 ? 0 : value * 0.75L : bits == 0 ? -1 : (value_of(f, bits - 1) + value) / 2;
    long double high = f->no_sign ? value * 1.5L : (value + value_of(f, bits + 1)) / 2;
    bool even = (bits & 1) == 0;
    bool takes_low = f->no_sign || even, takes_high = !f->no_sign && even;
    return (takes_low ? above >= low : above > low) && (takes_high ? below <= high : below < high);
}

static long double rounded(const char *text, int mode)
{
    fesetround(mode);
    long double value = strtold(text, NULL);
    fesetround(FE_TONEAREST);
    return value;
}

static void check_float(const struct float_form *f, struct bytes token, enum number_code code, const void *out)
{
    char text[MAX_TEXT + 1];
    bool negative = token.ptr[0] == '-';
    snprintf(text, sizeof(text), "%.*s", (int)(token.len - negative), (const char *)token.ptr + negative);
    long double below = rounded(text, FE_DOWNWARD), above = rounded(text, FE_UPWARD);
    bool zero = strpbrk(text, "123456789") == NULL || strcspn(text, "123456789") > strcspn(text, "eE");
    REQUIRE(code == NUMBER_OK || code == NUMBER_OUT_OF_RANGE, "a float is refused as %d", code);
    if (f->no_sign && (zero || negative)) {
        REQUIRE(code == NUMBER_OUT_OF_RANGE, "%s is taken", text);
        return;
    }
    if (code == NUMBER_OUT_OF_RANGE) {
        REQUIRE(may_round_to(f, f->max + 1, below, above) || below > value_of(f, f->max), "%s is refused", text);
        REQUIRE(!may_round_to(f, f->max, below, above) || below < above, "%s would fit", text);
        return;
    }
    uint64_t bits = 0;
    memcpy(&bits, out, number_type_of(f->type)->width);
    uint64_t sign = f->no_sign ? 0 : (uint64_t)1 << (f->exponent_bits + f->mantissa_bits);
    uint64_t magnitude = f->no_sign ? bits : bits & ~sign;
    bool minus = (bits & sign) != 0;
    REQUIRE(magnitude <= f->max && may_round_to(f, magnitude, below, above), "%s becomes 0x%llx", text,
            (unsigned long long)bits);
    REQUIRE(minus == (negative && !(f->no_minus_zero && magnitude == 0)), "%s has the wrong sign", text);
}

/* ---- reading ---- */

static bool scan(struct arena *arena, struct bytes text, struct decimal *ret)
{
    struct json json;
    struct problem err;
    json_init(&json, text, 1, arena, &err);
    return json_peek(&json) == JSON_NUMBER && json_number(&json, ret) && json_end(&json);
}

static void check_read(struct arena *arena, enum dtype type, struct bytes text)
{
    uint8_t out[16] = {0};
    struct decimal number;
    struct grammar g = {.at = text.ptr, .end = text.ptr + text.len};
    grammar_space(&g);
    const uint8_t *start = g.at;
    bool good = grammar_number(&g);
    struct bytes token = {start, (size_t)(g.at - start)};
    grammar_space(&g);
    good = good && g.at == g.end;
    REQUIRE(scan(arena, text, &number) == good, "the grammar says %d", good);
    if (!good)
        return;
    REQUIRE(number.len == token.len && (const uint8_t *)number.text == token.ptr, "the token is not the number");
    const struct number_type *row = number_type_of(type);
    enum number_code code = row->read(&number, out);
    const struct float_form *form = form_of(type);
    if (form != NULL)
        check_float(form, token, code, out);
    else
        check_integer(type, token, code, out);
}

/* ---- writing ---- */

static bool reads_as(struct arena *arena, const struct number_type *row, const char *text, size_t len, const void *want)
{
    uint8_t out[16] = {0};
    struct decimal number;
    return scan(arena, (struct bytes){(const uint8_t *)text, len}, &number) && row->read(&number, out) == NUMBER_OK &&
           memcmp(out, want, row->width) == 0;
}

/* Significant digits of a number's text. */
static int significant(const char *text, size_t len)
{
    int digits = 0, zeros = 0;
    for (size_t i = 0; i < len && (text[i] | 0x20) != 'e'; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        zeros = text[i] == '0' ? zeros + 1 : digit ? 0 : zeros;
        digits += digit && (digits > 0 || text[i] != '0');
    }
    return digits > zeros ? digits - zeros : 1;
}

/* The decimals of one digit less on both sides of the value are other values. */
static void check_shortest(struct arena *arena, const struct float_form *f, const char *text, size_t len, const void *in)
{
    char shorter[64], copy[NUMBER_MAX_TEXT + 1];
    const int modes[] = {FE_DOWNWARD, FE_UPWARD};
    int digits = significant(text, len);
    uint64_t bits = 0;
    const struct number_type *row = number_type_of(f->type);
    memcpy(&bits, in, row->width);
    uint64_t sign = (uint64_t)1 << (f->exponent_bits + f->mantissa_bits);
    snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
    for (int i = 0; i < 2 && digits > 1; i++) {
        long double value = f->no_sign ? value_of(f, bits) : value_of(f, bits & ~sign);
        fesetround(modes[i]);
        int n = snprintf(shorter, sizeof(shorter), "%s%.*Le", copy[0] == '-' ? "-" : "", digits - 2, value);
        fesetround(FE_TONEAREST);
        REQUIRE(!reads_as(arena, row, shorter, (size_t)n, in), "%s is written, but %s would do", copy, shorter);
    }
}

static void check_write(struct arena *arena, enum dtype type, const uint8_t *in)
{
    char *out = malloc(NUMBER_MAX_TEXT), special[NUMBER_MAX_TEXT + 2];
    const struct number_type *row = number_type_of(type);
    size_t len = row->write(in, out);
    REQUIRE(len > 0 && len <= row->max_text && row->max_text <= NUMBER_MAX_TEXT, "%zu bytes are written", len);
    struct grammar g = {.at = (const uint8_t *)out, .end = (const uint8_t *)out + len, .depth = 1};
    REQUIRE(grammar_value(&g) && g.at == g.end, "%.*s is not JSON", (int)len, out);
    if (out[0] == '"') {
        bool known = false;
        for (int i = 0; i < NUMBER_SPECIALS; i++) {
            int n = snprintf(special, sizeof(special), "\"%s\"", number_special_name((enum number_special)i));
            known = known || ((size_t)n == len && memcmp(special, out, len) == 0);
        }
        REQUIRE(known, "%.*s is no special value", (int)len, out);
    } else if (type != DTYPE_BOOL) {
        REQUIRE(reads_as(arena, row, out, len, in), "%.*s reads back otherwise", (int)len, out);
        if (form_of(type) != NULL)
            check_shortest(arena, form_of(type), out, len, in);
    }
    free(out);
}

/* The element as it is in memory: a 4- or 2-bit one is a byte as its reader leaves it. */
static void check_element(struct arena *arena, enum dtype type, uint64_t word)
{
    uint8_t element[16] = {0};
    unsigned bits = dtype_info(type)->bits;
    if (bits < 8)
        word &= (1u << bits) - 1;
    memcpy(element, &word, sizeof(word));
    if (bits < 8 && dtype_info(type)->kind == KIND_INT)
        return; /* read as sign-extended, written from low bits: see the codecs */
    check_write(arena, type, element);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct feed feed = feed_of(data, size);
    enum dtype type = (enum dtype)(1 + feed_below(&feed, DTYPE_END - 1));
    bool spaces = feed_byte(&feed) % 2 == 1; /* the reader is quicker when more follows */
    struct bytes text = feed_rest(&feed);
    if (number_type_of(type) == NULL || text.len > MAX_TEXT)
        return 0;
    fuzz_memory_init(&memory);
    uint8_t *copy = malloc(text.len + 32);
    memset(copy, ' ', text.len + 32);
    if (text.len > 0)
        memcpy(copy, text.ptr, text.len);
    uint8_t *exact = fuzz_copy(copy, text.len + (spaces ? 32 : 0));
    check_read(&memory.arena, type, (struct bytes){exact, text.len + (spaces ? 32 : 0)});
    uint64_t word = 0;
    memcpy(&word, copy, sizeof(word));
    check_element(&memory.arena, type, word);
    free(exact);
    free(copy);
    fuzz_memory_release(&memory);
    return 0;
}
