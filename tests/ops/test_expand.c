#include <stdlib.h>
#include <string.h>

#include "ops/kernel.h"
#include "tests/ops/call.h"
#include "tests/suite.h"

static const int versions[] = {8, 13};
#define VERSIONS ROWS(versions)

#define P(n)  ((int64_t)1 << (n))

/* ---- shapes; expected by numpy.broadcast_shapes */

static const struct {
    const char *what;
    struct shape input, shape, want;
} cases[] = {
    {"equal", SHAPE(2, 3), SHAPE(2, 3), SHAPE(2, 3)},
    {"a column to rows", SHAPE(3, 1), SHAPE(2, 3, 6), SHAPE(2, 3, 6)},
    {"a column to its own rank", SHAPE(3, 1), SHAPE(3, 4), SHAPE(3, 4)},
    {"a vector to rows", SHAPE(4), SHAPE(3, 4), SHAPE(3, 4)},
    {"1 in the target keeps the size", SHAPE(3, 4), SHAPE(1, 1), SHAPE(3, 4)},
    {"a target of smaller rank", SHAPE(2, 3, 4), SHAPE(4), SHAPE(2, 3, 4)},
    {"both ways at once", SHAPE(3, 1), SHAPE(1, 5), SHAPE(3, 5)},
    {"both ways, and a longer input", SHAPE(2, 1, 3), SHAPE(4, 1), SHAPE(2, 4, 3)},
    {"an empty target keeps the input", SHAPE(3, 4), SCALAR, SHAPE(3, 4)},
    {"a scalar stays a scalar", SCALAR, SCALAR, SCALAR},
    {"a scalar to any shape", SCALAR, SHAPE(2, 3), SHAPE(2, 3)},
    {"1 against 0 is 0", SHAPE(1), SHAPE(0), SHAPE(0)},
    {"0 against 1 is 0", SHAPE(0), SHAPE(1), SHAPE(0)},
    {"0 against 0", SHAPE(2, 0), SHAPE(2, 0), SHAPE(2, 0)},
    {"nothing, more often", SHAPE(1, 0), SHAPE(5, 0), SHAPE(5, 0)},
    {"a 0 makes any size representable", SHAPE(1, 1, 1), SHAPE(P(62), 0, P(62)), SHAPE(P(62), 0, P(62))},
    {"the greatest output of bytes", SHAPE(1), SHAPE(INT64_MAX), SHAPE(INT64_MAX)},
};

START_TEST(broadcasts)
{
    const struct op *op = op_find("expand", versions[_i % VERSIONS]);
    int row = _i / VERSIONS;
    static const unsigned char data[24] = {0};
    struct tensor got;
    struct op_diag err;
    enum op_code code = call_list(op, DTYPE_UINT8, &cases[row].input, data, &cases[row].shape, &got, &err);
    ck_assert_msg(code == OP_OK, "%s", err.text);
    assert_shape(&got.shape, &cases[row].want);
    ck_assert_ptr_eq(got.data, data);
    ck_assert_int_eq(got.dtype, DTYPE_UINT8);
}
END_TEST

/* ---- refusals */

