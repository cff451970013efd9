/* What the tests of ops share: shapes and calls that stand in a table, and random numbers that are the same each time. */
#ifndef TESTS_OPS_CALL_H
#define TESTS_OPS_CALL_H

#include <check.h>
#include <stdio.h>

#include "ops/op.h"

/* A shape, or a list of sizes or axes, as an initialiser: SHAPE(2, 3). */
#define SHAPE(...) {(int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), {__VA_ARGS__}}
#define SCALAR     {0, {0}}
#define UNKNOWN    {SHAPE_RANK_UNKNOWN, {0}}

/* The INT64 tensor of rank 1 with the values of `list`, which must outlive it. */
static inline struct tensor list_tensor(const struct shape *list)
{
    struct tensor tensor;
    tensor_init(&tensor, DTYPE_INT64, &(struct shape){1, {list->rank}}, list->dim);
    return tensor;
}

/* Calls `op` on a tensor of this type and shape, with `data`, and a list of sizes or axes. */
static inline enum op_code call_list(const struct op *op, enum dtype type, const struct shape *shape, const void *data,
                                     const struct shape *list, struct tensor *ret, struct op_diag *err)
{
    struct tensor first;
    struct tensor second = list_tensor(list);
    tensor_init(&first, type, shape, data);
    return op_infer(op, &(struct op_call){.in = {&first, &second}}, ret, err);
}

static inline void assert_shape(const struct shape *got, const struct shape *want)
{
    char got_text[512];
    char want_text[512];
    shape_text(got, got_text, sizeof(got_text));
    shape_text(want, want_text, sizeof(want_text));
    ck_assert_msg(shape_equal(got, want), "shape is %s, not %s", got_text, want_text);
}

/* splitmix64 */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number from 0 to below - 1. */
static inline int64_t random_below(uint64_t *state, int64_t below)
{
    return (int64_t)(random_next(state) % (uint64_t)below);
}

#endif
