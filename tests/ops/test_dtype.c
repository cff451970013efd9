#include "ops/dtype.h"

#include <string.h>

#include "tests/suite.h"

/* onnx.proto, TensorProto.DataType, and the sizes its comments give; wire names as in the Open Inference Protocol. */
static const struct {
    int number;
    const char *onnx, *name;
    unsigned bits;
    enum dtype_kind kind;
} types[] = {
    {1, "FLOAT", "FP32", 32, KIND_FLOAT},
    {2, "UINT8", "UINT8", 8, KIND_UINT},
    {3, "INT8", "INT8", 8, KIND_INT},
    {4, "UINT16", "UINT16", 16, KIND_UINT},
    {5, "INT16", "INT16", 16, KIND_INT},
    {6, "INT32", "INT32", 32, KIND_INT},
    {7, "INT64", "INT64", 64, KIND_INT},
    {8, "STRING", "BYTES", 128, KIND_STRING},
    {9, "BOOL", "BOOL", 8, KIND_BOOL},
    {10, "FLOAT16", "FP16", 16, KIND_FLOAT},
    {11, "DOUBLE", "FP64", 64, KIND_FLOAT},
    {12, "UINT32", "UINT32", 32, KIND_UINT},
    {13, "UINT64", "UINT64", 64, KIND_UINT},
    {14, "COMPLEX64", "COMPLEX64", 64, KIND_COMPLEX},
    {15, "COMPLEX128", "COMPLEX128", 128, KIND_COMPLEX},
    {16, "BFLOAT16", "BF16", 16, KIND_FLOAT},
    {17, "FLOAT8E4M3FN", "FP8_E4M3FN", 8, KIND_FLOAT},
    {18, "FLOAT8E4M3FNUZ", "FP8_E4M3FNUZ", 8, KIND_FLOAT},
    {19, "FLOAT8E5M2", "FP8_E5M2", 8, KIND_FLOAT},
    {20, "FLOAT8E5M2FNUZ", "FP8_E5M2FNUZ", 8, KIND_FLOAT},
    {21, "UINT4", "UINT4", 4, KIND_UINT},
    {22, "INT4", "INT4", 4, KIND_INT},
    {23, "FLOAT4E2M1", "FP4_E2M1", 4, KIND_FLOAT},
    {24, "FLOAT8E8M0", "FP8_E8M0", 8, KIND_FLOAT},
    {25, "UINT2", "UINT2", 2, KIND_UINT},
    {26, "INT2", "INT2", 2, KIND_INT},
};

START_TEST(row)
{
    const struct dtype_info *info = dtype_info((enum dtype)types[_i].number);
    ck_assert_str_eq(info->name, types[_i].name);
    ck_assert_str_eq(info->onnx_name, types[_i].onnx);
    ck_assert_uint_eq(info->bits, types[_i].bits);
    ck_assert_int_eq(info->kind, types[_i].kind);
    ck_assert_int_eq(dtype_find(types[_i].name, strlen(types[_i].name)), types[_i].number);
    ck_assert_int_eq(dtype_find(types[_i].onnx, strlen(types[_i].onnx)), types[_i].number);
}
END_TEST

START_TEST(complete)
{
    ck_assert_int_eq(ROWS(types), 26);
    ck_assert_int_eq(DTYPE_END, 27);
}
END_TEST

/* Names that are no type: other case, cut, longer, embedded NUL, other people's names. */
static const struct {
    const char *name;
    size_t len;
} no_names[] = {
    {"", 0}, {"fp32", 4}, {"FP3", 3}, {"FP320", 5}, {"FP32\0", 5}, {"Float", 5}, {"INT", 3}, {"FLOAT64", 7}, {"NONE", 4},
};

START_TEST(no_name)
{
    ck_assert_int_eq(dtype_find(no_names[_i].name, no_names[_i].len), DTYPE_NONE);
}
END_TEST

/* A name is found in a longer text that is not terminated after it. */
START_TEST(name_by_length)
{
    ck_assert_int_eq(dtype_find("INT8_and_more", 4), DTYPE_INT8);
}
END_TEST

static const struct {
    enum dtype type;
    int64_t elements;
    bool fits;
    int64_t want;
} sizes[] = {
    {DTYPE_UINT8, 0, true, 0},
    {DTYPE_UINT8, INT64_MAX, true, INT64_MAX},
    {DTYPE_FP16, 3, true, 6},
    {DTYPE_FP16, INT64_MAX / 2, true, INT64_MAX - 1},
    {DTYPE_FP16, INT64_MAX / 2 + 1, false, 0},
    {DTYPE_FP64, (int64_t)1 << 60, false, 0},
    {DTYPE_FP64, ((int64_t)1 << 60) - 1, true, INT64_MAX - 7},
    {DTYPE_BYTES, 5, true, 80},
    {DTYPE_COMPLEX128, (int64_t)1 << 59, false, 0},
    {DTYPE_INT4, 0, true, 0},
    {DTYPE_INT4, 1, true, 1},
    {DTYPE_UINT4, 2, true, 1},
    {DTYPE_FP4_E2M1, 3, true, 2},
    {DTYPE_INT4, INT64_MAX, true, (int64_t)1 << 62},
    {DTYPE_INT2, 1, true, 1},
    {DTYPE_UINT2, 4, true, 1},
    {DTYPE_INT2, 5, true, 2},
    {DTYPE_UINT2, INT64_MAX, true, (int64_t)1 << 61},
};

START_TEST(bytes)
{
    int64_t got = -1;
    bool fits = dtype_bytes(sizes[_i].type, sizes[_i].elements, &got);
    ck_assert_int_eq(fits, sizes[_i].fits);
    if (fits)
        ck_assert_int_eq(got, sizes[_i].want);
}
END_TEST

SUITE("dtype", TEST_ROWS(row, types) TEST_ONE(complete) TEST_ROWS(no_name, no_names) TEST_ONE(name_by_length)
                   TEST_ROWS(bytes, sizes))
