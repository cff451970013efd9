#include "api/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json.h"
#include "tests/api/number_read.h"
#include "tests/suite.h"

/* Reads the whole text as a number of the type; *bits is the element, low bytes first. */
static enum number_code read_text(enum dtype type, const char *text, uint64_t *bits)
{
    struct problem err;
    struct json json;
    struct decimal decimal;
    json_init(&json, bytes_of(text), 1, NULL, &err);
    ck_assert_msg(json_number(&json, &decimal) && json_end(&json), "%s: %s", text, err.detail);
    *bits = 0;
    return number_type_of(type)->read(&decimal, bits);
}

static const char *write_text(enum dtype type, uint64_t bits, char *text)
{
    const struct number_type *row = number_type_of(type);
    size_t len = row->write(&bits, text);
    ck_assert_uint_le(len, row->max_text);
    text[len] = '\0';
    return text;
}

START_TEST(floats_are_rounded_from_text)
{
    uint64_t bits;
    enum number_code code = read_text(read_rows[_i].type, read_rows[_i].text, &bits);
    const char *name = dtype_info(read_rows[_i].type)->name;
    ck_assert_msg(code == read_rows[_i].code && (code != NUMBER_OK || bits == read_rows[_i].bits),
                  "%s of %s: code %d, bits %#llx, not %#llx", read_rows[_i].text, name, (int)code,
                  (unsigned long long)bits, (unsigned long long)read_rows[_i].bits);
}
END_TEST

/* Integers and BOOL: a zero fraction is whole, the ends of the range are in it. */
static const struct {
    enum dtype type;
    const char *text;
    enum number_code code;
    int64_t value;
} integer_rows[] = {
    {DTYPE_INT8, "-128", NUMBER_OK, -128},
    {DTYPE_INT8, "127", NUMBER_OK, 127},
    {DTYPE_INT8, "128", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT8, "-129", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT8, "-0", NUMBER_OK, 0},
    {DTYPE_INT8, "1.5", NUMBER_NOT_INTEGER, 0},
    {DTYPE_UINT8, "256", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_UINT8, "300", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_UINT8, "-1", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_UINT8, "-0.0", NUMBER_OK, 0},
    {DTYPE_UINT8, "1.0", NUMBER_OK, 1},
    {DTYPE_UINT8, "1e2", NUMBER_OK, 100},
    {DTYPE_UINT8, "2.5e1", NUMBER_OK, 25},
    {DTYPE_UINT8, "1E+2", NUMBER_OK, 100},
    {DTYPE_UINT8, "1200e-2", NUMBER_OK, 12},
    {DTYPE_UINT8, "125e-1", NUMBER_NOT_INTEGER, 0},
    {DTYPE_UINT8, "1e-1", NUMBER_NOT_INTEGER, 0},
    {DTYPE_UINT8, "0e99999999999999999999", NUMBER_OK, 0},
    {DTYPE_UINT8, "0e-99999999999999999999", NUMBER_OK, 0},
    {DTYPE_UINT8, "1e99999999999999999999", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_UINT8, "1e-99999999999999999999", NUMBER_NOT_INTEGER, 0},
    {DTYPE_INT16, "-32769", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT16, "-32768", NUMBER_OK, -32768},
    {DTYPE_UINT16, "65535", NUMBER_OK, 65535},
    {DTYPE_INT32, "2147483648", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT32, "-2147483648", NUMBER_OK, INT32_MIN},
    {DTYPE_UINT32, "4294967295", NUMBER_OK, UINT32_MAX},
    {DTYPE_UINT32, "4294967296", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT64, "9007199254740993", NUMBER_OK, 9007199254740993},
    {DTYPE_INT64, "9223372036854775807", NUMBER_OK, INT64_MAX},
    {DTYPE_INT64, "9223372036854775808", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT64, "-9223372036854775808", NUMBER_OK, INT64_MIN},
    {DTYPE_INT64, "-9223372036854775809", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT64, "9223372036854775807.0", NUMBER_OK, INT64_MAX},
    {DTYPE_INT64, "922337203685477580.7e1", NUMBER_OK, INT64_MAX},
    {DTYPE_INT64, "9223372036854775807.00000000000000000000000000001", NUMBER_NOT_INTEGER, 0},
    {DTYPE_UINT64, "18446744073709551615", NUMBER_OK, -1},
    {DTYPE_UINT64, "18446744073709551615.000", NUMBER_OK, -1},
    {DTYPE_UINT64, "18446744073709551616", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_UINT64, "184467440737095516150", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_UINT64, "184467440737095516151", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_UINT64, "1844674407370955161500000e-5", NUMBER_OK, -1},
    {DTYPE_UINT64, "10000000000000000000000000000000000e-33", NUMBER_OK, 10},
    {DTYPE_UINT64, "0.000000000000000000000000000012e30", NUMBER_OK, 12},
    {DTYPE_UINT4, "15", NUMBER_OK, 15},
    {DTYPE_UINT4, "16", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT4, "-8", NUMBER_OK, -8},
    {DTYPE_INT4, "8", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_UINT2, "3", NUMBER_OK, 3},
    {DTYPE_UINT2, "4", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_INT2, "-2", NUMBER_OK, -2},
    {DTYPE_INT2, "2", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_BOOL, "0", NUMBER_OK, 0},
    {DTYPE_BOOL, "1.0", NUMBER_OK, 1},
    {DTYPE_BOOL, "2", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_BOOL, "-1", NUMBER_OUT_OF_RANGE, 0},
    {DTYPE_BOOL, "0.5", NUMBER_NOT_INTEGER, 0},
};

