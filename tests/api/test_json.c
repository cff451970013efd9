#include "api/json.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

#define DEPTH 100

static struct arena arena;
static struct problem err;

static void setup(void)
{
    arena_init(&arena, &memory_heap, NULL, 0);
}

static void teardown(void)
{
    arena_release(&arena);
}

/* A copy that ends where its memory ends, so that a reader that looks beyond it is found by sanitizers. */
static struct json reader(const char *text, size_t len)
{
    uint8_t *copy = arena_alloc(&arena, 1, len > 0 ? len : 1);
    memcpy(copy, text, len);
    struct json json;
    json_init(&json, (struct bytes){copy, len}, DEPTH, &arena, &err);
    err = (struct problem){.code = PROBLEM_NONE};
    return json;
}

/* ---- documents ---------------------------------------------------------------------------------------------------- */

#define TEXT(literal) literal, sizeof(literal) - 1

/* RFC 8259. `at`: the byte that is refused; -1: the document is valid. */
static const struct {
    const char *text;
    size_t len;
    int at;
} documents[] = {
    {TEXT("null"), -1},
    {TEXT(" \t\r\n[] "), -1},
    {TEXT("{}"), -1},
    {TEXT("true"), -1},
    {TEXT("\"\""), -1},
    {TEXT("0"), -1},
    {TEXT("-0"), -1},
    {TEXT("-0.0e-0"), -1},
    {TEXT("1E5"), -1},
    {TEXT("12345678901234567890.12345678901234567890e+12345678901234567890"), -1},
    {TEXT("[1,[2,{\"a\":[]}],\"x\",false]"), -1},
    {TEXT("{\"a\":1,\"b\":{\"a\":2}}"), -1},
    {TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uD83D\\uDE00\""), -1},
    {TEXT("\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\x7f\""), -1},
    {TEXT(""), 0},
    {TEXT("  "), 2},
    {TEXT("nul"), 0},
    {TEXT("nulL"), 0},
    {TEXT("nulls"), 4},
    {TEXT("True"), 0},
    {TEXT("NaN"), 0},
    {TEXT("[Infinity]"), 1},
    {TEXT("-Infinity"), 1},
    {TEXT("-"), 1},
    {TEXT("+1"), 0},
    {TEXT(".5"), 0},
    {TEXT("5."), 2},
    {TEXT("5.e1"), 2},
    {TEXT("1e"), 2},
    {TEXT("1e+"), 3},
    {TEXT("01"), 1},
    {TEXT("-01"), 2},
    {TEXT("00000000000"), 1},
    {TEXT("0x10"), 1},
    {TEXT("1 2"), 2},
    {TEXT("[1,]"), 3},
    {TEXT("[,1]"), 1},
    {TEXT("[1 2]"), 3},
    {TEXT("[1"), 2},
    {TEXT("[1}"), 2},
    {TEXT("]"), 0},
    {TEXT("{\"a\"}"), 4},
    {TEXT("{\"a\":}"), 5},
    {TEXT("{\"a\":1,}"), 7},
    {TEXT("{a:1}"), 1},
    {TEXT("{1:1}"), 1},
    {TEXT("{\"a\":1]"), 6},
    {TEXT("{\"a\":1"), 6},
    {TEXT("{'a':1}"), 1},
    {TEXT("\"abc"), 4},
    {TEXT("\"a\nb\""), 2},
    {TEXT("\"a\0b\""), 2},
    {TEXT("\"\\x\""), 1},
    {TEXT("\"\\\0\""), 1},
    {TEXT("\"\\u12g4\""), 1},
    {TEXT("\"\\u123"), 1},
    {TEXT("\"\\"), 1},
    {TEXT("\"\\ud800\""), 1},
    {TEXT("\"\\udc00\""), 1},
    {TEXT("\"\\ud800\\u0041\""), 1},
    {TEXT("\"\\ud800\\ud800\""), 1},
    {TEXT("\"12345678\\ud800x\""), 9},
    {TEXT("\"\x80\""), 1},
    {TEXT("\"\xc0\xaf\""), 1},
    {TEXT("\"\xed\xa0\x80\""), 1},
    {TEXT("\"\xf4\x90\x80\x80\""), 1},
    {TEXT("\"\xe4\xb8\""), 1},
    {TEXT("\"\xc3"), 1},
    {TEXT("\x80\x81\xfe"), 0},
    {TEXT("\xef\xbb\xbf{}"), 0},
    {TEXT("/* */ 1"), 0},
    {TEXT("[1]\0"), 3},
};

