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

static struct result parse_with(const char *const args[ARGS_MAX], const char *const env[ARGS_MAX])
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
    char *vars[ARGS_MAX + 1] = {NULL};
    for (int i = 0; i < ARGS_MAX && env[i] != NULL; i++)
        vars[i] = (char *)(uintptr_t)env[i];
    ret.verdict = options_parse(&ret.options, argc, argv, vars, out, err);
    fclose(out);
    fclose(err);
    return ret;
}

static struct result parse(const char *const args[ARGS_MAX])
{
    return parse_with(args, (const char *const[ARGS_MAX]){NULL});
}

START_TEST(has_the_documented_defaults)
{
    struct result got = parse((const char *const[ARGS_MAX]){NULL});
    ck_assert_int_eq(got.verdict, OPTIONS_RUN);
    ck_assert_uint_eq(got.options.listen_count, 1);
    ck_assert_str_eq(got.options.listen[0].host, "127.0.0.1");
    ck_assert_uint_eq(got.options.listen[0].port, 8000);
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
    {{NULL}, NUMBER(max_header_bytes), 32768},
    {{"--max-header-bytes", "4K"}, NUMBER(max_header_bytes), 4096},
    {{"--json-depth", "0100"}, NUMBER(json_depth), 100}, /* decimal, not octal */
    {{"--inline-bytes", "0"}, NUMBER(inline_bytes), 0},
    {{"--threads", "7", "--threads", "3"}, NUMBER(threads), 3}, /* the last one counts */
    {{"--request-timeout", "2"}, NUMBER(request_timeout), 2000},
    {{"--request-timeout", "0.001"}, NUMBER(request_timeout), 1},
    {{"--request-timeout", "1.25"}, NUMBER(request_timeout), 1250},
    {{"--drain-timeout", "0"}, NUMBER(drain_timeout), 0},
    {{"--max-inflight", "1"}, NUMBER(max_inflight), 1},
    {{NULL}, NUMBER(socket_mode), 0660},
    {{"--socket-mode", "0600"}, NUMBER(socket_mode), 0600},
    {{"--socket-mode", "777"}, NUMBER(socket_mode), 0777},
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
    ck_assert_uint_eq(got.options.listen_count, 1);
    ck_assert_str_eq(got.options.listen[0].host, endpoints[_i].host);
    ck_assert_uint_eq(got.options.listen[0].port, endpoints[_i].port);
    ck_assert_str_eq(got.options.listen[0].path, "");
}
END_TEST

#define PATH_10  "/tmp/a.soc"
#define PATH_50  PATH_10 PATH_10 PATH_10 PATH_10 PATH_10
#define PATH_107 PATH_50 PATH_50 "/longer"

static const char *const paths[] = {"/s", "/run/shaped/shaped.sock", "/odd:name", PATH_107};

START_TEST(reads_paths_of_unix_sockets)
{
    char text[256];
    snprintf(text, sizeof(text), "unix:%s", paths[_i]);
    struct result got = parse((const char *const[ARGS_MAX]){"--listen", text});
    ck_assert_int_eq(got.verdict, OPTIONS_RUN);
    ck_assert_str_eq(got.options.listen[0].path, paths[_i]);
}
END_TEST

/* The command line's addresses take the place of the environment's, and these that of the default. */
static const struct {
    const char *args[ARGS_MAX], *env[ARGS_MAX];
    uint16_t ports[4]; /* 0 ends them */
} lists[] = {
    {{"--listen", "a:1", "--listen", "b:2"}, {NULL}, {1, 2}},
    {{"--listen", "a:1,[::1]:2", "--listen=c:3"}, {NULL}, {1, 2, 3}},
    {{NULL}, {"SHAPED_LISTEN=a:1,b:2"}, {1, 2}},
    {{"--listen", "c:3"}, {"SHAPED_LISTEN=a:1,b:2"}, {3}},
};

START_TEST(collects_addresses)
{
    struct result got = parse_with(lists[_i].args, lists[_i].env);
    ck_assert_int_eq(got.verdict, OPTIONS_RUN);
    unsigned count = 0;
    while (lists[_i].ports[count] != 0)
        count++;
    ck_assert_uint_eq(got.options.listen_count, count);
    for (unsigned i = 0; i < count; i++)
        ck_assert_uint_eq(got.options.listen[i].port, lists[_i].ports[i]);
}
END_TEST

