/* The kernel against an oracle that walks index by index, in one element at a time. */
#include "ops/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "tests/ops/call.h"
#include "tests/suite.h"

#define MAX_RANK 8

static const enum dtype by_width[] = {DTYPE_UINT8, DTYPE_FP16, DTYPE_FP32, DTYPE_FP64, DTYPE_COMPLEX128};

static size_t width_of(const struct tensor *view)
{
    return dtype_info(view->dtype)->bits / 8;
}

/* The bytes that a view reaches: from `low` before its first element to `high` after it, in elements. */
static void extent(const struct tensor *view, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = 1;
    for (int d = 0; d < view->shape.rank; d++) {
        int64_t reach = (view->shape.dim[d] - 1) * view->stride[d];
        *(reach < 0 ? low : high) += reach;
    }
}

/* Writes the dense form of a view with elements, index by index. */
static void oracle(const struct tensor *view, int64_t elements, unsigned char *out)
{
    size_t width = width_of(view);
    int64_t index[SHAPE_MAX_RANK] = {0};
    for (int64_t i = 0; i < elements; i++) {
        int64_t at = 0;
        for (int d = 0; d < view->shape.rank; d++)
            at += index[d] * view->stride[d];
        memcpy(out + (size_t)i * width, (const unsigned char *)view->data + at * (int64_t)width, width);
        for (int d = view->shape.rank - 1; d >= 0 && ++index[d] == view->shape.dim[d]; d--)
            index[d] = 0;
    }
}

/* Compares bytes [pos, pos + n), copied into memory of exactly that size so that a sanitizer sees every byte beyond. */
static void check_range(const struct copy_plan *plan, const unsigned char *want, uint64_t pos, size_t n)
{
    unsigned char *got = malloc(n > 0 ? n : 1);
    memset(got, 0xa5, n > 0 ? n : 1);
    copy_range(plan, pos, n, got);
    size_t same = 0;
    while (same < n && got[same] == want[pos + same])
        same++;
    free(got);
    ck_assert_msg(same == n, "byte %zu of [%llu, +%zu) differs", same, (unsigned long long)pos, n);
}

/* The whole, cuts at random places, and single bytes at both ends. */
static void check_ranges(const struct copy_plan *plan, const unsigned char *want, uint64_t *seed)
{
    int64_t bytes = (int64_t)plan->bytes;
    check_range(plan, want, 0, plan->bytes);
    check_range(plan, want, 0, 0);
    check_range(plan, want, plan->bytes, 0);
    if (bytes == 0)
        return;
    check_range(plan, want, 0, 1);
    check_range(plan, want, plan->bytes - 1, 1);
    int64_t step = 1 + random_below(seed, bytes);
    for (int64_t pos = 0; pos < bytes;) {
        int64_t n = 1 + random_below(seed, step);
        n = n < bytes - pos ? n : bytes - pos;
        check_range(plan, want, (uint64_t)pos, (size_t)n);
        pos += n;
    }
}

/* Gives the view bytes of its own, exactly as many as it reaches, and compares all of it. */
static void check_view(struct tensor *view, uint64_t *seed)
{
    int64_t elements = 0;
    int64_t low = 0;
    int64_t high = 0;
    struct copy_plan plan;
    ck_assert(shape_elements(&view->shape, &elements));
    if (elements > 0)
        extent(view, &low, &high);
    size_t width = width_of(view);
    size_t bytes = (size_t)(high - low) * width;
    unsigned char *data = malloc(bytes > 0 ? bytes : 1);
    unsigned char *want = malloc(elements > 0 ? (size_t)elements * width : 1);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)random_next(seed);
    view->data = data - low * (int64_t)width;
    oracle(view, elements, want);
    copy_plan_init(&plan, view);
    ck_assert_uint_eq(plan.bytes, (uint64_t)elements * width);
    check_ranges(&plan, want, seed);
    free(want);
    free(data);
}

