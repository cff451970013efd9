/* How fast views are copied, as a ratio to memcpy from a hot 64 KiB block: the least that any server of the output would
 * have to do. Kernel and memcpy take turns on the same 64 MiB of memory, so that the noise of a shared machine hits both;
 * each figure is the median of the ratios of all rounds.
 *
 *     make bench-kernel
 *     tests/bench/kernel [--rounds N] [--width BYTES] [--csv]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ops/kernel.h"

#define OUTPUT     ((size_t)64 << 20)
#define BLOCK      ((size_t)64 << 10)
#define RANGE      ((size_t)256 << 10) /* per call, as a response is pulled */
#define MAX_ROUNDS 99
#define MAX_DIMS   6

/* A view by its dimensions; `n` is as many as make 64 MiB. Strides are made as Expand makes them: 'k' keeps a
 * dimension of the input, 'r' repeats it; 't' is a matrix in Fortran order, 's' every second element. */
static const struct {
    const char *what;
    const char *kinds;
    int64_t dim[MAX_DIMS]; /* 0: n */
} views[] = {
    {"dense", "k", {0}},
    {"fill", "r", {0}},
    {"[3] -> [n,3]", "rk", {0, 3}},
    {"[7] -> [n,7]", "rk", {0, 7}},
    {"[100] -> [n,100]", "rk", {0, 100}},
    {"[100000] -> [n,100000]", "rk", {0, 100000}},
    {"[n,1] -> [n,2]", "kr", {0, 2}},
    {"[n,1] -> [n,3]", "kr", {0, 3}},
    {"[n,1] -> [n,4]", "kr", {0, 4}},
    {"[n,1] -> [n,7]", "kr", {0, 7}},
    {"[n,1] -> [n,16]", "kr", {0, 16}},
    {"[n,1] -> [n,40]", "kr", {0, 40}},
    {"[n,1] -> [n,100]", "kr", {0, 100}},
    {"[n,1] -> [n,1000]", "kr", {0, 1000}},
    {"[n,1,2] -> [n,2,2]", "krk", {0, 2, 2}},
    {"[n,1,3] -> [n,3,3]", "krk", {0, 3, 3}},
    {"[n,1,5] -> [n,20,5]", "krk", {0, 20, 5}},
    {"[n,1,17] -> [n,3,17]", "krk", {0, 3, 17}},
    {"[n,1,64] -> [n,4,64]", "krk", {0, 4, 64}},
    {"[n,1,2,1] -> [n,2,2,2]", "krkr", {0, 2, 2, 2}},
    {"[n,1,3,1] -> [n,3,3,3]", "krkr", {0, 3, 3, 3}},
    {"[n,1,10,1] -> [n,4,10,5]", "krkr", {0, 4, 10, 5}},
    {"[50,1] -> [n,50,3]", "rkr", {0, 50, 3}},
    {"[1000,1] -> [n,1000,3]", "rkr", {0, 1000, 3}},
    {"[2,1,2,1] -> [n,2,2,2,2]", "rkrkr", {0, 2, 2, 2, 2}},
    {"every second of n", "s", {0}},
    {"Fortran order, 64 rows", "t", {64, 0}},
    {"Fortran order, 4 columns", "t", {0, 4}},
    {"Fortran order, 1000 columns", "t", {0, 1000}},
};
#define VIEWS (sizeof(views) / sizeof(views[0]))

static const enum dtype types[] = {DTYPE_UINT8, DTYPE_FP16, DTYPE_FP32, DTYPE_FP64, DTYPE_COMPLEX128};
#define WIDTHS (sizeof(types) / sizeof(types[0]))

struct options {
    int rounds, width;
    bool csv;
};

/* What stays the same for all measurements. */
struct bench {
    unsigned char *out, *in, *block;
};

static void set_strides(struct tensor *view, const char *kinds)
{
    int64_t stride = *kinds == 's' ? 2 : 1;
    if (*kinds == 't') {
        view->stride[0] = 1;
        view->stride[1] = view->shape.dim[0];
        return;
    }
    for (int d = view->shape.rank - 1; d >= 0; d--) {
        view->stride[d] = kinds[d] == 'r' ? 0 : stride;
        stride *= kinds[d] == 'r' ? 1 : view->shape.dim[d];
    }
}

