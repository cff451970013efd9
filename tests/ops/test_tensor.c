#include "ops/tensor.h"

#include <string.h>

#include "tests/ops/call.h"
#include "tests/suite.h"

static const struct {
    struct shape shape, strides;
} inits[] = {
    {SCALAR, SCALAR},
    {SHAPE(5), SHAPE(1)},
    {SHAPE(2, 3, 6), SHAPE(18, 6, 1)},
    {SHAPE(2, 1, 6), SHAPE(6, 6, 1)},
    {SHAPE(2, 0, 6), SHAPE(0, 0, 0)},
    {SHAPE(0, INT64_MAX, INT64_MAX), SHAPE(0, 0, 0)},
    {SHAPE(2, DIM_UNKNOWN), SHAPE(0, 0)},
};

START_TEST(init)
{
    static const char data[1] = "";
    struct tensor tensor;
    tensor_init(&tensor, DTYPE_FP32, &inits[_i].shape, data);
    ck_assert_int_eq(tensor.dtype, DTYPE_FP32);
    ck_assert_ptr_eq(tensor.data, data);
    assert_shape(&tensor.shape, &inits[_i].shape);
    for (int d = 0; d < tensor.shape.rank; d++)
        ck_assert_int_eq(tensor.stride[d], inits[_i].strides.dim[d]);
}
END_TEST

/* Views, what they merge to, and whether they are dense. */
static const struct {
    const char *what;
    enum dtype type;
    struct shape shape, strides;
    bool dense;
    int64_t elements;
    struct shape merged, merged_strides;
} views[] = {
    {"scalar", DTYPE_FP32, SCALAR, SCALAR, true, 1, SCALAR, SCALAR},
    {"one element of any stride", DTYPE_FP32, SHAPE(1, 1), SHAPE(7, 9), true, 1, SCALAR, SCALAR},
    {"row-major", DTYPE_FP32, SHAPE(2, 3, 6), SHAPE(18, 6, 1), true, 36, SHAPE(36), SHAPE(1)},
    {"1-sized dimensions of any stride", DTYPE_FP32, SHAPE(2, 1, 3, 1), SHAPE(3, 0, 1, 99), true, 6, SHAPE(6), SHAPE(1)},
    {"nothing", DTYPE_FP32, SHAPE(2, 0), SHAPE(5, 5), true, 0, SCALAR, SCALAR},
    {"[3,1] -> [2,3,6]", DTYPE_FP32, SHAPE(2, 3, 6), SHAPE(0, 1, 0), false, 36, SHAPE(2, 3, 6), SHAPE(0, 1, 0)},
    {"a scalar repeated", DTYPE_FP32, SHAPE(2, 3, 6), SHAPE(0, 0, 0), false, 36, SHAPE(36), SHAPE(0)},
    {"a row repeated", DTYPE_FP32, SHAPE(2, 3, 6), SHAPE(0, 0, 1), false, 36, SHAPE(6, 6), SHAPE(0, 1)},
    {"elements repeated", DTYPE_FP32, SHAPE(2, 3, 6), SHAPE(3, 1, 0), false, 36, SHAPE(6, 6), SHAPE(1, 0)},
    {"Fortran order", DTYPE_FP32, SHAPE(2, 3, 4), SHAPE(1, 2, 6), false, 24, SHAPE(2, 3, 4), SHAPE(1, 2, 6)},
    {"Fortran order of one long side", DTYPE_FP32, SHAPE(1, 5), SHAPE(1, 1), true, 5, SHAPE(5), SHAPE(1)},
    {"two pairs swapped", DTYPE_FP32, SHAPE(2, 3, 4, 5), SHAPE(3, 1, 30, 6), false, 120, SHAPE(6, 20), SHAPE(1, 6)},
    {"every second element", DTYPE_FP32, SHAPE(2, 3), SHAPE(6, 2), false, 6, SHAPE(6), SHAPE(2)},
    {"backwards", DTYPE_FP32, SHAPE(2, 3), SHAPE(-3, -1), false, 6, SHAPE(6), SHAPE(-1)},
    {"packed types are dense", DTYPE_INT4, SHAPE(3, 3), SHAPE(0, 0), true, 9, SHAPE(9), SHAPE(1)},
    {"a packed scalar", DTYPE_UINT2, SCALAR, SCALAR, true, 1, SHAPE(1), SHAPE(1)},
};

START_TEST(merge)
{
    struct tensor view = {.dtype = views[_i].type, .shape = views[_i].shape};
    memcpy(view.stride, views[_i].strides.dim, sizeof(view.stride));
    struct layout layout;
    layout_init(&layout, &view);
    ck_assert_int_eq(layout.elements, views[_i].elements);
    ck_assert_int_eq(layout.rank, views[_i].merged.rank);
    for (int d = 0; d < layout.rank; d++) {
        ck_assert_int_eq(layout.dim[d], views[_i].merged.dim[d]);
        ck_assert_int_eq(layout.stride[d], views[_i].merged_strides.dim[d]);
    }
    ck_assert_msg(tensor_dense(&view) == views[_i].dense, "%s: dense", views[_i].what);
}
END_TEST

START_TEST(unknown_is_not_dense)
{
    struct tensor view = {.dtype = DTYPE_FP32, .shape = SHAPE(DIM_UNKNOWN)};
    ck_assert(!tensor_dense(&view));
    view.shape.rank = SHAPE_RANK_UNKNOWN;
    ck_assert(!tensor_dense(&view));
}
END_TEST

START_TEST(int64_at_any_alignment)
{
    static const int64_t values[] = {INT64_MIN, -1, INT64_MAX};
    for (size_t offset = 0; offset < sizeof(int64_t); offset++) {
        unsigned char buffer[sizeof(values) + sizeof(int64_t)];
        memcpy(buffer + offset, values, sizeof(values));
        struct tensor tensor;
        tensor_init(&tensor, DTYPE_INT64, &(struct shape)SHAPE(3), buffer + offset);
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(tensor_int64(&tensor, i), values[i]);
        tensor_init(&tensor, DTYPE_INT64, &(struct shape)SCALAR, buffer + offset);
        ck_assert_int_eq(tensor_int64(&tensor, 0), INT64_MIN);
    }
}
END_TEST

SUITE("tensor", TEST_ROWS(init, inits) TEST_ROWS(merge, views) TEST_ONE(unknown_is_not_dense)
                    TEST_ONE(int64_at_any_alignment))
