#include "api/ascii.h"

#include <string.h>

#include "tests/suite.h"

#define ALNUM "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* As the RFCs list them. */
static const struct {
    enum ascii_set set;
    const char *chars;
    bool beyond; /* and all bytes from 0x80 on */
} sets[] = {
    {ASCII_TOKEN, ALNUM "!#$%&'*+-.^_`|~", false},                       /* RFC 9110, section 5.6.2 */
    {ASCII_FIELD, ALNUM "\t !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", true}, /* RFC 9110, section 5.5 */
    {ASCII_TARGET, ALNUM "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", true},
    /* RFC 3986, section 3.2.2: unreserved, pct-encoded, sub-delims, IP-literal; and the port */
    {ASCII_HOST, ALNUM "-._~%!$&'()*+,;=[]:", false},
    {ASCII_BOUNDARY, ALNUM "'()+_,-./:=? ", false}, /* RFC 2046, section 5.1.1 */
    {ASCII_ID, ALNUM "-_.:/+=@~", false},
};

START_TEST(holds_what_is_listed)
{
    for (int c = 0; c < 256; c++) {
        bool want = (c != 0 && strchr(sets[_i].chars, c) != NULL) || (c >= 0x80 && sets[_i].beyond);
        ck_assert_msg(ascii_in(sets[_i].set, (char)c) == want, "0x%02x", (unsigned)c);
    }
}
END_TEST

START_TEST(measures_texts)
{
    ck_assert_uint_eq(ascii_span(ASCII_TOKEN, ""), 0);
    ck_assert_uint_eq(ascii_span(ASCII_TOKEN, "chunked, gzip"), 7);
    ck_assert(ascii_all(ASCII_TOKEN, "", 0));
    ck_assert(ascii_all(ASCII_TOKEN, "chunked,", 7));
    ck_assert(!ascii_all(ASCII_TOKEN, "chunked,", 8));
    ck_assert(!ascii_all(ASCII_FIELD, "a\0b", 3));
}
END_TEST

/* Every byte at every place of texts of every length that matters for the strides. */
START_TEST(knows_plain_texts)
{
    static const char leasts[] = {' ', '!'};
    char text[24];
    for (size_t i = 0; i < sizeof(leasts); i++)
        for (size_t len = 0; len <= sizeof(text); len++)
            for (size_t at = 0; at < (len > 0 ? len : 1); at++)
                for (int c = 0; c < 256; c++) {
                    memset(text, '~', sizeof(text));
                    text[at] = (char)c;
                    bool want = len == 0 || (c >= leasts[i] && c < 0x7f);
                    ck_assert_msg(ascii_plain(leasts[i], text, len) == want, "0x%02x at %zu of %zu", (unsigned)c, at, len);
                }
}
END_TEST

SUITE("ascii", TEST_ROWS(holds_what_is_listed, sets) TEST_ONE(measures_texts) TEST_ONE(knows_plain_texts))