static const struct {
    const char *what;
    enum dtype type;
    struct shape input, shape;
    enum op_code code;
    enum op_part part;
    int element;
    const char *text;
} refusals[] = {
    {"sizes differ", DTYPE_FP32, SHAPE(1, 5), SHAPE(1, 3), OP_BAD_SHAPE, OP_PART_DATA, 1,
     "input has size 5 where shape[1] is 3 (output dimension 1): make them equal, or one of them 1"},
    {"aligned at the right", DTYPE_FP32, SHAPE(3), SHAPE(2, 3, 2, 2), OP_BAD_SHAPE, OP_PART_DATA, 3,
     "input has size 3 where shape[3] is 2 (output dimension 3): make them equal, or one of them 1"},
    {"a longer input", DTYPE_FP32, SHAPE(7, 2, 3), SHAPE(4, 3), OP_BAD_SHAPE, OP_PART_DATA, 0,
     "input has size 2 where shape[0] is 4 (output dimension 1): make them equal, or one of them 1"},
    {"2 against 0", DTYPE_FP32, SHAPE(2, 1), SHAPE(0, 1), OP_BAD_SHAPE, OP_PART_DATA, 0,
     "input has size 2 where shape[0] is 0 (output dimension 0): make them equal, or one of them 1"},
    {"0 against 5", DTYPE_FP32, SHAPE(0), SHAPE(5), OP_BAD_SHAPE, OP_PART_DATA, 0,
     "input has size 0 where shape[0] is 5 (output dimension 0): make them equal, or one of them 1"},
    {"another 0 does not help", DTYPE_FP32, SHAPE(3, 2, 0), SHAPE(6, 2, 0), OP_BAD_SHAPE, OP_PART_DATA, 0,
     "input has size 3 where shape[0] is 6 (output dimension 0): make them equal, or one of them 1"},
    {"-1", DTYPE_FP32, SHAPE(4, 1), SHAPE(4, -1), OP_BAD_SHAPE, OP_PART_DATA, 1,
     "shape[1] is -1, but a size cannot be negative: use 1 to keep the input's size"},
    {"-1 for a 1", DTYPE_FP32, SHAPE(1), SHAPE(-1), OP_BAD_SHAPE, OP_PART_DATA, 0,
     "shape[0] is -1, but a size cannot be negative: use 1 to keep the input's size"},
    {"the least number", DTYPE_FP32, SHAPE(1), SHAPE(INT64_MIN), OP_BAD_SHAPE, OP_PART_DATA, 0,
     "shape[0] is -9223372036854775808, but a size cannot be negative: use 1 to keep the input's size"},
    {"too many bytes", DTYPE_FP64, SHAPE(1), SHAPE(P(61)), OP_OVERFLOW, OP_PART_INPUT, -1,
     "shape asks for an output of more than 2^63-1 bytes: use smaller sizes"},
    {"too many strings, which take 16 bytes each", DTYPE_BYTES, SHAPE(1), SHAPE(P(59)), OP_OVERFLOW, OP_PART_INPUT, -1,
     "shape asks for an output of more than 2^63-1 bytes: use smaller sizes"},
    {"a product of both", DTYPE_UINT8, SHAPE(1, 2), SHAPE(P(62), 1), OP_OVERFLOW, OP_PART_INPUT, -1,
     "shape asks for an output of more than 2^63-1 bytes: use smaller sizes"},
    {"a product that is 0 modulo 2^64", DTYPE_UINT8, SHAPE(1), SHAPE(P(32), P(32)), OP_OVERFLOW, OP_PART_INPUT, -1,
     "shape asks for an output of more than 2^63-1 bytes: use smaller sizes"},
};

START_TEST(refused)
{
    const struct op *op = op_find("expand", versions[_i % VERSIONS]);
    int row = _i / VERSIONS;
    static const unsigned char data[256] = {0};
    struct tensor got;
    struct op_diag err;
    ck_assert_int_eq(
        call_list(op, refusals[row].type, &refusals[row].input, data, &refusals[row].shape, &got, &err),
        refusals[row].code);
    ck_assert_int_eq(err.input, 1);
    ck_assert_int_eq(err.part, refusals[row].part);
    ck_assert_int_eq(err.element, refusals[row].element);
    ck_assert_str_eq(err.text, refusals[row].text);
}
END_TEST

/* `shape` itself has a shape that is no list, or too long a one. */
static const struct {
    struct shape shape;
    bool symbolic;
    int64_t element;
    const char *text;
} ranks[] = {
    {SCALAR, false, -1, "shape has rank 0: make it a list of sizes, of rank 1"},
    {SCALAR, true, -1, "shape has rank 0: make it a list of sizes, of rank 1"},
    {SHAPE(1, 2), false, -1, "shape has rank 2: make it a list of sizes, of rank 1"},
    {SHAPE(DIM_UNKNOWN, 2), true, -1, "shape has rank 2: make it a list of sizes, of rank 1"},
    {SHAPE(65), false, 0, "shape has 65 sizes: the limit is rank 64"},
    {SHAPE(P(50)), true, 0, "shape has 1125899906842624 sizes: the limit is rank 64"},
};

