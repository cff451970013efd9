/* The answer: {"model_name", "model_version", "id"?, "outputs": [{"name", "datatype", "shape", "data"}]}, or with
 * "parameters": {"binary_data_size"} in place of "data" and the tensor's bytes behind the document. */
#include "api/codec.h"

#include "api/codec_json_print.h"
#include "api/codec_json_text.h"
#include "api/output.h"

/* "[" 64 sizes of up to 19 digits with a comma each "]". */
#define SHAPE_TEXT_MAX (SHAPE_MAX_RANK * 20 + 3)

/* ---- the tensor -------------------------------------------------------------------------------------------------- */

/* Elements that repeat are written once and repeated as text. */
static struct source *repeated_text(const struct output *e, int64_t count)
{
    struct bytes text;
    uint64_t *offset;
    if (!codec_json_text(e->arena, e->input, e->call->in[0].pointer, &offset, &text, e->err))
        return NULL;
    return output_pieces(e, &(struct pieces){.base = text.ptr, .offset = offset, .count = count}, 1);
}

static struct source *plain_text(const struct output *e)
{
    struct bytes text;
    if (!codec_json_text(e->arena, e->input, e->call->in[0].pointer, NULL, &text, e->err))
        return NULL;
    return output_made(e, source_bytes(e->arena, bytes_slice(text, 0, text.len - 1))); /* without the last comma */
}

/* No element is shorter than "0,", so a shape far beyond the limit is refused before anything is written. */
static bool may_fit(const struct output *e, int64_t elements)
{
    return (uint64_t)elements <= e->max_bytes / 2 + 1;
}

/* All texts at once; or, where there is no memory for them but they are numbers, while they are sent. */
static struct source *element_text(const struct output *e, int64_t in, int64_t out)
{
    struct source *ret = out == in && tensor_dense(e->view) ? plain_text(e) : repeated_text(e, in);
    if (ret == NULL && e->err->code == PROBLEM_OUT_OF_MEMORY && e->view->dtype != DTYPE_BYTES)
        ret = codec_json_print(e, in, out);
    return ret;
}

static struct source *json_data(const struct output *e)
{
    int64_t out = 0, in = 0;
    if (!shape_elements(&e->view->shape, &out) || !shape_elements(&e->input->shape, &in) || !may_fit(e, out))
        return output_too_large(e);
    if (out == 0)
        return output_made(e, source_bytes(e->arena, (struct bytes){NULL, 0}));
    return element_text(e, in, out);
}

/* ---- the document around it -------------------------------------------------------------------------------------- */

/* All that stands before the data. */
static struct source *head_text(const struct output *e, uint64_t data_bytes)
{
    static const struct bytes nothing = {NULL, 0}, id = BYTES_LITERAL(",\"id\":"), data = BYTES_LITERAL(",\"data\":["),
                              size = BYTES_LITERAL(",\"parameters\":{\"binary_data_size\":"),
                              end = BYTES_LITERAL("}}]}");
    char version[DECIMAL_MAX], shape[SHAPE_TEXT_MAX], number[DECIMAL_MAX];
    const struct call *call = e->call;
    const bool json = call->form == FORM_JSON;
    const struct bytes parts[] = {
        BYTES_LITERAL("{\"model_name\":\""), bytes_of(call->op->name),
        BYTES_LITERAL("\",\"model_version\":\""), bytes_decimal(call->op->since, version),
        BYTES_LITERAL("\""), call->id.len > 0 ? id : nothing, call->id,
        BYTES_LITERAL(",\"outputs\":[{\"name\":\""), bytes_of(call->op->output),
        BYTES_LITERAL("\",\"datatype\":\""), bytes_of(dtype_info(e->view->dtype)->name),
        BYTES_LITERAL("\",\"shape\":"), bytes_of(shape_text(&e->view->shape, shape, sizeof(shape))),
        json ? data : size, json ? nothing : bytes_decimal((int64_t)data_bytes, number), json ? nothing : end,
    };
    struct bytes text;
    bool joined = arena_join(e->arena, parts, sizeof(parts) / sizeof(parts[0]), &text);
    return output_made(e, joined ? source_bytes(e->arena, text) : NULL);
}

struct source *codec_json_encode(struct arena *arena, const struct call *call, const struct tensor *view,
                                 const struct tensor *input, uint64_t max_bytes, size_t *head_len, struct problem *err)
{
    static const struct bytes end = BYTES_LITERAL("]}]}");
    const struct output e = {
        .arena = arena, .call = call, .view = view, .input = input, .max_bytes = max_bytes, .err = err};
    const bool json = call->form == FORM_JSON;
    struct source *data = json ? json_data(&e) : output_binary(&e);
    if (data == NULL)
        return NULL;
    struct source *const parts[] = {
        head_text(&e, data->length), data, json ? output_made(&e, source_bytes(arena, end)) : NULL};
    struct source *ret = output_concat(&e, parts, json ? 3 : 2);
    if (ret != NULL)
        *head_len = (size_t)(json ? ret->length : parts[0]->length);
    return ret;
}
