#include <string.h>

#include "tests/ops/call.h"
#include "tests/suite.h"

static const int versions[] = {1, 11, 13, 21, 23, 24, 25};
#define VERSIONS ROWS(versions)

static const struct op *version(int index)
{
    return op_find("unsqueeze", versions[index]);
}

static const unsigned char bytes[256] = {0};

/* ---- shapes; expected by numpy.expand_dims. Negative axes are refused in version 1. */

static const struct {
    const char *what;
    struct shape data, axes, want;
} cases[] = {
    {"example of the specification", SHAPE(3, 4, 5), SHAPE(0, 4), SHAPE(1, 3, 4, 5, 1)},
    {"in any order", SHAPE(3, 4, 5), SHAPE(4, 0), SHAPE(1, 3, 4, 5, 1)},
    {"axes refer to the output", SHAPE(3, 4, 5), SHAPE(2, 4, 5), SHAPE(3, 4, 1, 5, 1, 1)},
    {"neighbours", SHAPE(3, 4), SHAPE(2, 1), SHAPE(3, 1, 1, 4)},
    {"a scalar", SCALAR, SHAPE(0), SHAPE(1)},
    {"a scalar, twice", SCALAR, SHAPE(1, 0), SHAPE(1, 1)},
    {"no axes", SHAPE(3, 4), SCALAR, SHAPE(3, 4)},
    {"no axes on a scalar", SCALAR, SCALAR, SCALAR},
    {"nothing", SHAPE(2, 0), SHAPE(1), SHAPE(2, 1, 0)},
    {"ones among ones", SHAPE(1, 1), SHAPE(0, 3), SHAPE(1, 1, 1, 1)},
    {"negative: the last", SHAPE(3, 4), SHAPE(-1), SHAPE(3, 4, 1)},
    {"negative: the first", SHAPE(3, 4), SHAPE(-3), SHAPE(1, 3, 4)},
    {"negative on a scalar", SCALAR, SHAPE(-1), SHAPE(1)},
    {"mixed signs", SHAPE(2, 3, 1), SHAPE(-4, 0, -5), SHAPE(1, 1, 1, 2, 3, 1)},
    {"out of range until all are counted", SHAPE(2, 3), SHAPE(-4, 3), SHAPE(1, 2, 3, 1)},
};

static bool has_negative(const struct shape *axes)
{
    for (int i = 0; i < axes->rank; i++)
        if (axes->dim[i] < 0)
            return true;
    return false;
}

START_TEST(inserts)
{
    int row = _i / VERSIONS;
    const struct op *op = version(_i % VERSIONS);
    struct tensor got;
    struct op_diag err;
    enum op_code code = call_list(op, DTYPE_UINT8, &cases[row].data, bytes, &cases[row].axes, &got, &err);
    if (op->since == 1 && has_negative(&cases[row].axes)) {
        ck_assert_int_eq(code, OP_BAD_AXES);
        return;
    }
    ck_assert_msg(code == OP_OK, "%s: %s", cases[row].what, err.text);
    assert_shape(&got.shape, &cases[row].want);
    ck_assert_ptr_eq(got.data, bytes);
    ck_assert(tensor_dense(&got));
}
END_TEST

/* ---- refusals */

static const struct {
    int since; /* 0: all */
    struct shape data, axes;
    int element;
    const char *text;
} refusals[] = {
    {11, SHAPE(2), SHAPE(0, 5), 1, "axes[1] is 5, out of range for an output of rank 3: use -3 to 2"},
    {13, SHAPE(2, 1, 2), SHAPE(4), 0, "axes[0] is 4, out of range for an output of rank 4: use -4 to 3"},
    {25, SHAPE(2, 1, 2), SHAPE(-5), 0, "axes[0] is -5, out of range for an output of rank 4: use -4 to 3"},
    {21, SCALAR, SHAPE(1), 0, "axes[0] is 1, out of range for an output of rank 1: use -1 to 0"},
    {13, SHAPE(2), SHAPE((int64_t)1 << 32), 0,
     "axes[0] is 4294967296, out of range for an output of rank 2: use -2 to 1"},
    {24, SHAPE(2), SHAPE(INT64_MIN), 0,
     "axes[0] is -9223372036854775808, out of range for an output of rank 2: use -2 to 1"},
    {1, SHAPE(2), SHAPE(2), 0, "axes[0] is 2, out of range for an output of rank 2 in Unsqueeze 1: use 0 to 1"},
    {1, SHAPE(2), SHAPE(0, -1), 1, "axes[1] is -1, out of range for an output of rank 3 in Unsqueeze 1: use 0 to 2"},
    {1, SHAPE(2), SHAPE(-9), 0, "axes[0] is -9, out of range for an output of rank 2 in Unsqueeze 1: use 0 to 1"},
    {0, SHAPE(2, 2), SHAPE(1, 1, 1), 1, "axes[1] is 1, but axis 1 was given before: give each axis once"},
    {0, SHAPE(2), SHAPE(1, 0, 2, 1), 3, "axes[3] is 1, but axis 1 was given before: give each axis once"},
    {13, SHAPE(2), SHAPE(0, -3), 1, "axes[1] is -3, but axis 0 was given before: give each axis once"},
    {11, SHAPE(2), SHAPE(-1, 2), 1, "axes[1] is 2, but axis 2 was given before: give each axis once"},
};

