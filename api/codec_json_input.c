/* An element of `inputs`: {"name", "datatype", "shape", "data" or "parameters": {"binary_data_size"}}. */
#include <stdio.h>
#include <string.h>

#include "api/codec.h"
#include "api/codec_json_data.h"
#include "api/codec_json_decoder.h"

/* Goes back to the input at hand, and to a member of it; for refusals that come later. */
static void at_input(struct decoder *d)
{
    d->depth = d->draft.depth;
}

static void at_member(struct decoder *d, const char *member)
{
    at_input(d);
    decoder_enter(d, bytes_of(member));
}

/* ---- name and datatype ------------------------------------------------------------------------------------------- */

static const char *input_names(const struct op *op, char *out, size_t size)
{
    int len = 0;
    for (int i = 0; i < op->inputs && len < (int)size; i++)
        len += snprintf(out + len, size - (size_t)len, "%s\"%s\"", i > 0 ? " and " : "", op->in[i].name);
    return out;
}

static bool read_name(struct decoder *d)
{
    struct bytes name;
    const struct op *op = d->call->op;
    if (!decoder_text(d, &name))
        return false;
    d->draft.index = decoder_find_input(d, name);
    char names[128];
    if (d->draft.index < 0)
        return decoder_refuse(d, PROBLEM_UNKNOWN_NAME, "%s has no input \"%.*s\": its inputs are %s", op->name,
                              problem_quote(name), (const char *)name.ptr, input_names(op, names, sizeof(names)));
    if (d->call->in[d->draft.index].given)
        return decoder_refuse(d, PROBLEM_INVALID_REQUEST, "the input \"%s\" is given twice, also in %s",
                              op->in[d->draft.index].name, d->call->in[d->draft.index].pointer);
    return true;
}

static const char *dtype_names(char *out, size_t size)
{
    int len = 0;
    for (int type = 1; type < DTYPE_END && len < (int)size; type++)
        len += snprintf(out + len, size - (size_t)len, "%s%s", type > 1 ? ", " : "",
                        dtype_info((enum dtype)type)->name);
    return out;
}

static bool read_datatype(struct decoder *d)
{
    struct bytes name;
    if (!decoder_text(d, &name))
        return false;
    d->tensor->dtype = dtype_find((const char *)name.ptr, name.len);
    char names[256];
    return d->tensor->dtype != DTYPE_NONE ||
           decoder_refuse(d, PROBLEM_UNSUPPORTED_DATATYPE, "there is no datatype \"%.*s\": use one of %s",
                          problem_quote(name), (const char *)name.ptr, dtype_names(names, sizeof(names)));
}

/* ---- shape and data ---------------------------------------------------------------------------------------------- */

/* Checks datatype and shape together, once they are known. */
static bool check_size(struct decoder *d)
{
    int64_t bytes;
    char text[64];
    const struct shape *shape = &d->tensor->shape;
    d->draft.checked = true;
    if (!shape_known(shape) || shape_bytes(shape, d->tensor->dtype, &bytes))
        return true;
    at_member(d, "shape");
    return decoder_refuse(d, PROBLEM_INVALID_SHAPE, "a tensor of %s with shape %s would be too large to exist",
                          dtype_info(d->tensor->dtype)->name, shape_text(shape, text, sizeof(text)));
}

/* The value of `data`, whose datatype and shape are good. In a dry run an input of sizes may hold names. */
static bool read_values(struct decoder *d)
{
    struct draft *draft = &d->draft;
    if (!shape_known(&d->tensor->shape))
        return decoder_refuse(d, PROBLEM_INVALID_DATA,
                              "data can only be given with a shape of numbers: leave data out, or name no sizes");
    draft->names = d->call->dry_run && draft->index >= 0 && d->call->op->in[draft->index].sizes &&
                   d->tensor->dtype == DTYPE_INT64 && json_peek(&d->json) == JSON_ARRAY;
    if (draft->names)
        return codec_json_values(d);
    char pointer[CALL_POINTER_MAX];
    return codec_json_data(&d->json, decoder_pointer(d, d->depth, pointer), d->tensor);
}

/* All that reading `data` depends on is there. */
static bool can_read(const struct decoder *d)
{
    const struct draft *draft = &d->draft;
    return draft->has_shape && d->tensor->dtype != DTYPE_NONE && (draft->index >= 0 || !d->call->dry_run);
}

/* Read at once if datatype and shape came before it; else the place is noted and the value checked for syntax alone. */
static bool read_data(struct decoder *d)
{
    struct draft *draft = &d->draft;
    if (json_peek(&d->json) == JSON_NULL)
        return json_skip(&d->json);
    draft->has_data = true;
    if (can_read(d))
        return check_size(d) && read_values(d);
    draft->data_start = d->json.next;
    return json_skip(&d->json);
}

