/* The read-only documents: api/server.c, model.c, stats.c and repository.c. Member names and kinds are those
 * of the Open Inference Protocol and of Triton's extensions. */
#include "api/model.h"

#include <stdio.h>

#include "tests/api/exchange.h"

/* Whole documents that have one right text, whatever the order of requests. */
static const struct {
    const char *method, *target;
    bool draining;
    int status;
    const char *body;
} texts[] = {
    {"GET", "/v2/health/live", false, 200, "{\"live\":true}"},
    {"GET", "/v2/health/live", true, 200, "{\"live\":true}"},
    {"HEAD", "/v2/health/live", false, 200, "{\"live\":true}"},
    {"GET", "/v2/health/ready", false, 200, "{\"live\":true,\"ready\":true}"},
    {"GET", "/v2/health/ready", true, 503, "{\"live\":true,\"ready\":false}"},
    {"GET", "/v2", false, 200,
     "{\"name\":\"shaped\",\"version\":\"" PACKAGE_VERSION "\",\"extensions\":[\"binary_tensor_data\","
     "\"model_configuration\",\"statistics\",\"onnx_datatypes\"]}"},
    {"GET", "/v2/models", false, 200, "{\"models\":[\"expand\",\"unsqueeze\"]}"},
    {"GET", "/v2/models/expand/ready", false, 200, "{\"name\":\"expand\",\"ready\":true}"},
    {"GET", "/v2/models/unsqueeze/versions/11/ready", false, 200, "{\"name\":\"unsqueeze\",\"ready\":true}"},
    {"GET", "/v2/models/unsqueeze/ready", true, 503, "{\"name\":\"unsqueeze\",\"ready\":false}"},
};

START_TEST(document)
{
    struct exchange x;
    exchange_init(&x);
    x.process.draining = texts[_i].draining;
    exchange_run(&x, texts[_i].method, texts[_i].target);
    ck_assert_int_eq(x.reply.status, texts[_i].status);
    ck_assert_msg(bytes_equal(x.reply.text, texts[_i].body), "%.*s", (int)x.reply.text.len,
                  (const char *)x.reply.text.ptr);
    ck_assert_str_eq(exchange_header(&x, "Content-Type"), "application/json");
    ck_assert_uint_eq(x.reply.header_count, 1);
    exchange_release(&x);
}
END_TEST

/* What a member of a document is: text, or a number or literal as JSON prints it. NULL: it must not be there.
 */
