#include "api/codec.h"

#include <string.h>

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

/* Sizes by Triton's binary tensor extension: elements x width; packed types rounded up to a byte. */
static const struct {
    enum dtype dtype;
    struct shape shape;
    const char *blob;
    size_t len;
    bool want;
} rows[] = {
    {DTYPE_FP32, {2, {1, 2}}, "12345678", 8, true},
    {DTYPE_FP32, {2, {1, 2}}, "1234567", 7, false},
    {DTYPE_FP32, {2, {1, 2}}, "123456789", 9, false},
    {DTYPE_FP32, {2, {0, 2}}, "", 0, true},
    {DTYPE_FP32, {0, {0}}, "1234", 4, true},
    {DTYPE_COMPLEX128, {1, {1}}, "0123456789abcdef", 16, true},
    {DTYPE_BOOL, {1, {3}}, "\0\1\2", 3, true},
    {DTYPE_INT4, {1, {3}}, "12", 2, true},
    {DTYPE_INT4, {1, {3}}, "123", 3, false},
    {DTYPE_UINT2, {1, {9}}, "123", 3, true},
    {DTYPE_UINT2, {1, {8}}, "123", 3, false},
    {DTYPE_BYTES, {1, {2}}, "\1\0\0\0a\0\0\0\0", 9, true},
    {DTYPE_BYTES, {1, {0}}, "", 0, true},
    {DTYPE_BYTES, {1, {0}}, "\0\0\0\0", 4, false},
    {DTYPE_BYTES, {1, {1}}, "\11\0\0\0abcd", 8, false},
    {DTYPE_BYTES, {1, {1}}, "\1\0", 2, false},
    {DTYPE_BYTES, {1, {2}}, "\1\0\0\0a\1\0\0\0b\1\0\0\0c", 15, false},
    {DTYPE_BYTES, {1, {1}}, "\377\377\377\377", 4, false},
    {DTYPE_BYTES, {1, {INT64_MAX}}, "\0\0\0\0", 4, false},
    {DTYPE_FP64, {1, {INT64_MAX}}, "12345678", 8, false},
};

START_TEST(decode)
{
    struct call_input input = {.given = true, .pointer = "/inputs/0"};
    tensor_init(&input.tensor, rows[_i].dtype, &rows[_i].shape, NULL);
    struct problem err = {.code = PROBLEM_NONE};
    struct bytes blob = {(const uint8_t *)rows[_i].blob, rows[_i].len};
    ck_assert(codec_binary_decode(&arena, blob, &input, &err) == rows[_i].want);
    if (rows[_i].want)
        ck_assert_int_eq(err.code, PROBLEM_NONE);
    else
        ck_assert_int_eq(problem_info(err.code)->status, 400);
}
END_TEST

START_TEST(strings_there_and_back)
{
    static const uint8_t blob[] = "\3\0\0\0a\0b\0\0\0\0\1\0\0\0\xff";
    const size_t len = sizeof(blob) - 1;
    struct call_input input = {.given = true, .pointer = "/inputs/0"};
    tensor_init(&input.tensor, DTYPE_BYTES, &(struct shape){2, {3, 1}}, NULL);
    struct problem err;
    ck_assert(codec_binary_decode(&arena, (struct bytes){blob, len}, &input, &err));
    const struct string *strings = input.tensor.data;
    ck_assert_uint_eq(strings[0].len, 3);
    ck_assert_mem_eq(strings[0].ptr, "a\0b", 3);
    ck_assert_uint_eq(strings[1].len, 0);
    ck_assert_mem_eq(strings[2].ptr, "\xff", 1);

    struct pieces pieces;
    ck_assert(codec_binary_pieces(&arena, &input.tensor, &pieces));
    ck_assert_int_eq(pieces.count, 3);
    ck_assert_uint_eq(pieces.offset[3], len);
    ck_assert_mem_eq(pieces.base, blob, len);
}
END_TEST

SUITE("codec_binary", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ROWS(decode, rows)
      TEST_ONE(strings_there_and_back))
