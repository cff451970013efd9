#include "src/stream.h"

#include <string.h>

#include "tests/api/scarce.h"
#include "tests/suite.h"

/* Byte i of the source is a function of i, so that a block lost, doubled or out of order shows. */
struct counting_source {
    struct source base;
    uint64_t at;
};

static uint8_t byte_at(uint64_t i)
{
    return (uint8_t)(i * 2654435761u >> 13);
}

static size_t pull_counting(struct source *self, uint8_t *out, size_t n)
{
    struct counting_source *s = (struct counting_source *)self;
    size_t take = s->base.length - s->at < n ? (size_t)(s->base.length - s->at) : n;
    for (size_t i = 0; i < take; i++)
        out[i] = byte_at(s->at + i);
    s->at += take;
    return take;
}

/* Reads as HTTP does: until there is nothing, then waits to be called. */
struct reader {
    struct stream stream;
    uint64_t at;
    size_t ask;       /* bytes a read */
    uint64_t leave;   /* stops here */
    bool wrong, left;
    unsigned called;
};

static void read_on(struct reader *r)
{
    uint8_t buffer[100000];
    while (!r->left) {
        size_t n = stream_read(&r->stream, buffer, r->ask);
        for (size_t i = 0; i < n; i++)
            r->wrong = r->wrong || buffer[i] != byte_at(r->at + i);
        r->at += n;
        if (r->at >= r->leave) {
            r->left = true;
            stream_stop(&r->stream);
        }
        if (n == 0)
            return;
    }
}

static void on_ready(struct stream *stream)
{
    struct reader *r = stream->context;
    r->called++;
    if (!r->left)
        read_on(r);
}

static const struct {
    const char *what;
    uint64_t length, leave;
    size_t ask;
    unsigned max_inflight;
} rows[] = {
    {"nothing", 0, UINT64_MAX, 1000, 8},
    {"one byte", 1, UINT64_MAX, 1000, 8},
    {"exactly one block", STREAM_BLOCK_BYTES, UINT64_MAX, 100000, 8},
    {"exactly two blocks", 2 * STREAM_BLOCK_BYTES, UINT64_MAX, 99999, 8},
    {"many blocks and a part", 9 * STREAM_BLOCK_BYTES + 17, UINT64_MAX, 100000, 8},
    {"short reads", STREAM_BLOCK_BYTES + 1, UINT64_MAX, 7, 8},
    {"the pool is full", 5 * STREAM_BLOCK_BYTES + 1, UINT64_MAX, 65536, 0},
    {"the client leaves at once", 9 * STREAM_BLOCK_BYTES, 0, 65536, 8},
    {"the client leaves in the middle", 9 * STREAM_BLOCK_BYTES, 3 * STREAM_BLOCK_BYTES, 65536, 8},
};

START_TEST(reads_everything_in_order)
{
    uv_loop_t loop;
    struct pool pool;
    struct arena arena;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    pool_init(&pool, 2, rows[_i].max_inflight);
    arena_init(&arena, &memory_heap, NULL, 0);
    struct counting_source source = {.base = {.length = rows[_i].length, .pull = pull_counting}};
    struct reader r = {.ask = rows[_i].ask, .leave = rows[_i].leave};
    ck_assert(stream_init(&r.stream, &arena, &source.base, &pool, &loop, on_ready, &r));
    read_on(&r);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_msg(!r.wrong, "%s: wrong bytes", rows[_i].what);
    ck_assert(!stream_busy(&r.stream));
    if (rows[_i].leave == UINT64_MAX) {
        ck_assert_uint_eq(r.at, rows[_i].length);
        ck_assert(stream_ended(&r.stream));
    } else {
        ck_assert(r.left);
        ck_assert_uint_le(source.at, rows[_i].leave + 3 * STREAM_BLOCK_BYTES);
    }
    arena_release(&arena);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

START_TEST(without_memory)
{
    uv_loop_t loop;
    struct pool pool;
    struct stream stream;
    struct arena arena;
    struct scarce none = {.fail_at = 1};
    const struct memory nothing = scarce_memory(&none);
    struct counting_source source = {.base = {.length = 1, .pull = pull_counting}};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    pool_init(&pool, 1, 1);
    arena_init(&arena, &nothing, NULL, 0);
    ck_assert(!stream_init(&stream, &arena, &source.base, &pool, &loop, on_ready, NULL));
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

SUITE("stream", TEST_ROWS(reads_everything_in_order, rows) TEST_ONE(without_memory))