/* ---- random views */

static int64_t random_size(uint64_t *seed, int rank)
{
    static const int64_t most[MAX_RANK + 1] = {1, 5000, 150, 40, 14, 8, 6, 5, 4};
    switch (random_below(seed, 12)) {
    case 0:
        return 1;
    case 1:
        return random_below(seed, 8) == 0 ? 0 : 2;
    case 2:
        return 1 + random_below(seed, most[rank]);
    default:
        return 1 + random_below(seed, most[rank] < 7 ? most[rank] : 7);
    }
}

/* Strides of a tensor whose dimensions lie in memory in a random order: row-major, Fortran order, and all between; then
 * some repeated, some spread, some backwards. */
static void random_strides(struct tensor *view, uint64_t *seed)
{
    int order[MAX_RANK];
    int rank = view->shape.rank;
    bool row_major = random_below(seed, 2) == 0;
    for (int d = 0; d < rank; d++) {
        int at = row_major ? d : (int)random_below(seed, d + 1);
        memmove(order + at + 1, order + at, (size_t)(d - at) * sizeof(order[0]));
        order[at] = d;
    }
    int64_t stride = random_below(seed, 8) == 0 ? 2 : 1;
    for (int i = rank - 1; i >= 0; i--) {
        int d = order[i];
        bool repeated = random_below(seed, 3) == 0;
        view->stride[d] = repeated ? 0 : stride;
        stride *= repeated ? 1 : view->shape.dim[d];
        stride += random_below(seed, 10) == 0 ? 1 : 0;
        if (random_below(seed, 16) == 0)
            view->stride[d] = -view->stride[d];
    }
}

#define SHAPES_PER_TEST 100

START_TEST(random_views)
{
    uint64_t seed = (uint64_t)_i;
    for (unsigned i = 0; i < SHAPES_PER_TEST; i += every()) {
        struct tensor view = {.dtype = by_width[random_below(&seed, ROWS(by_width))]};
        view.shape.rank = (int)random_below(&seed, MAX_RANK + 1);
        for (int d = 0; d < view.shape.rank; d++)
            view.shape.dim[d] = random_size(&seed, view.shape.rank);
        random_strides(&view, &seed);
        check_view(&view, &seed);
    }
}
END_TEST

/* ---- every short row: [n,1,k] -> [n,r,k] for all widths, with rows that are not neighbours too */

START_TEST(short_rows)
{
    uint64_t seed = (uint64_t)_i;
    int64_t k = 1 + _i;
    for (int64_t r = 1; r <= 20; r++)
        for (int w = 0; w < ROWS(by_width); w++) {
            struct tensor view = {.dtype = by_width[w], .shape = SHAPE(1 + random_below(&seed, 40), r, k)};
            view.stride[0] = k + random_below(&seed, 2);
            view.stride[2] = 1;
            check_view(&view, &seed);
        }
}
END_TEST

/* ---- views that are larger than any tile or table */

static const struct {
    enum dtype type;
    struct shape shape, strides;
} large[] = {
    {DTYPE_UINT8, SHAPE(300000), SHAPE(0)},
    {DTYPE_COMPLEX128, SHAPE(20000), SHAPE(0)},
    {DTYPE_FP32, SHAPE(100000), SHAPE(1)},
    {DTYPE_FP32, SHAPE(7, 30000), SHAPE(0, 1)},
    {DTYPE_UINT8, SHAPE(3, 65536), SHAPE(0, 1)},
    {DTYPE_UINT8, SHAPE(3, 65537), SHAPE(0, 1)},
    {DTYPE_FP16, SHAPE(9, 11111, 3), SHAPE(0, 1, 0)},
    {DTYPE_UINT8, SHAPE(200000, 2), SHAPE(1, 0)},
    {DTYPE_UINT8, SHAPE(500, 300), SHAPE(1, 500)},
    {DTYPE_FP64, SHAPE(200, 2, 100, 2), SHAPE(100, 0, 1, 0)},
    {DTYPE_UINT8, SHAPE(40000, 2, 2, 2), SHAPE(2, 0, 1, 0)},
    {DTYPE_UINT8, SHAPE(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2),
     SHAPE(128, 0, 64, 0, 32, 0, 16, 0, 8, 0, 4, 0, 2, 0, 1, 0)},
};