START_TEST(integers_are_exact)
{
    uint64_t bits;
    enum number_code code = read_text(integer_rows[_i].type, integer_rows[_i].text, &bits);
    size_t width = number_type_of(integer_rows[_i].type)->width;
    ck_assert_int_eq(code, integer_rows[_i].code);
    ck_assert_mem_eq(&bits, &integer_rows[_i].value, code == NUMBER_OK ? width : 0);
}
END_TEST

/* A number of 100,000 digits is one number. */
START_TEST(long_numbers)
{
    static char text[100100];
    uint64_t bits;
    memset(text, '9', 100000);
    ck_assert_int_eq(read_text(DTYPE_INT64, text, &bits), NUMBER_OUT_OF_RANGE);
    ck_assert_int_eq(read_text(DTYPE_FP64, text, &bits), NUMBER_OUT_OF_RANGE);
    ck_assert_int_eq(read_text(DTYPE_BF16, text, &bits), NUMBER_OUT_OF_RANGE);
    memcpy(text, "0.", 2);
    ck_assert_int_eq(read_text(DTYPE_INT64, text, &bits), NUMBER_NOT_INTEGER);
    ck_assert_int_eq(read_text(DTYPE_FP32, text, &bits), NUMBER_OK);
    ck_assert_uint_eq(bits, 0x3f800000);
    ck_assert_int_eq(read_text(DTYPE_FP16, text, &bits), NUMBER_OK);
    ck_assert_uint_eq(bits, 0x3c00);
    memset(text, '0', 100000);
    memcpy(text, "7", 1);
    memcpy(text + 100000, "e-99999", 8);
    ck_assert_int_eq(read_text(DTYPE_UINT8, text, &bits), NUMBER_OK);
    ck_assert_uint_eq(bits, 7);
    ck_assert_int_eq(read_text(DTYPE_FP16, text, &bits), NUMBER_OK);
    ck_assert_uint_eq(bits, 0x4700);
}
END_TEST

