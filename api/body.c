#include "api/body.h"

#include "api/codec.h"
#include "api/encoding.h"
#include "api/file.h"
#include "api/negotiate.h"
#include "api/npy.h"

#define OCTETS "application/octet-stream"

struct body {
    struct arena *arena;
    struct codec_limits limits;
    const char *content_type; /* NULL: none */
    const char *head_length;  /* Inference-Header-Content-Length, NULL: none */
    const char *query;        /* NULL: none */
    struct bytes bytes;       /* uncompressed */
    struct call *call;
    struct problem *err;
};

/* ---- JSON documents, alone or with blobs behind them ---- */

/* The value of Inference-Header-Content-Length, which must be plain decimal (Triton's C++ client sends it always, the
 * length of the whole body when nothing is binary). */
static bool parse_head_length(const char *text, size_t body_len, size_t *ret, struct problem *err)
{
    uint64_t value = 0;
    bool plain = *text != '\0';
    for (const char *p = text; *p != '\0' && plain; p++) {
        plain = *p >= '0' && *p <= '9';
        value = value > body_len ? value : value * 10 + (uint64_t)(*p - '0');
    }
    if (plain && value == 0)
        return problem_set(err, PROBLEM_INVALID_HEADER, NULL, "Inference-Header-Content-Length: 0 means one raw tensor, "
                           "but two inputs are needed: send the JSON header, or leave the header out and put the small "
                           "one in the query (?datatype=FP32&dims=3,1&shape=2,3,6)");
    if (!plain || value > body_len)
        return problem_set(err, PROBLEM_INVALID_HEADER, NULL, "Inference-Header-Content-Length must be the decimal "
                           "length of the JSON part, from 1 to the %zu bytes of the body", body_len);
    *ret = (size_t)value;
    return true;
}

/* What is sent as a document by mistake, by the beginnings that no document has. */
static const struct {
    struct bytes begins;
    const char *advice;
} mistaken[] = {
    {BYTES_LITERAL(NPY_MAGIC), "the body is a .npy file: send Content-Type: application/x-npy with it"},
    {BYTES_LITERAL("PK\x03\x04"),
     "the body is a zip archive, perhaps a .npz: send one .npy of it, with Content-Type: application/x-npy"},
    {BYTES_LITERAL("\x1f\x8b"), "the body is compressed: send Content-Encoding: gzip with it"},
    {BYTES_LITERAL("--"), "the body is a form: send Content-Type: multipart/form-data with its boundary"},
    {BYTES_LITERAL("\xef\xbb\xbf"), "the body begins with a byte order mark: send UTF-8 without one"},
    {BYTES_LITERAL("\xff\xfe"), "the body is UTF-16: send UTF-8"},
    {BYTES_LITERAL("\xfe\xff"), "the body is UTF-16: send UTF-8"},
};

/* Whether the client seems to have sent a tensor file: by what the query tells, or by its Content-Type. False, with
 * *b->err, only if there is no memory to tell. */
static bool means_file(const struct body *b, bool *ret)
{
    struct query query;
    struct problem problem;
    struct call call = *b->call;
    *ret = true;
    if (b->head_length == NULL && bytes_equal_nocase(media_type(b->content_type), OCTETS))
        return true;
    if (!file_begin(b->arena, b->query, &call, &query, &problem))
        return problem.code != PROBLEM_OUT_OF_MEMORY || problem_memory(b->err);
    *ret = query.dtype != DTYPE_NONE || query.has_dims;
    for (int i = 0; i < call.op->inputs; i++)
        *ret = *ret || call.in[i].given;
    return true;
}

static bool is_object(struct bytes text)
{
    size_t at = 0;
    while (at < text.len && memchr(" \t\r\n", text.ptr[at], 4) != NULL)
        at++;
    return at < text.len && text.ptr[at] == '{';
}

