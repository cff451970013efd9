/* Expand (ONNX operators 8 and 13): broadcasts `input` to `shape`, both ways, by setting strides to 0. */
#include "ops/op.h"

#include <inttypes.h>

enum { INPUT, SHAPE };

/* Reads the sizes of `shape`. Without its values they are unknown; without its length, so is the rank. */
static enum op_code read_target(const struct op_call *call, struct shape *ret, struct op_diag *err)
{
    const struct tensor *in = call->in[SHAPE];
    int64_t length = in->shape.rank == 1 ? in->shape.dim[0] : DIM_UNKNOWN;
    ret->rank = SHAPE_RANK_UNKNOWN;
    if (in->shape.rank == 0 || in->shape.rank > 1)
        return op_refuse(err, OP_BAD_RANK, SHAPE, OP_PART_SHAPE, -1,
                         "shape has rank %d: make it a list of sizes, of rank 1", in->shape.rank);
    if (!dim_known(length))
        return OP_OK;
    if (length > SHAPE_MAX_RANK)
        return op_refuse(err, OP_BAD_RANK, SHAPE, OP_PART_SHAPE, 0,
                         "shape has %" PRId64 " sizes: the limit is rank %d", length, SHAPE_MAX_RANK);
    ret->rank = (int)length;
    for (int i = 0; i < ret->rank; i++) {
        int64_t size = in->data != NULL ? tensor_int64(in, i) : DIM_UNKNOWN;
        if (!dim_known(size) && !(call->symbolic && dim_symbolic(size)))
            return op_refuse(err, OP_BAD_SHAPE, SHAPE, OP_PART_DATA, i,
                             "shape[%d] is %" PRId64 ", but a size cannot be negative: use 1 to keep the input's size",
                             i, size);
        ret->dim[i] = size;
    }
    return OP_OK;
}

/* Aligns both at the right and broadcasts size by size. */
static enum op_code broadcast(const struct tensor *input, const struct shape *target, struct tensor *view,
                              struct op_diag *err)
{
    int rank = input->shape.rank > target->rank ? input->shape.rank : target->rank;
    view->shape.rank = rank;
    for (int i = 0; i < rank; i++) {
        int from = i - (rank - input->shape.rank);
        int to = i - (rank - target->rank);
        int64_t have = from >= 0 ? input->shape.dim[from] : 1;
        int64_t want = to >= 0 ? target->dim[to] : 1;
        if (!dim_broadcast(have, want, &view->shape.dim[i]))
            return op_refuse(err, OP_BAD_SHAPE, SHAPE, OP_PART_DATA, to,
                             "input has size %" PRId64 " where shape[%d] is %" PRId64
                             " (output dimension %d): make them equal, or one of them 1",
                             have, to, want, i);
        view->stride[i] = view->shape.dim[i] == have && from >= 0 ? input->stride[from] : 0;
    }
    return OP_OK;
}

static enum op_code expand_infer(const struct op *op, const struct op_call *call, struct tensor *ret,
                                 struct op_diag *err)
{
    const struct tensor *input = call->in[INPUT];
    struct tensor view; /* not zeroed, as it is large */
    struct shape target;
    (void)op;

    view.dtype = input->dtype;
    view.data = input->data;
    view.shape.rank = SHAPE_RANK_UNKNOWN;
    enum op_code code = read_target(call, &target, err);
    if (code == OP_OK && input->shape.rank >= 0 && target.rank >= 0)
        code = broadcast(input, &target, &view, err);
    if (code != OP_OK)
        return code;
    int64_t bytes = 0;
    if (shape_known(&view.shape) && !shape_bytes(&view.shape, view.dtype, &bytes))
        return op_refuse(err, OP_OVERFLOW, SHAPE, OP_PART_INPUT, -1,
                         "shape asks for an output of more than 2^63-1 bytes: use smaller sizes");
    tensor_assign(ret, &view);
    return OP_OK;
}

#define EXPAND(version, permitted)                                            \
    const struct op op_expand_##version = {                                   \
        .name = "expand",                                                     \
        .onnx = "Expand",                                                     \
        .since = (version),                                                   \
        .output = "output",                                                   \
        .inputs = 2,                                                          \
        .in = {[INPUT] = {.name = "input", .types = (permitted)},             \
               [SHAPE] = {.name = "shape", .types = DTYPE_BIT(INT64),         \
                          .sizes = true}},                                    \
        .infer = expand_infer,                                                \
    }

EXPAND(8, DTYPES_15);
EXPAND(13, DTYPES_16);
