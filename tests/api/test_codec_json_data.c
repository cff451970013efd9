#include "api/codec_json_data.h"

#include "tests/api/codec_json.h"

static struct fixture f;

static void setup(void)
{
    arena_init(&f.arena, &memory_heap, NULL, 0);
}

static void teardown(void)
{
    arena_release(&f.arena);
}

/* Decodes `data` as an input of Unsqueeze; with its members in the usual order, or with `data` first. */
static bool decode_data(enum dtype dtype, const char *shape, const char *data, bool data_first)
{
    char typed[512], text[4096];
    snprintf(typed, sizeof(typed), "'datatype':'%s','shape':%s", dtype_info(dtype)->name, shape);
    if (data_first)
        snprintf(text, sizeof(text), "{'inputs':[{'data':%s,%s,'name':'data'}]}", data, typed);
    else
        snprintf(text, sizeof(text), "{'inputs':[{'name':'data',%s,'data':%s}]}", typed, data);
    return decode(&f, "unsqueeze", 25, text);
}

/* Little-endian, row-major; 4- and 2-bit types low bits first (onnx.proto, TensorProto.int32_data). */
static const struct {
    enum dtype dtype;
    const char *shape, *data;
    const char *want;
    size_t len;
} good[] = {
    {DTYPE_FP32, "[2]", "[1,-2.5]", TEXT("\0\0\x80\x3f\0\0\x20\xc0")},
    {DTYPE_FP32, "[2,1]", "[[1],[-2.5]]", TEXT("\0\0\x80\x3f\0\0\x20\xc0")},
    {DTYPE_FP32, "[2,1]", "[1,-2.5]", TEXT("\0\0\x80\x3f\0\0\x20\xc0")},
    {DTYPE_FP32, "[]", "[1]", TEXT("\0\0\x80\x3f")},
    {DTYPE_FP32, "[]", "1", TEXT("\0\0\x80\x3f")},
    {DTYPE_FP32, "[3]", "['NaN','Infinity','-Infinity']", TEXT("\0\0\xc0\x7f\0\0\x80\x7f\0\0\x80\xff")},
    {DTYPE_FP32, "[0]", "[]", TEXT("")},
    {DTYPE_FP32, "[0,3]", "[]", TEXT("")},
    {DTYPE_FP32, "[2,0]", "[]", TEXT("")},
    {DTYPE_FP32, "[2,0]", "[[],[]]", TEXT("")},
    {DTYPE_FP32, "[0,9223372036854775807]", "[]", TEXT("")},
    {DTYPE_FP64, "[1]", "[ 0.1 ]", TEXT("\x9a\x99\x99\x99\x99\x99\xb9\x3f")},
    {DTYPE_FP16, "[2]", "[1,65504]", TEXT("\0\x3c\xff\x7b")},
    {DTYPE_BF16, "[1]", "[0.1]", TEXT("\xcd\x3d")},
    {DTYPE_FP8_E4M3FN, "[2]", "[448,'NaN']", TEXT("\x7e\x7f")},
    {DTYPE_FP8_E5M2FNUZ, "[2]", "[-0,'NaN']", TEXT("\0\x80")},
    {DTYPE_FP8_E8M0, "[2]", "[1,'NaN']", TEXT("\x7f\xff")},
    {DTYPE_FP4_E2M1, "[3]", "[0.5,-6,1]", TEXT("\xf1\x02")},
    {DTYPE_INT4, "[3]", "[-8,7,-1]", TEXT("\x78\x0f")},
    {DTYPE_UINT4, "[2,1]", "[[1],[15]]", TEXT("\xf1")},
    {DTYPE_UINT2, "[5]", "[0,1,2,3,2]", TEXT("\xe4\x02")},
    {DTYPE_INT2, "[4]", "[-2,-1,0,1]", TEXT("\x4e")},
    {DTYPE_INT64, "[1]", "[9007199254740993]", TEXT("\1\0\0\0\0\0\x20\0")},
    {DTYPE_UINT64, "[1]", "[18446744073709551615]", TEXT("\xff\xff\xff\xff\xff\xff\xff\xff")},
    {DTYPE_INT8, "[3]", "[1.0,-1e2,-0]", TEXT("\x01\x9c\0")},
    {DTYPE_BOOL, "[5]", "[true,false,1,0,1.0]", TEXT("\1\0\1\0\1")},
    {DTYPE_COMPLEX64, "[1]", "[1,-2.5]", TEXT("\0\0\x80\x3f\0\0\x20\xc0")},
    {DTYPE_COMPLEX64, "[]", "[1,-2.5]", TEXT("\0\0\x80\x3f\0\0\x20\xc0")},
    {DTYPE_COMPLEX64, "[1,1]", "[[1,-2.5]]", TEXT("\0\0\x80\x3f\0\0\x20\xc0")},
    {DTYPE_COMPLEX128, "[1]", "[1,'Infinity']", TEXT("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xf0\x7f")},
};

