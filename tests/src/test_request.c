#include "src/request.h"

#include <string.h>

#include "api/metrics.h"
#include "tests/suite.h"

/* Every edge there is; all others are not. */
static const struct {
    enum request_state from, to;
} edges[] = {
    {REQUEST_READING, REQUEST_QUEUED},                                   /* complete, for the pool */
    {REQUEST_READING, REQUEST_RUNNING},                                  /* complete, small */
    {REQUEST_READING, REQUEST_READY},                                    /* refused */
    {REQUEST_READING, REQUEST_DONE},                                     /* the client left */
    {REQUEST_QUEUED, REQUEST_RUNNING},  {REQUEST_QUEUED, REQUEST_READY}, /* cancelled, or not taken by the
                                                                            pool */
    {REQUEST_RUNNING, REQUEST_READY},   {REQUEST_RUNNING, REQUEST_DONE}, /* abandoned */
    {REQUEST_READY, REQUEST_STREAMING}, {REQUEST_READY, REQUEST_DONE},   {REQUEST_STREAMING, REQUEST_DONE},
};

START_TEST(allows_these_edges_alone)
{
    int allowed = 0;
    for (enum request_state from = 0; from < REQUEST_STATE_COUNT; from++) {
        for (enum request_state to = 0; to < REQUEST_STATE_COUNT; to++)
            allowed += request_edge(from, to);
    }
    ck_assert_int_eq(allowed, ROWS(edges));
    for (int i = 0; i < ROWS(edges); i++)
        ck_assert(request_edge(edges[i].from, edges[i].to));
}
END_TEST

START_TEST(names_its_states)
{
    ck_assert_str_eq(request_state_name(REQUEST_READING), "READING");
    ck_assert_str_eq(request_state_name(REQUEST_DONE), "DONE");
}
END_TEST

/* ---- bodies, on a loop that only lends its memory ---- */

struct counted {
    struct memory memory;
    size_t used, refuse_above;
};

static void *counted_alloc(void *ctx, size_t size)
{
    struct counted *counted = ctx;
    if (size > counted->refuse_above)
        return NULL;
    counted->used += size;
    return malloc(size);
}

static void counted_free(void *ctx, void *block, size_t size)
{
    struct counted *counted = ctx;
    counted->used -= size;
    free(block);
}

struct fixture {
    struct counted counted;
    struct options options;
    struct service service;
    struct loop loop;
};

static void setup(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    f->counted.memory = (struct memory){.alloc = counted_alloc, .free = counted_free, .ctx = &f->counted};
    f->counted.refuse_above = SIZE_MAX;
    f->service.options = &f->options;
    f->service.memory = &f->counted.memory;
    f->loop.service = &f->service;
    f->loop.counters = counters_create();
    list_init(&f->loop.spare);
    list_init(&f->loop.waiting);
}

static const struct {
    uint64_t announced; /* 0: not */
    size_t piece, total;
} bodies[] = {
    {0, 1, 1},         {0, 1000, 1000},    {0, 4096, 300000},       {0, 100000, 1000000}, {1, 1, 1},
    {8192, 100, 8192}, {8193, 8193, 8193}, {300000, 16000, 300000}, {1000000, 999, 999},  {5, 1, 5},
};

START_TEST(collects_bodies)
{
    static struct fixture f;
    setup(&f);
    struct request *request = request_create(&f.loop, "/x");
    ck_assert_str_eq(request->call.target, "/x");
    if (bodies[_i].announced > 0)
        ck_assert(request_reserve(request, bodies[_i].announced));
    for (size_t done = 0; done < bodies[_i].total; done += bodies[_i].piece) {
        uint8_t piece[100000];
        size_t n = bodies[_i].total - done < bodies[_i].piece ? bodies[_i].total - done : bodies[_i].piece;
        for (size_t i = 0; i < n; i++)
            piece[i] = (uint8_t)((done + i) % 251);
        ck_assert(request_append(request, piece, n));
    }
    ck_assert_uint_eq(request->body_len, bodies[_i].total);
    for (size_t i = 0; i < bodies[_i].total; i++)
        ck_assert_uint_eq(request->body[i], i % 251);
    request_release(request, true);
    ck_assert_uint_eq(f.counted.used, 0);
    request_free_spare(&f.loop);
    counters_destroy(f.loop.counters);
}
END_TEST