START_TEST(knows_how_many_addresses_there_may_be)
{
    char most[OPTIONS_LISTEN_MAX * 4 + 4];
    for (int i = 0; i <= OPTIONS_LISTEN_MAX; i++)
        memcpy(most + (size_t)i * 4, "h:1,", 4);
    most[OPTIONS_LISTEN_MAX * 4 - 1] = '\0';
    ck_assert_int_eq(parse((const char *const[ARGS_MAX]){"--listen", most}).verdict, OPTIONS_RUN);
    most[OPTIONS_LISTEN_MAX * 4 - 1] = ',';
    most[OPTIONS_LISTEN_MAX * 4 + 3] = '\0';
    ck_assert_int_eq(parse((const char *const[ARGS_MAX]){"--listen", most}).verdict, OPTIONS_BAD);
}
END_TEST

static const struct {
    const char *args[ARGS_MAX], *env[ARGS_MAX];
    uint64_t threads;
} sources[] = {
    {{NULL}, {"SHAPED_THREADS=7"}, 7},
    {{"--threads", "3"}, {"SHAPED_THREADS=7"}, 3},
    {{NULL}, {"PATH=/bin", "SHAPED_THREADS=7", "SHAPED_JSON_DEPTH=9"}, 7},
    {{NULL}, {"SHAPED=x", "SHAPEDTHREADS=1", "XSHAPED_THREADS=1", "shaped_threads=1"}, 0},
    /* of a Service called "shaped", and one called "shaped-api" */
    {{NULL}, {"SHAPED_PORT=tcp://10.0.0.1:80", "SHAPED_SERVICE_HOST=10.0.0.1", "SHAPED_SERVICE_PORT_HTTP=80"}, 0},
    {{NULL}, {"SHAPED_PORT_80_TCP_ADDR=10.0.0.1", "SHAPED_API_PORT=udp://10.0.0.1:80", "SHAPED_API_SERVICE_PORT=80"}, 0},
    {{NULL}, {"SHAPED_FOR_THOSE_WHO_GIVE_THEIR_SERVICES_NAMES_AS_LONG_AS_THEY_MAY_BE_SERVICE_HOST=10.0.0.1"}, 0},
};

START_TEST(reads_the_environment)
{
    struct result got = parse_with(sources[_i].args, sources[_i].env);
    ck_assert_str_eq(got.err, "");
    ck_assert_int_eq(got.verdict, OPTIONS_RUN);
    ck_assert_uint_eq(got.options.threads, sources[_i].threads);
}
END_TEST

static const struct {
    const char *entry, *says;
} bad_variables[] = {
    {"SHAPED_THREDS=7", "SHAPED_THREDS is no option"},
    {"SHAPED_=7", "SHAPED_ is no option"},
    {"SHAPED_threads=7", "SHAPED_threads is no option"},
    {"SHAPED_THREADS_=7", "SHAPED_THREADS_ is no option"},
    {"SHAPED_HELP=1", "SHAPED_HELP is no option"},
    {"SHAPED_JSON-DEPTH=7", "SHAPED_JSON-DEPTH is no option"},
    {"SHAPED_PORT=9000", "SHAPED_PORT is no option"},
    {"SHAPED_LISTEN_PORT=9000", "SHAPED_LISTEN_PORT is no option"},
    {"SHAPED_THREADS=many", "SHAPED_THREADS cannot be \"many\": give a number from 0 to 1024"},
    {"SHAPED_THREADS=", "SHAPED_THREADS cannot be \"\""},
    {"SHAPED_THREADS", "SHAPED_THREADS cannot be \"\""},
};

START_TEST(says_what_is_wrong_in_the_environment)
{
    const char *const env[ARGS_MAX] = {bad_variables[_i].entry};
    struct result got = parse_with((const char *const[ARGS_MAX]){NULL}, env);
    ck_assert_int_eq(got.verdict, OPTIONS_BAD);
    ck_assert_ptr_nonnull(strstr(got.err, bad_variables[_i].says));
    ck_assert_ptr_eq(strchr(got.err, '\n'), got.err + strlen(got.err) - 1);
}
END_TEST

static const struct {
    const char *args[ARGS_MAX];
    enum options_verdict verdict;
} wishes[] = {
    {{"--check-config"}, OPTIONS_CHECK},
    {{"--check-config", "--threads", "2"}, OPTIONS_CHECK},
    {{"--check-config", "--threads", "x"}, OPTIONS_BAD},
    {{"--threads", "2", "--healthcheck"}, OPTIONS_HEALTHCHECK},
    {{"--check-config", "--version"}, OPTIONS_DONE},
    {{"--check-config=1"}, OPTIONS_BAD},
};

