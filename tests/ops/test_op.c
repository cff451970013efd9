#include "ops/op.h"

#include <stdlib.h>
#include <string.h>

#include "tests/ops/call.h"
#include "tests/suite.h"

/* The type lists of the operator schemas in ONNX (Operators.md, Changelog.md), by ONNX's names. */
#define TYPES_15                                                                                             \
    "BOOL UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64 FLOAT16 FLOAT DOUBLE STRING COMPLEX64 COMPLEX128"
#define TYPES_16 TYPES_15 " BFLOAT16"
#define TYPES_22 TYPES_16 " FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ INT4 UINT4"
#define TYPES_23 TYPES_22 " FLOAT4E2M1"
#define TYPES_24 TYPES_23 " FLOAT8E8M0"
#define TYPES_26 TYPES_24 " INT2 UINT2"

static const struct {
    const char *name, *onnx;
    int since, count;
    const char *types, *inputs[2], *output;
    bool attribute;
} versions[] = {
    {"expand", "Expand", 8, 15, TYPES_15, {"input", "shape"}, "output", false},
    {"expand", "Expand", 13, 16, TYPES_16, {"input", "shape"}, "output", false},
    {"unsqueeze", "Unsqueeze", 1, 15, TYPES_15, {"data", "axes"}, "expanded", true},
    {"unsqueeze", "Unsqueeze", 11, 15, TYPES_15, {"data", "axes"}, "expanded", true},
    {"unsqueeze", "Unsqueeze", 13, 16, TYPES_16, {"data", "axes"}, "expanded", false},
    {"unsqueeze", "Unsqueeze", 21, 22, TYPES_22, {"data", "axes"}, "expanded", false},
    {"unsqueeze", "Unsqueeze", 23, 23, TYPES_23, {"data", "axes"}, "expanded", false},
    {"unsqueeze", "Unsqueeze", 24, 24, TYPES_24, {"data", "axes"}, "expanded", false},
    {"unsqueeze", "Unsqueeze", 25, 26, TYPES_26, {"data", "axes"}, "expanded", false},
};

START_TEST(descriptor)
{
    const struct op *op = op_at((size_t)_i);
    ck_assert_uint_eq(op_count(), ROWS(versions));
    ck_assert_uint_eq(op_index(op), (size_t)_i);
    ck_assert_str_eq(op->name, versions[_i].name);
    ck_assert_str_eq(op->onnx, versions[_i].onnx);
    ck_assert_int_eq(op->since, versions[_i].since);
    ck_assert_str_eq(op->output, versions[_i].output);
    ck_assert_int_eq(op->inputs, 2);
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(op->in[i].name, versions[_i].inputs[i]);
    ck_assert(!op->in[0].attribute);
    ck_assert_int_eq(op->in[1].attribute, versions[_i].attribute);
    ck_assert_uint_eq(op->in[1].types, DTYPE_BIT(INT64));
    ck_assert_ptr_eq(op_find(versions[_i].name, versions[_i].since), op);
}
END_TEST

/* ---- every version with every type */

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += len)
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

#define TYPES (DTYPE_END - 1)

START_TEST(permitted_types)
{
    int version = _i / TYPES;
    enum dtype type = (enum dtype)(_i % TYPES + 1);
    bool permitted = has_word(versions[version].types, dtype_info(type)->onnx_name);
    unsigned char data[16] = {0};
    struct shape list = {.rank = 0};
    struct tensor got;
    struct op_diag err;
    enum op_code code = call_list(op_at((size_t)version), type, &(struct shape)SCALAR, data, &list, &got, &err);
    ck_assert_int_eq(code, permitted ? OP_OK : OP_BAD_TYPE);
    if (permitted) {
        ck_assert_int_eq(got.dtype, type);
        ck_assert_ptr_eq(got.data, data);
        return;
    }
    ck_assert_int_eq(err.input, 0);
    ck_assert_int_eq(err.part, OP_PART_DATATYPE);
    ck_assert_int_eq(err.element, -1);
    ck_assert_ptr_nonnull(strstr(err.text, dtype_info(type)->name));
}
END_TEST

START_TEST(type_count)
{
    int count = 0;
    for (int type = 1; type < DTYPE_END; type++)
        count += has_word(versions[_i].types, dtype_info((enum dtype)type)->onnx_name);
    ck_assert_int_eq(count, versions[_i].count);
}
END_TEST

