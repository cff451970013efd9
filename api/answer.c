#include "api/answer.h"

#include "api/codec.h"
#include "api/encoding.h"
#include "api/negotiate.h"
#include "api/output.h"
#include "ops/decimal.h"

struct answer {
    struct output output;
    size_t head_length; /* of the JSON before a binary tensor */
};

/* ---- forms ---- */

static struct source *encode_document(struct answer *a)
{
    const struct output *o = &a->output;
    return codec_json_encode(o->arena, o->call, o->view, o->input, o->max_bytes, &a->head_length, o->err);
}

static struct source *encode_npy(struct answer *a)
{
    return codec_npy_encode(&a->output);
}

static struct source *encode_protobuf(struct answer *a)
{
    return codec_protobuf_encode(&a->output);
}

static struct source *encode_raw(struct answer *a)
{
    return output_binary(&a->output);
}

static bool add_head_length(const struct answer *a, struct reply *ret)
{
    char *digits = arena_alloc(a->output.arena, DECIMAL_MAX, 1);
    if (digits == NULL)
        return problem_memory(a->output.err);
    reply_header(ret, api_header_name(API_HEADER_INFERENCE_HEADER_LENGTH),
                 decimal_text((int64_t)a->head_length, digits));
    return true;
}

/* Raw bytes do not tell what they are. */
static bool add_shape(const struct answer *a, struct reply *ret)
{
    const size_t room = 2 + SHAPE_MAX_RANK * (size_t)20; /* sizes of up to 19 digits, and commas */
    char *text = arena_alloc(a->output.arena, room, 1);
    if (text == NULL)
        return problem_memory(a->output.err);
    reply_header(ret, "Tensor-Shape", shape_text(&a->output.view->shape, text, room));
    reply_header(ret, "Tensor-Datatype", dtype_info(a->output.view->dtype)->name);
    return true;
}

static const struct {
    const char *media_type;
    struct source *(*encode)(struct answer *a);
    bool (*add_headers)(const struct answer *a, struct reply *ret); /* NULL: none but Content-Type */
} forms[] = {
    [FORM_JSON] = {"application/json", encode_document, NULL},
    [FORM_BINARY] = {"application/octet-stream", encode_document, add_head_length},
    [FORM_NPY] = {"application/x-npy", encode_npy, NULL},
    [FORM_PROTOBUF] = {"application/x-protobuf", encode_protobuf, NULL},
    [FORM_RAW] = {"application/octet-stream", encode_raw, add_shape},
};

/* ---- which of them ---- */

/* A form that Accept prefers to the default; in a tie the default stays, and then the earlier one here. */
static enum call_form choose_form(const char *accept, const struct call *call)
{
    static const enum call_form offered[] = {FORM_NPY, FORM_PROTOBUF, FORM_JSON, FORM_RAW};
    const size_t n = call->files ? 4 : 2; /* a document says itself whether it wants JSON or binary */
    enum call_form best = call->form;
    if (accept == NULL || call->form == FORM_BINARY)
        return best;
    int quality = negotiate_quality(accept, forms[best].media_type);
    for (size_t i = 0; i < n; i++) {
        int other = negotiate_quality(accept, forms[offered[i]].media_type);
        if (other <= 0 || other <= quality)
            continue;
        best = offered[i];
        quality = other;
    }
    return best;
}

/* Compresses the body if the client wants that and it pays. */
static bool compress(struct arena *arena, const struct api_env *env, const char *accept_encoding, struct reply *ret,
                     struct problem *err)
{
    enum encoding encoding = encoding_accepted(accept_encoding);
    uint64_t length = ret->body->length;
    if (encoding == ENCODING_IDENTITY || length < ENCODING_MIN_BYTES || length > env->compress_max)
        return true;
    ret->body = source_compressed(arena, ret->body, encoding);
    if (ret->body == NULL)
        return problem_memory(err);
    reply_header(ret, "Content-Encoding", encoding_name(encoding));
    reply_header(ret, "Vary", "Accept-Encoding");
    return true;
}

bool answer_encode(struct arena *arena, const struct api_env *env, const struct api_request *request, struct call *call,
                   const struct tensor *view, struct reply *ret, struct problem *err)
{
    struct answer a = {.output = {
        .arena = arena, .call = call, .view = view, .input = &call->in[0].tensor,
        .max_bytes = env->max_output_bytes, .err = err}};
    call->form = choose_form(request->header[API_HEADER_ACCEPT], call);
    ret->body = forms[call->form].encode(&a);
    if (ret->body == NULL)
        return false;
    ret->status = 200;
    reply_header(ret, "Content-Type", forms[call->form].media_type);
    if (forms[call->form].add_headers != NULL && !forms[call->form].add_headers(&a, ret))
        return false;
    return compress(arena, env, request->header[API_HEADER_ACCEPT_ENCODING], ret, err);
}
