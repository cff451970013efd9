#include "api/utf8.h"

#include <string.h>

#include "tests/suite.h"

/* Well-formed sequences are those of table 3-7 of the Unicode standard. */
static const struct {
    const char *text;
    size_t len, want;
} sequences[] = {
    {"", 0, 0},
    {"a", 1, 1},
    {"\0", 1, 1},
    {"\x7f", 1, 1},
    {"\x80", 1, 0},
    {"\xc1\xbf", 2, 0}, /* overlong */
    {"\xc2\x80", 2, 2},
    {"\xc2", 1, 0},
    {"\xc2\x41", 2, 0},
    {"\xdf\xbf", 2, 2},
    {"\xe0\x9f\xbf", 3, 0}, /* overlong */
    {"\xe0\xa0\x80", 3, 3},
    {"\xed\x9f\xbf", 3, 3},
    {"\xed\xa0\x80", 3, 0}, /* a surrogate */
    {"\xef\xbf\xbf", 3, 3},
    {"\xe2\x82", 2, 0},
    {"\xe2\x82\x41", 3, 0},
    {"\xf0\x8f\xbf\xbf", 4, 0}, /* overlong */
    {"\xf0\x90\x80\x80", 4, 4},
    {"\xf4\x8f\xbf\xbf", 4, 4},
    {"\xf4\x90\x80\x80", 4, 0}, /* above U+10FFFF */
    {"\xf5\x80\x80\x80", 4, 0},
    {"\xf0\x9f\x98", 3, 0},
    {"\xff", 1, 0},
};

START_TEST(sequence)
{
    ck_assert_uint_eq(utf8_sequence((const uint8_t *)sequences[_i].text, sequences[_i].len), sequences[_i].want);
}
END_TEST

static const struct {
    const char *text;
    bool want;
} texts[] = {
    {"", true},
    {"plain ASCII, longer than one word", true},
    {"\u00fc\u4e2d\U0001f680 mixed", true},
    {"12345678\xff", false},
    {"1234567\xff" "890", false},
    {"cut at the end \xe2\x82", false},
};

START_TEST(valid)
{
    ck_assert(utf8_valid((const uint8_t *)texts[_i].text, strlen(texts[_i].text)) == texts[_i].want);
}
END_TEST

/* Every code point survives being written and recognised. */
START_TEST(puts_every_code_point)
{
    for (uint32_t c = 0; c <= 0x10ffff; c += every()) {
        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        uint8_t out[4];
        size_t n = utf8_put(c, out);
        ck_assert_uint_eq(n, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        ck_assert_uint_eq(utf8_sequence(out, n), n);
    }
    uint8_t euro[4];
    ck_assert_uint_eq(utf8_put(0x20ac, euro), 3);
    ck_assert_mem_eq(euro, "\xe2\x82\xac", 3);
}
END_TEST

SUITE("utf8", TEST_ROWS(sequence, sequences) TEST_ROWS(valid, texts) TEST_ONE(puts_every_code_point))
