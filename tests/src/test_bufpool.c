#include "src/bufpool.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "tests/suite.h"

#define MIB ((size_t)1 << 20)

static void *take(struct bufpool *pool, size_t size)
{
    const struct memory *memory = bufpool_memory(pool);
    return memory->alloc(memory->ctx, size);
}

static void give(struct bufpool *pool, void *block, size_t size)
{
    const struct memory *memory = bufpool_memory(pool);
    memory->free(memory->ctx, block, size);
}

static const size_t sizes[] = {1, 4096, 65535, 65536, 65537, 81920, 81921, MIB, 2 * MIB - 1, 2 * MIB, 3 * MIB, 17 * MIB + 5};

/* Every byte asked for can be written, and what is counted is at least that and at most a quarter more. */
START_TEST(gives_what_was_asked_for)
{
    struct bufpool *pool = bufpool_create(64 * MIB);
    uint8_t *block = take(pool, sizes[_i]);
    ck_assert_ptr_nonnull(block);
    memset(block, 0xa5, sizes[_i]);
    struct bufpool_usage usage = bufpool_usage(pool);
    ck_assert_uint_ge(usage.used, sizes[_i]);
    ck_assert_uint_le(usage.used, sizes[_i] + sizes[_i] / 4);
    give(pool, block, sizes[_i]);
    ck_assert_uint_eq(bufpool_usage(pool).used, 0);
    bufpool_destroy(pool);
}
END_TEST

START_TEST(reuses)
{
    struct bufpool *pool = bufpool_create(64 * MIB);
    void *block = take(pool, 5 * MIB);
    give(pool, block, 5 * MIB);
    ck_assert_uint_eq(bufpool_usage(pool).kept, 5 * MIB);
    ck_assert_ptr_eq(take(pool, 5 * MIB - 100), block);
    ck_assert_uint_eq(bufpool_usage(pool).kept, 0);
    give(pool, block, 5 * MIB - 100);
    bufpool_destroy(pool);
}
END_TEST

START_TEST(refuses_over_the_budget)
{
    struct bufpool *pool = bufpool_create(16 * MIB);
    void *block = take(pool, 8 * MIB);
    ck_assert_ptr_null(take(pool, 7 * MIB));
    ck_assert(!bufpool_reserve(pool, 7 * MIB));
    ck_assert(bufpool_reserve(pool, 6 * MIB));
    ck_assert_uint_eq(bufpool_usage(pool).refused, 2);
    bufpool_unreserve(pool, 6 * MIB);
    give(pool, block, 8 * MIB);
    ck_assert_ptr_null(take(pool, SIZE_MAX));
    bufpool_destroy(pool);
}
END_TEST

/* Whether the large ones are blocks or reserved, fresh or kept. */
START_TEST(large_pieces_leave_an_eighth)
{
    struct bufpool *pool = bufpool_create(16 * MIB);
    void *block = take(pool, 7 * MIB);
    give(pool, take(pool, MIB), MIB);
    ck_assert(bufpool_reserve(pool, 7 * MIB));
    ck_assert_ptr_null(take(pool, MIB));
    ck_assert_ptr_null(take(pool, 65536));
    ck_assert(!bufpool_reserve(pool, 65536));
    void *small[32];
    for (int i = 0; i < 32; i++)
        ck_assert_ptr_nonnull(small[i] = take(pool, 65535));
    ck_assert(!bufpool_reserve(pool, 65535));
    ck_assert(bufpool_reserve(pool, 32));
    ck_assert_uint_eq(bufpool_usage(pool).used, 16 * MIB);
    ck_assert_ptr_null(take(pool, 1));
    bufpool_unreserve(pool, 32);
    for (int i = 0; i < 32; i++)
        give(pool, small[i], 65535);
    bufpool_unreserve(pool, 7 * MIB);
    give(pool, block, 7 * MIB);
    bufpool_destroy(pool);
}
END_TEST

/* What is kept never stands in the way of what is asked for. */
START_TEST(kept_blocks_make_room)
{
    struct bufpool *pool = bufpool_create(11 * MIB);
    give(pool, take(pool, 4 * MIB), 4 * MIB);
    void *six = take(pool, 6 * MIB);
    ck_assert_ptr_nonnull(six);
    ck_assert_uint_eq(bufpool_usage(pool).kept, 4 * MIB);
    void *three = take(pool, 3 * MIB);
    ck_assert_ptr_nonnull(three);
    ck_assert_uint_eq(bufpool_usage(pool).kept, 0);
    give(pool, six, 6 * MIB);
    give(pool, three, 3 * MIB);
    bufpool_destroy(pool);
}
END_TEST

START_TEST(trim_spares_what_is_in_use)
{
    struct bufpool *pool = bufpool_create(64 * MIB);
    give(pool, take(pool, MIB), MIB);
    bufpool_trim(pool);
    ck_assert_uint_eq(bufpool_usage(pool).kept, MIB);
    give(pool, take(pool, MIB), MIB);
    bufpool_trim(pool);
    ck_assert_uint_eq(bufpool_usage(pool).kept, MIB);
    bufpool_trim(pool);
    ck_assert_uint_eq(bufpool_usage(pool).kept, 0);
    bufpool_destroy(pool);
}
END_TEST

static void *churn(void *arg)
{
    struct bufpool *pool = arg;
    for (size_t i = 0; i < 2000; i++) {
        size_t size = sizes[i % 8];
        uint8_t *block = take(pool, size);
        if (block == NULL)
            continue;
        block[0] = block[size - 1] = 1;
        give(pool, block, size);
        if (i % 100 == 0)
            bufpool_trim(pool);
    }
    return NULL;
}

START_TEST(threads)
{
    struct bufpool *pool = bufpool_create(4 * MIB);
    pthread_t thread[4];
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, churn, pool), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    ck_assert_uint_eq(bufpool_usage(pool).used, 0);
    bufpool_destroy(pool);
}
END_TEST

SUITE("bufpool", TEST_ROWS(gives_what_was_asked_for, sizes) TEST_ONE(reuses) TEST_ONE(refuses_over_the_budget)
      TEST_ONE(large_pieces_leave_an_eighth)
      TEST_ONE(kept_blocks_make_room) TEST_ONE(trim_spares_what_is_in_use) TEST_ONE(threads))
