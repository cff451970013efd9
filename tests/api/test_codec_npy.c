#include <stdio.h>

#include "tests/api/vectors.h"
#include "tests/api/vectors_npy.h"

static const struct codec npy = {codec_npy_decode, codec_npy_encode};

START_TEST(there_and_back)
{
    check_vector(&npy, &npy_vectors[_i]);
}
END_TEST

START_TEST(mutations)
{
    check_mutations(&npy, &npy_vectors[_i]);
}
END_TEST

START_TEST(no_memory)
{
    check_scarce(&npy, &npy_vectors[_i]);
}
END_TEST

/* ---- what numpy would not write, or is no tensor: a dict, bytes of data behind it, and what the refusal says ---- */

#define DICT(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }"

static const struct {
    const char *dict;
    size_t data;
    enum dtype told;
    enum problem_code code;
    const char *says;
} refused[] = {
    {DICT("'<f4'", "(2,)"), 7, 0, PROBLEM_INVALID_DATA, "make 8 bytes of data, but 7 follow"},
    {DICT("'<f4'", "(2,)"), 9, 0, PROBLEM_INVALID_DATA, "make 8 bytes of data, but 9 follow"},
    {DICT("'<f4'", "(0,)"), 1, 0, PROBLEM_INVALID_DATA, "make 0 bytes of data, but 1 follow"},
    {DICT("'<f4'", "(-1,)"), 4, 0, PROBLEM_INVALID_SHAPE, "the negative size -1"},
    {DICT("'<f4'", "(4294967296, 4294967296)"), 4, 0, PROBLEM_INVALID_SHAPE, "not representable"},
    {DICT("'<f8'", "(1152921504606846976,)"), 0, 0, PROBLEM_INVALID_SHAPE, "not representable"},
    {DICT("'<f4'", "(9223372036854775808,)"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "(1)"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "(,)"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "(1,,1)"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "(1, 1 1)"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "[1]"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "(1,"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "(01,)"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "(1.0,)"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'<f4'", "(True,)"), 4, 0, PROBLEM_INVALID_SHAPE, "a tuple of sizes"},
    {DICT("'|O'", "(1,)"), 4, 0, PROBLEM_UNSUPPORTED_DATATYPE, "pickle, which is never loaded"},
    {DICT("'<M8[s]'", "(1,)"), 8, 0, PROBLEM_UNSUPPORTED_DATATYPE, "no dates"},
    {DICT("'<m8'", "(1,)"), 8, 0, PROBLEM_UNSUPPORTED_DATATYPE, "no dates"},
    {DICT("'<f16'", "(1,)"), 16, 0, PROBLEM_UNSUPPORTED_DATATYPE, "a.astype('f8')"},
    {DICT("'<c32'", "(1,)"), 32, 0, PROBLEM_UNSUPPORTED_DATATYPE, "a.astype('f8')"},
    {DICT("'<ixy'", "(1,)"), 4, 0, PROBLEM_UNSUPPORTED_DATATYPE, "descr '<ixy'"},
    {DICT("'<i3'", "(1,)"), 3, 0, PROBLEM_UNSUPPORTED_DATATYPE, "descr '<i3'"},
    {DICT("''", "(1,)"), 4, 0, PROBLEM_UNSUPPORTED_DATATYPE, "descr ''"},
    {DICT("'<'", "(1,)"), 4, 0, PROBLEM_UNSUPPORTED_DATATYPE, "descr '<'"},
    {DICT("'|S0'", "(1000000000000,)"), 0, 0, PROBLEM_UNSUPPORTED_DATATYPE, "descr '|S0'"},
    {DICT("'<U99999999999999999999'", "(1,)"), 4, 0, PROBLEM_UNSUPPORTED_DATATYPE, "is no ONNX type"},
    {DICT("[('a', '<i4'), ('b', '<f4')]", "(1,)"), 8, 0, PROBLEM_UNSUPPORTED_DATATYPE, "field by field"},
    {DICT("'|V3'", "(1,)"), 3, 0, PROBLEM_UNSUPPORTED_DATATYPE, "?datatype="},
    {DICT("'<V1'", "(1,)"), 1, 0, PROBLEM_UNSUPPORTED_DATATYPE, "?datatype="},
    {DICT("'|V2'", "(1,)"), 2, 0, PROBLEM_UNSUPPORTED_DATATYPE, "?datatype="},
    {DICT("'<V1'", "(2,)"), 2, DTYPE_BF16, PROBLEM_UNSUPPORTED_DATATYPE, "?datatype="},
    {DICT("1", "(1,)"), 4, 0, PROBLEM_INVALID_DATA, "'descr'"},
    {DICT("'<f4", "(1,)"), 4, 0, PROBLEM_INVALID_DATA, "'fortran_order'"},
    {DICT("[('a', '<i4')", "(1,)"), 4, 0, PROBLEM_INVALID_DATA, "'descr'"},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4, 0, PROBLEM_INVALID_DATA, "'fortran_order'"},
    {"{'descr': '<f4', 'shape': (1,)}", 4, 0, PROBLEM_INVALID_DATA, "must be a dict"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, 0, PROBLEM_INVALID_DATA, "each once"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4, 0, PROBLEM_INVALID_DATA, "must be a dict"},
    {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", 4, 0, PROBLEM_INVALID_DATA, "must be a dict"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 4, 0, PROBLEM_INVALID_DATA, "must be a dict"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + {}", 4, 0, PROBLEM_INVALID_DATA, "must be a dict"},
    {"", 4, 0, PROBLEM_INVALID_DATA, "must be a dict"},
};

/* A version 1.0 file. */
static size_t make_file(const char *dict, size_t data, uint8_t *out)
{
    size_t len = strlen(dict);
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (uint8_t)len;
    out[9] = (uint8_t)(len >> 8);
    memcpy(out + 10, dict, len);
    memset(out + 10 + len, 0, data);
    return 10 + len + data;
}

static void check_refusal(struct bytes file, enum dtype told, enum problem_code code, const char *says)
{
    struct trip t;
    trip_begin(&t, &memory_heap);
    ck_assert_msg(!trip_decode(&t, &npy, file, told), "not refused: %s", says);
    ck_assert_msg(strstr(t.err.detail, says) != NULL, "\"%s\" does not say \"%s\"", t.err.detail, says);
    ck_assert_str_eq(problem_info(t.err.code)->code, problem_info(code)->code);
    ck_assert_str_eq(t.err.pointer, "/input");
    ck_assert_int_eq(strncmp(t.err.detail, "input: ", 7), 0);
    trip_end(&t);
}

START_TEST(refuses)
{
    uint8_t file[512];
    size_t len = make_file(refused[_i].dict, refused[_i].data, file);
    check_refusal((struct bytes){file, len}, refused[_i].told, refused[_i].code, refused[_i].says);
}
END_TEST

static const struct {
    const char *what;
    struct bytes file;
    const char *says;
} broken[] = {
    {"nothing", BYTES(""), "not a .npy file"},
    {"half a magic", BYTES("\x93NUM"), "not a .npy file"},
    {"another magic", BYTES("PK\3\4\0\0\0\0\0\0"), "not a .npy file"},
    {"no version", BYTES("\x93NUMPY"), "ends within its header"},
    {"version 0.1", BYTES("\x93NUMPY\0\1\0\0\0\0"), "version 0.1"},
    {"version 1.1", BYTES("\x93NUMPY\1\1\0\0\0\0"), "version 1.1"},
    {"version 4.0", BYTES("\x93NUMPY\4\0\0\0\0\0"), "version 4.0"},
    {"version 1.0 without its length", BYTES("\x93NUMPY\1\0\1"), "ends within its header"},
    {"version 2.0 with a short length", BYTES("\x93NUMPY\2\0\1\0"), "ends within its header"},
    {"header longer than the file", BYTES("\x93NUMPY\1\0\5\0abcd"), "claims 5 bytes, but the file ends after 4"},
    {"header of 4 GiB", BYTES("\x93NUMPY\2\0\377\377\377\377abcd"), "claims 4294967295 bytes"},
    {"surrogate", BYTES("\x93NUMPY\1\0\60\0{'descr':'<U1','fortran_order':False,'shape':()}\0\xd8\0\0"), "no Unicode character"},
    {"beyond Unicode", BYTES("\x93NUMPY\1\0\60\0{'descr':'<U1','fortran_order':False,'shape':()}\0\0\x11\0"),
     "no Unicode character"},
};

START_TEST(refuses_broken)
{
    check_refusal(broken[_i].file, DTYPE_NONE, PROBLEM_INVALID_DATA, broken[_i].says);
}
END_TEST

START_TEST(refuses_rank_65)
{
    char dict[512];
    uint8_t file[1024];
    size_t at = (size_t)snprintf(dict, sizeof(dict), "{'descr': '|u1', 'fortran_order': False, 'shape': (");
    for (int i = 0; i < SHAPE_MAX_RANK + 1; i++)
        at += (size_t)snprintf(dict + at, sizeof(dict) - at, "1,");
    snprintf(dict + at, sizeof(dict) - at, ")}");
    size_t len = make_file(dict, 1, file);
    check_refusal((struct bytes){file, len}, DTYPE_NONE, PROBLEM_INVALID_SHAPE, "more than 64 dimensions");
}
END_TEST

/* ---- answers ---- */

START_TEST(refuses_to_write_a_nul_at_the_end)
{
    static const struct string strings[] = {{"a\0b", 3}, {"c\0", 2}};
    struct trip t;
    trip_begin(&t, &memory_heap);
    tensor_init(&t.call.in[0].tensor, DTYPE_BYTES, &(struct shape){1, {2}}, strings);
    const struct output output = trip_output(&t);
    ck_assert_ptr_null(codec_npy_encode(&output));
    ck_assert_int_eq(t.err.code, PROBLEM_INVALID_DATA);
    ck_assert_ptr_nonnull(strstr(t.err.detail, "element 1 "));
    ck_assert_str_eq(t.err.pointer, "/input");
    trip_end(&t);
}
END_TEST

/* Header 128, and 1,000 elements of 1 and 4 bytes; text takes the length of the longest element for each. */
static const struct {
    enum dtype dtype;
    uint64_t max_bytes;
    bool fits;
} limits[] = {
    {DTYPE_UINT8, 1128, true},  {DTYPE_UINT8, 1127, false}, {DTYPE_FP32, 4128, true}, {DTYPE_FP32, 4127, false},
    {DTYPE_INT4, 1128, true},   {DTYPE_INT4, 1127, false},  {DTYPE_INT4, 999, false}, {DTYPE_BYTES, 3128, true},
    {DTYPE_BYTES, 3127, false}, {DTYPE_BYTES, 2999, false},
};

START_TEST(keeps_the_limit)
{
    static const uint8_t zeros[4] = {0};
    static const struct string text = {"abc", 3};
    const struct shape shape = {1, {1000}};
    struct trip t;
    trip_begin(&t, &memory_heap);
    enum dtype dtype = limits[_i].dtype;
    const void *data = dtype == DTYPE_BYTES ? (const void *)&text : zeros;
    struct tensor view;
    tensor_init(&t.call.in[0].tensor, dtype, &(struct shape){1, {1}}, data);
    tensor_init(&view, dtype, &shape, data);
    view.stride[0] = 0;
    uint8_t packed[500] = {0};
    if (dtype == DTYPE_INT4)
        tensor_init(&view, dtype, &shape, packed);
    struct output output = trip_output(&t);
    output.view = &view;
    output.max_bytes = limits[_i].max_bytes;
    ck_assert((codec_npy_encode(&output) != NULL) == limits[_i].fits);
    ck_assert_int_eq(t.err.code, limits[_i].fits ? PROBLEM_NONE : PROBLEM_OUTPUT_TOO_LARGE);
    trip_end(&t);
}
END_TEST

/* One long element among many would take its length for each; that is refused before it is written. */
START_TEST(one_long_element)
{
    char text[1 << 16];
    struct string strings[1000] = {{text, sizeof(text)}};
    memset(text, 'x', sizeof(text));
    struct scarce scarce = {.total = 0};
    const struct memory memory = scarce_memory(&scarce);
    struct trip t;
    trip_begin(&t, &memory);
    tensor_init(&t.call.in[0].tensor, DTYPE_BYTES, &(struct shape){1, {1000}}, strings);
    const struct output output = trip_output(&t);
    ck_assert_ptr_null(codec_npy_encode(&output));
    ck_assert_int_eq(t.err.code, PROBLEM_OUTPUT_TOO_LARGE);
    ck_assert_uint_lt(scarce.total, 1 << 20);
    trip_end(&t);
}
END_TEST

SUITE("codec_npy", TEST_ROWS(there_and_back, npy_vectors) TEST_ROWS(mutations, npy_vectors)
      TEST_ROWS(no_memory, npy_vectors) TEST_ROWS(refuses, refused) TEST_ROWS(refuses_broken, broken)
      TEST_ONE(refuses_rank_65) TEST_ONE(refuses_to_write_a_nul_at_the_end) TEST_ROWS(keeps_the_limit, limits)
      TEST_ONE(one_long_element))
