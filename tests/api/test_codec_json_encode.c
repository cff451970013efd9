#include "tests/api/codec_json.h"

#include "api/codec_json_data.h"
#include "api/codec_json_print.h"

static struct fixture f;

static void setup(void)
{
    arena_init(&f.arena, &memory_heap, NULL, 0);
}

static void teardown(void)
{
    arena_release(&f.arena);
}

/* Decodes, runs and encodes; NULL if the encoder refuses. */
static struct source *answer(const char *op, int since, const char *text, struct bytes tail, uint64_t max, size_t *head)
{
    struct op_call op_call = {.symbolic = false};
    struct op_diag diag;
    static struct tensor view;
    ck_assert_msg(decode_with_tail(&f, op, since, text, tail), "%s", f.err.detail);
    for (int i = 0; i < f.call.op->inputs; i++)
        op_call.in[i] = f.call.in[i].given ? &f.call.in[i].tensor : NULL;
    ck_assert_msg(op_infer(f.call.op, &op_call, &view, &diag) == OP_OK, "%s", diag.text);
    return codec_json_encode(&f.arena, &f.call, &view, &f.call.in[0].tensor, max, head, &f.err);
}

/* Pulls all of it in steps of a few bytes; the result is as long as the source said. */
static struct bytes pull(struct source *source)
{
    uint8_t *out = arena_alloc(&f.arena, 1, source->length + 16);
    size_t done = 0;
    for (size_t n; (n = source_pull(source, out + done, 7)) > 0;)
        done += n;
    ck_assert_uint_eq(done, source->length);
    return (struct bytes){out, done};
}

#define EXPAND(datatype, shape, data, to, more)                                                             \
    "{'inputs':[{'name':'input','shape':" shape ",'datatype':'" datatype "','data':" data "},"              \
    "{'name':'shape','shape':[2],'datatype':'INT64','data':" to "}]" more "}"
#define UNSQUEEZE(datatype, shape, data, more)                                                              \
    "{'inputs':[{'name':'data','shape':" shape ",'datatype':'" datatype "','data':" data "},"               \
    "{'name':'axes','shape':[1],'datatype':'INT64','data':[0]}]" more "}"
#define EXPANDED(more, datatype, shape, data)                                                               \
    "{'model_name':'expand','model_version':'13'" more ",'outputs':[{'name':'output','datatype':'" datatype \
    "','shape':" shape "," data
#define UNSQUEEZED(datatype, shape, data)                                                                   \
    "{'model_name':'unsqueeze','model_version':'25','outputs':[{'name':'expanded','datatype':'" datatype    \
    "','shape':" shape ",'data':" data "}]}"
#define BINARY ",'parameters':{'binary_data_output':true}"