START_TEST(refused)
{
    int row = _i / VERSIONS;
    const struct op *op = version(_i % VERSIONS);
    struct tensor got;
    struct op_diag err;
    if (refusals[row].since != 0 && refusals[row].since != op->since)
        return;
    ck_assert_int_eq(call_list(op, DTYPE_UINT8, &refusals[row].data, bytes, &refusals[row].axes, &got, &err),
                     OP_BAD_AXES);
    ck_assert_int_eq(err.input, 1);
    ck_assert_int_eq(err.part, OP_PART_DATA);
    ck_assert_int_eq(err.element, refusals[row].element);
    ck_assert_str_eq(err.text, refusals[row].text);
}
END_TEST

/* ---- the rank of axes, and of the result */

START_TEST(scalar_axes_are_one_axis)
{
    static const int64_t last = 2;
    struct tensor data, axes, got;
    struct op_diag err;
    tensor_init(&data, DTYPE_FP16, &(struct shape)SHAPE(3, 4), bytes);
    tensor_init(&axes, DTYPE_INT64, &(struct shape)SCALAR, &last);
    ck_assert_int_eq(op_infer(version(_i), &(struct op_call){{&data, &axes}, false}, &got, &err), OP_OK);
    assert_shape(&got.shape, &(struct shape)SHAPE(3, 4, 1));
}
END_TEST

static const struct {
    struct shape data, axes; /* the shape of axes */
    bool symbolic;
    int64_t element;
    const char *text;
} ranks[] = {
    {SHAPE(2), SHAPE(1, 2), false, -1, "axes has rank 2: make it a list, of rank 1"},
    {SHAPE(2), SHAPE(0, 2), true, -1, "axes has rank 2: make it a list, of rank 1"},
    {SHAPE(2), SHAPE(64), false, 0, "64 axes and data of rank 1 exceed the limit of rank 64: use fewer axes"},
    {SCALAR, SHAPE(65), false, 0, "65 axes and data of rank 0 exceed the limit of rank 64: use fewer axes"},
    {SHAPE(2), SHAPE((int64_t)1 << 50), true, 0,
     "1125899906842624 axes and data of rank 1 exceed the limit of rank 64: use fewer axes"},
    {UNKNOWN, SHAPE(65), true, 0, "65 axes and data of rank 0 exceed the limit of rank 64: use fewer axes"},
    {{.rank = 64, .dim = {0}}, SCALAR, false, -1,
     "1 axes and data of rank 64 exceed the limit of rank 64: use fewer axes"},
};

START_TEST(list_rank)
{
    static const int64_t list[65] = {0};
    struct tensor data, axes, got;
    struct op_diag err;
    tensor_init(&data, DTYPE_FP32, &ranks[_i].data, bytes);
    tensor_init(&axes, DTYPE_INT64, &ranks[_i].axes, list);
    struct op_call call = {{&data, &axes}, ranks[_i].symbolic};
    ck_assert_int_eq(op_infer(op_newest("unsqueeze"), &call, &got, &err), OP_BAD_RANK);
    ck_assert_int_eq(err.input, 1);
    ck_assert_int_eq(err.part, OP_PART_SHAPE);
    ck_assert_int_eq(err.element, ranks[_i].element);
    ck_assert_str_eq(err.text, ranks[_i].text);
}
END_TEST

START_TEST(rank_64)
{
    struct shape list = {.rank = 63};
    struct tensor got;
    struct op_diag err;
    for (int i = 0; i < 63; i++)
        list.dim[i] = i;
    ck_assert_int_eq(call_list(op_newest("unsqueeze"), DTYPE_FP32, &(struct shape)SHAPE(9), bytes, &list, &got, &err),
                     OP_OK);
    ck_assert_int_eq(got.shape.rank, 64);
    ck_assert_int_eq(got.shape.dim[63], 9);
    ck_assert_int_eq(got.shape.dim[62], 1);
}
END_TEST

