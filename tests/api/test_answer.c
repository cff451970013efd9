/* The form of an answer: what the request is by default, and what Accept makes of it. */
#include "api/answer.h"

#include "tests/api/exchange.h"
#include "tests/api/scarce.h"

#define JSON "application/json"
#define NPY "application/x-npy"
#define PB "application/x-protobuf"
#define RAW "application/octet-stream"

static struct exchange x;

static void setup(void)
{
    exchange_init(&x);
}

static void teardown(void)
{
    exchange_release(&x);
}

/* ---- one request of each form, all of the UINT8 tensor [1,2] ---- */

#define NPY_FILE "\x93NUMPY\1\0\62\0{'descr':'|u1','fortran_order':False,'shape':(2,)}\1\2"
#define PB_FILE "\x08\2\x10\2\x4a\2\1\2"
#define DOCUMENT(more) \
    "{\"inputs\":[{\"name\":\"data\",\"datatype\":\"UINT8\",\"shape\":[2],\"data\":[1,2]}," \
    "{\"name\":\"axes\",\"datatype\":\"INT64\",\"shape\":[1],\"data\":[0]}]" more "}"
#define PART "--X\r\nContent-Disposition: form-data; name=data\r\n\r\n"

static const struct request {
    const char *content_type;
    const char *query;
    struct bytes body;
} requests[] = {
#define B(text) {(const uint8_t *)(text), sizeof(text) - 1}
    [FORM_JSON] = {JSON, "", B(DOCUMENT(""))},
    [FORM_BINARY] = {JSON, "", B(DOCUMENT(",\"parameters\":{\"binary_data_output\":true}"))},
    [FORM_NPY] = {NPY, "axes=0", B(NPY_FILE)},
    [FORM_PROTOBUF] = {PB, "axes=0", B(PB_FILE)},
    [FORM_RAW] = {RAW, "axes=0&datatype=UINT8&dims=2", B("\1\2")},
    /* beyond the forms: the data tensor is JSON text in a part */
    {"multipart/form-data; boundary=X", "axes=0&datatype=UINT8", B(PART "[1,2]\r\n--X--")},
    /* and a document whose client does not say that it is one */
    {RAW, "axes=7", B(DOCUMENT(""))},
    /* no body at all, whose pointer is NULL */
    {RAW, "axes=1&datatype=UINT8&dims=0", {NULL, 0}},
    {"multipart/form-data; boundary=X", "", {NULL, 0}},
    {NPY, "axes=1", {NULL, 0}},
    {PB, "axes=1", {NULL, 0}},
    {JSON, "", {NULL, 0}},
};
#define TEXT_PART (FORM_RAW + 1)
#define UNNAMED (FORM_RAW + 2)
#define EMPTY (FORM_RAW + 3)

static void send_to(const char *target, int request)
{
    x.request.body = requests[request].body;
    x.request.header[API_HEADER_CONTENT_TYPE] = requests[request].content_type;
    exchange_run(&x, "POST", target);
}

static void run(int request, const char *accept)
{
    char target[128];
    snprintf(target, sizeof(target), "/v2/models/unsqueeze/infer?%s", requests[request].query);
    x.request.header[API_HEADER_ACCEPT] = accept;
    send_to(target, request);
}

static const struct {
    int request;
    const char *accept;
    const char *want; /* Content-Type */
} rows[] = {
    {FORM_JSON, NULL, JSON},
    {FORM_JSON, "*/*", JSON},
    {FORM_JSON, "application/*", JSON},
    {FORM_JSON, "text/html", JSON},
    {FORM_JSON, "", JSON},
    {FORM_JSON, "nonsense,,;", JSON},
    {FORM_JSON, NPY, NPY},
    {FORM_JSON, PB, PB},
    {FORM_JSON, "APPLICATION/X-NPY", NPY},
    {FORM_JSON, RAW, JSON}, /* binary is asked for in the document */
    {FORM_JSON, "application/json, application/x-npy", JSON},
    {FORM_JSON, "application/json;q=0.5, application/x-npy", NPY},
    {FORM_JSON, "*/*, application/x-npy;q=0.9", JSON},
    {FORM_JSON, "*/*;q=0.1, application/x-npy", NPY},
    {FORM_JSON, "application/x-npy;q=0", JSON},
    {FORM_JSON, "application/json;q=0", JSON}, /* never 406 */
    {FORM_JSON, "application/x-npy;q=0.2, application/x-protobuf;q=0.3", PB},
    {FORM_BINARY, NULL, RAW},
    {FORM_BINARY, JSON, RAW},
    {FORM_BINARY, NPY, RAW},
    {FORM_BINARY, "application/x-protobuf, application/json", RAW},
    {FORM_NPY, NULL, NPY},
    {FORM_NPY, "*/*", NPY},
    {FORM_NPY, "text/html, */*;q=0.8", NPY},
    {FORM_NPY, "image/png", NPY},
    {FORM_NPY, JSON, JSON},
    {FORM_NPY, PB, PB},
    {FORM_NPY, RAW, RAW},
    {FORM_NPY, "application/json, */*;q=0.5", JSON},
    {FORM_NPY, "application/x-npy;q=0", NPY},
    {FORM_NPY, "application/x-npy;q=0, */*;q=0.1", PB}, /* anything but */
    {FORM_PROTOBUF, NULL, PB},
    {FORM_PROTOBUF, NPY, NPY},
    {FORM_RAW, NULL, RAW},
    {FORM_RAW, JSON, JSON},
    {TEXT_PART, NULL, JSON},
    {TEXT_PART, RAW, RAW},
    {TEXT_PART, NPY, NPY},
    {UNNAMED, NULL, JSON},
    {UNNAMED, RAW, JSON},
};

