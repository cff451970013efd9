/* Expand and Unsqueeze once more, element by element, as the text of ONNX's operator specifications has them: what output
 * and verdict are judged by. Slow, and plain on purpose.
 *
 * Expand (8, 13): "Broadcast the input tensor following the given shape and the broadcast rule ... Dimensions are right
 * alignment; two corresponding dimensions must have the same value, or one of them is equal to 1."
 * Unsqueeze (1 to 25): "Insert single-dimensional entries to the shape of an input tensor ... Each value in axes should be
 * within the (inclusive) range [-output_rank, output_rank - 1]. The order of values in axes does not matter."
 */
#ifndef TESTS_FUZZ_ORACLE_H
#define TESTS_FUZZ_ORACLE_H

#include "ops/op.h"
#include "tests/fuzz/fuzz.h"

struct oracle_case {
    const struct op *op;
    enum dtype type, list_type;
    struct shape shape, list; /* of the data; `list` holds sizes or axes */
    int list_rank;            /* rank of the tensor that `list` stands in; 2 makes it [n, 0]... a refusal */
    const uint8_t *data;      /* NULL: not there */
};

/* Whether sizes multiply to at most INT64_MAX bytes; any 0 makes it none. */
static inline bool oracle_counts(const struct shape *shape, enum dtype type)
{
    unsigned __int128 bits = dtype_info(type)->bits;
    for (int i = 0; i < shape->rank; i++)
        if (shape->dim[i] == 0)
            return true;
    unsigned __int128 elements = 1;
    for (int i = 0; i < shape->rank; i++) {
        elements *= (uint64_t)shape->dim[i];
        if (elements > INT64_MAX)
            return false;
    }
    return (elements * bits + 7) / 8 <= INT64_MAX;
}

static inline enum op_code oracle_expand(const struct oracle_case *c, struct shape *ret)
{
    if (c->list_rank != 1)
        return OP_BAD_RANK;
    for (int i = 0; i < c->list.rank; i++)
        if (c->list.dim[i] < 0)
            return OP_BAD_SHAPE;
    ret->rank = c->shape.rank > c->list.rank ? c->shape.rank : c->list.rank;
    for (int i = 1; i <= ret->rank; i++) { /* from the right */
        int64_t a = i <= c->shape.rank ? c->shape.dim[c->shape.rank - i] : 1;
        int64_t b = i <= c->list.rank ? c->list.dim[c->list.rank - i] : 1;
        if (a != b && a != 1 && b != 1)
            return OP_BAD_SHAPE;
        ret->dim[ret->rank - i] = a == 1 ? b : a;
    }
    return oracle_counts(ret, c->type) ? OP_OK : OP_OVERFLOW;
}

static inline enum op_code oracle_unsqueeze(const struct oracle_case *c, struct shape *ret)
{
    bool added[SHAPE_MAX_RANK] = {false};
    int rank = c->shape.rank + c->list.rank;
    if (c->list_rank > 1 || rank > SHAPE_MAX_RANK)
        return OP_BAD_RANK;
    for (int i = 0; i < c->list.rank; i++) {
        int64_t axis = c->list.dim[i];
        if (axis >= rank || axis < -rank || (axis < 0 && c->op->since == 1))
            return OP_BAD_AXES;
        axis += axis < 0 ? rank : 0;
        if (added[axis])
            return OP_BAD_AXES;
        added[axis] = true;
    }
    ret->rank = rank;
    for (int i = 0, from = 0; i < rank; i++)
        ret->dim[i] = added[i] ? 1 : c->shape.dim[from++];
    return OP_OK;
}

static inline enum op_code oracle_infer(const struct oracle_case *c, struct shape *ret)
{
    int64_t bytes = 0;
    if (!dtype_in(c->type, c->op->in[0].types))
        return OP_BAD_TYPE;
    if (!oracle_counts(&c->shape, c->type))
        return OP_BAD_SHAPE;
    if (c->data == NULL && (!shape_bytes(&c->shape, c->type, &bytes) || bytes > 0))
        return OP_MISSING;
    if (c->list_type != DTYPE_INT64)
        return OP_BAD_TYPE;
    return strcmp(c->op->name, "expand") == 0 ? oracle_expand(c, ret) : oracle_unsqueeze(c, ret);
}

/* Moves to the next index in row-major order; false after the last. */
static inline bool oracle_next(const struct shape *shape, int64_t *index)
{
    for (int i = shape->rank - 1; i >= 0; i--) {
        if (++index[i] < shape->dim[i])
            return true;
        index[i] = 0;
    }
    return false;
}

static inline bool oracle_empty(const struct shape *shape)
{
    for (int i = 0; i < shape->rank; i++)
        if (shape->dim[i] == 0)
            return true;
    return false;
}

/* Where the element of the input is that comes to `index` of the output. */
static inline int64_t oracle_source(const struct shape *in, const struct shape *out, const int64_t *index)
{
    int64_t at = 0;
    for (int i = 0; i < in->rank; i++) {
        int64_t k = index[out->rank - in->rank + i];
        at = at * in->dim[i] + (in->dim[i] == 1 ? 0 : k);
    }
    return at;
}

/* Writes the bytes of the output; small ones only. */
static inline void oracle_output(const struct oracle_case *c, const struct shape *shape, uint8_t *out)
{
    int64_t index[SHAPE_MAX_RANK] = {0}, bytes = 0, n = 0;
    size_t width = dtype_info(c->type)->bits / 8;
    if (oracle_empty(shape))
        return;
    if (strcmp(c->op->name, "unsqueeze") == 0) { /* the same elements in the same order */
        if (shape_bytes(&c->shape, c->type, &bytes))
            memcpy(out, c->data, (size_t)bytes);
        return;
    }
    do
        memcpy(out + (size_t)n++ * width, c->data + (size_t)oracle_source(&c->shape, shape, index) * width, width);
    while (oracle_next(shape, index));
}

/* The elements of a view, by its strides. */
static inline void oracle_view(const struct tensor *view, uint8_t *out)
{
    int64_t index[SHAPE_MAX_RANK] = {0}, n = 0;
    size_t width = dtype_info(view->dtype)->bits / 8;
    if (oracle_empty(&view->shape))
        return;
    do {
        int64_t at = 0;
        for (int i = 0; i < view->shape.rank; i++)
            at += index[i] * view->stride[i];
        memcpy(out + (size_t)n++ * width, (const uint8_t *)view->data + (size_t)at * width, width);
    } while (oracle_next(&view->shape, index));
}

#endif