START_TEST(list_rank)
{
    static const int64_t data[65] = {1};
    struct tensor input, list, got;
    struct op_diag err;
    tensor_init(&input, DTYPE_INT64, &(struct shape)SCALAR, data);
    tensor_init(&list, DTYPE_INT64, &ranks[_i].shape, data);
    struct op_call call = {{&input, &list}, ranks[_i].symbolic};
    ck_assert_int_eq(op_infer(op_newest("expand"), &call, &got, &err), OP_BAD_RANK);
    ck_assert_int_eq(err.input, 1);
    ck_assert_int_eq(err.part, OP_PART_SHAPE);
    ck_assert_int_eq(err.element, ranks[_i].element);
    ck_assert_str_eq(err.text, ranks[_i].text);
}
END_TEST

START_TEST(rank_64)
{
    struct shape list = {.rank = 64};
    struct tensor got;
    struct op_diag err;
    static const float data = 0;
    for (int i = 0; i < 64; i++)
        list.dim[i] = i < 20 ? 2 : 1;
    ck_assert_int_eq(call_list(op_newest("expand"), DTYPE_FP32, &(struct shape)SCALAR, &data, &list, &got, &err), OP_OK);
    assert_shape(&got.shape, &list);
}
END_TEST

/* ---- data */

/* The bytes of the result, in memory of their size. */
static unsigned char *copy_out(const struct tensor *view, size_t *ret_bytes)
{
    struct copy_plan plan;
    copy_plan_init(&plan, view);
    unsigned char *out = malloc(plan.bytes > 0 ? plan.bytes : 1);
    copy_range(&plan, 0, plan.bytes, out);
    *ret_bytes = plan.bytes;
    return out;
}

/* The examples of the ONNX specification and test suite (expand_dim_changed, expand_dim_unchanged). */
static const struct {
    struct shape input, shape;
    int32_t data[4], want[36];
    int count;
} examples[] = {
    {SHAPE(4), SHAPE(3, 4), {1, 2, 3, 4}, {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, 12},
    {SHAPE(3, 1), SHAPE(2, 3, 6), {1, 2, 3},
     {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3}, 36},
    {SHAPE(3, 1), SHAPE(3, 4), {1, 2, 3}, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, 12},
    {SHAPE(2, 1), SHAPE(1, 3), {7, -7}, {7, 7, 7, -7, -7, -7}, 6},
};

START_TEST(example)
{
    int row = _i / VERSIONS;
    struct tensor got;
    struct op_diag err;
    size_t bytes = 0;
    ck_assert_int_eq(call_list(op_find("expand", versions[_i % VERSIONS]), DTYPE_INT32, &examples[row].input,
                               examples[row].data, &examples[row].shape, &got, &err), OP_OK);
    unsigned char *out = copy_out(&got, &bytes);
    ck_assert_uint_eq(bytes, (size_t)examples[row].count * sizeof(int32_t));
    ck_assert_mem_eq(out, examples[row].want, bytes);
    free(out);
}
END_TEST

/* Bits that arithmetic would change: signalling NaN with a payload, -0.0, a denormal. */
START_TEST(bits_survive)
{
    static const uint32_t data[3] = {0x7f800001u, 0x80000000u, 0x00000001u};
    struct shape list = SHAPE(3, 100);
    struct tensor got;
    struct op_diag err;
    size_t bytes = 0;
    ck_assert_int_eq(call_list(op_newest("expand"), DTYPE_FP32, &(struct shape)SHAPE(3, 1), data, &list, &got, &err),
                     OP_OK);
    unsigned char *out = copy_out(&got, &bytes);
    for (size_t i = 0; i < 300; i++)
        ck_assert_mem_eq(out + 4 * i, &data[i / 100], 4);
    free(out);
}
END_TEST

/* ---- random calls against the rule applied index by index */

struct random_case {
    struct shape input, shape, output;
};

/* Both ranks 0-6, each pair of sizes one of: equal, 1 and n, n and 1. */
static struct random_case random_case(uint64_t *seed)
{
    struct random_case ret = {.input = {.rank = (int)random_below(seed, 7)}, .shape = {.rank = (int)random_below(seed, 7)}};
    int rank = ret.input.rank > ret.shape.rank ? ret.input.rank : ret.shape.rank;
    ret.output.rank = rank;
    for (int back = 1; back <= rank; back++) {
        int64_t size = random_below(seed, 40) == 0 ? 0 : 1 + random_below(seed, 4);
        int64_t side = random_below(seed, 3);
        bool in_input = back <= ret.input.rank && (side != 1 || back > ret.shape.rank);
        bool in_shape = back <= ret.shape.rank && (side != 2 || !in_input);
        if (back <= ret.input.rank)
            ret.input.dim[ret.input.rank - back] = in_input ? size : 1;
        if (back <= ret.shape.rank)
            ret.shape.dim[ret.shape.rank - back] = in_shape ? size : 1;
        ret.output.dim[rank - back] = size;
    }
    return ret;
}

/* Flat index into the input of the element that stands at `index` of the output. */
static int64_t source_index(const struct random_case *row, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < row->input.rank; d++) {
        int64_t i = index[row->output.rank - row->input.rank + d];
        at = at * row->input.dim[d] + (row->input.dim[d] == 1 ? 0 : i);
    }
    return at;
}

