#include "api/dry_run.h"

#include "api/codec.h"
#include "api/document.h"

static void write_size(struct document *document, struct arena *arena, cJSON *sizes, const struct symbols *symbols,
                       int64_t size)
{
    struct bytes name = symbols_name(symbols, size);
    if (dim_known(size))
        document_integer(document, sizes, NULL, size);
    else if (name.ptr == NULL)
        document_null(document, sizes, NULL);
    else
        document_text(document, sizes, NULL, arena_printf(arena, "%.*s", (int)name.len, (const char *)name.ptr));
}

static void write_shape(struct document *document, struct arena *arena, cJSON *output, const struct call *call,
                        const struct shape *shape)
{
    if (shape->rank == SHAPE_RANK_UNKNOWN) {
        document_null(document, output, "shape");
        return;
    }
    cJSON *sizes = document_array(document, output, "shape");
    for (int i = 0; i < shape->rank; i++)
        write_size(document, arena, sizes, &call->symbols, shape->dim[i]);
}

void dry_run_answer(struct arena *arena, const struct call *call, const struct tensor *view, struct reply *ret)
{
    struct document document = {0};
    int64_t bytes = 0;
    cJSON *root = document_object(&document, NULL, NULL);
    document_text(&document, root, "model_name", call->op->name);
    document_text(&document, root, "model_version", arena_printf(arena, "%d", call->op->since));
    if (call->id.len > 0)
        document_raw(&document, root, "id", arena_printf(arena, "%.*s", (int)call->id.len, (const char *)call->id.ptr));
    cJSON *output = document_object(&document, document_array(&document, root, "outputs"), NULL);
    document_text(&document, output, "name", call->op->output);
    document_text(&document, output, "datatype", dtype_info(view->dtype)->name);
    write_shape(&document, arena, output, call, &view->shape);
    if (codec_binary_size(view, &call->in[0].tensor, &bytes))
        document_integer(&document, output, "byte_size", bytes);
    else
        document_null(&document, output, "byte_size");
    document_reply(&document, arena, ret);
}
