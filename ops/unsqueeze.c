/* Unsqueeze (ONNX operators 1, 11, 13, 21, 23, 24, 25): inserts dimensions of size 1; the data is never looked at. */
#include "ops/op.h"

#include <inttypes.h>

enum { DATA, AXES };

#define FIRST_WITH_NEGATIVE_AXES 11

/* One bit per dimension of the output: set where it is a new one. */
typedef uint64_t axis_set;
_Static_assert(SHAPE_MAX_RANK <= 64, "an axis_set has a bit for every dimension");

static enum op_code refuse_axis(const struct op *op, struct op_diag *err, int index, int64_t axis, int rank)
{
    if (op->since < FIRST_WITH_NEGATIVE_AXES)
        return op_refuse(err, OP_BAD_AXES, AXES, OP_PART_DATA, index,
                         "axes[%d] is %" PRId64 ", out of range for an output of rank %d in %s %d: use 0 to %d", index,
                         axis, rank, op->onnx, op->since, rank - 1);
    return op_refuse(err, OP_BAD_AXES, AXES, OP_PART_DATA, index,
                     "axes[%d] is %" PRId64 ", out of range for an output of rank %d: use %d to %d", index, axis, rank,
                     -rank, rank - 1);
}

/* Reads `count` axes, which refer to the output, of `rank` dimensions. */
static enum op_code read_axes(const struct op *op, const struct tensor *axes, int count, int rank, axis_set *ret,
                              struct op_diag *err)
{
    int64_t lowest = op->since < FIRST_WITH_NEGATIVE_AXES ? 0 : -rank;
    *ret = 0;
    for (int i = 0; i < count; i++) {
        int64_t axis = tensor_int64(axes, i);
        if (axis < lowest || axis >= rank)
            return refuse_axis(op, err, i, axis, rank);
        int at = (int)(axis < 0 ? axis + rank : axis);
        if ((*ret >> at & 1) != 0)
            return op_refuse(err, OP_BAD_AXES, AXES, OP_PART_DATA, i,
                             "axes[%d] is %" PRId64 ", but axis %d was given before: give each axis once", i, axis, at);
        *ret |= (axis_set)1 << at;
    }
    return OP_OK;
}

static void insert(const struct tensor *data, axis_set added, int rank, struct tensor *ret)
{
    ret->dtype = data->dtype;
    ret->data = data->data;
    ret->shape.rank = rank;
    for (int i = 0, from = 0; i < rank; i++) {
        if ((added >> i & 1) != 0) {
            ret->shape.dim[i] = 1;
            ret->stride[i] = 0;
        } else {
            ret->shape.dim[i] = data->shape.dim[from];
            ret->stride[i] = data->stride[from++];
        }
    }
}

static enum op_code unsqueeze_infer(const struct op *op, const struct op_call *call, struct tensor *ret,
                                    struct op_diag *err)
{
    const struct tensor *data = call->in[DATA];
    const struct tensor *axes = call->in[AXES];
    if (axes->shape.rank > 1)
        return op_refuse(err, OP_BAD_RANK, AXES, OP_PART_SHAPE, -1, "axes has rank %d: make it a list, of rank 1",
                         axes->shape.rank);
    int64_t count = 0;
    bool known = shape_known(&axes->shape) && shape_elements(&axes->shape, &count);
    int data_rank = data->shape.rank > 0 ? data->shape.rank : 0;
    if (known && count > SHAPE_MAX_RANK - data_rank)
        return op_refuse(err, OP_BAD_RANK, AXES, OP_PART_SHAPE, axes->shape.rank - 1,
                         "%" PRId64 " axes and data of rank %d exceed the limit of rank %d: use fewer axes", count,
                         data_rank, SHAPE_MAX_RANK);
    if (!known || data->shape.rank < 0 || (count > 0 && axes->data == NULL)) {
        *ret = (struct tensor){.dtype = data->dtype, .shape = {.rank = SHAPE_RANK_UNKNOWN}, .data = data->data};
        return OP_OK;
    }
    int rank = data->shape.rank + (int)count;
    axis_set added = 0;
    enum op_code code = read_axes(op, axes, (int)count, rank, &added, err);
    if (code == OP_OK)
        insert(data, added, rank, ret);
    return code;
}

#define UNSQUEEZE(version, permitted, axes_attribute)                                                \
    const struct op op_unsqueeze_##version = {                                                       \
        .name = "unsqueeze",                                                                         \
        .onnx = "Unsqueeze",                                                                         \
        .since = (version),                                                                          \
        .output = "expanded",                                                                        \
        .inputs = 2,                                                                                 \
        .in = {[DATA] = {.name = "data", .types = (permitted)},                                      \
               [AXES] = {.name = "axes", .types = DTYPE_BIT(INT64), .attribute = (axes_attribute)}}, \
        .infer = unsqueeze_infer,                                                                    \
    }

UNSQUEEZE(1, DTYPES_15, true);
UNSQUEEZE(11, DTYPES_15, true);
UNSQUEEZE(13, DTYPES_16, false);
UNSQUEEZE(21, DTYPES_22, false);
UNSQUEEZE(23, DTYPES_23, false);
UNSQUEEZE(24, DTYPES_24, false);
UNSQUEEZE(25, DTYPES_26, false);