static const struct {
    const char *target, *path, *want;
} members[] = {
    {"/v2/models/expand", "name", "expand"},
    {"/v2/models/expand", "versions", "[\"8\",\"13\"]"},
    {"/v2/models/expand", "platform", "shaped_onnx"},
    {"/v2/models/expand", "inputs",
     "[{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[-1]},{\"name\":\"shape\",\"datatype\":\"INT64\","
     "\"shape\":[-1]}]"},
    {"/v2/models/expand", "outputs", "[{\"name\":\"output\",\"datatype\":\"FP32\",\"shape\":[-1]}]"},
    {"/v2/models/expand", "properties/domain", "ai.onnx"},
    {"/v2/models/expand", "properties/operator", "Expand"},
    {"/v2/models/expand", "properties/since_version", "13"},
    {"/v2/models/expand", "properties/types",
     "FP32,UINT8,INT8,UINT16,INT16,INT32,INT64,BYTES,BOOL,FP16,FP64,UINT32,UINT64,COMPLEX64,COMPLEX128,BF16"},
    {"/v2/models/expand", "properties/types_added", "BF16"},
    {"/v2/models/expand/versions/8", "versions", "[\"8\",\"13\"]"},
    {"/v2/models/expand/versions/8", "properties/since_version", "8"},
    {"/v2/models/expand/versions/8", "properties/types",
     "FP32,UINT8,INT8,UINT16,INT16,INT32,INT64,BYTES,BOOL,FP16,FP64,UINT32,UINT64,COMPLEX64,COMPLEX128"},
    {"/v2/models/expand/versions/8", "properties/types_added", ""},
    {"/v2/models/unsqueeze", "versions", "[\"1\",\"11\",\"13\",\"21\",\"23\",\"24\",\"25\"]"},
    {"/v2/models/unsqueeze", "inputs",
     "[{\"name\":\"data\",\"datatype\":\"FP32\",\"shape\":[-1]},{\"name\":\"axes\",\"datatype\":\"INT64\","
     "\"shape\":[-1]}]"},
    {"/v2/models/unsqueeze", "outputs", "[{\"name\":\"expanded\",\"datatype\":\"FP32\",\"shape\":[-1]}]"},
    {"/v2/models/unsqueeze", "properties/since_version", "25"},
    {"/v2/models/unsqueeze", "properties/types_added", "UINT2,INT2"},
    {"/v2/models/unsqueeze/versions/24", "properties/types_added", "FP8_E8M0"},
    {"/v2/models/unsqueeze/versions/23", "properties/types_added", "FP4_E2M1"},
    {"/v2/models/unsqueeze/versions/21", "properties/types_added",
     "FP8_E4M3FN,FP8_E4M3FNUZ,FP8_E5M2,FP8_E5M2FNUZ,UINT4,INT4"},
    {"/v2/models/unsqueeze/versions/13", "properties/types_added", "BF16"},
    {"/v2/models/unsqueeze/versions/11", "properties/types_added", ""},
    {"/v2/models/unsqueeze/versions/1", "properties/types_added", ""},
    /* Triton's ModelConfig */
    {"/v2/models/expand/config", "name", "expand"},
    {"/v2/models/expand/config", "platform", "shaped_onnx"},
    {"/v2/models/expand/config", "max_batch_size", "0"},
    {"/v2/models/expand/config", "input/0/name", "input"},
    {"/v2/models/expand/config", "input/0/data_type", "TYPE_FP32"},
    {"/v2/models/expand/config", "input/0/dims", "[-1]"},
    {"/v2/models/expand/config", "input/1/name", "shape"},
    {"/v2/models/expand/config", "input/1/data_type", "TYPE_INT64"},
    {"/v2/models/expand/config", "input/1/optional", "false"},
    {"/v2/models/expand/config", "input/2", NULL},
    {"/v2/models/expand/config", "output/0/name", "output"},
    {"/v2/models/expand/config", "output/0/data_type", "TYPE_FP32"},
    {"/v2/models/expand/config", "output/0/dims", "[-1]"},
    {"/v2/models/expand/config", "output/0/optional", NULL},
    {"/v2/models/unsqueeze/versions/1/config", "input/0/optional", "false"},
    {"/v2/models/unsqueeze/versions/1/config", "input/1/optional", "true"},
    {"/v2/models/unsqueeze/versions/11/config", "input/1/optional", "true"},
    {"/v2/models/unsqueeze/versions/13/config", "input/1/optional", "false"},
    {"/v2/models/unsqueeze/config", "input/1/optional", "false"},
    /* what would make Triton's clients expect batches, sequences or streams */
    {"/v2/models/expand/config", "sequence_batching", NULL},
    {"/v2/models/expand/config", "dynamic_batching", NULL},
    {"/v2/models/expand/config", "model_transaction_policy", NULL},
    /* index */
    {"/", "name", "shaped"},
    {"/", "version", PACKAGE_VERSION},
    {"/", "documentation", "/docs"},
    {"/", "openapi", "/openapi.json"},
    {"/", "routes/0", "{\"method\":\"POST\",\"path\":\"/v2/models/{model}/infer\"}"},
    {"/v2/repository/index", "0",
     "{\"name\":\"expand\",\"version\":\"8\",\"state\":\"READY\",\"reason\":\"\"}"},
    {"/v2/repository/index", "8",
     "{\"name\":\"unsqueeze\",\"version\":\"25\",\"state\":\"READY\",\"reason\":\"\"}"},
    {"/v2/repository/index", "9", NULL},
};

START_TEST(member)
{
    struct exchange x;
    exchange_init(&x);
    exchange_run(&x, "GET", members[_i].target);
    ck_assert_int_eq(x.reply.status, 200);
    ck_assert_str_eq(exchange_header(&x, "Content-Type"), "application/json");
    const cJSON *item = exchange_at(&x, members[_i].path);
    char *printed = item != NULL && !cJSON_IsString(item) ? cJSON_PrintUnformatted(item) : NULL;
    ck_assert_pstr_eq(printed != NULL ? printed : cJSON_GetStringValue(item), members[_i].want);
    cJSON_free(printed);
    exchange_release(&x);
}
END_TEST

