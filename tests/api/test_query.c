#include "api/query.h"

#include <string.h>

#include "tests/suite.h"

#define MANY 70 /* more than a rank can be */

static const struct {
    const char *text;
    enum dtype dtype;
    bool has_dims;
    struct shape dims;
    int64_t count; /* of `shape`; -1: not given */
    int64_t shape[4];
} read[] = {
    {NULL, DTYPE_NONE, false, {0}, -1, {0}},
    {"", DTYPE_NONE, false, {0}, -1, {0}},
    {"shape=2,3,6", DTYPE_NONE, false, {0}, 3, {2, 3, 6}},
    {"shape=", DTYPE_NONE, false, {0}, 0, {0}},
    {"shape", DTYPE_NONE, false, {0}, 0, {0}},
    {"shape=0", DTYPE_NONE, false, {0}, 1, {0}},
    {"shape=-1,-0", DTYPE_NONE, false, {0}, 2, {-1, 0}},
    {"shape=9223372036854775807,-9223372036854775808", DTYPE_NONE, false, {0}, 2, {INT64_MAX, INT64_MIN}},
    {"shape=2%2C3", DTYPE_NONE, false, {0}, 2, {2, 3}},
    {"sh%61pe=%32", DTYPE_NONE, false, {0}, 1, {2}},
    {"dims=3,1", DTYPE_NONE, true, {2, {3, 1}}, -1, {0}},
    {"dims=", DTYPE_NONE, true, {0}, -1, {0}},
    {"dims=0", DTYPE_NONE, true, {1, {0}}, -1, {0}},
    {"datatype=FP32", DTYPE_FP32, false, {0}, -1, {0}},
    {"datatype=FLOAT", DTYPE_FP32, false, {0}, -1, {0}},
    {"datatype=FP8%5FE4M3FN", DTYPE_FP8_E4M3FN, false, {0}, -1, {0}},
    {"datatype=INT8&dims=2&shape=4,2", DTYPE_INT8, true, {1, {2}}, 2, {4, 2}},
    {"&&x=1&shape=2&x=2&%00=%ff&axes=1&=3&input=1", DTYPE_NONE, false, {0}, 1, {2}}, /* not known: ignored */
    {"SHAPE=2&Dims=3", DTYPE_NONE, false, {0}, -1, {0}},
};

static struct arena arena;
static struct call call;

static void setup(void)
{
    arena_init(&arena, &memory_heap, NULL, 0);
    call = (struct call){.op = op_newest("expand")};
}

static void teardown(void)
{
    arena_release(&arena);
}

START_TEST(reads)
{
    struct query query;
    struct problem err;
    ck_assert_msg(query_read(&arena, read[_i].text, &call, &query, &err), "%s", err.detail);
    ck_assert_int_eq(query.dtype, read[_i].dtype);
    ck_assert(query.has_dims == read[_i].has_dims);
    ck_assert(!query.has_dims || shape_equal(&query.dims, &read[_i].dims));
    ck_assert(!call.in[0].given);
    ck_assert(call.in[1].given == (read[_i].count >= 0));
    if (read[_i].count < 0)
        return;
    const struct tensor *shape = &call.in[1].tensor;
    ck_assert_int_eq(shape->dtype, DTYPE_INT64);
    ck_assert(shape_equal(&shape->shape, &(struct shape){1, {read[_i].count}}));
    ck_assert_mem_eq(shape->data, read[_i].shape, (size_t)read[_i].count * sizeof(int64_t));
}
END_TEST

static const struct {
    const char *text;
    enum problem_code code;
    const char *pointer;
    const char *says;
} refused[] = {
    {"shape=2,,3", PROBLEM_INVALID_DATA, "/shape", "entry 1 is \"\""},
    {"shape=2,", PROBLEM_INVALID_DATA, "/shape", "entry 1 is \"\""},
    {"shape=,", PROBLEM_INVALID_DATA, "/shape", "entry 0 is \"\""},
    {"shape=+2", PROBLEM_INVALID_DATA, "/shape", "\"+2\""},
    {"shape=%202", PROBLEM_INVALID_DATA, "/shape", "\" 2\""},
    {"shape=2.0", PROBLEM_INVALID_DATA, "/shape", "\"2.0\""},
    {"shape=02", PROBLEM_INVALID_DATA, "/shape", "\"02\""},
    {"shape=-", PROBLEM_INVALID_DATA, "/shape", "\"-\""},
    {"shape=1e3", PROBLEM_INVALID_DATA, "/shape", "\"1e3\""},
    {"shape=[2,3]", PROBLEM_INVALID_DATA, "/shape", "\"[2\""},
    {"shape=9223372036854775808", PROBLEM_INVALID_DATA, "/shape", "9223372036854775808"},
    {"shape=-9223372036854775809", PROBLEM_INVALID_DATA, "/shape", "-9223372036854775809"},
    {"shape=99999999999999999999999999999999999999999999999999", PROBLEM_INVALID_DATA, "/shape", "entry 0"},
    {"shape=%00", PROBLEM_INVALID_DATA, "/shape", "entry 0"},
    {"shape=2&shape=2", PROBLEM_INVALID_REQUEST, "/shape", "twice"},
    {"dims=1&dims=1", PROBLEM_INVALID_REQUEST, "/dims", "twice"},
    {"dims=-1", PROBLEM_INVALID_SHAPE, "/dims", "negative size -1"},
    {"dims=x", PROBLEM_INVALID_DATA, "/dims", "entry 0 is \"x\""},
    {"datatype=FP32&datatype=FP32", PROBLEM_INVALID_REQUEST, "/datatype", "twice"},
    {"datatype=", PROBLEM_UNSUPPORTED_DATATYPE, "/datatype", "no type"},
    {"datatype=fp32", PROBLEM_UNSUPPORTED_DATATYPE, "/datatype", "?datatype=fp32"},
    {"shape=%", PROBLEM_BAD_TARGET, "", "hexadecimal"},
    {"shape=%2", PROBLEM_BAD_TARGET, "", "hexadecimal"},
    {"shape=%zz", PROBLEM_BAD_TARGET, "", "hexadecimal"},
    {"%x1=2", PROBLEM_BAD_TARGET, "", "hexadecimal"},
};

START_TEST(refuses)
{
    struct query query;
    struct problem err;
    ck_assert_msg(!query_read(&arena, refused[_i].text, &call, &query, &err), "not refused: %s", refused[_i].text);
    ck_assert_str_eq(problem_info(err.code)->code, problem_info(refused[_i].code)->code);
    ck_assert_str_eq(err.pointer, refused[_i].pointer);
    ck_assert_msg(strstr(err.detail, refused[_i].says) != NULL, "%s", err.detail);
}
END_TEST

/* Sizes of `dims` are bounded by the rank, those of an input are not: what it may hold is the operator's business. */
START_TEST(long_lists)
{
    char text[16 + 2 * MANY] = "dims=";
    struct query query;
    struct problem err;
    for (size_t i = 0; i < MANY; i++)
        memcpy(text + 5 + 2 * i, "1,", 3);
    text[5 + 2 * MANY - 1] = '\0';
    ck_assert(!query_read(&arena, text, &call, &query, &err));
    ck_assert_ptr_nonnull(strstr(err.detail, "70 sizes"));
    memcpy(text, "axes=", 5);
    call.op = op_newest("unsqueeze");
    ck_assert(query_read(&arena, text, &call, &query, &err));
    ck_assert_int_eq(call.in[1].tensor.shape.dim[0], MANY);
}
END_TEST

SUITE("query", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ROWS(reads, read) TEST_ROWS(refuses, refused)
      TEST_ONE(long_lists))