static bool read_noted_data(struct decoder *d)
{
    struct json after = d->json;
    d->json.next = d->draft.data_start;
    at_member(d, "data");
    bool good = read_values(d);
    if (good) {
        d->json = after;
        at_input(d);
    }
    return good;
}

static bool read_binary_data_size(struct decoder *d)
{
    struct decimal number;
    if (json_peek(&d->json) != JSON_NUMBER)
        return decoder_refuse_kind(d, "a whole number of bytes");
    if (!json_number(&d->json, &number))
        return false;
    d->draft.has_blob = true;
    return number_type_of(DTYPE_UINT64)->read(&number, &d->draft.blob_size) == NUMBER_OK ||
           decoder_refuse(d, PROBLEM_INVALID_REQUEST, "binary_data_size must be a whole number of bytes, not %.*s",
                          number.len < 40 ? (int)number.len : 40, number.text);
}

static bool read_parameters(struct decoder *d)
{
    static const struct decoder_member members[] = {
        DECODER_MEMBER("binary_data_size", read_binary_data_size), DECODER_NOT_OFFERED};
    return decoder_null(d) || decoder_object(d, DECODER_MEMBERS(d, members));
}

static bool refuse_blob(struct decoder *d)
{
    at_member(d, "parameters");
    decoder_enter(d, bytes_of("binary_data_size"));
    const char *hint = d->tail.len == 0 ? " (the header Inference-Header-Content-Length tells where they begin)" : "";
    return decoder_refuse(d, PROBLEM_INVALID_DATA,
                          "binary_data_size of input \"%s\" is %llu, but only %zu bytes follow the JSON document for it%s",
                          d->call->op->in[d->draft.index].name, (unsigned long long)d->draft.blob_size, d->tail.len,
                          hint);
}

static bool take_blob(struct decoder *d, struct call_input *input)
{
    if (d->draft.blob_size > d->tail.len || !shape_known(&input->tensor.shape))
        return refuse_blob(d);
    size_t size = (size_t)d->draft.blob_size;
    struct bytes blob = bytes_slice(d->tail, 0, size);
    d->tail = bytes_slice(d->tail, size, d->tail.len - size);
    return codec_binary_decode(d->arena, blob, input, d->err);
}

/* ---- the input --------------------------------------------------------------------------------------------------- */

static bool check_members(struct decoder *d)
{
    const struct draft *draft = &d->draft;
    at_input(d);
    if (draft->index < 0)
        return decoder_refuse(d, PROBLEM_INVALID_REQUEST, "an input needs a name");
    const char *name = d->call->op->in[draft->index].name;
    if (d->tensor->dtype == DTYPE_NONE)
        return decoder_refuse(d, PROBLEM_INVALID_REQUEST, "input \"%s\" needs a datatype", name);
    if (!draft->has_shape)
        return decoder_refuse(d, PROBLEM_INVALID_REQUEST, "input \"%s\" needs a shape", name);
    if (draft->has_data != draft->has_blob || (d->call->dry_run && !draft->has_data))
        return true;
    return decoder_refuse(d, PROBLEM_INVALID_REQUEST,
                          draft->has_data ? "input \"%s\" has both data and binary_data_size: leave one out"
                                          : "input \"%s\" needs data, or binary_data_size in its parameters", name);
}

static bool finish(struct decoder *d)
{
    struct draft *draft = &d->draft;
    if (!check_members(d) || (!draft->checked && !check_size(d)) ||
        (draft->data_start != NULL && !read_noted_data(d)))
        return false;
    struct call_input *input = &d->call->in[draft->index];
    input->given = true;
    tensor_init(&input->tensor, d->tensor->dtype, &d->tensor->shape, d->tensor->data);
    input->names = draft->names;
    decoder_pointer(d, draft->depth, input->pointer);
    return !draft->has_blob || take_blob(d, input);
}

bool codec_json_input(struct json *json, size_t index, void *ctx)
{
    static const struct decoder_member members[] = {
        DECODER_MEMBER("name", read_name),
        DECODER_MEMBER("shape", codec_json_shape),
        DECODER_MEMBER("datatype", read_datatype),
        DECODER_MEMBER("data", read_data),
        DECODER_MEMBER("parameters", read_parameters),
    };
    struct decoder *d = ctx;
    (void)json;
    decoder_enter_element(d, index);
    d->draft = (struct draft){.index = -1, .depth = d->depth};
    d->tensor->dtype = DTYPE_NONE;
    d->tensor->data = NULL;
    if (!decoder_object(d, DECODER_MEMBERS(d, members)) || !finish(d))
        return false;
    decoder_leave(d);
    return true;
}