/* Shortest texts as numpy prints them (float16 and float32), laid out as Python's repr does. */
static const struct {
    enum dtype type;
    uint64_t bits;
    const char *text;
} write_rows[] = {
    {DTYPE_FP32, 0x00000000, "0.0"},
    {DTYPE_FP32, 0x80000000, "-0.0"},
    {DTYPE_FP32, 0x3f800000, "1.0"},
    {DTYPE_FP32, 0x3dcccccd, "0.1"},
    {DTYPE_FP32, 0xc0200000, "-2.5"},
    {DTYPE_FP32, 0x7f7fffff, "3.4028235e+38"},
    {DTYPE_FP32, 0xff7fffff, "-3.4028235e+38"},
    {DTYPE_FP32, 0x00000001, "1e-45"},
    {DTYPE_FP32, 0x00800000, "1.1754944e-38"},
    {DTYPE_FP32, 0x4b800001, "16777218.0"},
    {DTYPE_FP32, 0x47c35000, "100000.0"},
    {DTYPE_FP32, 0x38d1b717, "0.0001"},
    {DTYPE_FP32, 0x3727c5ac, "1e-05"},
    {DTYPE_FP32, 0x5a0e1bca, "1e+16"},
    {DTYPE_FP32, 0x39800000, "0.00024414062"}, /* half way between two of eight digits: the even one */
    {DTYPE_FP32, 0x7fc00000, "\"NaN\""},
    {DTYPE_FP32, 0xffc00001, "\"NaN\""},
    {DTYPE_FP32, 0x7f800001, "\"NaN\""},
    {DTYPE_FP32, 0x7f800000, "\"Infinity\""},
    {DTYPE_FP32, 0xff800000, "\"-Infinity\""},
    {DTYPE_FP64, 0x3fb999999999999a, "0.1"},
    {DTYPE_FP64, 0x7fefffffffffffff, "1.7976931348623157e+308"},
    {DTYPE_FP64, 0x8000000000000001, "-5e-324"},
    {DTYPE_FP64, 0x4340000000000000, "9007199254740992.0"},
    {DTYPE_FP64, 0x4341c37937e08000, "1e+16"},
    {DTYPE_FP64, 0x3fd3333333333334, "0.30000000000000004"},
    {DTYPE_FP64, 0xfff0000000000000, "\"-Infinity\""},
    {DTYPE_COMPLEX64, 0x3f000000, "0.5"},
    {DTYPE_COMPLEX128, 0x3ff8000000000000, "1.5"},
    {DTYPE_FP16, 0x2e66, "0.1"},
    {DTYPE_FP16, 0x3c00, "1.0"},
    {DTYPE_FP16, 0x8000, "-0.0"},
    {DTYPE_FP16, 0x7bff, "65500.0"},
    {DTYPE_FP16, 0x0001, "6e-08"},
    {DTYPE_FP16, 0x3555, "0.3333"},
    {DTYPE_FP16, 0x6801, "2050.0"},
    {DTYPE_FP16, 0x7c00, "\"Infinity\""},
    {DTYPE_FP16, 0xfc00, "\"-Infinity\""},
    {DTYPE_FP16, 0xfe01, "\"NaN\""},
    {DTYPE_BF16, 0x3dcd, "0.1"},
    {DTYPE_BF16, 0x7f7f, "3.39e+38"},
    {DTYPE_BF16, 0x0001, "9e-41"},
    {DTYPE_BF16, 0x4049, "3.14"},
    {DTYPE_BF16, 0x7f81, "\"NaN\""},
    {DTYPE_FP8_E4M3FN, 0x7e, "450.0"},
    {DTYPE_FP8_E4M3FN, 0x01, "0.002"},
    {DTYPE_FP8_E4M3FN, 0x05, "0.01"},
    {DTYPE_FP8_E4M3FN, 0xff, "\"NaN\""},
    {DTYPE_FP8_E4M3FNUZ, 0x80, "\"NaN\""},
    {DTYPE_FP8_E4M3FNUZ, 0x7f, "240.0"},
    {DTYPE_FP8_E5M2, 0x7c, "\"Infinity\""},
    {DTYPE_FP8_E5M2, 0xfd, "\"NaN\""},
    {DTYPE_FP8_E5M2, 0x7b, "60000.0"},
    {DTYPE_FP8_E5M2FNUZ, 0x80, "\"NaN\""},
    {DTYPE_FP4_E2M1, 0x7, "6.0"},
    {DTYPE_FP4_E2M1, 0x9, "-0.5"},
    {DTYPE_FP4_E2M1, 0x8, "-0.0"},
    {DTYPE_FP8_E8M0, 0x7f, "1.0"},
    {DTYPE_FP8_E8M0, 0x00, "6e-39"},
    {DTYPE_FP8_E8M0, 0xfe, "2e+38"},
    {DTYPE_FP8_E8M0, 0xff, "\"NaN\""},
    {DTYPE_INT64, 0x8000000000000000, "-9223372036854775808"},
    {DTYPE_UINT64, 0xffffffffffffffff, "18446744073709551615"},
    {DTYPE_INT8, 0x80, "-128"},
    {DTYPE_UINT8, 0x80, "128"},
    {DTYPE_INT4, 0x8, "-8"},
    {DTYPE_INT4, 0x7, "7"},
    {DTYPE_UINT4, 0xf, "15"},
    {DTYPE_INT2, 0x2, "-2"},
    {DTYPE_INT2, 0x3, "-1"},
    {DTYPE_UINT2, 0x3, "3"},
    {DTYPE_BOOL, 0, "false"},
    {DTYPE_BOOL, 1, "true"},
    {DTYPE_BOOL, 0x80, "true"},
};

