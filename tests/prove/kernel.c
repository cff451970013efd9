/* The kernel on every view of a bounded world: all shapes of rank 0 to 3 with sizes 0 to 3, each broadcast to all others
 * that it can be, in row-major and in every other order of its dimensions, in elements of 1, 2, 4, 8 and 16 bytes, and from
 * each of these every range of bytes of the result that ends within 40 bytes of its begin, or at the end. What is written is
 * compared with the oracle, byte by byte, and so is what stands around it. Built with the sanitizers, as run.sh does, it also
 * shows that no byte outside of the source is read. TAP.
 */
#include "ops/kernel.h"
#include "tests/fuzz/oracle.h"

#define MAX_RANK  3
#define MAX_SIZE  3
#define MAX_BYTES (27 * 16)
#define LONGEST   40
#define GUARD     32

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
    uint8_t out[GUARD + MAX_BYTES + GUARD];
    memset(out, 0xa5, GUARD + n + GUARD);
    copy_range(plan, pos, n, out + GUARD);
    REQUIRE(memcmp(out + GUARD, want + pos, n) == 0, "bytes %zu to %zu are wrong", pos, pos + n);
    for (size_t i = 0; i < GUARD; i++)
        REQUIRE(out[i] == 0xa5 && out[GUARD + n + i] == 0xa5, "a byte beside %zu to %zu was written", pos, pos + n);
    ranges++;
}

static void check_view(const struct tensor *view)
{
    uint8_t want[MAX_BYTES];
    struct copy_plan plan;
    copy_plan_init(&plan, view);
    REQUIRE(plan.bytes <= MAX_BYTES, "a view that is too large");
    oracle_view(view, want);
    size_t bytes = (size_t)plan.bytes;
    for (size_t pos = 0; pos <= bytes; pos++) {
        for (size_t n = 0; n <= LONGEST && pos + n <= bytes; n++)
            check_range(&plan, want, pos, n);
        check_range(&plan, want, pos, bytes - pos);
    }
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

int main(void)
{
    printf("1..%zu\n", sizeof(types) / sizeof(types[0]));
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        struct shape shape = {.rank = 0};
        views = ranges = 0;
        do {
            struct shape target = {.rank = 0};
            do
                check_pair(types[t], &shape, &target);
            while (next_shape(&target));
        } while (next_shape(&shape));
        printf("ok %zu - %s: %llu views, %llu ranges\n", t + 1, dtype_info(types[t])->name, (unsigned long long)views,
               (unsigned long long)ranges);
        fflush(stdout);
    }
    return 0;
}
