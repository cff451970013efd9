#include "api/reply.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "tests/api/scarce.h"
#include "tests/suite.h"

static const char *find(const struct reply *reply, const char *name)
{
    for (size_t i = 0; i < reply->header_count; i++)
        if (strcmp(reply->headers[i].name, name) == 0)
            return reply->headers[i].value;
    return NULL;
}

START_TEST(problem_as_document)
{
    struct arena arena;
    arena_init(&arena, &memory_heap, NULL, 0);
    struct problem problem;
    problem_set(&problem, PROBLEM_INVALID_DATA, "/inputs/0/data/7", "say \"%s\"", "x");
    struct reply reply = {.status = 0};
    reply_problem(&arena, &reply, &problem);
    ck_assert_int_eq(reply.status, 400);
    ck_assert_int_eq(reply.problem, PROBLEM_INVALID_DATA);
    ck_assert_str_eq(find(&reply, "Content-Type"), "application/json");
    ck_assert_ptr_null(find(&reply, "Retry-After"));
    cJSON *root = cJSON_ParseWithLength((const char *)reply.text.ptr, reply.text.len);
    ck_assert_ptr_nonnull(root);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "error")), "say \"x\"");
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "code")), "invalid_data");
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "pointer")), "/inputs/0/data/7");
    cJSON_Delete(root);
    arena_release(&arena);
}
END_TEST

static const struct {
    enum problem_code code;
    const char *header, *value;
} headers[] = {
    {PROBLEM_DRAINING, "Retry-After", "1"},
    {PROBLEM_UNSUPPORTED_ENCODING, "Accept-Encoding", "gzip, deflate"},
};

START_TEST(headers_of_a_status)
{
    struct arena arena;
    arena_init(&arena, &memory_heap, NULL, 0);
    struct problem problem;
    problem_set(&problem, headers[_i].code, NULL, "text");
    struct reply reply = {.status = 0};
    reply_problem(&arena, &reply, &problem);
    ck_assert_str_eq(find(&reply, headers[_i].header), headers[_i].value);
    arena_release(&arena);
}
END_TEST

/* With nothing left to write the document into, the answer is still whole, and says that memory is what lacks. */
START_TEST(without_memory)
{
    struct arena arena;
    struct scarce none = {.fail_at = 1};
    const struct memory nothing = scarce_memory(&none);
    arena_init(&arena, &nothing, NULL, 0);
    struct problem problem;
    problem_set(&problem, PROBLEM_INVALID_DATA, NULL, "text");
    struct reply reply = {.status = 0};
    reply_problem(&arena, &reply, &problem);
    ck_assert_int_eq(reply.status, 503);
    cJSON *root = cJSON_ParseWithLength((const char *)reply.text.ptr, reply.text.len);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "code")), "out_of_memory");
    cJSON_Delete(root);
}
END_TEST

SUITE("reply", TEST_ONE(problem_as_document) TEST_ROWS(headers_of_a_status, headers) TEST_ONE(without_memory))
