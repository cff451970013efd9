#include "api/output.h"

#include "api/codec.h"

struct source *output_made(const struct output *output, struct source *source)
{
    if (source == NULL)
        problem_memory(output->err);
    return source;
}

struct source *output_too_large(const struct output *output)
{
    int64_t in = 0, out = 0;
    bool counted = shape_elements(&output->input->shape, &in) && shape_elements(&output->view->shape, &out);
    int blame = counted && out <= in ? 0 : 1;
    char shape[128];
    problem_set(output->err, PROBLEM_OUTPUT_TOO_LARGE, output->call->in[blame].pointer,
                "the output, %s of shape %s, would take more than the limit of %llu bytes: use smaller sizes in %s",
                dtype_info(output->view->dtype)->name, shape_text(&output->view->shape, shape, sizeof(shape)),
                (unsigned long long)output->max_bytes, output->call->op->in[blame].name);
    return NULL;
}

struct source *output_pieces(const struct output *output, const struct pieces *pieces, size_t drop)
{
    uint64_t length;
    if (!pieces_length(pieces, output->view, &length) || length > output->max_bytes)
        return output_too_large(output);
    return output_made(output, source_pieces(output->arena, pieces, output->view, drop));
}

struct source *output_binary(const struct output *output)
{
    struct pieces pieces;
    int64_t bytes = 0;
    if (!shape_bytes(&output->view->shape, output->view->dtype, &bytes))
        return output_too_large(output);
    if (output->view->dtype != DTYPE_BYTES)
        return (uint64_t)bytes <= output->max_bytes
                   ? output_made(output, source_view(output->arena, output->view))
                   : output_too_large(output);
    return codec_binary_pieces(output->arena, output->input, &pieces) ? output_pieces(output, &pieces, 0)
                                                                      : output_made(output, NULL);
}

struct source *output_concat(const struct output *output, struct source *const parts[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (parts[i] == NULL)
            return NULL;
    struct source *ret = output_made(output, source_concat(output->arena, parts, n));
    return ret == NULL || ret->length <= output->max_bytes ? ret : output_too_large(output);
}
