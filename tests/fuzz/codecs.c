/* A tensor through every codec: sent in one form and asked for in another, that answer sent in turn, and so on, its bytes
 * stay the same.
 *
 * Input: type, shape, elements (of BYTES: a length each, and the bytes), order of the forms. */
#include "tests/fuzz/exchange.h"

#define INFER "/v2/models/unsqueeze/infer"
#define MAX_DOCUMENT 4096

/* A body and all that is told beside it. */
struct message {
    uint8_t *body;
    size_t len;
    char target[512], length[24];
    const char *type, *head_length;
};

struct tensor_case {
    enum dtype type;
    struct shape shape;
    uint8_t blob[8192]; /* as the binary extension has it */
    size_t len;
};

/* ---- the tensor ---- */

static void feed_strings(struct feed *feed, struct tensor_case *c, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t len = feed_byte(feed) % 8;
        memcpy(c->blob + c->len, &len, 4);
        c->len += 4;
        for (uint32_t k = 0; k < len; k++) {
            uint8_t byte = feed_byte(feed) & 0x7f; /* as any codec can have it: ASCII, no NUL at the end */
            c->blob[c->len++] = byte == 0 ? 'x' : byte;
        }
    }
}

static void feed_case(struct feed *feed, struct tensor_case *c)
{
    int64_t count = 0, bytes = 0;
    c->type = feed_type(feed);
    c->len = 0;
    feed_small_shape(feed, &c->shape);
    REQUIRE(shape_elements(&c->shape, &count) && shape_bytes(&c->shape, c->type, &bytes), "a small shape has no size");
    if (c->type == DTYPE_BYTES) {
        feed_strings(feed, c, count);
        return;
    }
    for (int64_t i = 0; i < bytes; i++)
        c->blob[c->len++] = c->type == DTYPE_BOOL ? feed_byte(feed) & 1 : feed_byte(feed);
    unsigned odd = (unsigned)(count * dtype_info(c->type)->bits % 8);
    if (odd > 0) /* bits behind the last element say nothing */
        c->blob[c->len - 1] &= (uint8_t)((1u << odd) - 1);
}

/* ---- messages ---- */

static void print_dims(const struct shape *shape, char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < shape->rank; i++) {
        size_t len = strlen(out);
        snprintf(out + len, size - len, "%s%lld", i > 0 ? "," : "", (long long)shape->dim[i]);
    }
}

/* The document of a request whose tensor is `data` (JSON), or `size` bytes behind it if that is NULL. */
static int print_document(const struct tensor_case *c, const char *data, size_t data_len, bool binary, char *out, size_t size)
{
    char dims[256], content[64] = "";
    print_dims(&c->shape, dims, sizeof(dims));
    if (data == NULL)
        snprintf(content, sizeof(content), "\"parameters\":{\"binary_data_size\":%zu}", c->len);
    return snprintf(out, size,
                    "{\"inputs\":[{\"name\":\"data\",\"shape\":[%s],\"datatype\":\"%s\",%s%s%.*s},"
                    "{\"name\":\"axes\",\"shape\":[1],\"datatype\":\"INT64\",\"data\":[0]}],"
                    "\"outputs\":[{\"name\":\"expanded\",\"parameters\":{\"binary_data\":%s}}]}",
                    dims, dtype_info(c->type)->name, content, data != NULL ? "\"data\":" : "", (int)data_len,
                    data != NULL ? data : "", binary ? "true" : "false");
}

static void binary_message(const struct tensor_case *c, bool binary, struct message *ret)
{
    char *out = malloc(MAX_DOCUMENT + c->len);
    int head = print_document(c, NULL, 0, binary, out, MAX_DOCUMENT);
    memcpy(out + head, c->blob, c->len);
    *ret = (struct message){.body = (uint8_t *)out, .len = (size_t)head + c->len, .target = INFER};
    snprintf(ret->length, sizeof(ret->length), "%d", head);
    ret->head_length = ret->length;
}

/* A file, with what it does not tell itself in the query. */
static void file_message(const struct tensor_case *c, const char *type, const uint8_t *body, size_t len,
                         struct message *ret)
{
    char dims[256];
    print_dims(&c->shape, dims, sizeof(dims));
    *ret = (struct message){.body = fuzz_copy(body, len), .len = len, .type = type};
    snprintf(ret->target, sizeof(ret->target), INFER "?axes=0&datatype=%s&dims=%s", dtype_info(c->type)->name, dims);
}

/* The answer's data as a request. */
static void json_message(const struct tensor_case *c, const struct exchange *answer, bool binary, struct message *ret)
{
    const char *key = "\"data\":";
    const char *data = memmem(answer->body, answer->len, key, strlen(key));
    REQUIRE(data != NULL, "no data: %.*s", (int)answer->len, answer->body);
    data += strlen(key);
    size_t data_len = (size_t)((const char *)answer->body + answer->len - data) - strlen("}]}");
    size_t room = MAX_DOCUMENT + data_len;
    char *out = malloc(room);
    int len = print_document(c, data, data_len, binary, out, room);
    *ret = (struct message){.body = (uint8_t *)out, .len = (size_t)len, .target = INFER, .type = "application/json"};
}

