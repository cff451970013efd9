#include "api/bytes.h"

#include "tests/suite.h"

#define MOST 40

/* Texts of all lengths, of which the second differs from the first in one byte, or in none. */
START_TEST(compares_whole_texts)
{
    uint8_t a[MOST], b[MOST];
    for (size_t len = 0; len <= MOST; len++)
        for (size_t at = 0; at <= len; at++) {
            memset(a, 'x', sizeof(a));
            memset(b, 'x', sizeof(b));
            if (at < MOST)
                b[at] = 'y'; /* behind the end if at == len */
            ck_assert_msg(bytes_same((struct bytes){a, len}, (struct bytes){b, len}) == (at == len), "%zu of %zu", at, len);
        }
    ck_assert(!bytes_same((struct bytes){a, 8}, (struct bytes){a, 9}));
    ck_assert(bytes_same((struct bytes){NULL, 0}, (struct bytes){a, 0}));
}
END_TEST

START_TEST(compares_with_terminated_texts)
{
    static const uint8_t text[] = "expand\0x";
    ck_assert(bytes_equal((struct bytes){text, 6}, "expand"));
    ck_assert(!bytes_equal((struct bytes){text, 8}, "expand"));
    ck_assert(!bytes_equal((struct bytes){text, 5}, "expand"));
    ck_assert(!bytes_equal((struct bytes){text, 6}, ""));
    ck_assert(!bytes_equal((struct bytes){NULL, 0}, "e"));
    ck_assert(bytes_equal((struct bytes){NULL, 0}, ""));
}
END_TEST

START_TEST(writes_numbers)
{
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = {{0, "0"}, {7, "7"}, {-1, "-1"}, {INT64_MAX, "9223372036854775807"}, {INT64_MIN, "-9223372036854775808"}};
    char digits[DECIMAL_MAX];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert(bytes_equal(bytes_decimal(rows[i].value, digits), rows[i].text));
}
END_TEST

SUITE("bytes", TEST_ONE(compares_whole_texts) TEST_ONE(compares_with_terminated_texts) TEST_ONE(writes_numbers))