START_TEST(valid_or_refused_at)
{
    struct json json = reader(documents[_i].text, documents[_i].len);
    bool ok = json_skip(&json) && json_end(&json);
    ck_assert_msg(ok == (documents[_i].at < 0), "%s: %s", documents[_i].text, err.detail);
    if (ok)
        return;
    ck_assert_int_eq(err.code, PROBLEM_MALFORMED_JSON);
    char place[32];
    snprintf(place, sizeof(place), "at byte %d (", documents[_i].at);
    ck_assert_msg(strstr(err.detail, place) != NULL, "%s: not %s", err.detail, place);
}
END_TEST

/* Every beginning of a valid document is refused, without reading beyond it. */
START_TEST(cut_documents)
{
    static const char text[] = "{\"a\":[1.5e+3,true,null,\"\\ud83d\\ude00\xc3\xa9\"],\"b\":{\"c\":-0}}";
    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        struct json json = reader(text, len);
        ck_assert(!json_skip(&json));
        ck_assert_int_eq(err.code, PROBLEM_MALFORMED_JSON);
    }
    struct json json = reader(text, sizeof(text) - 1);
    ck_assert(json_skip(&json) && json_end(&json));
}
END_TEST

START_TEST(place_in_lines)
{
    struct json json = reader(TEXT("{\"a\": 1,\n \"b\": x}"));
    ck_assert(!json_skip(&json));
    ck_assert_str_eq(err.detail, "not valid JSON at byte 15 (line 2, column 7): expected a value, but there is 'x'");
}
END_TEST

/* Blanks are passed several at a time, and nothing but blanks. */
START_TEST(indented)
{
    char text[64], place[32];
    int len = snprintf(text, sizeof(text), "\n%*s7", _i + 1, "");
    struct json json = reader(text, (size_t)len);
    ck_assert_msg(json_skip(&json) && json_end(&json), "%s", err.detail);
    text[len - 1] = 'x';
    json = reader(text, (size_t)len);
    snprintf(place, sizeof(place), "(line 2, column %d)", _i + 2);
    ck_assert(!json_skip(&json));
    ck_assert_msg(strstr(err.detail, place) != NULL, "%s", err.detail);
}
END_TEST

START_TEST(hint_for_bare_nan)
{
    struct json json = reader(TEXT("[NaN]"));
    ck_assert(!json_skip(&json));
    ck_assert_ptr_nonnull(strstr(err.detail, "\"NaN\""));
}
END_TEST

/* ---- depth -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *open, *close;
    size_t times;
    bool want;
} depths[] = {
    {"[", "]", DEPTH, true},
    {"[", "]", DEPTH + 1, false},
    {"{\"a\":[", "]}", DEPTH / 2, true},
    {"{\"a\":[", "]}", DEPTH / 2 + 1, false},
    {"[", "]", 250000, false},
    {"[", "", 250000, false},
    {"{\"a\":", "", 200000, false},
};

START_TEST(depth)
{
    size_t open = strlen(depths[_i].open), close = strlen(depths[_i].close), n = depths[_i].times;
    char *text = arena_alloc(&arena, n, open + close + 1);
    for (size_t i = 0; i < n; i++) {
        memcpy(text + i * open, depths[_i].open, open);
        memcpy(text + n * open + i * close, depths[_i].close, close);
    }
    struct json json = reader(text, n * (open + close));
    ck_assert(json_skip(&json) == depths[_i].want);
    if (depths[_i].want)
        ck_assert(json_end(&json) && json.depth == 0);
    else
        ck_assert_int_eq(err.code, PROBLEM_MALFORMED_JSON);
}
END_TEST

/* As deep as can be allowed, on a stack that would not do for a call each. */
#define SMALL_STACK ((size_t)256 << 10)
#define DEEP_TIMES (JSON_MAX_DEPTH / 2)

