#include "ops/shape.h"

#include <string.h>

#include "tests/ops/call.h"
#include "tests/suite.h"

#define BATCH DIM_NAME(0)
#define SEQ   DIM_NAME(1)
#define P(n)  ((int64_t)1 << (n))

static const struct {
    struct shape shape;
    enum dtype type;
    int64_t elements, bytes; /* -1: too many */
} sizes[] = {
    {SCALAR, DTYPE_FP32, 1, 4},
    {SHAPE(3, 4, 5), DTYPE_UINT8, 60, 60},
    {SHAPE(3, 4, 5), DTYPE_BYTES, 60, 960},
    {SHAPE(3, 3), DTYPE_INT4, 9, 5},
    {SHAPE(0), DTYPE_FP32, 0, 0},
    {SHAPE(2, 0, 3), DTYPE_FP32, 0, 0},
    {SHAPE(INT64_MAX), DTYPE_UINT8, INT64_MAX, INT64_MAX},
    {SHAPE(INT64_MAX), DTYPE_FP16, INT64_MAX, -1},
    {SHAPE(P(31), P(31)), DTYPE_UINT8, P(62), P(62)},
    {SHAPE(P(32), P(31)), DTYPE_UINT8, -1, -1},
    {SHAPE(P(32), P(32)), DTYPE_UINT8, -1, -1}, /* 0 modulo 2^64 */
    {SHAPE(P(31), P(32)), DTYPE_INT2, -1, -1},
    {SHAPE(P(61)), DTYPE_FP64, P(61), -1},
    {SHAPE(P(62), 0, P(62)), DTYPE_FP64, 0, 0}, /* a 0 decides, wherever it stands */
    {SHAPE(P(62), P(62), 0), DTYPE_FP64, 0, 0},
    {SHAPE(0, P(62), P(62)), DTYPE_FP64, 0, 0},
};

START_TEST(size)
{
    int64_t got = 0;
    ck_assert_int_eq(shape_elements(&sizes[_i].shape, &got) ? got : -1, sizes[_i].elements);
    ck_assert_int_eq(shape_bytes(&sizes[_i].shape, sizes[_i].type, &got) ? got : -1, sizes[_i].bytes);
}
END_TEST

START_TEST(rank_limit)
{
    struct shape shape = {.rank = SHAPE_MAX_RANK};
    int64_t got = 0;
    for (int i = 0; i < SHAPE_MAX_RANK; i++)
        shape.dim[i] = i < 62 ? 2 : 1;
    ck_assert(shape_elements(&shape, &got));
    ck_assert_int_eq(got, P(62));
    shape.dim[63] = 2;
    ck_assert(!shape_elements(&shape, &got));
}
END_TEST

/* ONNX Broadcasting.md, and DESIGN's rules for sizes that are not numbers. Each row is tried both ways round. */
static const struct {
    int64_t a, b;
    bool fits;
    int64_t want;
} pairs[] = {
    {3, 3, true, 3},
    {1, 1, true, 1},
    {0, 0, true, 0},
    {1, 5, true, 5},
    {1, 0, true, 0},
    {2, 0, false, 0},
    {3, 6, false, 0},
    {1, INT64_MAX, true, INT64_MAX},
    {1, BATCH, true, BATCH},
    {1, DIM_UNKNOWN, true, DIM_UNKNOWN},
    {BATCH, BATCH, true, BATCH},
    {BATCH, SEQ, true, DIM_UNKNOWN},
    {BATCH, DIM_UNKNOWN, true, DIM_UNKNOWN},
    {DIM_UNKNOWN, DIM_UNKNOWN, true, DIM_UNKNOWN},
    {BATCH, 7, true, 7},
    {DIM_UNKNOWN, 7, true, 7},
    {BATCH, 0, true, 0},
    {DIM_UNKNOWN, 0, true, 0},
    {DIM_NAME(DIM_MAX_NAMES - 1), 2, true, 2},
};

START_TEST(dims_broadcast)
{
    int64_t got = -1;
    ck_assert_int_eq(dim_broadcast(pairs[_i].a, pairs[_i].b, &got), pairs[_i].fits);
    if (pairs[_i].fits)
        ck_assert_int_eq(got, pairs[_i].want);
    ck_assert_int_eq(dim_broadcast(pairs[_i].b, pairs[_i].a, &got), pairs[_i].fits);
    if (pairs[_i].fits)
        ck_assert_int_eq(got, pairs[_i].want);
}
END_TEST

/* What kind of size a number is: no negative number but the reserved ones is one. */
static const struct {
    int64_t dim;
    bool known, symbolic;
} kinds[] = {
    {0, true, false},
    {INT64_MAX, true, false},
    {-1, false, false},
    {DIM_UNKNOWN, false, true},
    {DIM_NAME(0), false, true},
    {DIM_NAME(DIM_MAX_NAMES - 1), false, true},
    {DIM_NAME(DIM_MAX_NAMES), false, false},
};

START_TEST(kind)
{
    ck_assert_int_eq(dim_known(kinds[_i].dim), kinds[_i].known);
    ck_assert_int_eq(dim_symbolic(kinds[_i].dim), kinds[_i].symbolic);
}
END_TEST

static const struct {
    struct shape shape;
    bool known;
    size_t size;
    const char *text;
} texts[] = {
    {SCALAR, true, 16, "[]"},
    {SHAPE(2, 3, 6), true, 16, "[2,3,6]"},
    {SHAPE(2, 3, 6), true, 8, "[2,3,6]"},
    {SHAPE(2, 3, 6), true, 7, "[2,..."},
    {SHAPE(2, 3, 6), true, 4, "..."},
    {SHAPE(2, 3, 6), true, 2, "["},
    {SHAPE(2, 3, 6), true, 1, ""},
    {SHAPE(INT64_MAX), true, 32, "[9223372036854775807]"},
    {SHAPE(INT64_MAX), true, 12, "[9223372..."},
    {SHAPE(BATCH, 3, DIM_UNKNOWN), false, 16, "[?,3,?]"},
    {UNKNOWN, false, 16, "?"},
};

START_TEST(text)
{
    char out[64];
    memset(out, '#', sizeof(out));
    ck_assert_ptr_eq(shape_text(&texts[_i].shape, out, texts[_i].size), out);
    ck_assert_str_eq(out, texts[_i].text);
    ck_assert_int_eq(out[texts[_i].size], '#');
    ck_assert_int_eq(shape_known(&texts[_i].shape), texts[_i].known);
}
END_TEST

static const struct {
    struct shape a, b;
    bool equal;
} equals[] = {
    {SCALAR, SCALAR, true},
    {SHAPE(2, 3), SHAPE(2, 3), true},
    {SHAPE(2, 3), SHAPE(2, 4), false},
    {SHAPE(2, 3), SHAPE(2, 3, 1), false},
    {SHAPE(BATCH), SHAPE(BATCH), true},
    {SHAPE(BATCH), SHAPE(SEQ), false},
    {UNKNOWN, UNKNOWN, true},
    {UNKNOWN, SCALAR, false},
};

START_TEST(equal)
{
    ck_assert_int_eq(shape_equal(&equals[_i].a, &equals[_i].b), equals[_i].equal);
    ck_assert_int_eq(shape_equal(&equals[_i].b, &equals[_i].a), equals[_i].equal);
}
END_TEST

SUITE("shape", TEST_ROWS(size, sizes) TEST_ONE(rank_limit) TEST_ROWS(dims_broadcast, pairs) TEST_ROWS(kind, kinds)
                   TEST_ROWS(text, texts) TEST_ROWS(equal, equals))