START_TEST(large_views)
{
    uint64_t seed = (uint64_t)_i;
    struct tensor view = {.dtype = large[_i].type, .shape = large[_i].shape};
    memcpy(view.stride, large[_i].strides.dim, sizeof(view.stride));
    check_view(&view, &seed);
}
END_TEST

/* 64 dimensions that cannot be merged, all but a few of them of size 1 or repeated. */
START_TEST(rank_limit)
{
    uint64_t seed = 64;
    struct tensor view = {.dtype = DTYPE_FP16, .shape = {.rank = SHAPE_MAX_RANK}};
    for (int d = 0; d < SHAPE_MAX_RANK; d++)
        view.shape.dim[d] = d % 5 == 0 ? 2 : 1;
    for (int d = 0; d < SHAPE_MAX_RANK; d += 10)
        view.stride[d] = 100 - d;
    check_view(&view, &seed);
}
END_TEST

/* Offsets beyond 32 bits, in a view that no memory could hold: 2^40 copies of 3 elements. */
START_TEST(far_range)
{
    static const uint16_t data[3] = {1, 2, 3};
    struct tensor view = {.dtype = DTYPE_UINT16, .shape = SHAPE((int64_t)1 << 40, 3), .stride = {0, 1}, .data = data};
    struct copy_plan plan;
    uint16_t got[4];
    copy_plan_init(&plan, &view);
    ck_assert_uint_eq(plan.bytes, (uint64_t)6 << 40);
    copy_range(&plan, ((uint64_t)6 << 39) + 4, sizeof(got), got);
    ck_assert_uint_eq(got[0], 3);
    ck_assert_uint_eq(got[1], 1);
    ck_assert_uint_eq(got[3], 3);
}
END_TEST

/* Packed types are copied as the bytes they are. */
START_TEST(packed)
{
    static const unsigned char data[] = {0x21, 0x43, 0x65, 0x87, 0x09};
    struct tensor view;
    struct copy_plan plan;
    unsigned char got[3];
    tensor_init(&view, DTYPE_INT4, &(struct shape)SHAPE(3, 3), data);
    copy_plan_init(&plan, &view);
    ck_assert_uint_eq(plan.bytes, 5);
    copy_range(&plan, 1, 3, got);
    ck_assert_mem_eq(got, data + 1, 3);
    tensor_init(&view, DTYPE_UINT2, &(struct shape)SHAPE(3, 3), data);
    copy_plan_init(&plan, &view);
    ck_assert_uint_eq(plan.bytes, 3);
}
END_TEST

/* A signalling NaN and -0.0 come out as the bits they are. */
START_TEST(bits_survive)
{
    static const uint64_t data[2] = {0x7ff0000000000001u, 0x8000000000000000u};
    struct tensor view = {.dtype = DTYPE_FP64, .shape = SHAPE(3, 2, 3), .stride = {0, 1, 0}, .data = data};
    struct copy_plan plan;
    uint64_t got[18];
    copy_plan_init(&plan, &view);
    copy_range(&plan, 0, sizeof(got), got);
    for (int i = 0; i < 18; i++)
        ck_assert_uint_eq(got[i], data[i / 3 % 2]);
}
END_TEST

SUITE("kernel", TEST_TIMES(random_views, 100) TEST_TIMES(short_rows, 80) TEST_ROWS(large_views, large)
                    TEST_ONE(rank_limit) TEST_ONE(far_range) TEST_ONE(packed) TEST_ONE(bits_survive))
