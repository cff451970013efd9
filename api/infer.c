#include "api/infer.h"

#include <stdio.h>

#include "api/codec.h"
#include "api/encoding.h"
#include "api/negotiate.h"

/* What the steps hand on to each other. */
struct run {
    struct arena *arena;
    const struct api_env *env;
    const struct api_request *request;
    struct bytes head, tail; /* JSON document and blobs of the decoded body */
    struct call call;
    struct tensor view;
    struct problem *err;
};

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
                           "but two inputs are needed: send the JSON header, or put the small one in the query "
                           "(?datatype=FP32&dims=3,1&shape=2,3,6)");
    if (!plain || value > body_len)
        return problem_set(err, PROBLEM_INVALID_HEADER, NULL, "Inference-Header-Content-Length must be the decimal "
                           "length of the JSON part, from 1 to the %zu bytes of the body", body_len);
    *ret = (size_t)value;
    return true;
}

/* Media types that name a tensor file rather than a request document. */
static bool check_media(const char *content_type, struct problem *err)
{
    static const char *const files[] = {"multipart/form-data", "application/x-npy", "application/x-protobuf"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (content_type != NULL && media_type_is(content_type, files[i]))
            return problem_set(err, PROBLEM_UNSUPPORTED_MEDIA, NULL, "bodies of type %s are not offered: send JSON as "
                               "application/json, or binary tensors with Inference-Header-Content-Length", files[i]);
    return true;
}

static bool split_body(struct run *run)
{
    struct bytes body;
    const char *length = run->request->header[API_HEADER_INFERENCE_HEADER_LENGTH];
    if (!check_media(run->request->header[API_HEADER_CONTENT_TYPE], run->err) ||
        !encoding_decode(run->arena, run->request->header[API_HEADER_CONTENT_ENCODING], run->env->max_request_bytes,
                         run->request->body, &body, run->err))
        return false;
    size_t head = body.len;
    if (length != NULL && !parse_head_length(length, body.len, &head, run->err))
        return false;
    run->head = bytes_slice(body, 0, head);
    run->tail = bytes_slice(body, head, body.len - head);
    return true;
}

static bool decode(struct run *run)
{
    const struct codec_limits limits = {.json_depth = run->env->json_depth};
    return split_body(run) &&
           codec_json_decode(run->arena, &limits, run->head, run->tail, &run->call, run->err);
}

static bool infer(struct run *run)
{
    struct op_call op_call = {.symbolic = false};
    const char *pointers[OP_MAX_INPUTS] = {NULL};
    struct op_diag diag;
    for (int i = 0; i < run->call.op->inputs; i++) {
        pointers[i] = run->call.in[i].given ? run->call.in[i].pointer : NULL;
        op_call.in[i] = run->call.in[i].given ? &run->call.in[i].tensor : NULL;
    }
    if (op_infer(run->call.op, &op_call, &run->view, &diag) == OP_OK)
        return true;
    return problem_from_op(run->err, &diag, pointers);
}

/* Compresses the body if the client wants that and it pays. */
static bool compress(struct run *run, struct reply *ret)
{
    enum encoding encoding = encoding_accepted(run->request->header[API_HEADER_ACCEPT_ENCODING]);
    uint64_t length = ret->body->length;
    if (encoding == ENCODING_IDENTITY || length < ENCODING_MIN_BYTES || length > run->env->compress_max)
        return true;
    ret->body = source_compressed(run->arena, ret->body, encoding);
    if (ret->body == NULL)
        return problem_memory(run->err);
    reply_header(ret, "Content-Encoding", encoding_name(encoding));
    reply_header(ret, "Vary", "Accept-Encoding");
    return true;
}

static bool encode(struct run *run, struct reply *ret)
{
    size_t head = 0;
    ret->body = codec_json_encode(run->arena, &run->call, &run->view, &run->call.in[0].tensor,
                                  run->env->max_output_bytes, &head, run->err);
    if (ret->body == NULL)
        return false;
    ret->status = 200;
    if (run->call.form == FORM_JSON) {
        reply_header(ret, "Content-Type", "application/json");
        return compress(run, ret);
    }
    char *length = arena_printf(run->arena, "%zu", head);
    if (length == NULL)
        return problem_memory(run->err);
    reply_header(ret, "Content-Type", "application/octet-stream");
    reply_header(ret, api_header_name(API_HEADER_INFERENCE_HEADER_LENGTH), length);
    return compress(run, ret);
}

void infer_run(struct arena *arena, const struct api_env *env, const struct route_match *match,
               const struct api_request *request, struct reply *ret)
{
    struct problem err;
    struct run run = {.arena = arena, .env = env, .request = request, .call = {.op = match->op}, .err = &err};
    *ret = (struct reply){.op = match->op};

    uint64_t start = env->now(env->ctx);
    bool ok = decode(&run);
    uint64_t decoded = env->now(env->ctx);
    ok = ok && infer(&run);
    uint64_t inferred = env->now(env->ctx);
    ok = ok && encode(&run, ret);
    ret->phases = (struct reply_phases){
        .decode = decoded - start, .infer = inferred - decoded, .encode = env->now(env->ctx) - inferred};
    if (!ok)
        reply_problem(arena, ret, &err);
}