/* Values borrowed from a request body stand at any address. */
START_TEST(misaligned_axes)
{
    static const int64_t values[2] = {0, 4};
    unsigned char buffer[sizeof(values) + 1];
    struct tensor data, axes, got;
    struct op_diag err;
    memcpy(buffer + 1, values, sizeof(values));
    tensor_init(&data, DTYPE_FP32, &(struct shape)SHAPE(3, 4, 5), bytes);
    tensor_init(&axes, DTYPE_INT64, &(struct shape)SHAPE(2), buffer + 1);
    ck_assert_int_eq(op_infer(op_newest("unsqueeze"), &(struct op_call){{&data, &axes}, false}, &got, &err), OP_OK);
    assert_shape(&got.shape, &(struct shape)SHAPE(1, 3, 4, 5, 1));
}
END_TEST

/* A view stays one: the strides of the data are those of the dimensions they belong to. */
START_TEST(strided_data)
{
    struct tensor data = {.dtype = DTYPE_FP32, .shape = SHAPE(2, 3), .stride = {1, 2}, .data = bytes};
    struct shape list = SHAPE(1);
    struct tensor axes = list_tensor(&list);
    struct tensor got;
    struct op_diag err;
    ck_assert_int_eq(op_infer(op_newest("unsqueeze"), &(struct op_call){{&data, &axes}, false}, &got, &err), OP_OK);
    assert_shape(&got.shape, &(struct shape)SHAPE(2, 1, 3));
    ck_assert_int_eq(got.stride[0], 1);
    ck_assert_int_eq(got.stride[2], 2);
}
END_TEST

/* ---- shape inference */

#define BATCH DIM_NAME(0)
#define SEQ   DIM_NAME(1)

static const struct {
    const char *what;
    struct shape data, axes; /* axes: their values, or the shape of axes if there are no values */
    bool values;
    struct shape want;
} symbolic[] = {
    {"names stay", SHAPE(BATCH, SEQ), SHAPE(1, 2), true, SHAPE(BATCH, 1, 1, SEQ)},
    {"unknown sizes stay", SHAPE(DIM_UNKNOWN, 3), SHAPE(-1), true, SHAPE(DIM_UNKNOWN, 3, 1)},
    {"axes without values", SHAPE(BATCH, SEQ), SHAPE(1), false, UNKNOWN},
    {"one axis without a value", SHAPE(BATCH, SEQ), SCALAR, false, UNKNOWN},
    {"no axes at all", SHAPE(BATCH, SEQ), SHAPE(0), false, SHAPE(BATCH, SEQ)},
    {"axes of unknown length", SHAPE(BATCH, SEQ), SHAPE(DIM_UNKNOWN), false, UNKNOWN},
    {"axes of which nothing is known", SHAPE(BATCH, SEQ), UNKNOWN, false, UNKNOWN},
    {"data of unknown rank", UNKNOWN, SHAPE(0), true, UNKNOWN},
};

START_TEST(inferred)
{
    struct tensor data, got;
    struct tensor axes = list_tensor(&symbolic[_i].axes);
    struct op_diag err;
    tensor_init(&data, DTYPE_FP32, &symbolic[_i].data, NULL);
    if (!symbolic[_i].values)
        tensor_init(&axes, DTYPE_INT64, &symbolic[_i].axes, NULL);
    enum op_code code = op_infer(op_newest("unsqueeze"), &(struct op_call){{&data, &axes}, true}, &got, &err);
    ck_assert_msg(code == OP_OK, "%s: %s", symbolic[_i].what, err.text);
    assert_shape(&got.shape, &symbolic[_i].want);
}
END_TEST

START_TEST(inference_refused)
{
    struct shape list = SHAPE(0, -4);
    struct tensor data, got;
    struct tensor axes = list_tensor(&list);
    struct op_diag err;
    tensor_init(&data, DTYPE_FP32, &(struct shape)SHAPE(BATCH, SEQ), NULL);
    ck_assert_int_eq(op_infer(op_newest("unsqueeze"), &(struct op_call){{&data, &axes}, true}, &got, &err), OP_BAD_AXES);
    ck_assert_int_eq(err.element, 1);
}
END_TEST

SUITE("unsqueeze", TEST_TIMES(inserts, ROWS(cases) * VERSIONS) TEST_TIMES(refused, ROWS(refusals) * VERSIONS)
                       TEST_TIMES(scalar_axes_are_one_axis, VERSIONS) TEST_ROWS(list_rank, ranks) TEST_ONE(rank_64)
                       TEST_ONE(misaligned_axes) TEST_ONE(strided_data) TEST_ROWS(inferred, symbolic)
                       TEST_ONE(inference_refused))
