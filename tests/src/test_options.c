#include "src/options.h"

#include <inttypes.h>
#include <string.h>

#include "tests/suite.h"

#define ARGS_MAX 5

/* What options_parse said, and what it printed on either stream. */
struct result {
    enum options_verdict verdict;
    struct options options;
    char out[4096], err[1024];
};

static struct result parse(const char *const args[ARGS_MAX])
{
    struct result ret;
    memset(&ret, 0, sizeof(ret));
    char name[] = "shaped";
    char *argv[ARGS_MAX + 2] = {name};
    int argc = 1;
    for (int i = 0; i < ARGS_MAX && args[i] != NULL; i++)
        argv[argc++] = (char *)(uintptr_t)args[i];
    FILE *out = fmemopen(ret.out, sizeof(ret.out), "w");
    FILE *err = fmemopen(ret.err, sizeof(ret.err), "w");
    ret.verdict = options_parse(&ret.options, argc, argv, out, err);
    fclose(out);
    fclose(err);
    return ret;
}

START_TEST(has_the_documented_defaults)
{
    struct result got = parse((const char *const[ARGS_MAX]){NULL});
    ck_assert_int_eq(got.verdict, OPTIONS_RUN);
    ck_assert_str_eq(got.options.listen.host, "127.0.0.1");
    ck_assert_uint_eq(got.options.listen.port, 8000);
    ck_assert_uint_eq(got.options.max_request_bytes, 268435456);
    ck_assert_uint_eq(got.options.max_output_bytes, 4294967296);
    ck_assert_uint_eq(got.options.compress_max, 4194304);
    ck_assert_uint_eq(got.options.json_depth, 100);
    ck_assert_uint_eq(got.options.drain_timeout, 8000);
    ck_assert_int_eq(got.options.log_level, LOG_INFO);
}
END_TEST

#define NUMBER(member) offsetof(struct options, member)

static const struct {
    const char *args[ARGS_MAX];
    size_t offset;
    uint64_t want;
} numbers[] = {
    {{"--max-request-bytes", "100"}, NUMBER(max_request_bytes), 100},
    {{"--max-request-bytes=100"}, NUMBER(max_request_bytes), 100},
    {{"--max-request-bytes", "2K"}, NUMBER(max_request_bytes), 2048},
    {{"--max-request-bytes", "3M"}, NUMBER(max_request_bytes), 3145728},
    {{"--max-output-bytes", "5G"}, NUMBER(max_output_bytes), 5368709120},
    {{"--max-output-bytes", "1024T"}, NUMBER(max_output_bytes), 1125899906842624},
    {{"--compress-max", "0"}, NUMBER(compress_max), 0},
    {{"--json-depth", "0100"}, NUMBER(json_depth), 100}, /* decimal, not octal */
    {{"--inline-bytes", "0"}, NUMBER(inline_bytes), 0},
    {{"--threads", "7", "--threads", "3"}, NUMBER(threads), 3}, /* the last one counts */
    {{"--request-timeout", "2"}, NUMBER(request_timeout), 2000},
    {{"--request-timeout", "0.001"}, NUMBER(request_timeout), 1},
    {{"--request-timeout", "1.25"}, NUMBER(request_timeout), 1250},
    {{"--drain-timeout", "0"}, NUMBER(drain_timeout), 0},
    {{"--max-inflight", "1"}, NUMBER(max_inflight), 1},
};

START_TEST(reads_numbers)
{
    struct result got = parse(numbers[_i].args);
    ck_assert_int_eq(got.verdict, OPTIONS_RUN);
    uint64_t value;
    memcpy(&value, (const char *)&got.options + numbers[_i].offset, sizeof(value));
    ck_assert_uint_eq(value, numbers[_i].want);
}
END_TEST

static const struct {
    const char *text, *host;
    uint16_t port;
} endpoints[] = {
    {"127.0.0.1:0", "127.0.0.1", 0},
    {"localhost:65535", "localhost", 65535},
    {"[::1]:80", "::1", 80},
    {"[fe80::1%eth0]:1", "fe80::1%eth0", 1},
};

START_TEST(reads_endpoints)
{
    struct result got = parse((const char *const[ARGS_MAX]){"--listen", endpoints[_i].text});
    ck_assert_int_eq(got.verdict, OPTIONS_RUN);
    ck_assert_str_eq(got.options.listen.host, endpoints[_i].host);
    ck_assert_uint_eq(got.options.listen.port, endpoints[_i].port);
}
END_TEST