static void run(struct exchange *x, const struct message *message, const char *accept)
{
    struct api_request request = {.method = "POST", .target = message->target, .body = {message->body, message->len}};
    request.header[API_HEADER_ACCEPT] = accept;
    request.header[API_HEADER_CONTENT_TYPE] = message->type;
    request.header[API_HEADER_INFERENCE_HEADER_LENGTH] = message->head_length;
    exchange_run(x, &request, false, 0, 113);
    REQUIRE(x->reply.status == 200, "status %d: %.*s", x->reply.status, (int)x->len, x->body);
}

/* ---- forms ---- */

enum form { JSON, BINARY, NPY, PROTOBUF, OCTETS, FORMS };

static const char *const media_type[FORMS] = {
    [NPY] = "application/x-npy", [PROTOBUF] = "application/x-protobuf", [OCTETS] = "application/octet-stream"};

/* Insertion of a first size of 1. */
static void grow(struct shape *shape)
{
    memmove(shape->dim + 1, shape->dim, (size_t)shape->rank * sizeof(shape->dim[0]));
    shape->dim[0] = 1;
    shape->rank++;
}

/* The blob that an answer holds, behind a document or alone. */
static const uint8_t *blob_of(const struct tensor_case *c, const struct exchange *answer, enum form form)
{
    const char *head = form == BINARY ? exchange_header(answer, "Inference-Header-Content-Length") : "0";
    size_t head_len = head != NULL ? strtoul(head, NULL, 10) : 0;
    REQUIRE(head != NULL && head_len <= answer->len && answer->len - head_len == c->len, "no blob of %zu bytes", c->len);
    return answer->body + head_len;
}

/* What the answer is as the next request, whose answer is to be of form `next`. */
static void turn(struct tensor_case *c, const struct exchange *answer, enum form have, enum form next, struct message *ret)
{
    grow(&c->shape);
    if (have == JSON) {
        json_message(c, answer, next == BINARY, ret);
    } else if (have == BINARY) {
        memcpy(c->blob, blob_of(c, answer, have), c->len);
        binary_message(c, next == BINARY, ret);
    } else {
        file_message(c, media_type[have], answer->body, answer->len, ret);
    }
}

/* The form to ask for when the request is of form `have`: a document cannot be answered as raw bytes, nor a file in the
 * binary extension. The last answer is the bytes themselves. */
static enum form next_form(struct feed *feed, enum form have, int left, bool json)
{
    enum form bytes = have <= BINARY ? BINARY : OCTETS;
    enum form form = left > 1 ? (enum form)feed_below(feed, FORMS) : bytes;
    return (form == JSON && !json) || form == BINARY || form == OCTETS ? bytes : form;
}

static const char *accept_of(enum form form)
{
    return form == JSON ? "application/json" : media_type[form];
}

static bool has_nan(const struct tensor_case *c)
{
    enum dtype_kind kind = dtype_info(c->type)->kind;
    return kind == KIND_FLOAT || kind == KIND_COMPLEX;
}

/* Sends the tensor through as many forms, JSON among them if `json`. */
static void travel(struct feed *feed, struct tensor_case *c, int steps, bool json)
{
    struct message message;
    struct exchange x;
    uint8_t *want = fuzz_copy(c->blob, c->len);
    enum form form = next_form(feed, BINARY, steps, json);
    binary_message(c, form == BINARY, &message);
    for (int left = steps; left > 0; left--) {
        run(&x, &message, accept_of(form));
        free(message.body);
        if (left > 1) {
            enum form next = next_form(feed, form, left - 1, json);
            turn(c, &x, form, next, &message);
            form = next;
        } else {
            REQUIRE(c->len == 0 || memcmp(want, blob_of(c, &x, form), c->len) == 0, "other bytes at the end");
        }
        exchange_end(&x);
    }
    free(want);
}

/* Through JSON once, which knows one NaN. */
static void canonical(struct tensor_case *c)
{
    struct message message, next;
    struct exchange x, y;
    binary_message(c, false, &message);
    run(&x, &message, NULL);
    struct tensor_case copy = *c;
    turn(&copy, &x, JSON, BINARY, &next);
    run(&y, &next, NULL);
    memcpy(c->blob, blob_of(c, &y, BINARY), c->len);
    exchange_end(&x);
    exchange_end(&y);
    free(message.body);
    free(next.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct feed feed = feed_of(data, size);
    struct tensor_case c;
    feed_case(&feed, &c);
    struct tensor_case other = c;
    travel(&feed, &other, 3, !has_nan(&c));
    if (has_nan(&c)) {
        canonical(&c);
        travel(&feed, &c, 4, true);
    }
    return 0;
}
