/* Nanoseconds that a number of a JSON tensor costs to read and to write, beside cJSON on the same text.
 *
 *     make tests/bench/json && tests/bench/json [ELEMENTS [DATATYPE]]
 *
 * Rounds of both are taken in turns; what is printed is the best of each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "api/codec.h"

#define ROUNDS 9

struct corpus {
    const char *name;
    const char *dtype;
    int (*write)(char *out, size_t size, uint64_t random);
};

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Uniform in [-1, 1). */
static double unit(uint64_t random)
{
    return ldexp((double)(random >> 11), -52) - 1;
}

static int write_short(char *out, size_t size, uint64_t random)
{
    return snprintf(out, size, "%.2f", 100 * unit(random));
}

static int write_single(char *out, size_t size, uint64_t random)
{
    return snprintf(out, size, "%.9g", (double)(float)unit(random));
}

/* As a client writes a float that it holds as a double: Python's tolist() of a float32 array. */
static int write_widened(char *out, size_t size, uint64_t random)
{
    return snprintf(out, size, "%.17g", (double)(float)unit(random));
}

static int write_double(char *out, size_t size, uint64_t random)
{
    return snprintf(out, size, "%.17g", unit(random));
}

static int write_digit(char *out, size_t size, uint64_t random)
{
    return snprintf(out, size, "%u", (unsigned)(random % 256));
}

static int write_long(char *out, size_t size, uint64_t random)
{
    return snprintf(out, size, "%lld", (long long)random >> 1);
}

static const struct corpus corpora[] = {
    {"2 decimals", "FP32", write_short},    {"9 digits", "FP32", write_single}, {"17 digits", "FP32", write_widened},
    {"17 digits", "FP64", write_double},    {"9 digits", "FP16", write_single}, {"9 digits", "BF16", write_single},
    {"0 to 255", "UINT8", write_digit},     {"19 digits", "INT64", write_long},
};

static char *make_document(const struct corpus *corpus, size_t count, size_t *len)
{
    uint64_t state = 1;
    size_t size = count * 28 + 512;
    char *text = malloc(size);
    if (text == NULL)
        abort();
    size_t at = (size_t)snprintf(text, size, "{\"inputs\":[{\"name\":\"data\",\"datatype\":\"%s\",\"shape\":[%zu],\"data\":[",
                                 corpus->dtype, count);
    for (size_t i = 0; i < count; i++) {
        at += (size_t)corpus->write(text + at, size - at, random_next(&state));
        text[at++] = ',';
    }
    at += (size_t)snprintf(text + at - 1, size - at, "]},{\"name\":\"axes\",\"datatype\":\"INT64\",\"shape\":[1],\"data\":[0]}]}");
    *len = at - 1;
    return text;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void keep_least(double *least, double from)
{
    double took = now() - from;
    if (*least == 0 || took < *least)
        *least = took;
}

/* One stretch of memory, used anew in each round, as the server recycles its buffers. */
struct stretch {
    uint8_t *base;
    size_t used, size;
};

static void *take(void *ctx, size_t size)
{
    struct stretch *stretch = ctx;
    size_t at = stretch->used;
    stretch->used += (size + 63) & ~(size_t)63;
    return stretch->used <= stretch->size ? stretch->base + at : NULL;
}

static void give_back(void *ctx, void *block, size_t size)
{
    (void)block;
    (void)size;
    ((struct stretch *)ctx)->used = 0;
}

struct times {
    double read, write, cjson_read, cjson_write;
};

static void time_codec(const char *text, size_t len, struct stretch *stretch, uint8_t *out, size_t size,
                       struct times *times)
{
    const struct memory memory = {.alloc = take, .free = give_back, .ctx = stretch};
    const struct codec_limits limits = {.json_depth = 100};
    struct arena arena;
    struct problem err;
    struct op_diag diag;
    struct tensor view;
    struct call call = {.op = op_newest("unsqueeze")};
    size_t head;
    arena_init(&arena, &memory, NULL, 0);
    double start = now();
    if (!codec_json_decode(&arena, &limits, (struct bytes){(const uint8_t *)text, len}, (struct bytes){NULL, 0}, &call,
                           &err))
        abort();
    keep_least(&times->read, start);
    const struct op_call op_call = {.in = {&call.in[0].tensor, &call.in[1].tensor}};
    start = now();
    if (op_infer(call.op, &op_call, &view, &diag) != OP_OK)
        abort();
    struct source *source = codec_json_encode(&arena, &call, &view, &call.in[0].tensor, UINT64_MAX, &head, &err);
    if (source == NULL || source->length > size || source_pull(source, out, size) != source->length)
        abort();
    keep_least(&times->write, start);
    arena_release(&arena);
}

static void time_cjson(const char *text, size_t len, char *out, size_t size, struct times *times)
{
    double start = now();
    cJSON *root = cJSON_ParseWithLength(text, len);
    if (root == NULL)
        abort();
    keep_least(&times->cjson_read, start);
    start = now();
    if (!cJSON_PrintPreallocated(root, out, (int)size, false))
        abort();
    keep_least(&times->cjson_write, start);
    cJSON_Delete(root);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    size_t size = count * 40 + 4096;
    struct stretch stretch = {.base = malloc(2 * size), .size = 2 * size};
    uint8_t *out = malloc(size);
    if (out == NULL || stretch.base == NULL || count == 0)
        return EXIT_FAILURE;
    printf("ns an element               read  cJSON ratio | write  cJSON ratio\n");
    for (size_t i = 0; i < sizeof(corpora) / sizeof(corpora[0]); i++) {
        if (argc > 2 && strcmp(corpora[i].dtype, argv[2]) != 0)
            continue;
        size_t len;
        char *text = make_document(&corpora[i], count, &len);
        struct times t = {0};
        for (int round = 0; round < ROUNDS; round++) {
            time_codec(text, len, &stretch, out, size, &t);
            time_cjson(text, len, (char *)out, size, &t);
        }
        double n = (double)count;
        printf("%-11s %-10s    %6.1f %6.1f %5.1f | %5.1f %6.1f %5.1f\n", corpora[i].name, corpora[i].dtype, t.read / n,
               t.cjson_read / n, t.cjson_read / t.read, t.write / n, t.cjson_write / n, t.cjson_write / t.write);
        free(text);
    }
    free(out);
    free(stretch.base);
    return EXIT_SUCCESS;
}