/* The second input takes INT64 only, in every version. */
START_TEST(list_type)
{
    const struct op *op = op_at((size_t)_i / TYPES);
    enum dtype type = (enum dtype)(_i % TYPES + 1);
    static const unsigned char data[16] = {0};
    struct tensor first, second, got;
    struct op_diag err;
    tensor_init(&first, DTYPE_FP32, &(struct shape)SCALAR, data);
    tensor_init(&second, type, &(struct shape)SHAPE(0), data);
    enum op_code code = op_infer(op, &(struct op_call){.in = {&first, &second}}, &got, &err);
    ck_assert_int_eq(code, type == DTYPE_INT64 ? OP_OK : OP_BAD_TYPE);
    if (code != OP_OK)
        ck_assert_int_eq(err.input, 1);
}
END_TEST

static const struct {
    const char *name;
    int since, input;
    enum dtype type;
    const char *text;
} type_texts[] = {
    {"unsqueeze", 13, 0, DTYPE_INT4, "data of Unsqueeze 13 cannot have type INT4: INT4 is permitted from Unsqueeze 21 on"},
    {"unsqueeze", 1, 0, DTYPE_BF16, "data of Unsqueeze 1 cannot have type BF16: BF16 is permitted from Unsqueeze 13 on"},
    {"unsqueeze", 24, 0, DTYPE_INT2, "data of Unsqueeze 24 cannot have type INT2: INT2 is permitted from Unsqueeze 25 on"},
    {"expand", 8, 0, DTYPE_BF16, "input of Expand 8 cannot have type BF16: BF16 is permitted from Expand 13 on"},
    {"expand", 8, 0, DTYPE_INT4,
     "input of Expand 8 cannot have type INT4: use FP32, UINT8, INT8, UINT16, INT16, INT32, INT64, BYTES, BOOL, FP16, "
     "FP64, UINT32, UINT64, COMPLEX64, COMPLEX128"},
    {"expand", 13, 0, DTYPE_FP8_E4M3FNUZ,
     "input of Expand 13 cannot have type FP8_E4M3FNUZ: use FP32, UINT8, INT8, UINT16, INT16, INT32, INT64, BYTES, BOOL, "
     "FP16, FP64, UINT32, UINT64, COMPLEX64, COMPLEX128, BF16"},
    {"unsqueeze", 25, 1, DTYPE_INT32, "axes of Unsqueeze 25 cannot have type INT32: use INT64"},
    {"expand", 8, 1, DTYPE_FP32, "shape of Expand 8 cannot have type FP32: use INT64"},
};

START_TEST(type_text)
{
    static const unsigned char data[16] = {0};
    struct tensor in[2], got;
    struct op_diag err;
    tensor_init(&in[0], DTYPE_FP32, &(struct shape)SCALAR, data);
    tensor_init(&in[1], DTYPE_INT64, &(struct shape)SHAPE(0), data);
    in[type_texts[_i].input].dtype = type_texts[_i].type;
    op_infer(op_find(type_texts[_i].name, type_texts[_i].since), &(struct op_call){.in = {&in[0], &in[1]}}, &got, &err);
    ck_assert_str_eq(err.text, type_texts[_i].text);
}
END_TEST

/* ---- which version is in force */

static const struct {
    const char *name;
    int64_t version;
    int in_force; /* 0: none */
} in_force[] = {
    {"expand", INT64_MIN, 0}, {"expand", 7, 0},         {"expand", 8, 8},       {"expand", 12, 8},
    {"expand", 13, 13},       {"expand", 25, 13},       {"unsqueeze", 0, 0},    {"unsqueeze", 1, 1},
    {"unsqueeze", 10, 1},     {"unsqueeze", 14, 13},    {"unsqueeze", 22, 21},  {"unsqueeze", 25, 25},
    {"unsqueeze", 26, 25},    {"unsqueeze", INT64_MAX, 25}, {"Expand", 13, 0},  {"squeeze", 13, 0},
};

START_TEST(version_in_force)
{
    const struct op *op = op_in_force(in_force[_i].name, in_force[_i].version);
    ck_assert_int_eq(op != NULL ? op->since : 0, in_force[_i].in_force);
    if (in_force[_i].version >= 0 && in_force[_i].version <= 26) {
        bool exact = in_force[_i].version == in_force[_i].in_force && in_force[_i].in_force > 0;
        ck_assert_ptr_eq(op_find(in_force[_i].name, (int)in_force[_i].version), exact ? op : NULL);
    }
}
END_TEST

START_TEST(newest_and_oldest)
{
    ck_assert_int_eq(op_newest("expand")->since, 13);
    ck_assert_int_eq(op_oldest("expand")->since, 8);
    ck_assert_int_eq(op_newest("unsqueeze")->since, 25);
    ck_assert_int_eq(op_oldest("unsqueeze")->since, 1);
    ck_assert_ptr_null(op_newest("Expand"));
    ck_assert_ptr_null(op_oldest(""));
}
END_TEST

