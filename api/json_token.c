/* The tokens of JSON that have an inside: strings and numbers. */
#include "api/json.h"
#include "api/json_number.h"
#include "api/json_string.h"

#include <string.h>

#include "api/ascii.h"
#include "api/utf8.h"

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* The code unit of the \u and four digits at p, or -1. */
static int32_t code_unit(const uint8_t *p, const uint8_t *end)
{
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return -1;
    int32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        int digit = ascii_hex(p[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static bool is_high(int32_t unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(int32_t unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/* The short escapes and what they stand for. */
static const char short_escapes[] = "\"\\/bfnrt";
static const char short_values[] = "\"\\/\b\f\n\r\t";

/* Reads the escape at p into *code_point; returns its length in the text, or 0 with the fault in *expected. */
static size_t read_escape(const uint8_t *p, const uint8_t *end, uint32_t *code_point, const char **expected)
{
    const char *found = end - p >= 2 && p[1] != 0 ? memchr(short_escapes, p[1], sizeof(short_escapes) - 1) : NULL;
    if (found != NULL) {
        *code_point = (uint8_t)short_values[found - short_escapes];
        return 2;
    }
    int32_t unit = code_unit(p, end);
    *expected = "expected an escape such as \\n or \\u00e9";
    if (unit < 0)
        return 0;
    if (!is_high(unit) && !is_low(unit)) {
        *code_point = (uint32_t)unit;
        return 6;
    }
    int32_t low = is_high(unit) ? code_unit(p + 6, end) : -1;
    *expected = "a surrogate stands for a character only in a pair, \\ud83d\\ude00";
    if (!is_low(low))
        return 0;
    *code_point = 0x10000u + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
    return 12;
}

/* Checks what stands at p, which is no plain byte and no quote; returns its length, or 0 after a refusal. */
static size_t check_special(struct json *json, const uint8_t *p)
{
    if (p == json->end || *p < 0x20) {
        json_refuse(json, p, p == json->end ? "expected the '\"' that ends the string"
                                            : "a control character must be escaped in a string");
        return 0;
    }
    uint32_t code_point;
    const char *expected = "expected UTF-8";
    size_t n = *p == '\\' ? read_escape(p, json->end, &code_point, &expected)
                          : utf8_sequence(p, (size_t)(json->end - p));
    if (n == 0)
        json_refuse(json, p, expected);
    return n;
}

/* Goes on in a string that is not plain, at p; returns the place of the quote that ends it, or NULL. Apart from the quick
 * way, so that that needs few registers. */
static __attribute__((noinline)) const uint8_t *scan_special(struct json *json, const uint8_t *p, bool *escaped)
{
    do {
        size_t n = check_special(json, p);
        if (n == 0)
            return NULL;
        *escaped = *escaped || *p == '\\';
        p += n;
        p += json_plain_run(p, json->end);
    } while (p == json->end || *p != '"');
    return p;
}

/* Passes a string; returns what is between the quotes, .ptr is NULL after a refusal. */
static inline struct bytes scan_string(struct json *json, bool *escaped)
{
    json_space(json);
    *escaped = false;
    const uint8_t *p = json->next;
    if (p == json->end || *p != '"') {
        json_refuse(json, p, "expected a string");
        return (struct bytes){.ptr = NULL};
    }
    const uint8_t *start = ++p;
    p += json_plain_run(p, json->end);
    if ((p == json->end || *p != '"') && (p = scan_special(json, p, escaped)) == NULL)
        return (struct bytes){.ptr = NULL};
    json->next = p + 1;
    return (struct bytes){.ptr = start, .len = (size_t)(p - start)};
}

/* Decodes a string that has been checked; it only gets shorter. */
static __attribute__((noinline)) bool unescape(struct arena *arena, struct bytes text, struct bytes *ret)
{
    uint8_t *out = arena_alloc(arena, text.len, 1);
    if (out == NULL)
        return false;
    size_t len = 0;
    for (const uint8_t *p = text.ptr, *end = text.ptr + text.len; p < end;) {
        if (*p != '\\') {
            out[len++] = *p++;
            continue;
        }
        uint32_t code_point = 0;
        const char *expected;
        p += read_escape(p, end, &code_point, &expected);
        len += utf8_put(code_point, out + len);
    }
    *ret = (struct bytes){.ptr = out, .len = len};
    return true;
}

bool json_string_token(struct json *json, struct bytes *ret)
{
    bool escaped;
    struct bytes text = scan_string(json, &escaped);
    if (text.ptr == NULL)
        return false;
    *ret = (struct bytes){.ptr = text.ptr - 1, .len = text.len + 2};
    return true;
}

bool json_string(struct json *json, struct bytes *ret)
{
    bool escaped;
    struct bytes text = scan_string(json, &escaped);
    if (text.ptr == NULL)
        return false;
    if (escaped && !unescape(json->arena, text, &text))
        return problem_memory(json->err);
    *ret = text;
    return true;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Any digits, one by one. Takes into ret->digits what fits; *dropped counts the rest. */
static const uint8_t *take_any_digits(const uint8_t *p, const uint8_t *end, struct decimal *ret, int64_t *dropped)
{
    for (; p < end && json_is_digit(*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        bool fits = *dropped == 0 && ret->digits <= (UINT64_MAX - digit) / 10;
        if (fits) {
            ret->digits = ret->digits * 10 + digit;
        } else {
            ++*dropped;
            ret->exact = ret->exact && digit == 0;
        }
    }
    return p;
}

static bool expect_digits(struct json *json, const uint8_t *from, const uint8_t *to)
{
    return to > from || json_refuse(json, from, "expected a digit");
}

/* Adds the exponent at p ("e+10"); one beyond all types stands for any larger one. Returns the place behind it. */
static const uint8_t *take_exponent(struct json *json, const uint8_t *p, struct decimal *ret)
{
    const int64_t beyond = (int64_t)1 << 60;
    bool negative = ++p < json->end && *p == '-';
    if (p < json->end && (*p == '-' || *p == '+'))
        p++;
    const uint8_t *start = p;
    int64_t value = 0;
    for (; p < json->end && json_is_digit(*p); p++)
        value = value < beyond / 16 ? value * 10 + (*p - '0') : beyond;
    ret->exponent += negative ? -value : value;
    return expect_digits(json, start, p) ? p : NULL;
}

/* Apart from the quick way, so that that needs few registers. */
static __attribute__((noinline)) bool any_number(struct json *json, struct decimal *ret)
{
    const uint8_t *const end = json->end, *const start = json->next;
    const bool negative = start < end && *start == '-';
    const uint8_t *const whole = start + (negative ? 1 : 0);
    int64_t dropped = 0;
    *ret = (struct decimal){.negative = negative, .exact = true, .text = (const char *)start};
    const uint8_t *p = take_any_digits(whole, end, ret, &dropped);
    if (p == whole)
        return json_refuse_value(json, p);
    if (*whole == '0' && p - whole > 1)
        return json_refuse(json, whole + 1, "a number may not begin with more than one 0");
    if (p < end && *p == '.') {
        const uint8_t *fraction = ++p;
        p = take_any_digits(p, end, ret, &dropped);
        ret->exponent = fraction - p;
        if (!expect_digits(json, fraction, p))
            return false;
    }
    ret->exponent += dropped;
    if (p < end && (*p | 0x20) == 'e' && (p = take_exponent(json, p, ret)) == NULL)
        return false;
    ret->len = (size_t)(p - start);
    json->next = p;
    return true;
}

bool json_number(struct json *json, struct decimal *ret)
{
    json_space(json);
    const uint8_t *next = json_quick_number(json->next, json->end, ret);
    if (next == NULL)
        return any_number(json, ret);
    json->next = next;
    return true;
}
