#include "api/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

/* Counts what is out, and refuses the block number `fail_at`. */
struct ledger {
    size_t out, blocks, fail_at;
};

static void *ledger_alloc(void *ctx, size_t size)
{
    struct ledger *l = ctx;
    if (++l->blocks == l->fail_at)
        return NULL;
    l->out += size;
    return malloc(size);
}

static void ledger_free(void *ctx, void *block, size_t size)
{
    ((struct ledger *)ctx)->out -= size;
    free(block);
}

static const struct {
    const char *what;
    size_t n, size;
    bool want;
} sizes[] = {
    {"nothing is still a pointer", 0, 8, true},
    {"elements of no size", 5, 0, true},
    {"small", 3, 8, true},
    {"larger than a block", 1, 1 << 20, true},
    {"product overflows", SIZE_MAX / 2, 4, false},
    {"product fits, rounding would not", SIZE_MAX, 1, false},
};

START_TEST(allocates_or_refuses)
{
    struct ledger ledger = {0};
    const struct memory memory = {ledger_alloc, ledger_free, &ledger};
    struct arena arena;
    arena_init(&arena, &memory, NULL, 0);
    uint8_t *p = arena_alloc(&arena, sizes[_i].n, sizes[_i].size);
    ck_assert_msg((p != NULL) == sizes[_i].want, "%s", sizes[_i].what);
    if (p != NULL) {
        ck_assert_uint_eq((uintptr_t)p % 16, 0);
        memset(p, 0xaa, sizes[_i].n * sizes[_i].size);
    }
    arena_release(&arena);
    ck_assert_uint_eq(ledger.out, 0);
}
END_TEST

START_TEST(pieces_do_not_overlap)
{
    struct arena arena;
    uint8_t first[300];
    arena_init(&arena, &memory_heap, first + 1, sizeof(first) - 1);
    uint8_t *piece[400];
    for (size_t i = 0; i < 400; i++) {
        piece[i] = arena_alloc(&arena, i, 1);
        ck_assert_ptr_nonnull(piece[i]);
        memset(piece[i], (int)(i & 0xff), i);
    }
    for (size_t i = 0; i < 400; i++)
        for (size_t k = 0; k < i; k++)
            ck_assert_uint_eq(piece[i][k], i & 0xff);
    arena_release(&arena);
}
END_TEST

START_TEST(first_block_is_used_before_any_other)
{
    struct ledger ledger = {.fail_at = 1};
    const struct memory memory = {ledger_alloc, ledger_free, &ledger};
    struct arena arena;
    uint8_t first[256];
    arena_init(&arena, &memory, first, sizeof(first));
    ck_assert_ptr_nonnull(arena_alloc(&arena, 200, 1));
    ck_assert_ptr_null(arena_alloc(&arena, 200, 1));
    arena_release(&arena);
    ck_assert_uint_eq(ledger.out, 0);
}
END_TEST

static void note(void *ptr)
{
    static int order;
    *(int *)ptr = ++order;
}

START_TEST(deferred_calls_run_in_reverse)
{
    int one = 0, two = 0;
    struct arena arena;
    arena_init(&arena, &memory_heap, NULL, 0);
    ck_assert(arena_defer(&arena, note, &one));
    ck_assert(arena_defer(&arena, note, &two));
    ck_assert_int_eq(one + two, 0);
    arena_release(&arena);
    ck_assert_int_eq(two, 1);
    ck_assert_int_eq(one, 2);
}
END_TEST

START_TEST(defer_without_memory_calls_at_once)
{
    struct ledger ledger = {.fail_at = 1};
    const struct memory memory = {ledger_alloc, ledger_free, &ledger};
    struct arena arena;
    int called = 0;
    arena_init(&arena, &memory, NULL, 0);
    ck_assert(!arena_defer(&arena, note, &called));
    ck_assert_int_ne(called, 0);
    arena_release(&arena);
}
END_TEST

START_TEST(prints)
{
    struct arena arena;
    arena_init(&arena, &memory_heap, NULL, 0);
    ck_assert_str_eq(arena_printf(&arena, "%s-%d", "axis", 3), "axis-3");
    ck_assert_str_eq(arena_text(&arena, "axes"), "axes");
    arena_release(&arena);
}
END_TEST

START_TEST(joins)
{
    const struct bytes parts[] = {BYTES_LITERAL("["), {NULL, 0}, BYTES_LITERAL("axes"), BYTES_LITERAL("]")};
    const struct bytes endless[] = {{(const uint8_t *)"", SIZE_MAX}, {(const uint8_t *)"", 1}};
    struct arena arena;
    struct bytes ret;
    arena_init(&arena, &memory_heap, NULL, 0);
    ck_assert(arena_join(&arena, parts, 4, &ret));
    ck_assert(bytes_equal(ret, "[axes]"));
    ck_assert(arena_join(&arena, parts, 0, &ret));
    ck_assert_uint_eq(ret.len, 0);
    ck_assert(!arena_join(&arena, endless, 2, &ret));
    arena_release(&arena);
}
END_TEST

/* Wherever in a block a text ends: in the first block, just at its end, or beyond. */
START_TEST(prints_across_the_end_of_a_block)
{
    uint8_t first[256];
    char want[400];
    for (int len = 0; len < (int)sizeof(want); len++) {
        struct arena arena;
        arena_init(&arena, &memory_heap, first, sizeof(first));
        snprintf(want, sizeof(want), "%*d", len, 7);
        char *before = arena_printf(&arena, "%s", "before");
        char *text = arena_printf(&arena, "%*d", len, 7);
        char *after = arena_printf(&arena, "%s", "after");
        ck_assert_str_eq(text, want);
        ck_assert_str_eq(before, "before");
        ck_assert_str_eq(after, "after");
        arena_release(&arena);
    }
}
END_TEST

SUITE("arena", TEST_ROWS(allocates_or_refuses, sizes) TEST_ONE(pieces_do_not_overlap)
      TEST_ONE(first_block_is_used_before_any_other) TEST_ONE(deferred_calls_run_in_reverse)
      TEST_ONE(defer_without_memory_calls_at_once) TEST_ONE(prints) TEST_ONE(joins)
      TEST_ONE(prints_across_the_end_of_a_block))