START_TEST(random_calls)
{
    uint64_t seed = (uint64_t)_i;
    uint16_t data[4096];
    for (uint16_t i = 0; i < 4096; i++)
        data[i] = i;
    for (int n = 0; n < 50; n++) {
        struct random_case row = random_case(&seed);
        struct tensor got;
        struct op_diag err;
        size_t bytes = 0;
        ck_assert_int_eq(call_list(op_newest("expand"), DTYPE_UINT16, &row.input, data, &row.shape, &got, &err), OP_OK);
        assert_shape(&got.shape, &row.output);
        unsigned char *out = copy_out(&got, &bytes);
        int64_t index[8] = {0};
        for (size_t i = 0; i < bytes; i += 2) {
            ck_assert_mem_eq(out + i, &data[source_index(&row, index)], 2);
            for (int d = row.output.rank - 1; d >= 0 && ++index[d] == row.output.dim[d]; d--)
                index[d] = 0;
        }
        free(out);
    }
}
END_TEST

/* An input that is itself a view, here in Fortran order, keeps its strides. */
START_TEST(strided_input)
{
    static const int32_t data[6] = {1, 4, 2, 5, 3, 6};
    static const int32_t want[12] = {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6};
    struct tensor input = {.dtype = DTYPE_INT32, .shape = SHAPE(2, 3), .stride = {1, 2}, .data = data};
    struct shape list = SHAPE(2, 1, 1);
    struct tensor shape = list_tensor(&list);
    struct tensor got;
    struct op_diag err;
    size_t bytes = 0;
    ck_assert_int_eq(op_infer(op_newest("expand"), &(struct op_call){{&input, &shape}, false}, &got, &err), OP_OK);
    unsigned char *out = copy_out(&got, &bytes);
    ck_assert_uint_eq(bytes, sizeof(want));
    ck_assert_mem_eq(out, want, sizeof(want));
    free(out);
}
END_TEST

/* ---- shape inference: names and unknown sizes */

#define BATCH DIM_NAME(0)
#define SEQ   DIM_NAME(1)
#define NIL   DIM_UNKNOWN

