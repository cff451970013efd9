#include "api/dispatch.h"

#include "api/target.h"
#include "tests/api/exchange.h"
#include "tests/api/scarce.h"

static const struct {
    const char *method, *target;
    const char *template;
    const char *op; /* NULL: none */
    int since;
    bool head, body;
} found[] = {
    {"GET", "/", "/", NULL, 0, false, false},
    {"HEAD", "/", "/", NULL, 0, true, false},
    {"GET", "/docs", "/docs", NULL, 0, false, false},
    {"GET", "/assets/a.js", "/assets/{file}", NULL, 0, false, false},
    {"GET", "/v2", "/v2", NULL, 0, false, false},
    {"GET", "/v2/", "/v2", NULL, 0, false, false},
    {"GET", "/v2/health/live", "/v2/health/live", NULL, 0, false, false},
    {"HEAD", "/v2/health/ready", "/v2/health/ready", NULL, 0, true, false},
    {"GET", "http://x/v2/health/ready/", "/v2/health/ready", NULL, 0, false, false},
    {"GET", "/v2/models", "/v2/models", NULL, 0, false, false},
    {"GET", "/v2/models/stats", "/v2/models/stats", NULL, 0, false, false},
    {"GET", "/v2/models/expand", "/v2/models/{model}", "expand", 13, false, false},
    {"HEAD", "/v2/models/expand/", "/v2/models/{model}", "expand", 13, true, false},
    {"GET", "/v2/models/unsqueeze", "/v2/models/{model}", "unsqueeze", 25, false, false},
    {"GET", "/v2/models/expand/versions/8", "/v2/models/{model}/versions/{version}", "expand", 8, false,
     false},
    {"GET", "/v2/models/unsqueeze/versions/1", "/v2/models/{model}/versions/{version}", "unsqueeze", 1, false,
     false},
    {"GET", "/v2/models/unsqueeze/versions/%32%33", "/v2/models/{model}/versions/{version}", "unsqueeze", 23,
     false, false},
    {"GET", "/v2/models/expand/ready", "/v2/models/{model}/ready", "expand", 13, false, false},
    {"GET", "/v2/models/expand/config", "/v2/models/{model}/config", "expand", 13, false, false},
    {"GET", "/v2/models/expand/stats", "/v2/models/{model}/stats", "expand", 13, false, false},
    {"GET", "/v2/models/expand/versions/8/ready", "/v2/models/{model}/versions/{version}/ready", "expand", 8,
     false, false},
    {"GET", "/v2/models/expand/versions/8/config", "/v2/models/{model}/versions/{version}/config", "expand",
     8, false, false},
    {"GET", "/v2/models/expand/versions/8/stats", "/v2/models/{model}/versions/{version}/stats", "expand", 8,
     false, false},
    {"POST", "/v2/models/expand/infer", "/v2/models/{model}/infer", "expand", 13, false, true},
    {"POST", "/v2/models/%65xpand/infer?datatype=FP32", "/v2/models/{model}/infer", "expand", 13, false,
     true},
    {"POST", "/v2/models/unsqueeze/versions/11/infer", "/v2/models/{model}/versions/{version}/infer",
     "unsqueeze", 11, false, true},
    {"POST", "/v2/models/unsqueeze/versions/11/infer/", "/v2/models/{model}/versions/{version}/infer",
     "unsqueeze", 11, false, true},
    {"GET", "/v2/repository/index", "/v2/repository/index", NULL, 0, false, false},
    {"HEAD", "/v2/repository/index", "/v2/repository/index", NULL, 0, true, false},
    {"POST", "/v2/repository/index", "/v2/repository/index", NULL, 0, false, true},
    {"POST", "/v2/repository/models/any/load", "/v2/repository/models/{model}/load", NULL, 0, false, false},
    {"POST", "/v2/repository/models/expand/unload", "/v2/repository/models/{model}/unload", NULL, 0, false,
     false},
};

