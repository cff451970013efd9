/* The answer: {"model_name", "model_version", "id"?, "outputs": [{"name", "datatype", "shape", "data"}]}, or with
 * "parameters": {"binary_data_size"} in place of "data" and the tensor's bytes behind the document. */
#include "api/codec.h"

#include "api/codec_json_text.h"

/* "[" 64 sizes of up to 19 digits with a comma each "]". */
#define SHAPE_TEXT_MAX (SHAPE_MAX_RANK * 20 + 3)

struct encoder {
    struct arena *arena;
    const struct call *call;
    const struct tensor *view, *input;
    uint64_t max_bytes;
    struct problem *err;
};

/* What made the output so large is the small input if it repeats anything, else the tensor. Returns NULL, as do all
 * makers here that refuse. */
static struct source *refuse_too_large(const struct encoder *e)
{
    int64_t in = 0, out = 0;
    bool counted = shape_elements(&e->input->shape, &in) && shape_elements(&e->view->shape, &out);
    int blame = counted && out <= in ? 0 : 1;
    char shape[128];
    problem_set(e->err, PROBLEM_OUTPUT_TOO_LARGE, e->call->in[blame].pointer,
                "the output, %s of shape %s, would take more than the limit of %llu bytes: use smaller sizes in %s",
                dtype_info(e->view->dtype)->name, shape_text(&e->view->shape, shape, sizeof(shape)),
                (unsigned long long)e->max_bytes, e->call->op->in[blame].name);
    return NULL;
}

/* What a maker has made, or why it has not. */
static struct source *made(const struct encoder *e, struct source *source)
{
    if (source == NULL)
        problem_memory(e->err);
    return source;
}

/* ---- the tensor -------------------------------------------------------------------------------------------------- */

static struct source *from_pieces(const struct encoder *e, const struct pieces *pieces, size_t drop)
{
    uint64_t length;
    if (!pieces_length(pieces, e->view, &length) || length > e->max_bytes)
        return refuse_too_large(e);
    return made(e, source_pieces(e->arena, pieces, e->view, drop));
}

/* Elements that repeat are written once and repeated as text. */
static struct source *repeated_text(const struct encoder *e, int64_t count)
{
    struct bytes text;
    uint64_t *offset = arena_alloc(e->arena, (size_t)count + 1, sizeof(*offset));
    if (offset == NULL)
        return made(e, NULL);
    if (!codec_json_text(e->arena, e->input, e->call->in[0].pointer, offset, &text, e->err))
        return NULL;
    return from_pieces(e, &(struct pieces){.base = text.ptr, .offset = offset, .count = count}, 1);
}

static struct source *plain_text(const struct encoder *e)
{
    struct bytes text;
    if (!codec_json_text(e->arena, e->input, e->call->in[0].pointer, NULL, &text, e->err))
        return NULL;
    return made(e, source_bytes(e->arena, bytes_slice(text, 0, text.len - 1))); /* without the last comma */
}

/* No element is shorter than "0,", so a shape far beyond the limit is refused before anything is written. */
static bool may_fit(const struct encoder *e, int64_t elements)
{
    return (uint64_t)elements <= e->max_bytes / 2 + 1;
}

static struct source *json_data(const struct encoder *e)
{
    int64_t out = 0, in = 0;
    if (!shape_elements(&e->view->shape, &out) || !shape_elements(&e->input->shape, &in) || !may_fit(e, out))
        return refuse_too_large(e);
    if (out == 0)
        return made(e, source_bytes(e->arena, (struct bytes){NULL, 0}));
    return out == in && tensor_dense(e->view) ? plain_text(e) : repeated_text(e, in);
}

static struct source *binary_data(const struct encoder *e)
{
    struct pieces pieces;
    int64_t bytes = 0;
    if (!shape_bytes(&e->view->shape, e->view->dtype, &bytes))
        return refuse_too_large(e);
    if (e->view->dtype == DTYPE_BYTES)
        return codec_binary_pieces(e->arena, e->input, &pieces) ? from_pieces(e, &pieces, 0) : made(e, NULL);
    return (uint64_t)bytes <= e->max_bytes ? made(e, source_view(e->arena, e->view)) : refuse_too_large(e);
}

/* ---- the document around it -------------------------------------------------------------------------------------- */

static struct source *text_source(const struct encoder *e, const char *text)
{
    return made(e, text != NULL ? source_bytes(e->arena, bytes_of(text)) : NULL);
}

static struct source *model_text(const struct encoder *e)
{
    const struct op *op = e->call->op;
    return text_source(e, arena_printf(e->arena, "{\"model_name\":\"%s\",\"model_version\":\"%d\"%s", op->name,
                                       op->since, e->call->id.len > 0 ? ",\"id\":" : ""));
}

/* From "outputs" to where the data begins. */
static struct source *output_text(const struct encoder *e, uint64_t data_bytes)
{
    char shape[SHAPE_TEXT_MAX];
    char *text = arena_printf(e->arena, ",\"outputs\":[{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,",
                              e->call->op->output, dtype_info(e->view->dtype)->name,
                              shape_text(&e->view->shape, shape, sizeof(shape)));
    if (text == NULL)
        return made(e, NULL);
    if (e->call->form == FORM_JSON)
        return text_source(e, arena_printf(e->arena, "%s\"data\":[", text));
    return text_source(e, arena_printf(e->arena, "%s\"parameters\":{\"binary_data_size\":%llu}}]}", text,
                                       (unsigned long long)data_bytes));
}

struct source *codec_json_encode(struct arena *arena, const struct call *call, const struct tensor *view,
                                 const struct tensor *input, uint64_t max_bytes, size_t *head_len, struct problem *err)
{
    const struct encoder e = {
        .arena = arena, .call = call, .view = view, .input = input, .max_bytes = max_bytes, .err = err};
    bool json = call->form == FORM_JSON;
    struct source *data = json ? json_data(&e) : binary_data(&e);
    if (data == NULL)
        return NULL;
    struct source *const parts[] = {
        model_text(&e), made(&e, source_bytes(arena, call->id)), output_text(&e, data->length), data,
        text_source(&e, json ? "]}]}" : ""),
    };
    const size_t count = sizeof(parts) / sizeof(parts[0]);
    for (size_t i = 0; i < count; i++)
        if (parts[i] == NULL)
            return NULL;
    struct source *ret = made(&e, source_concat(arena, parts, count));
    if (ret == NULL)
        return NULL;
    *head_len = (size_t)(ret->length - (json ? 0 : data->length));
    return ret->length <= max_bytes ? ret : refuse_too_large(&e);
}