static const struct {
    const char *what;
    struct shape input, list; /* list: the shape of `shape` if there are no values, else its values */
    bool values;
    struct shape want;
} symbolic[] = {
    {"1 against a name", SHAPE(1), SHAPE(BATCH), true, SHAPE(BATCH)},
    {"a name against 1", SHAPE(BATCH), SHAPE(1), true, SHAPE(BATCH)},
    {"a name kept, a size repeated", SHAPE(BATCH, 1), SHAPE(BATCH, 5), true, SHAPE(BATCH, 5)},
    {"different names", SHAPE(BATCH), SHAPE(SEQ), true, SHAPE(NIL)},
    {"a name against a number", SHAPE(BATCH), SHAPE(7), true, SHAPE(7)},
    {"unknown against a number", SHAPE(7), SHAPE(NIL), true, SHAPE(7)},
    {"unknown against 0", SHAPE(0), SHAPE(NIL), true, SHAPE(0)},
    {"unknown against a name", SHAPE(BATCH), SHAPE(NIL), true, SHAPE(NIL)},
    {"new dimensions", SHAPE(3), SHAPE(BATCH, NIL, 1), true, SHAPE(BATCH, NIL, 3)},
    {"numbers only", SHAPE(3, 1), SHAPE(2, 3, 6), true, SHAPE(2, 3, 6)},
    {"no values, known length", SHAPE(3, 1), SHAPE(3), false, SHAPE(NIL, 3, NIL)},
    {"no values, shorter than the input", SHAPE(3, 1, 4), SHAPE(1), false, SHAPE(3, 1, 4)},
    {"no values, of length 0", SHAPE(3, BATCH), SHAPE(0), false, SHAPE(3, BATCH)},
    {"no values, unknown length", SHAPE(3, 1), SHAPE(NIL), false, UNKNOWN},
    {"no values, named length", SHAPE(3, 1), SHAPE(BATCH), false, UNKNOWN},
    {"nothing known of shape", SHAPE(3, 1), UNKNOWN, false, UNKNOWN},
    {"nothing known of input", UNKNOWN, SHAPE(2, 3), true, UNKNOWN},
    {"sizes that could be anything do not overflow", SHAPE(BATCH), SHAPE(P(62), P(62), 1), true,
     SHAPE(P(62), P(62), BATCH)},
};

START_TEST(inferred)
{
    struct tensor input, got;
    struct tensor shape = list_tensor(&symbolic[_i].list);
    struct op_diag err;
    tensor_init(&input, DTYPE_FP32, &symbolic[_i].input, NULL);
    if (!symbolic[_i].values)
        tensor_init(&shape, DTYPE_INT64, &symbolic[_i].list, NULL);
    enum op_code code = op_infer(op_newest("expand"), &(struct op_call){{&input, &shape}, true}, &got, &err);
    ck_assert_msg(code == OP_OK, "%s", err.text);
    assert_shape(&got.shape, &symbolic[_i].want);
    ck_assert_int_eq(got.dtype, DTYPE_FP32);
}
END_TEST

static const struct {
    struct shape input, list;
    enum op_code code;
    int element;
} symbolic_refusals[] = {
    {SHAPE(BATCH, 3), SHAPE(4, 6), OP_BAD_SHAPE, 1},
    {SHAPE(BATCH, 3), SHAPE(-1, 3), OP_BAD_SHAPE, 0},
    {UNKNOWN, SHAPE(3, -2), OP_BAD_SHAPE, 1},
    {SHAPE(BATCH, 3), SHAPE(DIM_NAME(DIM_MAX_NAMES), 3), OP_BAD_SHAPE, 0},
    {SHAPE(1), SHAPE(P(62), P(62)), OP_OVERFLOW, -1},
};

START_TEST(inference_refused)
{
    struct tensor input, got;
    struct tensor shape = list_tensor(&symbolic_refusals[_i].list);
    struct op_diag err;
    tensor_init(&input, DTYPE_FP32, &symbolic_refusals[_i].input, NULL);
    enum op_code code = op_infer(op_newest("expand"), &(struct op_call){{&input, &shape}, true}, &got, &err);
    ck_assert_int_eq(code, symbolic_refusals[_i].code);
    ck_assert_int_eq(err.element, symbolic_refusals[_i].element);
}
END_TEST

/* Names and nulls are for shape inference only. */
START_TEST(names_are_refused_with_data)
{
    static const float data = 0;
    struct shape list = SHAPE(DIM_NAME(3));
    struct tensor got;
    struct op_diag err;
    ck_assert_int_eq(call_list(op_newest("expand"), DTYPE_FP32, &(struct shape)SCALAR, &data, &list, &got, &err),
                     OP_BAD_SHAPE);
}
END_TEST

SUITE("expand", TEST_TIMES(broadcasts, ROWS(cases) * VERSIONS) TEST_TIMES(refused, ROWS(refusals) * VERSIONS)
                    TEST_ROWS(list_rank, ranks) TEST_ONE(rank_64) TEST_TIMES(example, ROWS(examples) * VERSIONS)
                    TEST_ONE(bits_survive) TEST_TIMES(random_calls, 60) TEST_ONE(strided_input)
                    TEST_ROWS(inferred, symbolic) TEST_ROWS(inference_refused, symbolic_refusals)
                    TEST_ONE(names_are_refused_with_data))
