#include "api/target.h"

#include <stdio.h>

#include "tests/api/scarce.h"
#include "tests/suite.h"

/* Segments joined by '|', so that a slash or a dot that came out of an escape shows. */
static const char *join(const struct target *target, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < target->count && i < TARGET_MAX_SEGMENTS; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%.*s", i > 0 ? "|" : "",
                                (int)target->segment[i].len, (const char *)target->segment[i].ptr);
    return out;
}

static const struct {
    const char *raw;
    size_t count;
    const char *segments;
    const char *query; /* NULL: none */
} good[] = {
    {"/", 0, "", NULL},
    {"/v2", 1, "v2", NULL},
    {"/v2/", 1, "v2", NULL},
    {"/v2/models/expand", 3, "v2|models|expand", NULL},
    /* only one slash at the end is none */
    {"//", 1, "", NULL},
    {"/v2//", 2, "v2|", NULL},
    {"//v2", 2, "|v2", NULL},
    {"/v2//models", 3, "v2||models", NULL},
    /* query */
    {"/v2?", 1, "v2", ""},
    {"/?a=1", 0, "", "a=1"},
    {"/v2/?a=/x%00%zz?b", 1, "v2", "a=/x%00%zz?b"},
    {"/v2/models/..x!.9?Z*/versions/1", 3, "v2|models|..x!.9", "Z*/versions/1"},
    /* escapes: once, either case */
    {"/v2/models/%65xpand", 3, "v2|models|expand", NULL},
    {"/%76%32", 1, "v2", NULL},
    {"/%2565xpand", 1, "%65xpand", NULL},
    {"/%c3%A9", 1, "\xc3\xa9", NULL},
    {"/%ff", 1, "\xff", NULL},
    {"/a%3Fb%23c", 1, "a?b#c", NULL},
    {"/%5C", 1, "\\", NULL},
    {"/%01%7f", 1, "\x01\x7f", NULL},
    {"/a+b", 1, "a+b", NULL},
    /* dots are names */
    {"/v2/models/../models", 4, "v2|models|..|models", NULL},
    {"/./v2/%2e%2E", 3, ".|v2|..", NULL},
    /* absolute form */
    {"http://127.0.0.1:8000/v2/models", 2, "v2|models", NULL},
    {"HTTPS://host/v2/?q", 1, "v2", "q"},
    {"http://host", 0, "", NULL},
    {"http://host?x", 0, "", "x"},
    {"http://[::1]:80//v2", 2, "|v2", NULL},
    /* beyond what is kept */
    {"/1/2/3/4/5/6/7/8", 8, "1|2|3|4|5|6|7|8", NULL},
    {"/1/2/3/4/5/6/7/8/9/10", 10, "1|2|3|4|5|6|7|8", NULL},
};

START_TEST(reads)
{
    struct arena arena;
    struct target target;
    struct problem problem;
    char segments[256];
    arena_init(&arena, &memory_heap, NULL, 0);
    ck_assert(target_parse(&arena, good[_i].raw, &target, &problem));
    ck_assert_uint_eq(target.count, good[_i].count);
    ck_assert_str_eq(join(&target, segments, sizeof(segments)), good[_i].segments);
    ck_assert_pstr_eq(target.query, good[_i].query);
    arena_release(&arena);
}
END_TEST

static const struct {
    const char *raw;
    const char *says;
} bad[] = {
    {"", "must be a path"},
    {"*", "must be a path"},
    {"v2", "must be a path"},
    {"host:80", "must be a path"},
    {"ftp://host/v2", "must be a path"},
    {"http:/v2", "must be a path"},
    {"http:///v2", "must be a path"},
    {"?x", "must be a path"},
    {"/v2#x", "fragment"},
    {"/v2?a#x", "fragment"},
    {"http://host#x", "fragment"},
    {"/v2/%", "two hexadecimal digits"},
    {"/v2/%6", "two hexadecimal digits"},
    {"/v2/%6/x", "two hexadecimal digits"},
    {"/v2/%6?5", "two hexadecimal digits"},
    {"/v2/%g5", "two hexadecimal digits"},
    {"/v2/%5g", "two hexadecimal digits"},
    {"/v2/% 5", "two hexadecimal digits"},
    {"/v2/%%35", "two hexadecimal digits"},
    {"/v2/expand%00x", "%00"},
    {"/v2/%00", "%00"},
    {"/v2%2Fmodels", "%2F"},
    {"/v2/a%2f", "%2F"},
    /* also where no route could be */
    {"/1/2/3/4/5/6/7/8/9/%zz", "two hexadecimal digits"},
};

START_TEST(refuses)
{
    struct arena arena;
    struct target target;
    struct problem problem;
    arena_init(&arena, &memory_heap, NULL, 0);
    ck_assert(!target_parse(&arena, bad[_i].raw, &target, &problem));
    ck_assert_int_eq(problem.code, PROBLEM_BAD_TARGET);
    ck_assert_msg(strstr(problem.detail, bad[_i].says) != NULL, "%s: %s", bad[_i].raw, problem.detail);
    arena_release(&arena);
}
END_TEST

/* A plain target takes no memory; a decoded segment says so when there is none. */
START_TEST(without_memory)
{
    struct scarce none = {.fail_at = 1};
    const struct memory nothing = scarce_memory(&none);
    struct arena arena;
    struct target target;
    struct problem problem;
    arena_init(&arena, &nothing, NULL, 0);
    ck_assert(target_parse(&arena, "/v2/models/expand?x", &target, &problem));
    ck_assert(!target_parse(&arena, "/v2/models/%65xpand", &target, &problem));
    ck_assert_int_eq(problem.code, PROBLEM_OUT_OF_MEMORY);
}
END_TEST

SUITE("target", TEST_ROWS(reads, good) TEST_ROWS(refuses, bad) TEST_ONE(without_memory))