static const struct {
    const char *op;
    int since;
    const char *text;
    const char *want;
    const char *blob;
    size_t blob_len;
} rows[] = {
    {"expand", 13, EXPAND("FP32", "[3,1]", "[1,2.5,0.1]", "[3,2]", ""),
     EXPANDED("", "FP32", "[3,2]", "'data':[1.0,1.0,2.5,2.5,0.1,0.1]}]}"), TEXT("")},
    {"expand", 13, EXPAND("INT32", "[2]", "[1,-2]", "[2,2]", ",'id':'a\\u0041\\n'"),
     EXPANDED(",'id':'a\\u0041\\n'", "INT32", "[2,2]", "'data':[1,-2,1,-2]}]}"), TEXT("")},
    {"expand", 13, EXPAND("INT32", "[1]", "[7]", "[0,2]", ""), EXPANDED("", "INT32", "[0,2]", "'data':[]}]}"),
     TEXT("")},
    {"expand", 13, EXPAND("COMPLEX64", "[1,2]", "[1,2,3,-0.0]", "[2,1]", ""),
     EXPANDED("", "COMPLEX64", "[2,2]", "'data':[1.0,2.0,3.0,-0.0,1.0,2.0,3.0,-0.0]}]}"), TEXT("")},
    {"expand", 13, EXPAND("BYTES", "[2,1]", "['','\xc3\xa9']", "[1,2]", ""),
     EXPANDED("", "BYTES", "[2,2]", "'data':['','','\xc3\xa9','\xc3\xa9']}]}"), TEXT("")},
    {"expand", 13, EXPAND("FP32", "[1]", "[1]", "[1,2]", BINARY),
     EXPANDED("", "FP32", "[1,2]", "'parameters':{'binary_data_size':8}}]}"), TEXT("\0\0\x80\x3f\0\0\x80\x3f")},
    {"expand", 13, EXPAND("FP32", "[1]", "[1]", "[0,2]", BINARY),
     EXPANDED("", "FP32", "[0,2]", "'parameters':{'binary_data_size':0}}]}"), TEXT("")},
    {"expand", 13, EXPAND("BYTES", "[2,1]", "['','a\\u0000']", "[1,2]", BINARY),
     EXPANDED("", "BYTES", "[2,2]", "'parameters':{'binary_data_size':20}}]}"),
     TEXT("\0\0\0\0\0\0\0\0\2\0\0\0a\0\2\0\0\0a\0")},
    {"unsqueeze", 25, UNSQUEEZE("FP16", "[2]", "[0.1,'NaN']", ""), UNSQUEEZED("FP16", "[1,2]", "[0.1,'NaN']"),
     TEXT("")},
    {"unsqueeze", 25, UNSQUEEZE("FP64", "[]", "['-Infinity']", ""), UNSQUEEZED("FP64", "[1]", "['-Infinity']"),
     TEXT("")},
    {"unsqueeze", 25, UNSQUEEZE("INT4", "[3]", "[-8,7,-1]", ""), UNSQUEEZED("INT4", "[1,3]", "[-8,7,-1]"), TEXT("")},
    {"unsqueeze", 25, UNSQUEEZE("UINT2", "[5]", "[0,1,2,3,2]", ""), UNSQUEEZED("UINT2", "[1,5]", "[0,1,2,3,2]"),
     TEXT("")},
    {"unsqueeze", 25, UNSQUEEZE("FLOAT4E2M1", "[3]", "[0.5,-6,1]", ""),
     UNSQUEEZED("FP4_E2M1", "[1,3]", "[0.5,-6.0,1.0]"), TEXT("")},
    {"unsqueeze", 25, UNSQUEEZE("BOOL", "[3]", "[true,0,1]", ""), UNSQUEEZED("BOOL", "[1,3]", "[true,false,true]"),
     TEXT("")},
    {"unsqueeze", 25, UNSQUEEZE("UINT64", "[1]", "[18446744073709551615]", ""),
     UNSQUEEZED("UINT64", "[1,1]", "[18446744073709551615]"), TEXT("")},
    {"unsqueeze", 25, UNSQUEEZE("FP32", "[0]", "[]", ""), UNSQUEEZED("FP32", "[1,0]", "[]"), TEXT("")},
    {"unsqueeze", 25, UNSQUEEZE("BYTES", "[1]", "['q\\'\\\\\\u0001\\u001f\\/\\n\\u007f']", ""),
     UNSQUEEZED("BYTES", "[1,1]", "['q\\'\\\\\\u0001\\u001f/\\n\x7f']"), TEXT("")},
};

START_TEST(encode)
{
    size_t head = 0;
    struct source *source = answer(rows[_i].op, rows[_i].since, rows[_i].text, (struct bytes){NULL, 0}, 1 << 20, &head);
    ck_assert_msg(source != NULL, "%s", f.err.detail);
    struct bytes got = pull(source), want = document(&f, rows[_i].want);
    ck_assert_uint_eq(got.len - rows[_i].blob_len, want.len);
    ck_assert_msg(memcmp(got.ptr, want.ptr, want.len) == 0, "%.*s", (int)got.len, (const char *)got.ptr);
    ck_assert_mem_eq(got.ptr + want.len, rows[_i].blob, rows[_i].blob_len);
    ck_assert_uint_eq(head, want.len);
}
END_TEST

/* The limit counts the whole body: it fits exactly, or not at all. */
START_TEST(limit)
{
    static const char *const texts[] = {
        EXPAND("FP32", "[1]", "[1]", "[9,9]", ""), EXPAND("FP32", "[1]", "[1]", "[9,9]", BINARY),
        EXPAND("BYTES", "[1]", "['a']", "[9,9]", ""), EXPAND("BYTES", "[1]", "['a']", "[9,9]", BINARY),
        EXPAND("FP32", "[1]", "[1]", "[0,9]", ""),
    };
    size_t head;
    struct source *source = answer("expand", 13, texts[_i], (struct bytes){NULL, 0}, 1 << 20, &head);
    uint64_t length = source->length;
    ck_assert_ptr_nonnull(answer("expand", 13, texts[_i], (struct bytes){NULL, 0}, length, &head));
    ck_assert_ptr_null(answer("expand", 13, texts[_i], (struct bytes){NULL, 0}, length - 1, &head));
    assert_refused(&f, PROBLEM_OUTPUT_TOO_LARGE, _i == 4 ? "/inputs/0" : "/inputs/1");
    ck_assert_ptr_nonnull(strstr(f.err.detail, _i == 4 ? "input" : "in shape"));
}
END_TEST