static const struct {
    const char *target;
    int count; /* of entries */
    int first; /* version of the first */
    const char *name;
} statistics[] = {
    {"/v2/models/stats", 9, 8, "expand"},
    {"/v2/models/expand/stats", 2, 8, "expand"},
    {"/v2/models/unsqueeze/stats", 7, 1, "unsqueeze"},
    {"/v2/models/unsqueeze/versions/21/stats", 1, 21, "unsqueeze"},
    {"/v2/models/expand/versions/13/stats", 1, 13, "expand"},
};

START_TEST(stats_entries)
{
    struct exchange x;
    char version[16];
    exchange_init(&x);
    exchange_run(&x, "GET", statistics[_i].target);
    ck_assert_int_eq(x.reply.status, 200);
    ck_assert_int_eq(cJSON_GetArraySize(exchange_at(&x, "model_stats")), statistics[_i].count);
    snprintf(version, sizeof(version), "%d", statistics[_i].first);
    ck_assert_str_eq(exchange_text(&x, "model_stats/0/name"), statistics[_i].name);
    ck_assert_str_eq(exchange_text(&x, "model_stats/0/version"), version);
    /* each entry is asked for its own operator */
    const struct op *op = op_find(statistics[_i].name, statistics[_i].first);
    ck_assert_int_eq((int)cJSON_GetNumberValue(exchange_at(&x, "model_stats/0/inference_count")),
                     (int)op_index(op));
    exchange_release(&x);
}
END_TEST

/* Each number under its own name, and exact: nanoseconds outgrow the 53 bits of a double after 104 days. */
START_TEST(stats_numbers)
{
    static const char want[] =
        "{\"model_stats\":[{\"name\":\"expand\",\"version\":\"8\",\"last_inference\":1700000000123,"
        "\"inference_count\":5,\"execution_count\":5,\"inference_stats\":{"
        "\"success\":{\"count\":5,\"ns\":9007199254740993},\"fail\":{\"count\":2,\"ns\":22},"
        "\"queue\":{\"count\":5,\"ns\":33},\"compute_input\":{\"count\":5,\"ns\":44},"
        "\"compute_infer\":{\"count\":5,\"ns\":55},\"compute_output\":{\"count\":5,\"ns\":66},"
        "\"cache_hit\":{\"count\":0,\"ns\":0},\"cache_miss\":{\"count\":0,\"ns\":0}},\"batch_stats\":[]}]}";
    struct exchange x;
    exchange_init(&x);
    x.process.stats = (struct op_stats){.success = 5,
                                        .success_ns = 9007199254740993,
                                        .fail = 2,
                                        .fail_ns = 22,
                                        .queue_ns = 33,
                                        .decode_ns = 44,
                                        .infer_ns = 55,
                                        .encode_ns = 66,
                                        .last_ms = 1700000000123};
    exchange_run(&x, "GET", "/v2/models/expand/versions/8/stats");
    ck_assert_msg(bytes_equal(x.reply.text, want), "%.*s", (int)x.reply.text.len,
                  (const char *)x.reply.text.ptr);
    exchange_release(&x);
}
END_TEST

START_TEST(index_lists_all_routes)
{
    struct exchange x;
    exchange_init(&x);
    exchange_run(&x, "GET", "/");
    const cJSON *list = exchange_at(&x, "routes");
    size_t count = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, list)
    {
        ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "path")),
                         route_template(route_at(count)));
        count++;
    }
    ck_assert_ptr_null(route_at(count));
    ck_assert_uint_gt(count, 10);
    exchange_release(&x);
}
END_TEST

static const struct {
    const char *method, *body;
    bool draining;
    int entries;         /* -1: refused */
    const char *pointer; /* of a refusal */
    const char *state;   /* of the first entry */
} indexes[] = {
    {"POST", "", false, 9, NULL, "READY"},
    {"POST", "{}", false, 9, NULL, "READY"},
    {"POST", " {\"ready\" : true}\n", false, 9, NULL, "READY"},
    {"POST", "{\"ready\":false,\"x\":[{}]}", false, 9, NULL, "READY"},
    {"POST", "{\"ready\":null}", false, 9, NULL, "READY"},
    {"POST", "", true, 9, NULL, "UNAVAILABLE"},
    {"POST", "{\"ready\":false}", true, 9, NULL, "UNAVAILABLE"},
    {"POST", "{\"ready\":true}", true, 0, NULL, NULL},
    {"POST", "{\"Ready\":true}", true, 9, NULL, "UNAVAILABLE"},
    {"POST", "{\"ready\":1}", false, -1, "/ready", NULL},
    {"POST", "{\"ready\":\"true\"}", false, -1, "/ready", NULL},
    {"POST", "{\"ready\":}", false, -1, "", NULL},
    {"POST", "[]", false, -1, "", NULL},
    {"POST", "{} {}", false, -1, "", NULL},
    {"POST", "{", false, -1, "", NULL},
    /* the body of a GET means nothing */
    {"GET", "{\"ready\":1}", false, 9, NULL, "READY"},
};