/* Of a large body that was announced a sixteenth is there from the start, and all of it when that is full. */
START_TEST(gives_memory_to_who_sends)
{
    static struct fixture f;
    setup(&f);
    struct request *request = request_create(&f.loop, "/x");
    ck_assert(request_reserve(request, 16000000));
    ck_assert_uint_eq(request->body_cap, 1000000);
    static uint8_t piece[500000];
    for (int i = 0; i < 2; i++)
        ck_assert(request_append(request, piece, sizeof(piece)));
    ck_assert_uint_eq(request->body_cap, 1000000);
    ck_assert(request_append(request, piece, 1));
    ck_assert_uint_eq(request->body_cap, 16000000);
    request_release(request, true);
    ck_assert_uint_eq(f.counted.used, 0);
    request_free_spare(&f.loop);
    counters_destroy(f.loop.counters);
}
END_TEST

START_TEST(takes_no_memory_for_small_ones)
{
    static struct fixture f;
    setup(&f);
    f.counted.refuse_above = 0;
    struct request *request = request_create(&f.loop, "/v2/models/expand/infer");
    ck_assert(request_reserve(request, 4096));
    uint8_t body[4096] = {0};
    ck_assert(request_append(request, body, sizeof(body)));
    request_release(request, true);
    request_free_spare(&f.loop);
    counters_destroy(f.loop.counters);
}
END_TEST

START_TEST(says_when_there_is_no_memory)
{
    static struct fixture f;
    setup(&f);
    f.counted.refuse_above = 100000;
    for (int announced = 0; announced <= 100001; announced += 100001) {
        struct request *request = request_create(&f.loop, "/x");
        ck_assert(announced == 0 || request_reserve(request, (uint64_t)announced)); /* a part of it */
        uint8_t piece[60000] = {0};
        ck_assert(request_append(request, piece, sizeof(piece)));
        ck_assert(!request_append(request, piece, sizeof(piece)));
        ck_assert_uint_eq(request->body_len, sizeof(piece)); /* what was there is still there */
        request_release(request, true);
    }
    struct request *request = request_create(&f.loop, "/x");
    ck_assert(!request_reserve(request, 1600016));
    request_release(request, true);
    ck_assert_uint_eq(f.counted.used, 0);
    request_free_spare(&f.loop);
    counters_destroy(f.loop.counters);
}
END_TEST

/* Recycled requests start anew. */
START_TEST(uses_requests_again)
{
    static struct fixture f;
    setup(&f);
    struct request *first = request_create(&f.loop, "/first");
    first->refused = true;
    first->status = 404;
    request_release(first, true);
    struct request *second = request_create(&f.loop, "/second");
    ck_assert_ptr_eq(second, first);
    ck_assert_int_eq(second->state, REQUEST_READING);
    ck_assert(!second->refused);
    ck_assert_int_eq(second->status, 0);
    ck_assert_ptr_null(second->call.method);
    request_release(second, true);
    request_free_spare(&f.loop);
    counters_destroy(f.loop.counters);
}
END_TEST

/* What has begun and not ended is told as being in flight, for as long as the process lives. */
START_TEST(does_not_begin_without_memory)
{
    static struct fixture f;
    static char target[2 * REQUEST_BLOCK_BYTES];
    setup(&f);
    f.counted.refuse_above = 0;
    memset(target, 'x', sizeof(target) - 1);
    ck_assert_ptr_null(request_create(&f.loop, target));
    uint64_t *sum = calloc(metrics_size(), sizeof(*sum));
    counters_sum(f.loop.counters, sum);
    ck_assert_uint_eq(sum[metrics_scalar_at(METRICS_BEGUN)], sum[metrics_scalar_at(METRICS_ENDED)]);
    free(sum);
    request_free_spare(&f.loop);
    counters_destroy(f.loop.counters);
}
END_TEST

SUITE("request", TEST_ONE(allows_these_edges_alone) TEST_ONE(names_its_states)
                     TEST_ROWS(collects_bodies, bodies) TEST_ONE(gives_memory_to_who_sends)
                     TEST_ONE(takes_no_memory_for_small_ones)
                     TEST_ONE(says_when_there_is_no_memory) TEST_ONE(does_not_begin_without_memory)
                     TEST_ONE(uses_requests_again))