START_TEST(tells_what_is_wanted)
{
    ck_assert_int_eq(parse(wishes[_i].args).verdict, wishes[_i].verdict);
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
    {{"--min-rate", "2G"}, "--min-rate", "2G"}, /* times a day in ms it still fits 64 bits */
    {{"--drain-delay", "8"}, "--drain-delay", "--drain-timeout"},
    {{"--drain-delay", "1", "--drain-timeout", "0.5"}, "--drain-delay", "--drain-timeout"},
    {{"--max-header-bytes", "4095"}, "--max-header-bytes", "4095"},
    {{"--max-header-bytes", "2M"}, "--max-header-bytes", "2M"},
    {{"--memory-budget", "1048575"}, "--memory-budget", "--max-header-bytes"},
    {{"--memory-budget", "1M", "--max-header-bytes", "64K"}, "--memory-budget", "--max-header-bytes"},
    {{"--json-depth", "3"}, "--json-depth", "from 4"}, /* what any document needs */
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
    {{"--listen", "unix:"}, "--listen", "unix:/PATH"},
    {{"--listen", "unix:a"}, "--listen", "unix:/PATH"},
    {{"--listen", "unix:" PATH_107 "x"}, "--listen", "107"},
    {{"--socket-mode", "688"}, "--socket-mode", "octal"},
    {{"--socket-mode", "1777"}, "--socket-mode", "0 to 777"},
    {{"--socket-mode", ""}, "--socket-mode", "octal"},
    {{"--socket-mode", "-1"}, "--socket-mode", "octal"},
    {{"--listen", "a:1,"}, "--listen", "a:1,"},
    {{"--listen", ",a:1"}, "--listen", ",a:1"},
    {{"--help=no"}, "--help=all", "no option"},
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

/* Lines of a text, none longer than a screen is wide. */
static int count_lines(const char *text)
{
    int lines = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        ck_assert_msg(end - line <= 80, "%.*s", (int)(end - line), line);
        lines++;
    }
    return lines;
}

START_TEST(helps_on_one_screen)
{
    struct result got = parse((const char *const[ARGS_MAX]){"--help"});
    ck_assert_int_eq(got.verdict, OPTIONS_DONE);
    ck_assert_str_eq(got.err, "");
    ck_assert_ptr_nonnull(strstr(got.out, "--max-request-bytes SIZE"));
    ck_assert_ptr_nonnull(strstr(got.out, "(256M)"));
    ck_assert_int_le(count_lines(got.out), 24);
}
END_TEST

START_TEST(helps_with_all_options)
{
    struct result got = parse((const char *const[ARGS_MAX]){"--help=all"});
    ck_assert_int_eq(got.verdict, OPTIONS_DONE);
    ck_assert_int_gt(count_lines(got.out), 24);
    ck_assert_ptr_nonnull(strstr(got.out, "Limits\n"));
    ck_assert_ptr_nonnull(strstr(got.out, "--max-request-bytes SIZE"));
    ck_assert_ptr_nonnull(strstr(got.out, "--prefill-cost PS"));
    ck_assert_ptr_null(strstr(got.out, "-port ")); /* variables of Kubernetes are called so, and ignored */
}
END_TEST

START_TEST(tells_its_version)
{
    struct result got = parse((const char *const[ARGS_MAX]){"--version"});
    ck_assert_int_eq(got.verdict, OPTIONS_DONE);
    ck_assert_str_eq(got.out, "shaped " PACKAGE_VERSION "\n");
}
END_TEST

/* Also one who must find out what is wrong with the rest. */
static const struct {
    const char *args[ARGS_MAX], *env[ARGS_MAX];
} questions[] = {
    {{"--help"}, {"SHAPED_THREDS=7"}},
    {{"--help=all"}, {"SHAPED_THREADS=many"}},
    {{"--version"}, {"SHAPED_THREDS=7"}},
    {{"--threads=many", "--help"}, {NULL}},
    {{"--tls-key", "k", "--version"}, {NULL}},
    {{"--check-config", "--help"}, {NULL}},
};

START_TEST(answers_whoever_asks)
{
    struct result got = parse_with(questions[_i].args, questions[_i].env);
    ck_assert_int_eq(got.verdict, OPTIONS_DONE);
    ck_assert_str_eq(got.err, "");
    ck_assert_str_ne(got.out, "");
}
END_TEST

SUITE("options",
      TEST_ONE(has_the_documented_defaults) TEST_ROWS(reads_numbers, numbers)
          TEST_ROWS(reads_endpoints, endpoints) TEST_ROWS(reads_paths_of_unix_sockets, paths) TEST_ROWS(collects_addresses, lists)
              TEST_ONE(knows_how_many_addresses_there_may_be) TEST_ONE(reads_levels)
                  TEST_ROWS(reads_the_environment, sources) TEST_ROWS(says_what_is_wrong, bad)
                      TEST_ROWS(says_what_is_wrong_in_the_environment, bad_variables)
                          TEST_ROWS(tells_what_is_wanted, wishes) TEST_ONE(helps_on_one_screen)
                              TEST_ONE(helps_with_all_options) TEST_ONE(tells_its_version)
                                  TEST_ROWS(answers_whoever_asks, questions))
