/* For Frama-C's Eva (tests/prove/run.sh): size arithmetic on every input there is. Each main below sets up
 * arguments that may be any value of their types within what the headers promise; Eva then follows all of them at once, and
 * reports each operation that it cannot show to be defined.
 */
#include <__fc_builtin.h>

#include "ops/decimal.h"
#include "ops/shape.h"

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