START_TEST(repository)
{
    struct exchange x;
    exchange_init(&x);
    x.process.draining = indexes[_i].draining;
    x.request.body = bytes_of(indexes[_i].body);
    exchange_run(&x, indexes[_i].method, "/v2/repository/index");
    if (indexes[_i].entries < 0) {
        ck_assert_int_eq(x.reply.status, 400);
        ck_assert_str_eq(exchange_text(&x, "pointer"), indexes[_i].pointer);
    } else {
        ck_assert_int_eq(x.reply.status, 200);
        ck_assert(cJSON_IsArray(x.json));
        ck_assert_int_eq(cJSON_GetArraySize(x.json), indexes[_i].entries);
        ck_assert_pstr_eq(exchange_text(&x, "0/state"), indexes[_i].state);
    }
    exchange_release(&x);
}
END_TEST

START_TEST(repository_body_is_decoded)
{
    struct exchange x;
    exchange_init(&x);
    x.request.header[API_HEADER_CONTENT_ENCODING] = "br";
    exchange_run(&x, "POST", "/v2/repository/index");
    ck_assert_int_eq(x.reply.status, 415);
    ck_assert_str_eq(exchange_header(&x, "Accept-Encoding"), "gzip, deflate");
    exchange_release(&x);
}
END_TEST

START_TEST(load_and_unload)
{
    static const char *const targets[] = {"/v2/repository/models/expand/load",
                                          "/v2/repository/models/other/unload"};
    struct exchange x;
    exchange_init(&x);
    exchange_run(&x, "POST", targets[_i]);
    ck_assert_int_eq(x.reply.status, 400);
    ck_assert_str_eq(exchange_text(&x, "code"), "not_offered");
    ck_assert_ptr_nonnull(strstr(exchange_text(&x, "error"), "built in"));
    exchange_release(&x);
}
END_TEST

/* Every document with the k-th allocation of cJSON refused, for all k: never one that lacks something. */
static int allocations_left;

static void *counted_alloc(size_t size)
{
    return allocations_left-- == 0 ? NULL : malloc(size);
}

static const char *const documents[] = {
    "/",
    "/v2",
    "/v2/models",
    "/v2/models/expand",
    "/v2/models/expand/ready",
    "/v2/models/unsqueeze/versions/1/config",
    "/v2/models/expand/versions/8/stats",
    "/v2/repository/index",
};

START_TEST(without_memory)
{
    cJSON_Hooks hooks = {.malloc_fn = counted_alloc, .free_fn = free};
    int k = 0;
    do {
        struct exchange x;
        struct route_match match;
        struct problem problem;
        exchange_init(&x);
        ck_assert(route_resolve(&x.arena, "GET", documents[_i], &match, &x.allow, &problem));
        allocations_left = k;
        cJSON_InitHooks(&hooks);
        dispatch(&x.arena, &x.env, &match, &x.request, &x.reply);
        cJSON_InitHooks(NULL);
        ck_assert_msg(x.reply.status == (allocations_left < 0 ? 503 : 200), "allocation %d: %d", k,
                      x.reply.status);
        exchange_release(&x);
        k++;
    } while (allocations_left < 0);
    ck_assert_int_gt(k, 3);
}
END_TEST

SUITE("model", TEST_ROWS(document, texts) TEST_ROWS(member, members) TEST_ROWS(stats_entries, statistics)
                   TEST_ONE(stats_numbers) TEST_ONE(index_lists_all_routes) TEST_TIMES(load_and_unload, 2)
                       TEST_ROWS(repository, indexes) TEST_ONE(repository_body_is_decoded)
                           TEST_ROWS(without_memory, documents))
