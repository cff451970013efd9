#include "api/source.h"

#include <string.h>

#include "api/pieces.h"
#include "tests/suite.h"

static struct arena arena;

static void setup(void)
{
    arena_init(&arena, &memory_heap, NULL, 0);
}

static void teardown(void)
{
    arena_release(&arena);
}

/* Pulls everything in blocks of 1, 2, ... bytes, and checks that a source gives exactly what it is asked for. */
static size_t drain(struct source *source, uint8_t *out, size_t max)
{
    size_t done = 0;
    for (size_t block = 1; done < max; block = block % 97 + 1) {
        size_t ask = block < max - done ? block : max - done;
        size_t got = source_pull(source, out + done, ask);
        done += got;
        if (got < ask)
            break;
    }
    return done;
}

START_TEST(bytes_as_they_are)
{
    uint8_t out[16];
    struct source *source = source_bytes(&arena, bytes_of("hello"));
    ck_assert_uint_eq(source->length, 5);
    ck_assert_uint_eq(drain(source, out, sizeof(out)), 5);
    ck_assert_mem_eq(out, "hello", 5);
    ck_assert_uint_eq(source_pull(source, out, 1), 0);
}
END_TEST

START_TEST(one_after_another)
{
    uint8_t out[16];
    struct source *parts[] = {source_bytes(&arena, bytes_of("ab")), source_bytes(&arena, bytes_of("")),
                              source_bytes(&arena, bytes_of("cde"))};
    struct source *source = source_concat(&arena, parts, 3);
    ck_assert_uint_eq(source->length, 5);
    ck_assert_uint_eq(drain(source, out, sizeof(out)), 5);
    ck_assert_mem_eq(out, "abcde", 5);
}
END_TEST

START_TEST(unknown_length_is_catching)
{
    struct source *parts[] = {source_bytes(&arena, bytes_of("ab")), source_bytes(&arena, bytes_of("c"))};
    parts[0]->length = SOURCE_LENGTH_UNKNOWN;
    ck_assert_uint_eq(source_concat(&arena, parts, 2)->length, SOURCE_LENGTH_UNKNOWN);
}
END_TEST

/* [3,1] as [2,3,2]: each element twice, the whole twice. */
START_TEST(dense_form)
{
    const int16_t data[] = {1, 2, 3};
    const int16_t want[] = {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3};
    struct tensor tensor = {.dtype = DTYPE_INT16, .shape = {3, {2, 3, 2}}, .stride = {0, 1, 0}, .data = data};
    uint8_t out[sizeof(want) + 8];
    struct source *source = source_view(&arena, &tensor);
    ck_assert_uint_eq(source->length, sizeof(want));
    ck_assert_uint_eq(drain(source, out, sizeof(out)), sizeof(want));
    ck_assert_mem_eq(out, want, sizeof(want));
}
END_TEST

/* Piece i is the letter i, i + 1 times, and a comma. */
#define LETTERS 12
static uint8_t letters[256];
static uint64_t offsets[LETTERS + 1];

static struct pieces make_pieces(int64_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < (size_t)count; i++) {
        offsets[i] = at;
        memset(letters + at, (int)('a' + i), i + 1);
        at += i + 1;
        letters[at++] = ',';
    }
    offsets[count] = at;
    return (struct pieces){.base = letters, .offset = offsets, .count = count};
}

static const struct {
    struct tensor view;
    int64_t count;
} views[] = {
    {{.shape = {0, {0}}}, 1},
    {{.shape = {1, {12}}, .stride = {1}}, 12},
    {{.shape = {1, {7}}, .stride = {0}}, 1},
    {{.shape = {2, {3, 4}}, .stride = {0, 1}}, 4},
    {{.shape = {2, {4, 3}}, .stride = {1, 0}}, 4},
    {{.shape = {3, {2, 3, 6}}, .stride = {0, 1, 0}}, 3},
    {{.shape = {4, {2, 3, 5, 4}}, .stride = {0, 4, 0, 1}}, 12},
    {{.shape = {2, {3, 4}}, .stride = {1, 3}}, 12}, /* Fortran order */
    {{.shape = {2, {3, 0}}, .stride = {1, 0}}, 3},
    {{.shape = {2, {50000, 3}}, .stride = {0, 1}}, 3}, /* beyond the tile of repeats */
};

/* The element that stands at flat position `at` of the view, by dividing it into its indices. */
static int64_t oracle(const struct tensor *view, int64_t at)
{
    int64_t element = 0;
    for (int d = view->shape.rank - 1; d >= 0; d--) {
        element += at % view->shape.dim[d] * view->stride[d];
        at /= view->shape.dim[d];
    }
    return element;
}

START_TEST(pieces)
{
    struct tensor view = views[_i].view;
    view.dtype = DTYPE_UINT8;
    struct pieces p = make_pieces(views[_i].count);
    static uint8_t want[1 << 20], got[1 << 20];
    size_t len = 0;
    int64_t elements = 0;
    ck_assert(shape_elements(&view.shape, &elements));
    for (int64_t i = 0; i < elements; i++) {
        int64_t e = oracle(&view, i);
        size_t n = (size_t)(offsets[e + 1] - offsets[e]);
        memcpy(want + len, letters + offsets[e], n);
        len += n;
    }
    uint64_t length = 1;
    ck_assert(pieces_length(&p, &view, &length));
    ck_assert_uint_eq(length, len);

    for (size_t drop = 0; drop < 2; drop++) {
        size_t expect = len == 0 ? 0 : len - drop;
        struct source *source = source_pieces(&arena, &p, &view, drop);
        ck_assert_uint_eq(source->length, expect);
        ck_assert_uint_eq(drain(source, got, sizeof(got)), expect);
        ck_assert_mem_eq(got, want, expect);
        struct source *whole = source_pieces(&arena, &p, &view, drop);
        ck_assert_uint_eq(source_pull(whole, got, sizeof(got)), expect);
        ck_assert_mem_eq(got, want, expect);
    }
}
END_TEST

START_TEST(pieces_length_overflows)
{
    struct pieces p = make_pieces(1);
    struct tensor view = {.dtype = DTYPE_UINT8, .shape = {1, {INT64_MAX}}};
    uint64_t length;
    ck_assert(!pieces_length(&p, &view, &length));
    ck_assert_ptr_null(source_pieces(&arena, &p, &view, 0));
}
END_TEST

SUITE("source", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ONE(bytes_as_they_are)
      TEST_ONE(one_after_another) TEST_ONE(unknown_length_is_catching) TEST_ONE(dense_form) TEST_ROWS(pieces, views)
      TEST_ONE(pieces_length_overflows))