/* An output that could never fit is refused before its elements are written. */
START_TEST(far_too_large)
{
    size_t head;
    ck_assert_ptr_null(answer("expand", 13, EXPAND("FP32", "[1]", "[1]", "[1000000000,1000000]", ""),
                              (struct bytes){NULL, 0}, UINT64_C(4) << 30, &head));
    assert_refused(&f, PROBLEM_OUTPUT_TOO_LARGE, "/inputs/1");
    ck_assert_ptr_null(answer("expand", 13, EXPAND("BYTES", "[1]", "['abc']", "[1000000000,100000000]", BINARY),
                              (struct bytes){NULL, 0}, UINT64_C(4) << 30, &head));
    assert_refused(&f, PROBLEM_OUTPUT_TOO_LARGE, "/inputs/1");
}
END_TEST

/* Bytes that are no text: refused in JSON, carried in binary. */
START_TEST(not_utf8)
{
    static const uint8_t tail[] = "\1\0\0\0a\2\0\0\0\xff\xfe";
    const struct bytes blob = {tail, sizeof(tail) - 1};
#define STRINGS "{'inputs':[{'name':'data','shape':[2],'datatype':'BYTES','parameters':{'binary_data_size':11}}," \
                "{'name':'axes','shape':[1],'datatype':'INT64','data':[0]}]"
    size_t head;
    ck_assert_ptr_null(answer("unsqueeze", 13, STRINGS "}", blob, 1 << 20, &head));
    assert_refused(&f, PROBLEM_INVALID_DATA, "/inputs/0");
    ck_assert_ptr_nonnull(strstr(f.err.detail, "element 1"));
    struct source *source = answer("unsqueeze", 13, STRINGS BINARY "}", blob, 1 << 20, &head);
    struct bytes got = pull(source);
    ck_assert_uint_eq(got.len - head, blob.len);
    ck_assert_mem_eq(got.ptr + head, blob.ptr, blob.len);
}
END_TEST

/* The longest text that each type can have fits the room that is set aside for it. */
START_TEST(longest_texts)
{
    size_t head;
    ck_assert_ptr_nonnull(answer("unsqueeze", 25, UNSQUEEZE("FP64", "[3]", "[-2.2250738585072014e-308,"
                                 "-1.7976931348623157e+308,-0.00012345678901234567]", ""), (struct bytes){NULL, 0},
                                 1 << 20, &head));
    ck_assert_ptr_nonnull(answer("unsqueeze", 25, UNSQUEEZE("FP32", "[3]", "[-1.1754944e-38,-123456789012345,"
                                 "-0.00012345678]", ""), (struct bytes){NULL, 0}, 1 << 20, &head));
    ck_assert_ptr_nonnull(answer("unsqueeze", 25, UNSQUEEZE("INT64", "[1]", "[-9223372036854775808]", ""),
                                 (struct bytes){NULL, 0}, 1 << 20, &head));
}
END_TEST

/* ---- without memory for the texts -------------------------------------------------------------------------------- */

/* Elements: no multiple of what is printed at a time, nor of what a byte holds. */
#define MANY 29999

/* Memory that has no block as large as the texts of MANY elements. */
struct narrow {
    size_t most, refused;
};

static void *narrow_alloc(void *ctx, size_t size)
{
    struct narrow *narrow = ctx;
    narrow->refused += size > narrow->most;
    return size > narrow->most ? NULL : malloc(size);
}

static void narrow_free(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)size;
    free(block);
}

/* Repeats the texts, `per_row` of them from the same one, until there are `count`, and puts commas between. */
static struct bytes repeated(const char *const texts[3], int64_t count, int64_t per_row)
{
    const size_t room = 32;
    uint8_t *out = arena_alloc(&f.arena, (size_t)count, room);
    size_t len = 0;
    for (int64_t i = 0; i < count; i++)
        len += (size_t)snprintf((char *)out + len, room, "%s%s", i > 0 ? "," : "", texts[i / per_row % MANY % 3]);
    return (struct bytes){out, len};
}

static const struct {
    const char *datatype;
    const char *texts[3];
} printed[] = {
    {"FP32", {"1.0", "-2.5", "0.1"}},
    {"FP64", {"-1.7976931348623157e+308", "1.0", "-0.0"}},
    {"FP16", {"0.1", "\"NaN\"", "65500.0"}}, /* as numpy writes 65504 */
    {"INT64", {"-9223372036854775808", "7", "0"}},
    {"UINT8", {"255", "0", "17"}},
    {"BOOL", {"true", "false", "true"}},
    {"COMPLEX64", {"1.0,2.0", "-0.5,0.0", "3.0,4.0"}},
    {"INT4", {"-8", "7", "-1"}},
    {"UINT2", {"3", "0", "1"}},
};

