#include "src/trace.h"

#include <string.h>

#include "tests/suite.h"

#define TRACE  "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"
#define LONG   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
    const char *request_id, *traceparent;
    const char *want; /* or NULL */
} ids[] = {
    {NULL, NULL, NULL},
    {"a", NULL, "a"},
    {"7b9e1c52-1f0e-4a3c-9d43-0f5f8f0a1b2c", NULL, "7b9e1c52-1f0e-4a3c-9d43-0f5f8f0a1b2c"},
    {"Root=1-67891233:abc/_.+@~", NULL, "Root=1-67891233:abc/_.+@~"},
    {LONG LONG, NULL, LONG LONG},
    {LONG LONG "x", NULL, NULL},
    {"", NULL, NULL},
    {"a b", NULL, NULL},
    {"a\"b", NULL, NULL},
    {"a\\b", NULL, NULL},
    {"a,b", NULL, NULL},
    {"\xc3\xa9", NULL, NULL},
    {NULL, "00-" TRACE "-" PARENT "-01", TRACE},
    {NULL, "00-" TRACE "-" PARENT "-00", TRACE},
    {"a", "00-" TRACE "-" PARENT "-01", "a"},
    {"a b", "00-" TRACE "-" PARENT "-01", TRACE},
    {NULL, "cc-" TRACE "-" PARENT "-01", TRACE},
    {NULL, "cc-" TRACE "-" PARENT "-01-what-will-be", TRACE},
    {NULL, "cc-" TRACE "-" PARENT "-01.what", NULL},
    {NULL, "00-" TRACE "-" PARENT "-01-what", NULL},
    {NULL, "ff-" TRACE "-" PARENT "-01", NULL},
    {NULL, "00-00000000000000000000000000000000-" PARENT "-01", NULL},
    {NULL, "00-" TRACE "-0000000000000000-01", NULL},
    {NULL, "00-0AF7651916CD43DD8448EB211C80319C-" PARENT "-01", NULL},
    {NULL, "00-" TRACE "-" PARENT "-0g", NULL},
    {NULL, "0x-" TRACE "-" PARENT "-01", NULL},
    {NULL, "00-" TRACE "-" PARENT "-0", NULL},
    {NULL, "00-" TRACE "-" PARENT, NULL},
    {NULL, "00_" TRACE "-" PARENT "-01", NULL},
    {NULL, "", NULL},
};

START_TEST(finds_ids)
{
    size_t len = 0;
    const char *got = trace_id(ids[_i].request_id, ids[_i].traceparent, &len);
    ck_assert_int_eq(got != NULL, ids[_i].want != NULL);
    if (got == NULL)
        return;
    ck_assert_uint_eq(len, strlen(ids[_i].want));
    ck_assert_mem_eq(got, ids[_i].want, len);
}
END_TEST

static const struct {
    const char *prefer;
    bool want;
} preferences[] = {
    {NULL, false},
    {"", false},
    {"server-timing", true},
    {"Server-Timing", true},
    {"respond-async, server-timing", true},
    {"respond-async,server-timing;x=1", true},
    {"wait=10 , \tserver-timing", true},
    {"server-timing-x", false},
    {"x-server-timing", false},
    {"x; server-timing", false},
    {"x=\"server-timing\"", false},
    {"respond-async", false},
    {",,server-timing", true},
};

START_TEST(finds_the_preference)
{
    ck_assert_int_eq(trace_wants_timing(preferences[_i].prefer), preferences[_i].want);
}
END_TEST

SUITE("trace", TEST_ROWS(finds_ids, ids) TEST_ROWS(finds_the_preference, preferences))
