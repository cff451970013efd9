/* One request through the front door (api/dispatch.h) in fuzz targets, in memory that can be made to fail. */
#ifndef TESTS_FUZZ_EXCHANGE_H
#define TESTS_FUZZ_EXCHANGE_H

#include <cjson/cJSON.h>

#include "api/dispatch.h"
#include "api/metrics.h"
#include "tests/fuzz/json_grammar.h"
#include "tests/fuzz/outputs.h"

#define EXCHANGE_LIMIT ((uint64_t)64 << 10) /* of request and answer */

struct exchange {
    struct fuzz_memory memory;
    struct reply reply;
    uint8_t *body; /* of the answer */
    size_t len;
    const struct route *route; /* NULL: none was found */
};

static inline uint64_t exchange_now(void *ctx)
{
    (void)ctx;
    return 0;
}

static inline bool exchange_draining(void *ctx)
{
    return *(bool *)ctx;
}

static inline void exchange_stats(void *ctx, const struct op *op, struct op_stats *ret)
{
    (void)ctx;
    *ret = (struct op_stats){.success = op_index(op) + 1};
}

static inline void exchange_metrics(void *ctx, uint64_t *counts, struct metrics_gauges *ret)
{
    (void)ctx;
    counts[0]++;
    *ret = (struct metrics_gauges){0};
}

/* cJSON takes its memory from the heap: from that of the exchange that runs, so that it is counted and refused too. */
static struct scarce *exchange_heap;

static inline void *exchange_alloc(size_t size)
{
    return scarce_alloc(exchange_heap, size);
}

static inline void exchange_free(void *block)
{
    if (block != NULL)
        scarce_free(exchange_heap, block, 0);
}

/* Runs the request, with the allocation `fail_at` refused (0: none), and pulls the answer in blocks of `block`. */
static inline void exchange_run(struct exchange *x, const struct api_request *request, bool draining, size_t fail_at,
                                size_t block)
{
    const struct api_env env = {
        .max_request_bytes = EXCHANGE_LIMIT, .max_output_bytes = EXCHANGE_LIMIT, .compress_max = EXCHANGE_LIMIT,
        .json_depth = 20, .now = exchange_now, .draining = exchange_draining, .stats = exchange_stats, .metrics = exchange_metrics,
        .ctx = &draining};
    struct route_match match;
    struct problem err;
    const char *allow = NULL;
    *x = (struct exchange){.route = NULL};
    fuzz_memory_init(&x->memory);
    x->memory.scarce.fail_at = fail_at;
    exchange_heap = &x->memory.scarce;
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = exchange_alloc, .free_fn = exchange_free});
    if (route_resolve(&x->memory.arena, request->method, request->target, &match, &allow, &err)) {
        x->route = match.route;
        dispatch(&x->memory.arena, &env, &match, request, &x->reply);
    } else {
        reply_problem(&x->memory.arena, &x->reply, &err);
    }
    REQUIRE(x->reply.status != 405 || allow != NULL, "a 405 without Allow");
    if (x->reply.body != NULL) {
        x->body = pull_all(x->reply.body, block, &x->len);
    } else {
        x->body = fuzz_copy(x->reply.text.ptr, x->reply.text.len);
        x->len = x->reply.text.len;
    }
}

static inline void exchange_end(struct exchange *x)
{
    free(x->body);
    fuzz_memory_release(&x->memory);
}

static inline bool exchange_same_headers(const struct reply *a, const struct reply *b)
{
    bool same = a->header_count == b->header_count;
    for (size_t i = 0; same && i < a->header_count; i++)
        same = strcmp(a->headers[i].name, b->headers[i].name) == 0 && strcmp(a->headers[i].value, b->headers[i].value) == 0;
    return same;
}

/* The same answer: status, headers and body. */
static inline bool exchange_same(const struct exchange *a, const struct exchange *b)
{
    return a->reply.status == b->reply.status && exchange_same_headers(&a->reply, &b->reply) && a->len == b->len &&
           (a->len == 0 || memcmp(a->body, b->body, a->len) == 0);
}

static inline const char *exchange_header(const struct exchange *x, const char *name)
{
    for (size_t i = 0; i < x->reply.header_count; i++)
        if (strcmp(x->reply.headers[i].name, name) == 0)
            return x->reply.headers[i].value;
    return NULL;
}

#endif
