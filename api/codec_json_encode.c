/* The answer: {"model_name", "model_version", "id"?, "outputs": [{"name", "datatype", "shape", "data"}]}, or with
 * "parameters": {"binary_data_size"} in place of "data" and the tensor's bytes behind the document. */
#include "api/codec.h"

#include "api/codec_json_text.h"
#include "api/output.h"
#include "ops/decimal.h"

/* "[" 64 sizes of up to 19 digits with a comma each "]". */
#define SHAPE_TEXT_MAX (SHAPE_MAX_RANK * 20 + 3)

/* ---- the tensor -------------------------------------------------------------------------------------------------- */

/* Elements that repeat are written once and repeated as text. */
static struct source *repeated_text(const struct output *e, int64_t count)
{
    struct bytes text;
    uint64_t *offset = arena_alloc(e->arena, (size_t)count + 1, sizeof(*offset));
    if (offset == NULL)
        return output_made(e, NULL);
    if (!codec_json_text(e->arena, e->input, e->call->in[0].pointer, offset, &text, e->err))
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

static struct source *json_data(const struct output *e)
{
    int64_t out = 0, in = 0;
    if (!shape_elements(&e->view->shape, &out) || !shape_elements(&e->input->shape, &in) || !may_fit(e, out))
        return output_too_large(e);
    if (out == 0)
        return output_made(e, source_bytes(e->arena, (struct bytes){NULL, 0}));
    return out == in && tensor_dense(e->view) ? plain_text(e) : repeated_text(e, in);
}

/* ---- the document around it -------------------------------------------------------------------------------------- */

static struct source *text_source(const struct output *e, const char *text)
{
    return output_made(e, text != NULL ? source_bytes(e->arena, bytes_of(text)) : NULL);
}

static struct source *model_text(const struct output *e)
{
    char version[DECIMAL_MAX];
    return text_source(e, arena_join(e->arena, "{\"model_name\":\"", e->call->op->name, "\",\"model_version\":\"",
                                     decimal_text(e->call->op->since, version), "\"",
                                     e->call->id.len > 0 ? ",\"id\":" : "", (char *)NULL));
}

/* From "outputs" to where the data begins. */
static struct source *output_text(const struct output *e, uint64_t data_bytes)
{
    char shape[SHAPE_TEXT_MAX], size[DECIMAL_MAX];
    bool json = e->call->form == FORM_JSON;
    return text_source(e, arena_join(e->arena, ",\"outputs\":[{\"name\":\"", e->call->op->output, "\",\"datatype\":\"",
                                     dtype_info(e->view->dtype)->name, "\",\"shape\":",
                                     shape_text(&e->view->shape, shape, sizeof(shape)),
                                     json ? ",\"data\":[" : ",\"parameters\":{\"binary_data_size\":",
                                     json ? "" : decimal_text((int64_t)data_bytes, size), json ? "" : "}}]}",
                                     (char *)NULL));
}

struct source *codec_json_encode(struct arena *arena, const struct call *call, const struct tensor *view,
                                 const struct tensor *input, uint64_t max_bytes, size_t *head_len, struct problem *err)
{
    const struct output e = {
        .arena = arena, .call = call, .view = view, .input = input, .max_bytes = max_bytes, .err = err};
    bool json = call->form == FORM_JSON;
    struct source *data = json ? json_data(&e) : output_binary(&e);
    if (data == NULL)
        return NULL;
    struct source *const parts[] = {
        model_text(&e), output_made(&e, source_bytes(arena, call->id)), output_text(&e, data->length), data,
        text_source(&e, json ? "]}]}" : ""),
    };
    struct source *ret = output_concat(&e, parts, sizeof(parts) / sizeof(parts[0]));
    if (ret == NULL)
        return NULL;
    *head_len = (size_t)(ret->length - (json ? 0 : data->length));
    return ret;
}
