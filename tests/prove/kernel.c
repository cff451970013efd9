/* The kernel on every view of a bounded world: all shapes of rank 0 to 3 with sizes 0 to 3, each broadcast to all others
 * that it can be, in row-major and in every other order of its dimensions, in elements of 1, 2, 4, 8 and 16 bytes, and from
 * each of these every range of bytes of the result that ends within 40 bytes of its begin, or at the end. What is written is
 * compared with the oracle, byte by byte, and so is what stands around it. Built with the sanitizers, as run.sh does, it also
 * shows that no byte outside of the source is read.
 *
 * Such blocks are short to the kernel, so there is another world of blocks that are not: the same shapes up to rank 2, with
 * a last dimension of RUN bytes, and all ranges whose ends are near those of the runs. And run.sh builds all of this a second
 * time with what is long to the kernel scaled down to the small world's blocks. TAP.
 */
#include "ops/kernel.h"
#include "tests/fuzz/oracle.h"

#define MAX_RANK  3
#define MAX_SIZE  3
#define MAX_BYTES (27 * 16)
#define LONGEST   40
#define GUARD     32
#define RUN       2064 /* COPY_SHORT, and an element */

static const enum dtype types[] = {DTYPE_UINT8, DTYPE_FP16, DTYPE_FP32, DTYPE_INT64, DTYPE_COMPLEX128};

static uint64_t views, ranges;

/* The next shape in turn; false after the last. */
static bool next_shape(struct shape *shape)
{
    for (int i = 0; i < shape->rank; i++) {
        if (++shape->dim[i] <= MAX_SIZE)
            return true;
        shape->dim[i] = 0;
    }
    shape->dim[shape->rank] = 0;
    return ++shape->rank <= MAX_RANK;
}

static void check_range(const struct copy_plan *plan, const uint8_t *want, size_t pos, size_t n)
{
    static uint8_t out[GUARD + 9 * RUN + GUARD];
    memset(out, 0xa5, GUARD + n + GUARD);
    copy_range(plan, pos, n, out + GUARD);
    REQUIRE(memcmp(out + GUARD, want + pos, n) == 0, "bytes %zu to %zu are wrong", pos, pos + n);
    for (size_t i = 0; i < GUARD; i++)
        REQUIRE(out[i] == 0xa5 && out[GUARD + n + i] == 0xa5, "a byte beside %zu to %zu was written", pos, pos + n);
    ranges++;
}

/* What copy_range is shown to be right for (ranges.c): levels that hold one another, in sizes and in what they reach. */
static void check_plan(const struct copy_plan *plan)
{
    unsigned __int128 covers = plan->unit, reaches = plan->unit;
    REQUIRE(plan->depth >= 0 && plan->depth <= SHAPE_MAX_RANK && plan->unit > 0, "a plan without a walk");
    for (int i = plan->depth - 1; i >= 0; i--) {
        const struct copy_level *level = &plan->level[i];
        REQUIRE(level->count > 0 && level->stride >= 0 && level->size == covers, "level %d is not sound", i);
        covers *= level->count;
        reaches += (unsigned __int128)(level->count - 1) * (uint64_t)level->stride;
        REQUIRE(covers <= INT64_MAX && reaches <= INT64_MAX, "level %d is not sound", i);
    }
    REQUIRE(covers == plan->bytes, "the walk has other bytes");
}

static void check_all_ranges(const struct copy_plan *plan, const uint8_t *want)
{
    size_t bytes = (size_t)plan->bytes;
    for (size_t pos = 0; pos <= bytes; pos++) {
        for (size_t n = 0; n <= LONGEST && pos + n <= bytes; n++)
            check_range(plan, want, pos, n);
        check_range(plan, want, pos, bytes - pos);
    }
}

/* The places near the ends of runs, one after another. */
static bool next_edge(size_t *pos, size_t bytes)
{
    static const size_t near[] = {0, 1, 15, 17, RUN - 17, RUN - 1, RUN};
    size_t i = 0;
    while (near[i] <= *pos % RUN)
        i++;
    *pos = *pos / RUN * RUN + near[i];
    return *pos <= bytes;
}

static void check_edges(const struct copy_plan *plan, const uint8_t *want)
{
    size_t bytes = (size_t)plan->bytes, pos = 0;
    do {
        size_t end = pos;
        do
            check_range(plan, want, pos, end - pos);
        while (next_edge(&end, bytes));
    } while (next_edge(&pos, bytes));
}