START_TEST(read)
{
    for (int data_first = 0; data_first < 2; data_first++) {
        ck_assert_msg(decode_data(good[_i].dtype, good[_i].shape, good[_i].data, data_first), "%s", f.err.detail);
        const struct tensor *tensor = &f.call.in[0].tensor;
        int64_t bytes;
        ck_assert(shape_bytes(&tensor->shape, tensor->dtype, &bytes));
        ck_assert_uint_eq((size_t)bytes, good[_i].len);
        ck_assert_mem_eq(tensor->data, good[_i].want, good[_i].len);
        ck_assert(f.call.in[0].given);
        ck_assert_str_eq(f.call.in[0].pointer, "/inputs/0");
    }
}
END_TEST

#define DATA "/inputs/0/data"

static const struct {
    enum dtype dtype;
    const char *shape, *data;
    enum problem_code code;
    const char *pointer;
} bad[] = {
    /* counts and nesting */
    {DTYPE_FP32, "[3]", "[1,2]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[1]", "[1,2]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[1]", "[]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[0]", "[1]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[]", "[]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[]", "[[1]]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP32, "[]", "'x'", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[]", "{}", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[1]", "1", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[1]", "true", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[1]", "{}", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[1]", "[[1]]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP32, "[2,2]", "[[1,2],[3]]", PROBLEM_INVALID_DATA, DATA "/1"},
    {DTYPE_FP32, "[2,2]", "[[1,2],[3,4,5]]", PROBLEM_INVALID_DATA, DATA "/1"},
    {DTYPE_FP32, "[2,2]", "[[1,2]]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[2,2]", "[[1,2],[3,4],[5,6]]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[2,3]", "[[1,2],[3,4],[5,6]]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP32, "[2,2]", "[[1,2],3,4]", PROBLEM_INVALID_DATA, DATA "/1"},
    {DTYPE_FP32, "[2,3]", "[30.5,[1.5,2.5,3.0]]", PROBLEM_INVALID_DATA, DATA "/1"},
    {DTYPE_FP32, "[2,2]", "[[1,[2]],[3,4]]", PROBLEM_INVALID_DATA, DATA "/0/1"},
    {DTYPE_FP32, "[1,2,1]", "[[[1],[[2]]]]", PROBLEM_INVALID_DATA, DATA "/0/1/0"},
    {DTYPE_FP32, "[2,0]", "[[]]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_FP32, "[1,0]", "[[1]]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP32, "[1099511627776]", "[1,2,3]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_BYTES, "[4611686018427387904,0]", "[['a']]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_COMPLEX64, "[2]", "[1,2,3]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_COMPLEX64, "[2]", "[1,2]", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_COMPLEX64, "[]", "1", PROBLEM_INVALID_DATA, DATA},
    {DTYPE_COMPLEX64, "[2,1]", "[[1,2],[3]]", PROBLEM_INVALID_DATA, DATA "/1"},
    /* kinds */
    {DTYPE_UINT32, "[2]", "['1','2']", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_UINT32, "[2]", "[1,true]", PROBLEM_INVALID_DATA, DATA "/1"},
    {DTYPE_FP32, "[2]", "[1.0,null]", PROBLEM_INVALID_DATA, DATA "/1"},
    {DTYPE_FP32, "[1]", "[{}]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP32, "[1]", "['nan']", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP32, "[1]", "['1']", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_INT32, "[1]", "['NaN']", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_BOOL, "[1]", "['true']", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_BOOL, "[1]", "[2]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_BYTES, "[2]", "['a',1]", PROBLEM_INVALID_DATA, DATA "/1"},
    {DTYPE_BYTES, "[1]", "[null]", PROBLEM_INVALID_DATA, DATA "/0"},
    /* values */
    {DTYPE_UINT8, "[2]", "[0,300]", PROBLEM_INVALID_DATA, DATA "/1"},
    {DTYPE_INT32, "[1,2]", "[[0,1.5]]", PROBLEM_INVALID_DATA, DATA "/0/1"},
    {DTYPE_FP32, "[1]", "[1e39]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP64, "[1]", "[1e400]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP16, "[1]", "[65520]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP8_E4M3FN, "[1]", "['Infinity']", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP4_E2M1, "[1]", "['NaN']", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP8_E8M0, "[1]", "[0]", PROBLEM_INVALID_DATA, DATA "/0"},
    {DTYPE_FP8_E8M0, "[1]", "[-1]", PROBLEM_INVALID_DATA, DATA "/0"},
    /* shapes */
    {DTYPE_FP32, "[4611686018427387904,4]", "[1]", PROBLEM_INVALID_SHAPE, "/inputs/0/shape"},
    {DTYPE_FP32, "[8,576460752303423489]", "[1]", PROBLEM_INVALID_SHAPE, "/inputs/0/shape"},
    {DTYPE_FP64, "[2305843009213693952]", "[1]", PROBLEM_INVALID_SHAPE, "/inputs/0/shape"},
};

START_TEST(refused)
{
    for (int data_first = 0; data_first < 2; data_first++) {
        ck_assert(!decode_data(bad[_i].dtype, bad[_i].shape, bad[_i].data, data_first));
        assert_refused(&f, bad[_i].code, bad[_i].pointer);
    }
}
END_TEST

/* Faults of syntax inside data; found first when data comes before its type. */
static const struct {
    enum dtype dtype;
    const char *data;
    const char *pointer; /* when its type is known */
} broken[] = {
    {DTYPE_FP32, "[NaN]", ""},
    {DTYPE_FP32, "[2.5,]", ""},
    {DTYPE_FP32, "[-Infinity]", ""},
    {DTYPE_FP32, "[01]", ""},
    {DTYPE_FP32, "[tru]", ""},
    {DTYPE_FP32, "[1 2]", ""},
    {DTYPE_BYTES, "['\\ud800']", DATA "/0"},
    {DTYPE_BYTES, "['\\x']", DATA "/0"},
    {DTYPE_BYTES, "['\x80']", DATA "/0"},
    {DTYPE_FP32, "['\x80']", DATA "/0"},
    {DTYPE_BOOL, "[tru]", ""},
};

START_TEST(broken_syntax)
{
    ck_assert(!decode_data(broken[_i].dtype, "[1]", broken[_i].data, false));
    assert_refused(&f, PROBLEM_MALFORMED_JSON, broken[_i].pointer);
    ck_assert(!decode_data(broken[_i].dtype, "[1]", broken[_i].data, true));
    assert_refused(&f, PROBLEM_MALFORMED_JSON, "");
}
END_TEST

START_TEST(strings)
{
    ck_assert(decode_data(DTYPE_BYTES, "[2,2]", "[['', 'a\\u0000b'],['\xc3\xa9', '\\ud83d\\ude00\\n']]", false));
    const struct string *got = f.call.in[0].tensor.data;
    static const struct {
        const char *text;
        size_t len;
    } want[] = {{TEXT("")}, {TEXT("a\0b")}, {TEXT("\xc3\xa9")}, {TEXT("\xf0\x9f\x98\x80\n")}};
    for (int i = 0; i < ROWS(want); i++) {
        ck_assert_uint_eq(got[i].len, want[i].len);
        ck_assert_mem_eq(got[i].ptr, want[i].text, want[i].len);
    }
}
END_TEST

/* The highest rank, nested. */
START_TEST(rank_64)
{
    char shape[256] = "[1", data[256] = "";
    for (int i = 1; i < SHAPE_MAX_RANK; i++)
        snprintf(shape + strlen(shape), sizeof(shape) - strlen(shape), ",1");
    snprintf(shape + strlen(shape), sizeof(shape) - strlen(shape), "]");
    memset(data, '[', SHAPE_MAX_RANK);
    data[SHAPE_MAX_RANK] = '7';
    memset(data + SHAPE_MAX_RANK + 1, ']', SHAPE_MAX_RANK);
    ck_assert_msg(decode_data(DTYPE_UINT8, shape, data, false), "%s", f.err.detail);
    ck_assert_int_eq(*(const uint8_t *)f.call.in[0].tensor.data, 7);
    data[SHAPE_MAX_RANK] = '-';
    ck_assert(!decode_data(DTYPE_UINT8, shape, data, false));
}
END_TEST

/* A shape alone costs nothing: memory is asked for only when the document is long enough to fill it. */
static void *alloc_little(void *ctx, size_t size)
{
    (void)ctx;
    ck_assert_uint_le(size, 1 << 20);
    return malloc(size);
}

START_TEST(shape_without_data_costs_nothing)
{
    static struct memory little; /* outlives the arena, which the fixture releases */
    little = memory_heap;
    little.alloc = alloc_little;
    arena_init(&f.arena, &little, NULL, 0);
    ck_assert(!decode_data(DTYPE_COMPLEX128, "[100000000000000000]", "[1,2]", false));
    assert_refused(&f, PROBLEM_INVALID_DATA, DATA);
    ck_assert(!decode_data(DTYPE_BYTES, "[1099511627776]", "['']", false));
    assert_refused(&f, PROBLEM_INVALID_DATA, DATA);
}
END_TEST

SUITE("codec_json_data", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ROWS(read, good)
      TEST_ROWS(refused, bad) TEST_ROWS(broken_syntax, broken) TEST_ONE(strings) TEST_ONE(rank_64)
      TEST_ONE(shape_without_data_costs_nothing))