START_TEST(finds)
{
    struct arena arena;
    struct route_match match;
    const char *allow;
    struct problem problem;
    arena_init(&arena, &memory_heap, NULL, 0);
    ck_assert_msg(route_resolve(&arena, found[_i].method, found[_i].target, &match, &allow, &problem),
                  "%s %s: %s", found[_i].method, found[_i].target, problem.detail);
    ck_assert_str_eq(route_template(match.route), found[_i].template);
    ck_assert_str_eq(route_method(match.route), found[_i].head ? "GET" : found[_i].method);
    ck_assert_pstr_eq(match.op != NULL ? match.op->name : NULL, found[_i].op);
    ck_assert_int_eq(match.op != NULL ? match.op->since : 0, found[_i].since);
    ck_assert_int_eq(match.head, found[_i].head);
    ck_assert_int_eq(route_has_body(match.route), found[_i].body);
    arena_release(&arena);
}
END_TEST

static const struct {
    const char *method, *target;
    enum problem_code code;
    const char *says;  /* part of the sentence */
    const char *allow; /* of a 405 */
} refused[] = {
    /* 400 */
    {"GET", "*", PROBLEM_BAD_TARGET, "must be a path", NULL},
    {"POST", "/v2/models/expand%00x/infer", PROBLEM_BAD_TARGET, "%00", NULL},
    {"GET", "/v2/models%2Fexpand", PROBLEM_BAD_TARGET, "%2F", NULL},
    {"GET", "/v2/models/%e", PROBLEM_BAD_TARGET, "two hexadecimal digits", NULL},
    /* 404: paths */
    {"GET", "/v1/models/expand", PROBLEM_UNKNOWN_PATH, "/v1/models/expand", NULL},
    {"GET", "/V2", PROBLEM_UNKNOWN_PATH, "'/V2'", NULL},
    {"GET", "//v2", PROBLEM_UNKNOWN_PATH, "'//v2'", NULL},
    {"GET", "/v2//", PROBLEM_UNKNOWN_PATH, "'/v2//'", NULL},
    {"GET", "//", PROBLEM_UNKNOWN_PATH, "'//'", NULL},
    {"GET", "/v2//models", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"POST", "/v2/models//infer", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"GET", "/v2/models/expand/versions", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"GET", "/v2/models/expand/versions//config", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"GET", "/v2/models/expand/versions/8/infer/x", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"GET", "/v2/models/../models", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"GET", "/v2/x/../health/live", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"GET", "/1/2/3/4/5/6/7/8/9/10/11", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"FOO", "/nowhere", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"GET", "/v2/health/liv", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    {"GET", "/v2/health/lively", PROBLEM_UNKNOWN_PATH, "no path", NULL},
    /* 404: models */
    {"GET", "/v2/models/Expand", PROBLEM_UNKNOWN_MODEL, "use 'expand'", NULL},
    {"POST", "/v2/models/UNSQUEEZE/versions/13/infer", PROBLEM_UNKNOWN_MODEL, "use 'unsqueeze'", NULL},
    {"GET", "/v2/models/expan", PROBLEM_UNKNOWN_MODEL, "'expan': use one of expand, unsqueeze", NULL},
    {"GET", "/v2/models/expandx", PROBLEM_UNKNOWN_MODEL, "use one of expand, unsqueeze", NULL},
    {"GET", "/v2/models/..x!.9?Z*/versions/1", PROBLEM_UNKNOWN_MODEL, "'..x!.9'", NULL},
    {"GET", "/v2/models/%2565xpand", PROBLEM_UNKNOWN_MODEL, "'%65xpand'", NULL},
    {"GET", "/v2/models/a%0Ab", PROBLEM_UNKNOWN_MODEL, "'a?b'", NULL},
    {"GET", "/v2/models/..", PROBLEM_UNKNOWN_MODEL, "'..'", NULL},
    /* 404: versions */
    {"POST", "/v2/models/unsqueeze/versions/14/infer", PROBLEM_UNKNOWN_VERSION,
     "use 13, which is in force at operator set 14", NULL},
    {"POST", "/v2/models/unsqueeze/versions/12/infer", PROBLEM_UNKNOWN_VERSION,
     "use 11, which is in force at operator set 12", NULL},
    {"GET", "/v2/models/unsqueeze/versions/2", PROBLEM_UNKNOWN_VERSION,
     "use 1, which is in force at operator set 2", NULL},
    {"GET", "/v2/models/unsqueeze/versions/26", PROBLEM_UNKNOWN_VERSION,
     "use 25, which is in force at operator set 26 (there are 1, 11, 13, 21", NULL},
    {"GET", "/v2/models/expand/versions/12", PROBLEM_UNKNOWN_VERSION,
     "use 8, which is in force at operator set 12 (there are 8, 13)", NULL},
    {"GET", "/v2/models/expand/versions/99/config", PROBLEM_UNKNOWN_VERSION, "use 13, which", NULL},
    {"GET", "/v2/models/expand/versions/1", PROBLEM_UNKNOWN_VERSION, "Expand begins at 8", NULL},
    {"GET", "/v2/models/expand/versions/7", PROBLEM_UNKNOWN_VERSION, "Expand begins at 8", NULL},
    {"GET", "/v2/models/expand/versions/0", PROBLEM_UNKNOWN_VERSION, "Expand begins at 8", NULL},
    {"GET", "/v2/models/unsqueeze/versions/0", PROBLEM_UNKNOWN_VERSION, "Unsqueeze begins at 1", NULL},
    {"POST", "/v2/models/unsqueeze/versions/90210555000111222333444555666/infer", PROBLEM_UNKNOWN_VERSION,
     "use 25, which", NULL},
    /* 2^64 + 13, which must not wrap around to 13 */
    {"GET", "/v2/models/expand/versions/18446744073709551629", PROBLEM_UNKNOWN_VERSION, "use 13, which",
     NULL},
    {"GET", "/v2/models/expand/versions/013", PROBLEM_UNKNOWN_VERSION, "'013' is not a version", NULL},
    {"GET", "/v2/models/expand/versions/00", PROBLEM_UNKNOWN_VERSION, "use one of 8, 13", NULL},
    {"POST", "/v2/models/expand/versions/1p3/infer", PROBLEM_UNKNOWN_VERSION, "use one of 8, 13", NULL},
    {"GET", "/v2/models/expand/versions/+13", PROBLEM_UNKNOWN_VERSION, "use one of 8, 13", NULL},
    {"GET", "/v2/models/expand/versions/-13", PROBLEM_UNKNOWN_VERSION, "use one of 8, 13", NULL},
    {"GET", "/v2/models/expand/versions/13.0", PROBLEM_UNKNOWN_VERSION, "use one of 8, 13", NULL},
    {"GET", "/v2/models/expand/versions/%2013", PROBLEM_UNKNOWN_VERSION, "' 13' is not", NULL},
    {"GET", "/v2/models/expand/versions/latest", PROBLEM_UNKNOWN_VERSION, "use one of 8, 13", NULL},
    /* 405 */
    {"POST", "/v2/health/ready", PROBLEM_METHOD_NOT_ALLOWED, "POST is not offered", "GET, HEAD"},
    {"OPTIONS", "/v2/models/expand/versions/13/infer", PROBLEM_METHOD_NOT_ALLOWED, "use POST", "POST"},
    {"HEAD", "/v2/models/expand/infer", PROBLEM_METHOD_NOT_ALLOWED, "HEAD is not offered", "POST"},
    {"GET", "/v2/models/expand/infer", PROBLEM_METHOD_NOT_ALLOWED, "GET is not offered", "POST"},
    {"get", "/v2", PROBLEM_METHOD_NOT_ALLOWED, "get is not offered for /v2", "GET, HEAD"},
    {"DELETE", "/v2/repository/index", PROBLEM_METHOD_NOT_ALLOWED, "use GET, HEAD, POST", "GET, HEAD, POST"},
    {"PUT", "/v2/models/stats", PROBLEM_METHOD_NOT_ALLOWED, "for /v2/models/stats", "GET, HEAD"},
    {"TRACE", "/", PROBLEM_METHOD_NOT_ALLOWED, "TRACE", "GET, HEAD"},
    {"GET", "/v2/repository/models/expand/load", PROBLEM_METHOD_NOT_ALLOWED, "use POST", "POST"},
};

START_TEST(refuses)
{
    struct arena arena;
    struct route_match match;
    const char *allow;
    struct problem problem;
    arena_init(&arena, &memory_heap, NULL, 0);
    ck_assert(!route_resolve(&arena, refused[_i].method, refused[_i].target, &match, &allow, &problem));
    ck_assert_int_eq(problem.code, refused[_i].code);
    ck_assert_msg(strstr(problem.detail, refused[_i].says) != NULL, "%s: %s", refused[_i].target,
                  problem.detail);
    ck_assert_pstr_eq(allow, refused[_i].allow);
    arena_release(&arena);
}
END_TEST

/* A name of any length is quoted only in part, and what is said after it is not lost. */
START_TEST(long_names)
{
    static const char *const before[] = {"/", "/v2/models/", "/v2/models/expand/versions/",
                                         "/v2/models/expand/versions/1"};
    static const char *const says[] = {"GET / lists", "use one of expand", "use one of 8, 13",
                                       "(there are 8, 13)"};
    char target[20000];
    struct arena arena;
    struct route_match match;
    const char *allow;
    struct problem problem;
    arena_init(&arena, &memory_heap, NULL, 0);
    size_t len = strlen(before[_i]);
    memcpy(target, before[_i], len);
    memset(target + len, _i == 3 ? '9' : 'x', sizeof(target) - len);
    target[sizeof(target) - 1] = '\0';
    ck_assert(!route_resolve(&arena, "GET", target, &match, &allow, &problem));
    ck_assert_int_eq(problem_info(problem.code)->status, 404);
    ck_assert_msg(strstr(problem.detail, says[_i]) != NULL, "%s", problem.detail);
    arena_release(&arena);
}
END_TEST

START_TEST(query)
{
    struct arena arena;
    struct route_match match;
    const char *allow;
    struct problem problem;
    arena_init(&arena, &memory_heap, NULL, 0);
    ck_assert(route_resolve(&arena, "POST", "/v2/models/expand/infer?shape=2%2C3", &match, &allow, &problem));
    ck_assert_str_eq(match.query, "shape=2%2C3");
    ck_assert(route_resolve(&arena, "POST", "/v2/models/expand/infer", &match, &allow, &problem));
    ck_assert_ptr_null(match.query);
    arena_release(&arena);
}
END_TEST

/* A path of the template: "expand" for {model}, "13" for {version}. */
static void fill_in(const char *template, char *out, size_t size)
{
    size_t len = 0;
    for (const char *p = template; *p != '\0'; p++) {
        const char *name = strncmp(p, "{model}", 7) == 0     ? "expand"
                           : strncmp(p, "{version}", 9) == 0 ? "13"
                                                             : NULL;
        if (name == NULL)
            len += (size_t)snprintf(out + len, size - len, "%c", *p);
        else {
            len += (size_t)snprintf(out + len, size - len, "%s", name);
            p = strchr(p, '}');
        }
    }
}

/* The rows are what the lookup relies on: the methods of a path stand together, no template has more segments
 * than are kept, and no row is hidden by one above it. */
START_TEST(table)
{
    for (size_t i = 0; route_at(i) != NULL; i++) {
        char target[256];
        struct arena arena;
        struct target parsed;
        struct route_match match;
        const char *allow;
        struct problem problem;
        arena_init(&arena, &memory_heap, NULL, 0);
        fill_in(route_template(route_at(i)), target, sizeof(target));
        ck_assert(target_parse(&arena, target, &parsed, &problem));
        ck_assert_uint_le(parsed.count, TARGET_MAX_SEGMENTS);
        ck_assert(route_resolve(&arena, route_method(route_at(i)), target, &match, &allow, &problem));
        ck_assert_ptr_eq(match.route, route_at(i));
        arena_release(&arena);
    }
}
END_TEST

START_TEST(without_memory)
{
    struct scarce none = {.fail_at = 1};
    const struct memory nothing = scarce_memory(&none);
    struct arena arena;
    struct route_match match;
    const char *allow;
    struct problem problem;
    arena_init(&arena, &nothing, NULL, 0);
    ck_assert(
        route_resolve(&arena, "POST", "/v2/models/expand/versions/8/infer?x", &match, &allow, &problem));
    ck_assert(!route_resolve(&arena, "GET", "/v2/models/expand/infer", &match, &allow, &problem));
    ck_assert_int_eq(problem.code, PROBLEM_OUT_OF_MEMORY);
    ck_assert_ptr_null(allow);
}
END_TEST

START_TEST(header_names)
{
    ck_assert_str_eq(api_header_name(API_HEADER_ACCEPT), "Accept");
    ck_assert_str_eq(api_header_name(API_HEADER_INFERENCE_HEADER_LENGTH), "Inference-Header-Content-Length");
}
END_TEST

SUITE("dispatch", TEST_ROWS(finds, found) TEST_ROWS(refuses, refused) TEST_TIMES(long_names, 4)
                      TEST_ONE(query) TEST_ONE(table) TEST_ONE(without_memory) TEST_ONE(header_names))