START_TEST(texts)
{
    char text[NUMBER_MAX_TEXT + 1];
    ck_assert_str_eq(write_text(write_rows[_i].type, write_rows[_i].bits, text), write_rows[_i].text);
}
END_TEST

/* Names of the non-finite values and the bits they have; 0: the type lacks it. */
static const struct {
    enum dtype type;
    uint64_t nan, infinity, minus_infinity;
} special_rows[] = {
    {DTYPE_FP32, 0x7fc00000, 0x7f800000, 0xff800000},
    {DTYPE_FP64, 0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000},
    {DTYPE_FP16, 0x7e00, 0x7c00, 0xfc00},
    {DTYPE_BF16, 0x7fc0, 0x7f80, 0xff80},
    {DTYPE_FP8_E4M3FN, 0x7f, 0, 0},
    {DTYPE_FP8_E4M3FNUZ, 0x80, 0, 0},
    {DTYPE_FP8_E5M2, 0x7e, 0x7c, 0xfc},
    {DTYPE_FP8_E5M2FNUZ, 0x80, 0, 0},
    {DTYPE_FP8_E8M0, 0xff, 0, 0},
    {DTYPE_FP4_E2M1, 0, 0, 0},
};

START_TEST(specials)
{
    const uint64_t want[] = {special_rows[_i].nan, special_rows[_i].infinity, special_rows[_i].minus_infinity};
    for (int value = 0; value < NUMBER_SPECIALS; value++) {
        uint64_t bits = 0;
        bool has = number_type_of(special_rows[_i].type)->special((enum number_special)value, &bits);
        ck_assert(has == (want[value] != 0));
        ck_assert_uint_eq(bits, want[value]);
    }
}
END_TEST

/* ---- every value of the small types, against values worked out here ---------------------------------------------- */

static const struct format {
    enum dtype type;
    int mantissa, bias;
    unsigned codes; /* finite magnitudes, from 0 */
    unsigned sign;
    bool minus_zero;
} formats[] = {
    {DTYPE_FP16, 10, 15, 0x7c00, 0x8000, true},     {DTYPE_BF16, 7, 127, 0x7f80, 0x8000, true},
    {DTYPE_FP8_E4M3FN, 3, 7, 0x7f, 0x80, true},     {DTYPE_FP8_E4M3FNUZ, 3, 8, 0x80, 0x80, false},
    {DTYPE_FP8_E5M2, 2, 15, 0x7c, 0x80, true},      {DTYPE_FP8_E5M2FNUZ, 2, 16, 0x80, 0x80, false},
    {DTYPE_FP4_E2M1, 1, 1, 0x8, 0x8, true},
};

/* IEEE 754, 3.4: exponent 0 is subnormal. */
static double value_of(const struct format *f, unsigned code)
{
    int exponent = (int)(code >> f->mantissa);
    double fraction = ldexp(code & ((1u << f->mantissa) - 1), -f->mantissa);
    return exponent == 0 ? ldexp(fraction, 1 - f->bias) : ldexp(1 + fraction, exponent - f->bias);
}

START_TEST(every_code_there_and_back)
{
    const struct format *f = &formats[_i];
    for (unsigned code = 0; code < f->codes; code += every())
        for (unsigned sign = 0; sign <= f->sign; sign += f->sign) {
            char text[NUMBER_MAX_TEXT + 1];
            uint64_t bits;
            if (code == 0 && sign != 0 && !f->minus_zero)
                continue;
            write_text(f->type, code | sign, text);
            ck_assert_int_eq(read_text(f->type, text, &bits), NUMBER_OK);
            ck_assert_msg(bits == (code | sign), "%s: %#x became %#x", text, code | sign, (unsigned)bits);
        }
}
END_TEST

/* The middle between neighbours goes to the even one; the least bit more or less than it goes to its own side. */
START_TEST(every_middle)
{
    const struct format *f = &formats[_i];
    for (unsigned code = 0; code + 1 < f->codes; code += every()) {
        char text[400], digits[300];
        uint64_t bits;
        double middle = (value_of(f, code) + value_of(f, code + 1)) / 2;
        snprintf(digits, sizeof(digits), "%.200e", middle); /* exact: a middle has fewer digits */
        ck_assert_int_eq(read_text(f->type, digits, &bits), NUMBER_OK);
        ck_assert_uint_eq(bits, code + code % 2);
        char *exponent = strchr(digits, 'e');
        snprintf(text, sizeof(text), "%.*s1%s", (int)(exponent - digits), digits, exponent);
        ck_assert_int_eq(read_text(f->type, text, &bits), NUMBER_OK);
        ck_assert_uint_eq(bits, code + 1);
        char *last = exponent;
        for (last--; *last == '0' || *last == '.'; last--)
            *last = *last == '0' ? '9' : '.';
        *last = (char)(*last - 1);
        ck_assert_int_eq(read_text(f->type, digits, &bits), NUMBER_OK);
        ck_assert_uint_eq(bits, code);
    }
}
END_TEST