/* A reader of JSON can only say where the text of a .npy file ceases to be JSON, which helps nobody. */
static bool check_document(const struct body *b, struct bytes text)
{
    bool file;
    if (is_object(text))
        return true;
    if (text.len == 0)
        return problem_set(b->err, PROBLEM_MALFORMED_JSON, NULL,
                           "the body is empty: send a JSON document, or a tensor file with its Content-Type");
    for (size_t i = 0; i < sizeof(mistaken) / sizeof(mistaken[0]); i++)
        if (bytes_begins(text, mistaken[i].begins))
            return problem_set(b->err, PROBLEM_MALFORMED_JSON, NULL, "%s", mistaken[i].advice);
    if (!means_file(b, &file))
        return false;
    return !file || problem_set(b->err, PROBLEM_MALFORMED_JSON, NULL,
                                "the body is taken for a JSON document, but is none: a tensor file needs its "
                                "Content-Type, application/x-npy, application/x-protobuf, or application/octet-stream "
                                "and then ?datatype=FP32&dims=3,1 in the query, too");
}

static bool read_document(struct body *b)
{
    size_t head = b->bytes.len;
    if (b->head_length != NULL && !parse_head_length(b->head_length, b->bytes.len, &head, b->err))
        return false;
    struct bytes text = bytes_slice(b->bytes, 0, head);
    return check_document(b, text) &&
           codec_json_decode(b->arena, &b->limits, text, bytes_slice(b->bytes, head, b->bytes.len - head), b->call, b->err);
}

/* ---- tensor files ---- */

/* The data tensor is the whole body, the small one is in the query. */
static bool read_file(struct body *b, enum call_form form)
{
    struct query query;
    return file_begin(b->arena, b->query, b->call, &query, b->err) &&
           file_decode(b->arena, &b->limits, form, b->bytes, &query, 0, b->call, b->err);
}

static bool read_npy(struct body *b)
{
    return read_file(b, FORM_NPY);
}

static bool read_protobuf(struct body *b)
{
    return read_file(b, FORM_PROTOBUF);
}

static bool read_multipart(struct body *b)
{
    struct query query;
    return file_begin(b->arena, b->query, b->call, &query, b->err) &&
           codec_multipart_decode(b->arena, &b->limits, b->content_type, b->bytes, &query, b->call, b->err);
}

/* Raw bytes (in a dry run there may be none) if the query tells their type; else a document of a client that does not
 * say what it sends. */
static bool read_octets(struct body *b)
{
    if (b->head_length != NULL)
        return read_document(b);
    struct query query;
    if (!file_begin(b->arena, b->query, b->call, &query, b->err))
        return false;
    if (query.dtype != DTYPE_NONE)
        return file_decode(b->arena, &b->limits, FORM_RAW, b->bytes, &query, 0, b->call, b->err);
    call_init(b->call, b->call->op, b->call->dry_run);
    return read_document(b);
}

/* ---- which of them ---- */

static const struct {
    struct bytes media_type;
    bool (*read)(struct body *b);
} readers[] = {
    {BYTES_LITERAL("multipart/form-data"), read_multipart},
    {BYTES_LITERAL("application/x-npy"), read_npy},
    {BYTES_LITERAL("application/x-protobuf"), read_protobuf},
    {BYTES_LITERAL(OCTETS), read_octets},
};

bool body_decode(struct arena *arena, const struct api_env *env, const struct api_request *request, const char *query,
                 struct call *ret, struct problem *err)
{
    struct body b = {
        .arena = arena, .limits = {.json_depth = env->json_depth},
        .content_type = request->header[API_HEADER_CONTENT_TYPE],
        .head_length = request->header[API_HEADER_INFERENCE_HEADER_LENGTH], .query = query, .call = ret, .err = err,
    };
    if (!encoding_decode(arena, request->header[API_HEADER_CONTENT_ENCODING], env->max_request_bytes, request->body,
                         &b.bytes, err))
        return false;
    if (b.bytes.ptr == NULL) /* no body at all is an empty one, for readers that search it or borrow it */
        b.bytes = bytes_of("");
    const struct bytes type = media_type(b.content_type);
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
        if (bytes_same_nocase(type, readers[i].media_type))
            return readers[i].read(&b);
    return ret->dry_run && b.bytes.len == 0 ? read_octets(&b) : read_document(&b);
}