static void *skip_deep(void *text)
{
    struct json json;
    json_init(&json, *(const struct bytes *)text, JSON_MAX_DEPTH, &arena, &err);
    return json_skip(&json) && json_end(&json) ? text : NULL;
}

START_TEST(deep_on_a_small_stack)
{
    static const char open[] = "[{\"a\":", close[] = "},1]";
    const size_t len = strlen(open) + strlen(close);
    uint8_t *out = arena_alloc(&arena, DEEP_TIMES + 1, len);
    struct bytes text = {.ptr = out, .len = DEEP_TIMES * len + 1};
    for (int i = 0; i < DEEP_TIMES; i++)
        out = (uint8_t *)memcpy(out, open, strlen(open)) + strlen(open);
    *out++ = '7';
    for (int i = 0; i < DEEP_TIMES; i++)
        out = (uint8_t *)memcpy(out, close, strlen(close)) + strlen(close);
    pthread_attr_t small;
    pthread_t thread;
    void *done = NULL;
    pthread_attr_init(&small);
    ck_assert_int_eq(pthread_attr_setstacksize(&small, SMALL_STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &small, skip_deep, &text), 0);
    pthread_join(thread, &done);
    pthread_attr_destroy(&small);
    ck_assert_msg(done == &text, "%s", err.detail);
}
END_TEST

/* ---- tokens ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    const char *want;
    size_t len;
    bool borrowed;
} strings[] = {
    {"\"\"", TEXT(""), true},
    {"\"abc\"", TEXT("abc"), true},
    {"  \"123456789 \xc3\xa9 123456789\"", TEXT("123456789 \xc3\xa9 123456789"), true},
    {"\"a\\u0000b\"", TEXT("a\0b"), false},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", TEXT("\"\\/\b\f\n\r\t"), false},
    {"\"\\u00e9\\u4E2d\\uFFFF\\ud83d\\uDE00\"", TEXT("\xc3\xa9\xe4\xb8\xad\xef\xbf\xbf\xf0\x9f\x98\x80"), false},
    {"\"\\ud800\\udc00\\udbff\\udfff\"", TEXT("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"), false},
};

START_TEST(string)
{
    struct json json = reader(strings[_i].text, strlen(strings[_i].text));
    struct bytes got;
    ck_assert(json_string(&json, &got) && json_end(&json));
    ck_assert_uint_eq(got.len, strings[_i].len);
    ck_assert_mem_eq(got.ptr, strings[_i].want, got.len);
    ck_assert((got.ptr > json.start && got.ptr < json.end) == strings[_i].borrowed);
}
END_TEST

START_TEST(string_token_is_as_written)
{
    struct json json = reader(TEXT(" \"a\\u0041\" "));
    struct bytes got;
    ck_assert(json_string_token(&json, &got) && json_end(&json));
    ck_assert(bytes_equal(got, "\"a\\u0041\""));
}
END_TEST

/* A quote, backslash, control character or broken byte is found wherever it stands in a word. */
START_TEST(specials_in_every_place)
{
    static const uint8_t bad[] = {0x00, 0x1f, 0x80, 0xff, '\\'};
    for (size_t at = 0; at < 40; at++)
        for (size_t k = 0; k < sizeof(bad); k++) {
            char text[44];
            memset(text, 'a', sizeof(text));
            text[0] = text[42] = '"';
            text[1 + at] = (char)bad[k];
            struct json json = reader(text, 43);
            ck_assert(!json_skip(&json));
            text[1 + at] = '"';
            json = reader(text, 43);
            ck_assert(json_skip(&json));
            ck_assert_uint_eq((size_t)(json.next - json.start), at + 2);
        }
}
END_TEST

