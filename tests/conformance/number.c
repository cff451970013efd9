#include "tests/conformance/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum dtype number_part(enum dtype type, int *count)
{
    *count = dtype_info(type)->kind == KIND_COMPLEX ? 2 : 1;
    return type == DTYPE_COMPLEX64 ? DTYPE_FP32 : type == DTYPE_COMPLEX128 ? DTYPE_FP64 : type;
}

uint64_t number_get(const uint8_t *data, unsigned bits, int64_t index)
{
    uint64_t value = 0;
    if (bits < 8)
        return (uint64_t)data[index * bits / 8] >> (index * bits % 8) & ((1U << bits) - 1);
    for (unsigned i = 0; i < bits / 8; i++)
        value |= (uint64_t)data[index * (bits / 8) + i] << (8 * i);
    return value;
}

void number_put(uint8_t *data, unsigned bits, int64_t index, uint64_t value)
{
    if (bits < 8)
        data[index * bits / 8] = (uint8_t)(data[index * bits / 8] | value << (index * bits % 8));
    for (unsigned i = 0; i < bits / 8; i++)
        data[index * (bits / 8) + i] = (uint8_t)(value >> (8 * i));
}

/* ---- floats of 16 bits or less --------------------------------------------------------------------------------- */

/* Sources: IEEE 754 binary16; bfloat16; the OCP 8-bit and microscaling formats; the FNUZ formats of ONNX ("Float stored
 * in 8 bits"). The codes from 0 to `largest` are the finite values >= 0 in ascending order, for every one of them. */
struct format {
    enum dtype dtype;
    unsigned mantissa; /* bits */
    int bias;
    uint64_t sign;     /* bit of the sign; 0: there are only positive numbers, and no 0 */
    uint64_t largest;  /* code of the largest finite value */
    uint64_t infinity; /* code; 0: there is none */
    uint64_t nan;      /* code of the canonical quiet NaN; 0: there is none */
    bool minus_zero;
};

static const struct format formats[] = {
    {DTYPE_FP16, 10, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00, true},
    {DTYPE_BF16, 7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fc0, true},
    {DTYPE_FP8_E4M3FN, 3, 7, 0x80, 0x7e, 0, 0x7f, true},
    {DTYPE_FP8_E4M3FNUZ, 3, 8, 0x80, 0x7f, 0, 0x80, false},
    {DTYPE_FP8_E5M2, 2, 15, 0x80, 0x7b, 0x7c, 0x7e, true},
    {DTYPE_FP8_E5M2FNUZ, 2, 16, 0x80, 0x7f, 0, 0x80, false},
    {DTYPE_FP8_E8M0, 0, 127, 0, 0xfe, 0, 0xff, false},
    {DTYPE_FP4_E2M1, 1, 1, 0x8, 0x7, 0, 0, true},
};

static const struct format *format_of(enum dtype type)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (formats[i].dtype == type)
            return &formats[i];
    return NULL;
}

/* The value of a code from 0 to `largest`. */
static double format_finite(const struct format *f, uint64_t code)
{
    int exponent = (int)(code >> f->mantissa);
    double fraction = (double)(code & ((1U << f->mantissa) - 1));
    double one = (double)(1U << f->mantissa);
    if (exponent == 0 && f->sign != 0) /* subnormal */
        return ldexp(fraction, 1 - f->bias - (int)f->mantissa);
    return ldexp(one + fraction, exponent - f->bias - (int)f->mantissa);
}

static double format_value(const struct format *f, uint64_t code)
{
    uint64_t magnitude = code & ~f->sign;
    double sign = (code & f->sign) != 0 ? -1 : 1;
    if (magnitude > f->largest || (magnitude == 0 && code != 0 && !f->minus_zero))
        return magnitude == f->infinity && f->infinity != 0 ? sign * INFINITY : NAN;
    return sign * format_finite(f, magnitude);
}

/* The code whose value is nearest to x, finite and >= 0; larger than `largest` if x is too large. */
static uint64_t format_nearest(const struct format *f, double x)
{
    uint64_t low = 0, high = f->largest;
    while (low < high) { /* the last code that is not above x */
        uint64_t middle = (low + high + 1) / 2;
        if (format_finite(f, middle) <= x)
            low = middle;
        else
            high = middle - 1;
    }
    double below = format_finite(f, low);
    double above = low < f->largest ? format_finite(f, low + 1) : 2 * below - format_finite(f, low - 1);
    bool tie_up = x - below == above - x && (low & 1) != 0;
    return x - below > above - x || tie_up ? low + 1 : low;
}