START_TEST(form)
{
    run(rows[_i].request, rows[_i].accept);
    ck_assert_int_eq(x.reply.status, 200);
    ck_assert_str_eq(exchange_header(&x, "Content-Type"), rows[_i].want);
    bool document = rows[_i].request == FORM_BINARY;
    bool raw = strcmp(rows[_i].want, RAW) == 0 && !document;
    ck_assert((exchange_header(&x, "Inference-Header-Content-Length") != NULL) == document);
    ck_assert((exchange_header(&x, "Tensor-Shape") != NULL) == raw);
    ck_assert((exchange_header(&x, "Tensor-Datatype") != NULL) == raw);
}
END_TEST

/* ---- raw bytes tell what they are in headers ---- */

START_TEST(raw_headers)
{
    run(FORM_RAW, NULL);
    ck_assert_str_eq(exchange_header(&x, "Tensor-Shape"), "[1,2]");
    ck_assert_str_eq(exchange_header(&x, "Tensor-Datatype"), "UINT8");
    uint8_t body[8];
    ck_assert_uint_eq(source_pull(x.reply.body, body, sizeof(body)), 2);
    ck_assert_mem_eq(body, "\1\2", 2);
}
END_TEST

/* The longest shape that is possible: 64 sizes, of which 0 makes the others free. */
START_TEST(raw_header_of_the_longest_shape)
{
    char dims[SHAPE_MAX_RANK * 20] = "0";
    char want[SHAPE_MAX_RANK * 20 + 8] = "[0";
    char target[SHAPE_MAX_RANK * 20 + 128];
    for (int i = 1; i < SHAPE_MAX_RANK; i++) {
        size_t at = strlen(dims);
        snprintf(dims + at, sizeof(dims) - at, ",9223372036854775807");
    }
    snprintf(want, sizeof(want), "[%s]", dims);
    snprintf(target, sizeof(target), "/v2/models/unsqueeze/infer?axes=&datatype=UINT8&dims=%s", dims);
    x.request.header[API_HEADER_CONTENT_TYPE] = RAW;
    exchange_run(&x, "POST", target);
    ck_assert_int_eq(x.reply.status, 200);
    ck_assert_str_eq(exchange_header(&x, "Tensor-Shape"), want);
}
END_TEST

/* ---- what is at fault in a request of files ---- */

static const struct {
    const char *what;
    int request;
    const char *target;
    const char *code;
    const char *pointer;
} refused[] = {
    {"no small input", FORM_NPY, "/v2/models/unsqueeze/infer", "invalid_request", "/axes"},
    {"no small input, misspelt", FORM_NPY, "/v2/models/unsqueeze/infer?axis=0", "invalid_request", "/axes"},
    {"an axis out of range", FORM_NPY, "/v2/models/unsqueeze/infer?axes=2", "invalid_axes", "/axes"},
    {"two inputs of another operator", FORM_NPY, "/v2/models/expand/infer?axes=2", "invalid_request", "/shape"},
    {"shapes that do not fit", FORM_PROTOBUF, "/v2/models/expand/infer?shape=3", "invalid_shape", "/shape"},
    {"too large", FORM_NPY, "/v2/models/expand/infer?shape=1000000000,2", "output_too_large", "/shape"},
    {"another type in the query", FORM_NPY, "/v2/models/expand/infer?shape=2&datatype=INT8", "unsupported_datatype", "/input"},
    {"other sizes in the query", FORM_NPY, "/v2/models/expand/infer?shape=2&dims=2,1", "invalid_shape", "/input"},
    {"no part for the data", TEXT_PART, "/v2/models/expand/infer?shape=2", "unknown_name", "/data"},
    {"raw bytes without sizes", FORM_RAW, "/v2/models/expand/infer?shape=2&datatype=INT8", "invalid_request", "/input"},
    {"raw bytes without type, so no JSON", FORM_RAW, "/v2/models/expand/infer?shape=2", "malformed_json", ""},
};

START_TEST(refusals)
{
    send_to(refused[_i].target, refused[_i].request);
    ck_assert_ptr_nonnull(x.json);
    ck_assert_str_eq(exchange_text(&x, "code"), refused[_i].code);
    ck_assert_str_eq(exchange_text(&x, "pointer"), refused[_i].pointer);
}
END_TEST

/* ---- no body ---- */

START_TEST(empty_body)
{
    run(EMPTY + _i, NULL);
    ck_assert_int_eq(x.reply.status, _i == 0 ? 200 : 400); /* no elements are no bytes */
}
END_TEST

/* ---- wherever memory ends, the answer is 503 ---- */

START_TEST(no_memory)
{
    for (size_t fail_at = 1, status = 503; status == 503; fail_at++) {
        struct scarce scarce = {.fail_at = fail_at};
        const struct memory memory = scarce_memory(&scarce);
        arena_init(&x.arena, &memory, NULL, 0);
        run(_i, NULL);
        status = (size_t)x.reply.status;
        ck_assert_uint_eq(status, scarce.blocks < fail_at ? 200 : 503);
        teardown();
        setup();
    }
}
END_TEST

SUITE("answer", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ROWS(form, rows) TEST_ONE(raw_headers)
      TEST_ONE(raw_header_of_the_longest_shape) TEST_ROWS(refusals, refused) TEST_TIMES(empty_body, 5)
      TEST_TIMES(no_memory, EMPTY + 1))