START_TEST(reads_levels)
{
    struct result got = parse((const char *const[ARGS_MAX]){"--log-level", "debug"});
    ck_assert_int_eq(got.verdict, OPTIONS_RUN);
    ck_assert_int_eq(got.options.log_level, LOG_DEBUG);
}
END_TEST

/* The sentence must name the option or argument, and the value. */
static const struct {
    const char *args[ARGS_MAX];
    const char *names, *says;
} bad[] = {
    {{"--max-request-bytes", ""}, "--max-request-bytes", "\"\""},
    {{"--max-request-bytes", "0"}, "--max-request-bytes", "from 1 to"},
    {{"--max-request-bytes", "-1"}, "--max-request-bytes", "-1"},
    {{"--max-request-bytes", "+1"}, "--max-request-bytes", "+1"},
    {{"--max-request-bytes", " 1"}, "--max-request-bytes", " 1"},
    {{"--max-request-bytes", "1k"}, "--max-request-bytes", "1k"},
    {{"--max-request-bytes", "1KB"}, "--max-request-bytes", "1KB"},
    {{"--max-request-bytes", "2T"}, "--max-request-bytes", "2T"},
    {{"--max-request-bytes", "16777216T"}, "--max-request-bytes", "16777216T"}, /* 2^64 */
    {{"--max-request-bytes", "99999999999999999999"}, "--max-request-bytes", "99999999999999999999"},
    {{"--json-depth", "1K"}, "--json-depth", "1K"},
    {{"--json-depth", "1.5"}, "--json-depth", "1.5"},
    {{"--request-timeout", "0"}, "--request-timeout", "from 0.001"},
    {{"--request-timeout", "1.2345"}, "--request-timeout", "1.2345"},
    {{"--request-timeout", "1s"}, "--request-timeout", "1s"},
    {{"--log-level", "loud"}, "--log-level", "debug"},
    {{"--log-level", "notice"}, "--log-level", "notice"},
    {{"--listen", "8000"}, "--listen", "HOST:PORT"},
    {{"--listen", ":8000"}, "--listen", ":8000"},
    {{"--listen", "::1:8000"}, "--listen", "[::1]:8000"},
    {{"--listen", "[]:8000"}, "--listen", "[]:8000"},
    {{"--listen", "host:65536"}, "--listen", "65536"},
    {{"--listen", "host:80x"}, "--listen", "80x"},
    {{"--listen"}, "--listen", "needs a value"},
    {{"--nonsense"}, "--nonsense", "no option"},
    {{"--help=no"}, "--help", "no option"},
    {{"-x"}, "-x", "no option"},
    {{"-xy"}, "-x", "no option"},
    {{"file"}, "file", "not an option"},
    {{"--", "--help"}, "--help", "not an option"},
};

START_TEST(says_what_is_wrong)
{
    struct result got = parse(bad[_i].args);
    ck_assert_int_eq(got.verdict, OPTIONS_BAD);
    ck_assert_ptr_nonnull(strstr(got.err, bad[_i].names));
    ck_assert_ptr_nonnull(strstr(got.err, bad[_i].says));
    ck_assert_ptr_eq(strchr(got.err, '\n'), got.err + strlen(got.err) - 1); /* one line */
    ck_assert_str_eq(got.out, "");
}
END_TEST

START_TEST(helps_on_one_screen)
{
    struct result got = parse((const char *const[ARGS_MAX]){"--help"});
    ck_assert_int_eq(got.verdict, OPTIONS_DONE);
    ck_assert_str_eq(got.err, "");
    ck_assert_ptr_nonnull(strstr(got.out, "--max-request-bytes SIZE"));
    ck_assert_ptr_nonnull(strstr(got.out, "(256M)"));
    int lines = 0;
    for (const char *line = got.out, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        ck_assert_msg(end - line <= 80, "%.*s", (int)(end - line), line);
        lines++;
    }
    ck_assert_int_le(lines, 24);
}
END_TEST

START_TEST(tells_its_version)
{
    struct result got = parse((const char *const[ARGS_MAX]){"--version"});
    ck_assert_int_eq(got.verdict, OPTIONS_DONE);
    ck_assert_str_eq(got.out, "shaped " PACKAGE_VERSION "\n");
}
END_TEST

SUITE("options",
      TEST_ONE(has_the_documented_defaults) TEST_ROWS(reads_numbers, numbers)
          TEST_ROWS(reads_endpoints, endpoints) TEST_ONE(reads_levels) TEST_ROWS(says_what_is_wrong, bad)
              TEST_ONE(helps_on_one_screen) TEST_ONE(tells_its_version))