static struct tensor make_view(size_t index, enum dtype type, const void *data)
{
    struct tensor view = {.dtype = type, .data = data};
    int64_t fixed = dtype_info(type)->bits / 8;
    view.shape.rank = views[index].kinds[0] == 't' ? 2 : (int)strlen(views[index].kinds);
    for (int d = 0; d < view.shape.rank; d++)
        fixed *= views[index].dim[d] != 0 ? views[index].dim[d] : 1;
    for (int d = 0; d < view.shape.rank; d++)
        view.shape.dim[d] = views[index].dim[d] != 0 ? views[index].dim[d] : (int64_t)OUTPUT / fixed;
    set_strides(&view, views[index].kinds);
    return view;
}

/* Processor time: what others do on the machine costs turns, not time. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds for the first `bytes` of the output by memcpy from the hot block. */
static double time_memcpy(const struct bench *bench, size_t bytes)
{
    double start = now();
    for (size_t pos = 0; pos < bytes; pos += BLOCK)
        memcpy(bench->out + pos, bench->block, bytes - pos < BLOCK ? bytes - pos : BLOCK);
    return now() - start;
}

static double time_kernel(const struct bench *bench, const struct copy_plan *plan)
{
    double start = now();
    for (uint64_t pos = 0; pos < plan->bytes; pos += RANGE)
        copy_range(plan, pos, plan->bytes - pos < RANGE ? plan->bytes - pos : RANGE, bench->out + pos);
    return now() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ratio(const struct bench *bench, const struct copy_plan *plan, int rounds)
{
    double ratio[MAX_ROUNDS];
    time_kernel(bench, plan);
    for (int i = 0; i < rounds; i++) {
        double base = time_memcpy(bench, plan->bytes);
        ratio[i] = base / time_kernel(bench, plan);
    }
    qsort(ratio, (size_t)rounds, sizeof(ratio[0]), ascending);
    return ratio[rounds / 2];
}

static bool wanted(const struct options *options, size_t width)
{
    return options->width == 0 || (unsigned)options->width * 8 == dtype_info(types[width])->bits;
}

static void measure(const struct bench *bench, const struct options *options, size_t index)
{
    printf(options->csv ? "\"%s\"" : "%-28s", views[index].what);
    for (size_t w = 0; w < WIDTHS; w++) {
        if (!wanted(options, w))
            continue;
        struct tensor view = make_view(index, types[w], bench->in);
        struct copy_plan plan;
        copy_plan_init(&plan, &view);
        printf(options->csv ? ",%.3f" : "  %5.2f", median_ratio(bench, &plan, options->rounds));
        fflush(stdout);
    }
    printf("\n");
}

static void print_head(const struct options *options)
{
    if (options->csv)
        printf("view");
    else
        printf("ratio to memcpy, by bytes per element\n%-28s", "");
    for (size_t w = 0; w < WIDTHS; w++)
        if (wanted(options, w))
            printf(options->csv ? ",%u" : "%7u", dtype_info(types[w])->bits / 8);
    printf("\n");
}

static bool parse_options(int argc, char **argv, struct options *ret)
{
    *ret = (struct options){.rounds = 5};
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--csv") == 0)
            ret->csv = true;
        else if (has_value && strcmp(argv[i], "--rounds") == 0)
            ret->rounds = (int)strtol(argv[++i], NULL, 10);
        else if (has_value && strcmp(argv[i], "--width") == 0)
            ret->width = (int)strtol(argv[++i], NULL, 10);
        else
            return false;
    }
    return ret->rounds > 0 && ret->rounds <= MAX_ROUNDS;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!parse_options(argc, argv, &options)) {
        fprintf(stderr, "usage: %s [--rounds 1..%d] [--width 1|2|4|8|16] [--csv]\n", argv[0], MAX_ROUNDS);
        return 2;
    }
    struct bench bench = {malloc(OUTPUT), malloc(2 * OUTPUT), malloc(BLOCK)};
    if (bench.out == NULL || bench.in == NULL || bench.block == NULL)
        return 1;
    memset(bench.out, 1, OUTPUT);
    memset(bench.in, 2, 2 * OUTPUT);
    memset(bench.block, 3, BLOCK);
    print_head(&options);
    for (size_t i = 0; i < VIEWS; i++)
        measure(&bench, &options, i);
    free(bench.out);
    free(bench.in);
    free(bench.block);
    return 0;
}
