/* For Frama-C's Eva (tests/prove/run.sh): operators and size arithmetic on every input there is. Each main below sets up
 * arguments that may be any value of their types within what the headers promise; Eva then follows all of them at once, and
 * reports each operation that it cannot show to be defined.
 */
#include <__fc_builtin.h>

#include "ops/op.h"
#include "ops/decimal.h"

#define ANY_INT64 Frama_C_long_interval(INT64_MIN, INT64_MAX)

static enum dtype any_type(void)
{
    return (enum dtype)Frama_C_int_interval(DTYPE_NONE + 1, DTYPE_END - 1);
}

/* Any rank, and in each place any number: sizes that are known, names, unknown ones, and what is neither. */
static void any_shape(struct shape *ret, int most)
{
    ret->rank = Frama_C_int_interval(SHAPE_RANK_UNKNOWN, most);
    for (int i = 0; i < SHAPE_MAX_RANK; i++)
        ret->dim[i] = ANY_INT64;
}

/* shape.h, dtype.h: multiplication and broadcast. */
void prove_sizes(void)
{
    struct shape a;
    int64_t size = 0;
    any_shape(&a, SHAPE_MAX_RANK);
    dim_broadcast(ANY_INT64, ANY_INT64, &size);
    shape_known(&a);
    if (shape_known(&a))
        shape_elements(&a, &size);
    size = Frama_C_long_interval(0, INT64_MAX);
    dtype_bytes(any_type(), size, &size);
}

void prove_decimal(void)
{
    char out[DECIMAL_MAX];
    const char *text = decimal_text(ANY_INT64, out);
    //@ assert \valid_read(text);
}

/* A list of `count` sizes or axes of any value, and data of this rank and any sizes. */
static void infer(const struct op *op, int rank, int count, int list_rank)
{
    int64_t values[SHAPE_MAX_RANK];
    struct shape shape;
    struct tensor first = {.dtype = any_type()}, second = {.dtype = DTYPE_INT64, .data = values, .stride = {1}};
    struct tensor out;
    struct op_diag diag;
    any_shape(&shape, SHAPE_MAX_RANK);
    shape.rank = rank;
    first.shape = shape;
    second.shape.rank = list_rank;
    for (int i = 0; i < SHAPE_MAX_RANK; i++) {
        first.stride[i] = ANY_INT64;
        second.shape.dim[i] = count;
        values[i] = ANY_INT64;
    }
    const void *data[] = {values, NULL};
    second.data = data[Frama_C_int_interval(0, 1)];
    op->infer(op, &(struct op_call){.in = {&first, &second}, .symbolic = Frama_C_int_interval(0, 1)}, &out, &diag);
}

/* Each rank of the data with every count of axes, and then each count of sizes with every rank: a sum of the two, or a list
 * that is filled up to the one, is beyond intervals. */
void prove_unsqueeze(void)
{
    for (int rank = SHAPE_RANK_UNKNOWN; rank <= SHAPE_MAX_RANK; rank++) {
        infer(&op_unsqueeze_1, rank, Frama_C_int_interval(0, SHAPE_MAX_RANK), 1);
        infer(&op_unsqueeze_25, rank, Frama_C_int_interval(0, SHAPE_MAX_RANK), Frama_C_int_interval(0, 2));
    }
}

void prove_expand(void)
{
    for (int count = 0; count <= SHAPE_MAX_RANK; count++)
        infer(&op_expand_13, Frama_C_int_interval(SHAPE_RANK_UNKNOWN, SHAPE_MAX_RANK), count, 1);
    for (int list_rank = SHAPE_RANK_UNKNOWN; list_rank <= 2; list_rank++)
        infer(&op_expand_13, Frama_C_int_interval(SHAPE_RANK_UNKNOWN, SHAPE_MAX_RANK), 1, list_rank);
}