/* ---- what is checked for every operator, before its own rules */

/* Refused calls leave the result alone. */
static struct op_diag refused(const struct op_call *call, enum op_code want)
{
    static const struct tensor untouched = {.shape = {.rank = 42}};
    struct tensor got = untouched;
    struct op_diag err;
    ck_assert_int_eq(op_infer(op_newest("unsqueeze"), call, &got, &err), want);
    ck_assert_int_eq(err.code, want);
    ck_assert_mem_eq(&got, &untouched, sizeof(got));
    return err;
}

START_TEST(missing_input)
{
    struct tensor in;
    tensor_init(&in, DTYPE_INT64, &(struct shape)SHAPE(0), NULL);
    struct op_diag err = refused(&(struct op_call){.in = {&in, NULL}}, OP_MISSING);
    ck_assert_int_eq(err.input, 1);
    ck_assert_int_eq(err.part, OP_PART_INPUT);
    ck_assert_str_eq(err.text, "Unsqueeze 25 needs the input axes: add it");
    err = refused(&(struct op_call){.in = {NULL, &in}, .symbolic = true}, OP_MISSING);
    ck_assert_int_eq(err.input, 0);
}
END_TEST

/* Without data there is nothing to compute, but shape inference goes on. */
START_TEST(missing_data)
{
    struct shape none = {.rank = 0};
    struct tensor in, got;
    struct tensor axes = list_tensor(&none);
    struct op_diag err;
    tensor_init(&in, DTYPE_FP32, &(struct shape)SHAPE(3), NULL);
    err = refused(&(struct op_call){.in = {&in, &axes}}, OP_MISSING);
    ck_assert_int_eq(err.input, 0);
    ck_assert_str_eq(err.text, "data has no data: add it");
    ck_assert_int_eq(op_infer(op_newest("unsqueeze"), &(struct op_call){{&in, &axes}, true}, &got, &err), OP_OK);
    in.shape.dim[0] = 0;
    ck_assert_int_eq(op_infer(op_newest("unsqueeze"), &(struct op_call){{&in, &axes}, false}, &got, &err), OP_OK);
}
END_TEST

static const struct {
    struct shape shape;
    bool symbolic, permitted;
} shapes[] = {
    {SHAPE((int64_t)1 << 62, 2), false, false},
    {SHAPE((int64_t)1 << 62, 2), true, false},
    {SHAPE((int64_t)1 << 61), true, false}, /* countable, but not in bytes of FP32 */
    {SHAPE((int64_t)1 << 60), true, true},
    {SHAPE((int64_t)1 << 62, 2, 0), true, true},
    {SHAPE(DIM_UNKNOWN, 2), false, false},
    {SHAPE(DIM_UNKNOWN, 2), true, true},
    {UNKNOWN, false, false},
    {UNKNOWN, true, true},
};

START_TEST(input_shape)
{
    static const float data = 0;
    struct shape none = {.rank = 0};
    struct tensor axes = list_tensor(&none);
    struct tensor in, got;
    struct op_diag err;
    tensor_init(&in, DTYPE_FP32, &shapes[_i].shape, &data);
    struct op_call call = {{&in, &axes}, shapes[_i].symbolic};
    if (shapes[_i].permitted) {
        ck_assert_int_eq(op_infer(op_newest("unsqueeze"), &call, &got, &err), OP_OK);
        return;
    }
    err = refused(&call, OP_BAD_SHAPE);
    ck_assert_int_eq(err.input, 0);
    ck_assert_int_eq(err.part, OP_PART_SHAPE);
}
END_TEST

START_TEST(long_text_is_cut)
{
    struct op_diag err;
    char text[1000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(op_refuse(&err, OP_BAD_AXES, 1, OP_PART_DATA, 7, "%s", text), OP_BAD_AXES);
    ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
    ck_assert_int_eq(err.element, 7);
}
END_TEST

SUITE("op", TEST_ROWS(descriptor, versions) TEST_TIMES(permitted_types, ROWS(versions) * TYPES) TEST_ROWS(type_count, versions)
                TEST_TIMES(list_type, ROWS(versions) * TYPES) TEST_ROWS(type_text, type_texts)
                TEST_ROWS(version_in_force, in_force) TEST_ONE(newest_and_oldest) TEST_ONE(missing_input)
                TEST_ONE(missing_data) TEST_ROWS(input_shape, shapes) TEST_ONE(long_text_is_cut))