/* A tensor of MANY elements of the row, as a call of Unsqueeze, or of Expand to `to`. */
static struct source *print_row(int row, struct tensor *view, const struct shape *from, const struct shape *to, uint64_t max)
{
    const enum dtype dtype = dtype_find(printed[row].datatype, strlen(printed[row].datatype));
    struct call_input *in = f.call.in;
    struct bytes text = repeated(printed[row].texts, MANY, 1);
    struct json json;
    uint8_t *list = arena_alloc(&f.arena, text.len + 2, 1);
    memcpy(list + 1, text.ptr, text.len);
    list[0] = '[';
    list[text.len + 1] = ']';
    call_init(&f.call, to != NULL ? op_newest("expand") : op_newest("unsqueeze"), false);
    json_init(&json, (struct bytes){list, text.len + 2}, 10, &f.arena, &f.err);
    tensor_init(&in[0].tensor, dtype, from, NULL);
    ck_assert_msg(codec_json_data(&json, "", &in[0].tensor), "%s", f.err.detail);
    *view = in[0].tensor;
    if (to != NULL) {
        struct op_diag diag;
        struct tensor sizes;
        struct op_call call = {.in = {&in[0].tensor, &sizes}};
        tensor_init(&sizes, DTYPE_INT64, &(struct shape){.rank = 1, .dim = {to->rank}}, to->dim);
        ck_assert_msg(op_infer(f.call.op, &call, view, &diag) == OP_OK, "%s", diag.text);
    }
    size_t head;
    return codec_json_encode(&f.arena, &f.call, view, &in[0].tensor, max, &head, &f.err);
}

/* What the document holds between `"data":[` and `]}]}`. */
static struct bytes data_of(struct bytes document)
{
    const char *from = memmem(document.ptr, document.len, "\"data\":[", 8);
    ck_assert_ptr_nonnull(from);
    size_t before = (size_t)(from + 8 - (const char *)document.ptr);
    return bytes_slice(document, before, document.len - before - strlen("]}]}"));
}

static void assert_printed(int row, const struct shape *from, const struct shape *to, int64_t count, int64_t per_row)
{
    struct narrow narrow = {.most = 20000}; /* a small block of the arena, but no text */
    const struct memory memory = {.alloc = narrow_alloc, .free = narrow_free, .ctx = &narrow};
    const struct memory *plenty = f.arena.memory;
    struct tensor view;
    struct source *source;
    struct bytes got, want = repeated(printed[row].texts, count, per_row);
    ck_assert_ptr_nonnull(print_row(row, &view, from, to, 1 << 24)); /* the input is there */
    f.arena.memory = &memory;
    source = codec_json_encode(&f.arena, &f.call, &view, &f.call.in[0].tensor, 1 << 24, &(size_t){0}, &f.err);
    f.arena.memory = plenty;
    ck_assert_msg(source != NULL, "%s", f.err.detail);
    ck_assert_uint_gt(narrow.refused, 0);
    got = data_of(pull(source));
    ck_assert_uint_eq(got.len, want.len);
    ck_assert_mem_eq(got.ptr, want.ptr, want.len);
    struct output output = {.arena = &f.arena, .call = &f.call, .view = &view, .input = &f.call.in[0].tensor,
                            .max_bytes = want.len, .err = &f.err};
    ck_assert_ptr_nonnull(codec_json_print(&output, MANY, count));
    output.max_bytes--;
    ck_assert_ptr_null(codec_json_print(&output, MANY, count));
    assert_refused(&f, PROBLEM_OUTPUT_TOO_LARGE, "");
}

START_TEST(prints_while_it_is_pulled)
{
    assert_printed(_i, &(struct shape){1, {MANY}}, NULL, MANY, 1);
}
END_TEST

START_TEST(prints_what_repeats_each_time)
{
    if (dtype_info(dtype_find(printed[_i].datatype, strlen(printed[_i].datatype)))->bits < 8) /* not of Expand */
        return;
    assert_printed(_i, &(struct shape){2, {MANY, 1}}, &(struct shape){2, {MANY, 3}}, MANY * 3, 3);
    assert_printed(_i, &(struct shape){1, {MANY}}, &(struct shape){2, {2, 1}}, MANY * 2, 1);
}
END_TEST

SUITE("codec_json_encode", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ROWS(encode, rows)
      TEST_TIMES(limit, 5) TEST_ONE(far_too_large) TEST_ONE(not_utf8) TEST_ONE(longest_texts)
      TEST_ROWS(prints_while_it_is_pulled, printed) TEST_ROWS(prints_what_repeats_each_time, printed))