static const struct {
    const char *text;
    uint64_t digits;
    int64_t exponent;
    bool negative, exact;
} numbers[] = {
    {"0", 0, 0, false, true},
    {"-0.0", 0, -1, true, true},
    {"12345678", 12345678, 0, false, true},
    {"123456789.12345678", 12345678912345678, -8, false, true},
    {"0.00000000001", 1, -11, false, true},
    {"1e5", 1, 5, false, true},
    {"1.5E-3", 15, -4, false, true},
    {"18446744073709551615", UINT64_MAX, 0, false, true},
    {"18446744073709551616", 1844674407370955161, 1, false, false},
    {"18446744073709551610", 18446744073709551610u, 0, false, true},
    {"184467440737095516150", UINT64_MAX, 1, false, true},
    {"18446744073709551616.5", 1844674407370955161, 1, false, false},
    {"184467440737095516.1500", UINT64_MAX, -2, false, true},
    {"1000000000000000000000000000000", 10000000000000000000u, 11, false, true},
    {"1e999999999999999999999999", 1, (int64_t)1 << 60, false, true},
    {"1e-999999999999999999999999", 1, -((int64_t)1 << 60), false, true},
};

START_TEST(number)
{
    struct json json = reader(numbers[_i].text, strlen(numbers[_i].text));
    struct decimal got;
    ck_assert(json_number(&json, &got) && json_end(&json));
    ck_assert_uint_eq(got.digits, numbers[_i].digits);
    ck_assert_int_eq(got.exponent, numbers[_i].exponent);
    ck_assert(got.negative == numbers[_i].negative && got.exact == numbers[_i].exact);
    ck_assert_uint_eq(got.len, strlen(numbers[_i].text));
}
END_TEST

/* ---- walks -------------------------------------------------------------------------------------------------------- */

static bool count_member(struct json *json, struct bytes name, void *ctx)
{
    (void)name;
    ++*(int *)ctx;
    return json_skip(json);
}

static const struct {
    const char *text;
    int members; /* -1: refused, as there twice */
} objects[] = {
    {"{}", 0},
    {"{\"a\":1,\"b\":2,\"A\":3,\"\":4}", 4},
    {"{\"a\":{\"x\":1,\"x\":2}}", 1}, /* looked at by name only on the level that is walked */
    {"{\"a\":1,\"a\":1}", -1},
    {"{\"a\":1,\"b\":2,\"\\u0061\":1}", -1},
    {"{\"\":1,\"\":2}", -1},
};

START_TEST(object)
{
    struct json json = reader(objects[_i].text, strlen(objects[_i].text));
    int members = 0;
    bool ok = json_object(&json, count_member, &members) && json_end(&json);
    ck_assert(ok == (objects[_i].members >= 0));
    ck_assert_int_eq(ok ? members : -1, objects[_i].members);
    if (!ok)
        ck_assert_int_eq(err.code, PROBLEM_INVALID_REQUEST);
}
END_TEST

START_TEST(too_many_members)
{
    for (int count = JSON_MAX_MEMBERS; count <= JSON_MAX_MEMBERS + 1; count++) {
        char text[16 * JSON_MAX_MEMBERS + 32] = "{";
        int len = 1, members = 0;
        for (int i = 0; i < count; i++)
            len += snprintf(text + len, sizeof(text) - (size_t)len, "%s\"m%d\":0", i > 0 ? "," : "", i);
        text[len++] = '}';
        struct json json = reader(text, (size_t)len);
        ck_assert(json_object(&json, count_member, &members) == (count == JSON_MAX_MEMBERS));
        ck_assert_int_eq(members, JSON_MAX_MEMBERS);
    }
}
END_TEST

SUITE("json", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ROWS(valid_or_refused_at, documents)
      TEST_ONE(cut_documents) TEST_ONE(place_in_lines) TEST_TIMES(indented, 20)
      TEST_ONE(hint_for_bare_nan) TEST_ROWS(depth, depths)
      TEST_ONE(deep_on_a_small_stack) TEST_ROWS(string, strings) TEST_ONE(string_token_is_as_written) TEST_ONE(specials_in_every_place)
      TEST_ROWS(number, numbers) TEST_ROWS(object, objects) TEST_ONE(too_many_members))