static bool format_parse(const struct format *f, double x, uint64_t *ret)
{
    if (isnan(x)) {
        *ret = f->nan;
        return f->nan != 0;
    }
    if (f->sign == 0 && x <= 0)
        return false;
    uint64_t code = isinf(x) ? f->infinity : format_nearest(f, fabs(x));
    bool negative = signbit(x) && (code != 0 || f->minus_zero);
    *ret = code | (negative ? f->sign : 0);
    return isinf(x) ? f->infinity != 0 : code <= f->largest;
}

/* ---- the two that C has ---------------------------------------------------------------------------------------- */

static double native_value(enum dtype type, uint64_t bits)
{
    double wide = 0;
    float narrow = 0;
    uint32_t half = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof(wide));
    memcpy(&narrow, &half, sizeof(narrow));
    return type == DTYPE_FP64 ? wide : (double)narrow;
}

/* strtof, not a rounded strtod: rounding twice can miss the nearest. */
static bool native_parse(enum dtype type, const char *text, uint64_t *ret)
{
    double wide = strtod(text, NULL);
    float narrow = strtof(text, NULL);
    uint32_t half = 0;
    memcpy(ret, &wide, sizeof(wide));
    memcpy(&half, &narrow, sizeof(half));
    if (type == DTYPE_FP32)
        *ret = isnan(narrow) ? 0x7fc00000U : half;
    else if (isnan(wide))
        *ret = 0x7ff8000000000000U;
    bool infinite = type == DTYPE_FP32 ? isinf(narrow) : isinf(wide);
    return !infinite || strstr(text, "Inf") != NULL; /* a finite number may not overflow */
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void print_float(enum dtype part, uint64_t value, char *out)
{
    const struct format *format = format_of(part);
    double x = format != NULL ? format_value(format, value) : native_value(part, value);
    if (isnan(x))
        snprintf(out, NUMBER_TEXT, "\"NaN\"");
    else if (isinf(x))
        snprintf(out, NUMBER_TEXT, x > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else
        snprintf(out, NUMBER_TEXT, part == DTYPE_FP64 ? "%.17g" : "%.9g", x);
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

void number_print(enum dtype part, uint64_t value, char *out)
{
    const struct dtype_info *info = dtype_info(part);
    switch (info->kind) {
    case KIND_BOOL:
        snprintf(out, NUMBER_TEXT, "%s", value != 0 ? "true" : "false");
        break;
    case KIND_UINT:
        snprintf(out, NUMBER_TEXT, "%" PRIu64, value);
        break;
    case KIND_INT:
        snprintf(out, NUMBER_TEXT, "%" PRId64, sign_extend(value, info->bits));
        break;
    default:
        print_float(part, value, out);
    }
}

static bool parse_bool(const char *text, uint64_t *ret)
{
    *ret = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *ret != 0 || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

/* Whole numbers are written without fraction and exponent; the text's range is that of the type. */
static bool parse_integer(const struct dtype_info *info, const char *text, uint64_t *ret)
{
    bool negative = text[0] == '-';
    const char *digits = text + negative;
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    uint64_t magnitude = strtoull(digits, NULL, 10);
    if (errno != 0)
        return false;
    uint64_t all = UINT64_MAX >> (64 - info->bits);
    uint64_t limit = info->kind == KIND_UINT ? (negative ? 0 : all) : (all >> 1) + negative;
    *ret = (negative ? 0 - magnitude : magnitude) & all;
    return magnitude <= limit;
}

bool number_parse(enum dtype part, const char *text, uint64_t *ret)
{
    const struct dtype_info *info = dtype_info(part);
    const struct format *format = format_of(part);
    if (info->kind == KIND_BOOL)
        return parse_bool(text, ret);
    if (info->kind == KIND_UINT || info->kind == KIND_INT)
        return parse_integer(info, text, ret);
    if (strspn(text, "-+.0123456789eE") != strlen(text) && strstr(text, "NaN") == NULL && strstr(text, "Inf") == NULL)
        return false;
    return format != NULL ? format_parse(format, strtod(text, NULL), ret) : native_parse(part, text, ret);
}