static void check_view(const struct tensor *view)
{
    static uint8_t want[9 * RUN];
    struct copy_plan plan;
    copy_plan_init(&plan, view);
    REQUIRE(plan.bytes <= sizeof(want), "a view that is too large");
    oracle_view(view, want);
    if (plan.bytes > 0)
        check_plan(&plan);
    if (plan.bytes <= MAX_BYTES)
        check_all_ranges(&plan, want);
    else
        check_edges(&plan, want);
    views++;
}

/* The view with its dimensions in each order. */
static void check_orders(const struct tensor *view)
{
    static const int orders[][MAX_RANK] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int rank = view->shape.rank;
    for (size_t i = 0; i < (rank < 2 ? 1u : rank == 2 ? 3u : 6u); i++) {
        struct tensor other = *view;
        if (rank == 2 && i == 1)
            continue; /* names a third dimension */
        for (int d = 0; d < rank; d++) {
            other.shape.dim[d] = view->shape.dim[orders[i][d]];
            other.stride[d] = view->stride[orders[i][d]];
        }
        check_view(&other);
    }
}

static void check_pair(enum dtype type, const struct shape *shape, const struct shape *target)
{
    struct tensor data, list, view;
    struct op_diag diag;
    int64_t bytes = 0;
    REQUIRE(shape_bytes(shape, type, &bytes), "no size");
    uint8_t *memory = malloc(bytes > 0 ? (size_t)bytes : 1);
    for (int64_t i = 0; i < bytes; i++)
        memory[i] = (uint8_t)(i * 7 + 1);
    tensor_init(&data, type, shape, memory);
    tensor_init(&list, DTYPE_INT64, &(struct shape){1, {target->rank}}, target->dim);
    if (op_infer(&op_expand_13, &(struct op_call){.in = {&data, &list}}, &view, &diag) == OP_OK)
        check_orders(&view);
    free(memory);
}

/* All shapes below some rank; with a last dimension of `run` elements, unless that is 0. */
static void check_world(enum dtype type, int ranks, int64_t run)
{
    struct shape shape = {.rank = 0};
    do {
        struct shape target = {.rank = 0};
        do {
            struct shape a = shape, b = target;
            if (run > 0) {
                a.dim[a.rank++] = run;
                b.dim[b.rank++] = run;
            }
            check_pair(type, &a, &b);
        } while (next_shape(&target) && target.rank < ranks);
    } while (next_shape(&shape) && shape.rank < ranks);
}

/* ---- axes */

#define MAX_AXES_RANK 5

static uint64_t lists;

static void check_axes(const struct op *op, const struct shape *shape, const struct shape *axes)
{
    struct tensor data, list, view;
    struct op_diag diag;
    struct shape want;
    static const uint8_t bytes[32];
    tensor_init(&data, DTYPE_UINT8, shape, bytes);
    tensor_init(&list, DTYPE_INT64, &(struct shape){1, {axes->rank}}, axes->dim);
    struct oracle_case c = {op, DTYPE_UINT8, DTYPE_INT64, *shape, *axes, 1, bytes};
    enum op_code code = op_infer(op, &(struct op_call){.in = {&data, &list}}, &view, &diag);
    REQUIRE(code == oracle_infer(&c, &want), "another verdict");
    REQUIRE(code != OP_OK || shape_equal(&view.shape, &want), "another shape");
    lists++;
}

/* Every list of axes, in any order, twice or out of range by up to 2, for outputs of up to MAX_AXES_RANK dimensions. */
static void check_lists(const struct op *op)
{
    for (int rank = 0; rank <= MAX_AXES_RANK; rank++)
        for (int count = 0; count <= rank; count++) {
            struct shape shape = {rank - count, {2, 1, 3, 0, 5}}, axes = {.rank = count};
            int at = 0;
            for (int i = 0; i < count; i++)
                axes.dim[i] = -rank - 2;
            while (at < count) {
                check_axes(op, &shape, &axes);
                for (at = 0; at < count && ++axes.dim[at] > rank + 1; at++)
                    axes.dim[at] = -rank - 2;
            }
            if (count == 0)
                check_axes(op, &shape, &axes);
        }
}

int main(void)
{
    const size_t count = sizeof(types) / sizeof(types[0]);
    printf("1..%zu\n", count + 1);
    for (size_t t = 0; t < count; t++) {
        views = ranges = 0;
        check_world(types[t], MAX_RANK + 1, 0);
        check_world(types[t], 3, RUN / (dtype_info(types[t])->bits / 8));
        printf("ok %zu - %s: %llu views, %llu ranges\n", t + 1, dtype_info(types[t])->name, (unsigned long long)views,
               (unsigned long long)ranges);
        fflush(stdout);
    }
    check_lists(&op_unsqueeze_1);
    check_lists(&op_unsqueeze_13);
    printf("ok %zu - axes: %llu lists\n", count + 1, (unsigned long long)lists);
    return 0;
}