START_TEST(every_power_of_two)
{
    for (unsigned code = 0; code < 0xff; code++) {
        char text[300];
        uint64_t bits;
        write_text(DTYPE_FP8_E8M0, code, text);
        ck_assert_int_eq(read_text(DTYPE_FP8_E8M0, text, &bits), NUMBER_OK);
        ck_assert_uint_eq(bits, code);
        snprintf(text, sizeof(text), "%.200e", ldexp(1.5, (int)code - 127));
        enum number_code want = code == 0xfe ? NUMBER_OUT_OF_RANGE : NUMBER_OK;
        ck_assert_int_eq(read_text(DTYPE_FP8_E8M0, text, &bits), want);
        ck_assert(want != NUMBER_OK || bits == code + 1);
    }
}
END_TEST

/* ---- random FP32 and FP64, against the C library, which rounds correctly -------------------------------------------- */

#define RANDOM_TIMES 200000

static uint64_t random_bits(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

START_TEST(random_bits_there_and_back)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < RANDOM_TIMES; i += every()) {
        char text[NUMBER_MAX_TEXT + 1];
        uint64_t bits, random = random_bits(&state);
        uint32_t low = (uint32_t)random;
        float single;
        memcpy(&single, &low, sizeof(single));
        double twice;
        memcpy(&twice, &random, sizeof(twice));
        if (isfinite(single)) {
            ck_assert_int_eq(read_text(DTYPE_FP32, write_text(DTYPE_FP32, low, text), &bits), NUMBER_OK);
            ck_assert_msg(bits == low && strtof(text, NULL) == single, "%s: %#x", text, (unsigned)low);
        }
        if (isfinite(twice)) {
            ck_assert_int_eq(read_text(DTYPE_FP64, write_text(DTYPE_FP64, random, text), &bits), NUMBER_OK);
            ck_assert_msg(bits == random && strtod(text, NULL) == twice, "%s", text);
        }
    }
}
END_TEST

/* Texts of 1 to 25 digits; every second one next to the middle between two floats. */
static void random_text(uint64_t *state, bool middle, char *text, size_t size)
{
    uint64_t a = random_bits(state), b = random_bits(state);
    uint32_t bits = (uint32_t)a & 0x7effffff;
    float low;
    memcpy(&low, &bits, sizeof(low));
    if (middle)
        snprintf(text, size, "%.*e", 5 + (int)(b % 20), ((double)low + (double)nextafterf(low, INFINITY)) / 2);
    else
        snprintf(text, size, "%u.%llue%d", (unsigned)(b % 10), (unsigned long long)(a >> (b >> 58)), (int)(b % 90) - 45);
}

START_TEST(random_texts)
{
    uint64_t state = 2;
    for (unsigned i = 0; i < RANDOM_TIMES; i += every()) {
        char text[64];
        uint64_t bits;
        random_text(&state, i % 2 == 0, text, sizeof(text));
        float single = strtof(text, NULL);
        double twice = strtod(text, NULL);
        ck_assert_int_eq(read_text(DTYPE_FP32, text, &bits), isinf(single) ? NUMBER_OUT_OF_RANGE : NUMBER_OK);
        ck_assert_msg(isinf(single) || memcmp(&bits, &single, sizeof(single)) == 0, "FP32 %s", text);
        ck_assert_int_eq(read_text(DTYPE_FP64, text, &bits), NUMBER_OK);
        ck_assert_msg(memcmp(&bits, &twice, sizeof(twice)) == 0, "FP64 %s", text);
    }
}
END_TEST

SUITE("number", TEST_ROWS(floats_are_rounded_from_text, read_rows) TEST_ROWS(integers_are_exact, integer_rows)
      TEST_ONE(long_numbers) TEST_ROWS(texts, write_rows) TEST_ROWS(specials, special_rows)
      TEST_ROWS(every_code_there_and_back, formats) TEST_ROWS(every_middle, formats) TEST_ONE(every_power_of_two)
      TEST_ONE(random_bits_there_and_back) TEST_ONE(random_texts))
