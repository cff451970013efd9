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

/* Inputs that are right. */
#define INPUT "{'name':'input','shape':[1],'datatype':'FP32','data':[2.5]}"
#define SIZES "{'name':'shape','shape':[1],'datatype':'INT64','data':[2]}"
#define BOTH  "'inputs':[" INPUT "," SIZES "]"
#define AXES  "{'name':'axes','shape':[1],'datatype':'INT64','data':[0]}"
#define DATA  "{'name':'data','shape':[1],'datatype':'FP32','data':[2.5]}"

static const struct {
    const char *op;
    int since;
    const char *text;
} good[] = {
    {"expand", 13, "{" BOTH "}"},
    {"expand", 13, "{'inputs':[" SIZES "," INPUT "]}"},
    {"expand", 13, "{'inputs':[]}"}, /* what is missing is the operator's business */
    {"expand", 13, "{'x':{'inputs':7},'id':'a'," BOTH ",'outputs':[],'y':[1,{}]}"},
    {"expand", 13, "{" BOTH ",'outputs':null,'parameters':null,'id':null}"},
    {"expand", 13, "{" BOTH ",'outputs':[{'name':'output','parameters':null,'z':1}]}"},
    {"expand", 13, "{" BOTH ",'parameters':{'priority':3,'x':[{}],'binary_data_output':false}}"},
    {"expand", 13, "{" BOTH ",'parameters':{'axes':'0'}}"}, /* nothing of Expand's */
    {"expand", 13, "{'\\u0069nputs':[" SIZES "]}"},
    {"expand", 13, "{'inputs':[{'name':'inp\\u0075t','shape':[1],'datatype':'FLOAT','data':[1]}]}"},
    {"expand", 13, "{'inputs':[{'name':'input','shape':[1.0,1e0],'datatype':'FP32','data':[1],'parameters':null}]}"},
    {"expand", 13, "{'inputs':[{'name':'input','shape':[1],'datatype':'FP32','data':[1],'parameters':{'x':1}}]}"},
    {"unsqueeze", 11, "{'inputs':[" DATA "," AXES "]}"},
    {"unsqueeze", 11, "{'inputs':[" DATA "],'parameters':{'axes':'0'}}"},
};

START_TEST(accepted)
{
    ck_assert_msg(decode(&f, good[_i].op, good[_i].since, good[_i].text), "%s", f.err.detail);
    ck_assert_int_eq(f.err.code, PROBLEM_NONE);
}
END_TEST

#define WITH(members) "{'inputs':[{'name':'input'," members "}]}"

static const struct {
    const char *op;
    int since;
    const char *text;
    enum problem_code code;
    const char *pointer;
} bad[] = {
    /* the document */
    {"expand", 13, "", PROBLEM_MALFORMED_JSON, ""},
    {"expand", 13, "[]", PROBLEM_INVALID_REQUEST, ""},
    {"expand", 13, "'inputs'", PROBLEM_INVALID_REQUEST, ""},
    {"expand", 13, "{}", PROBLEM_INVALID_REQUEST, ""},
    {"expand", 13, "{'Inputs':[]}", PROBLEM_INVALID_REQUEST, ""},
    {"expand", 13, "{'inputs':null}", PROBLEM_INVALID_REQUEST, "/inputs"},
    {"expand", 13, "{'inputs':{'name':'input'}}", PROBLEM_INVALID_REQUEST, "/inputs"},
    {"expand", 13, "{'inputs':[INVALID]}", PROBLEM_MALFORMED_JSON, ""},
    {"expand", 13, "{'inputs':[7]}", PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"expand", 13, "{'inputs':[],'inputs':[]}", PROBLEM_INVALID_REQUEST, ""},
    {"expand", 13, "{'inputs':[],'x':1,'\\u0078':2}", PROBLEM_INVALID_REQUEST, ""},
    {"expand", 13, "{" BOTH "} x", PROBLEM_MALFORMED_JSON, ""},
    {"expand", 13, "{" BOTH, PROBLEM_MALFORMED_JSON, ""},
    {"expand", 13, "{" BOTH ",'id':7}", PROBLEM_INVALID_REQUEST, "/id"},
    {"expand", 13, "{" BOTH ",'id':nul}", PROBLEM_MALFORMED_JSON, ""},
    {"expand", 13, "{" BOTH ",'id':'\\ud800'}", PROBLEM_MALFORMED_JSON, ""},
    {"expand", 13, "{" BOTH ",'x':'\\ud800'}", PROBLEM_MALFORMED_JSON, ""},
    /* inputs: name, datatype, shape */
    {"expand", 13, "{'inputs':[{'shape':[1],'datatype':'FP32','data':[1]}]}", PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"expand", 13, "{'inputs':[" INPUT ",{'name':'Input'}]}", PROBLEM_UNKNOWN_NAME, "/inputs/1/name"},
    {"expand", 13, "{'inputs':[" INPUT "," INPUT "]}", PROBLEM_INVALID_REQUEST, "/inputs/1/name"},
    {"expand", 13, "{'inputs':[" INPUT ",{'name':7}]}", PROBLEM_INVALID_REQUEST, "/inputs/1/name"},
    {"expand", 13, "{'inputs':[{'name':'input','data':[1],'shape':[1],'datatype':'FP32'},{'name':7}]}",
     PROBLEM_INVALID_REQUEST, "/inputs/1/name"},
    {"expand", 13, "{'inputs':[" INPUT ",{'name':'shape','shape':[1],'data':[1]}]}", PROBLEM_INVALID_REQUEST, "/inputs/1"},
    {"expand", 13, "{'inputs':[{'name':'input','name':'input'}]}", PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"expand", 13, WITH("'shape':[1],'data':[1]"), PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"expand", 13, WITH("'datatype':'fp32'"), PROBLEM_UNSUPPORTED_DATATYPE, "/inputs/0/datatype"},
    {"expand", 13, WITH("'datatype':1"), PROBLEM_INVALID_REQUEST, "/inputs/0/datatype"},
    {"expand", 13, WITH("'datatype':'FP32','data':[1]"), PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"expand", 13, WITH("'datatype':'FP32','datatype':'INT32'"), PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"expand", 13, WITH("'shape':'1'"), PROBLEM_INVALID_REQUEST, "/inputs/0/shape"},
    {"expand", 13, WITH("'shape':[1,-5]"), PROBLEM_INVALID_SHAPE, "/inputs/0/shape/1"},
    {"expand", 13, WITH("'shape':[2.5]"), PROBLEM_INVALID_SHAPE, "/inputs/0/shape/0"},
    {"expand", 13, WITH("'shape':['2']"), PROBLEM_INVALID_SHAPE, "/inputs/0/shape/0"},
    {"expand", 13, WITH("'shape':[[2]]"), PROBLEM_INVALID_SHAPE, "/inputs/0/shape/0"},
    {"expand", 13, WITH("'shape':[null]"), PROBLEM_INVALID_SHAPE, "/inputs/0/shape/0"},
    {"expand", 13, WITH("'shape':[9223372036854775808,0]"), PROBLEM_INVALID_SHAPE, "/inputs/0/shape/0"},
    {"expand", 13, WITH("'shape':[36893488147419103232]"), PROBLEM_INVALID_SHAPE, "/inputs/0/shape/0"},
    {"expand", 13, WITH("'shape':[1,x]"), PROBLEM_MALFORMED_JSON, ""},
    {"expand", 13, WITH("'shape':[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                        "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
     PROBLEM_INVALID_SHAPE, "/inputs/0/shape"},
    /* inputs: data */
    {"expand", 13, WITH("'datatype':'FP32','shape':[1]"), PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"expand", 13, WITH("'datatype':'FP32','shape':[1],'data':null"), PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"expand", 13, WITH("'datatype':'FP32','shape':[1],'parameters':[]"), PROBLEM_INVALID_REQUEST,
     "/inputs/0/parameters"},
    {"expand", 13, WITH("'parameters':{'shared_memory_region':'r'}"), PROBLEM_NOT_OFFERED,
     "/inputs/0/parameters/shared_memory_region"},
    {"expand", 13, WITH("'parameters':{'x':1,'x':2}"), PROBLEM_INVALID_REQUEST, "/inputs/0/parameters"},
    /* outputs */
    {"expand", 13, "{" BOTH ",'outputs':{}}", PROBLEM_INVALID_REQUEST, "/outputs"},
    {"expand", 13, "{" BOTH ",'outputs':['output']}", PROBLEM_INVALID_REQUEST, "/outputs/0"},
    {"expand", 13, "{" BOTH ",'outputs':[{}]}", PROBLEM_INVALID_REQUEST, "/outputs/0"},
    {"expand", 13, "{" BOTH ",'outputs':[{'name':'expanded'}]}", PROBLEM_UNKNOWN_NAME, "/outputs/0/name"},
    {"expand", 13, "{" BOTH ",'outputs':[{'name':'output'},{'name':'output'}]}", PROBLEM_INVALID_REQUEST,
     "/outputs/1/name"},
    {"expand", 13, "{" BOTH ",'outputs':[{'name':'output'},{}]}", PROBLEM_INVALID_REQUEST, "/outputs/1"},
    {"expand", 13, "{" BOTH ",'outputs':[{'name':'output','parameters':{'binary_data':'yes'}}]}",
     PROBLEM_INVALID_REQUEST, "/outputs/0/parameters/binary_data"},
    {"expand", 13, "{" BOTH ",'outputs':[{'name':'output','parameters':{'classification':2}}]}", PROBLEM_NOT_OFFERED,
     "/outputs/0/parameters/classification"},
    /* parameters of the request */
    {"expand", 13, "{" BOTH ",'parameters':7}", PROBLEM_INVALID_REQUEST, "/parameters"},
    {"expand", 13, "{" BOTH ",'parameters':{'binary_data_output':1}}", PROBLEM_INVALID_REQUEST,
     "/parameters/binary_data_output"},
    {"expand", 13, "{" BOTH ",'parameters':{'shape':'2'}}", PROBLEM_INVALID_REQUEST, "/parameters/shape"},
    {"unsqueeze", 13, "{'inputs':[" DATA "],'parameters':{'axes':'0'}}", PROBLEM_INVALID_REQUEST, "/parameters/axes"},
    {"unsqueeze", 11, "{'inputs':[" DATA "," AXES "],'parameters':{'axes':'0'}}", PROBLEM_INVALID_REQUEST,
     "/parameters/axes"},
    {"unsqueeze", 11, "{'parameters':{'axes':'0'},'inputs':[" DATA "," AXES "]}", PROBLEM_INVALID_REQUEST,
     "/inputs/1/name"},
    {"unsqueeze", 11, "{'parameters':{'axes':[0]}}", PROBLEM_INVALID_REQUEST, "/parameters/axes"},
    {"unsqueeze", 11, "{'parameters':{'axes':null}}", PROBLEM_INVALID_REQUEST, "/parameters/axes"},
    {"unsqueeze", 11, "{'parameters':{'axes':1.5}}", PROBLEM_INVALID_AXES, "/parameters/axes"},
    {"unsqueeze", 11, "{'parameters':{'axes':'0,'}}", PROBLEM_INVALID_AXES, "/parameters/axes"},
    {"unsqueeze", 11, "{'parameters':{'axes':'0 1'}}", PROBLEM_INVALID_AXES, "/parameters/axes"},
    {"unsqueeze", 11, "{'parameters':{'axes':'[0]'}}", PROBLEM_INVALID_AXES, "/parameters/axes"},
    {"unsqueeze", 11, "{'parameters':{'axes':'9223372036854775808'}}", PROBLEM_INVALID_AXES, "/parameters/axes"},
    {"unsqueeze", 11, "{'parameters':{'axes':'0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
                      "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0'}}",
     PROBLEM_INVALID_AXES, "/parameters/axes"},
};

START_TEST(refused)
{
    ck_assert(!decode(&f, bad[_i].op, bad[_i].since, bad[_i].text));
    assert_refused(&f, bad[_i].code, bad[_i].pointer);
}
END_TEST

/* ---- axes as a parameter -------------------------------------------------------------------------------------------- */

static const struct {
    const char *axes;
    int64_t count;
    int64_t want[4];
} attributes[] = {
    {"''", 0, {0}},
    {"'  '", 0, {0}},
    {"'0'", 1, {0}},
    {"'0,2'", 2, {0, 2}},
    {"' -1 , 2 '", 2, {-1, 2}},
    {"'\\u0030,1'", 2, {0, 1}},
    {"2", 1, {2}},
    {"-9223372036854775808", 1, {INT64_MIN}},
};

START_TEST(axes_as_parameter)
{
    char text[256];
    snprintf(text, sizeof(text), "{'parameters':{'axes':%s},'inputs':[" DATA "]}", attributes[_i].axes);
    ck_assert_msg(decode(&f, "unsqueeze", 1, text), "%s", f.err.detail);
    const struct call_input *axes = &f.call.in[1];
    ck_assert(axes->given);
    ck_assert_str_eq(axes->pointer, "/parameters/axes");
    ck_assert_int_eq(axes->tensor.dtype, DTYPE_INT64);
    ck_assert_int_eq(axes->tensor.shape.rank, 1);
    ck_assert_int_eq(axes->tensor.shape.dim[0], attributes[_i].count);
    ck_assert_mem_eq(axes->tensor.data, attributes[_i].want, (size_t)attributes[_i].count * sizeof(int64_t));
}
END_TEST

/* ---- binary inputs --------------------------------------------------------------------------------------------------- */

#define BLOB(size) "{'name':'input','shape':[4],'datatype':'INT8','parameters':{'binary_data_size':" size "}}"
#define SIZE_POINTER "/inputs/0/parameters/binary_data_size"

static const struct {
    const char *inputs;
    const char *tail;
    size_t len;
    enum problem_code code;
    const char *pointer;
} blobs[] = {
    {BLOB("4") "," SIZES, TEXT("abcd"), PROBLEM_NONE, ""},
    {BLOB("4.0") "," SIZES, TEXT("abcd"), PROBLEM_NONE, ""},
    {BLOB("4") "," SIZES, TEXT("abc"), PROBLEM_INVALID_DATA, SIZE_POINTER},
    {BLOB("4") "," SIZES, TEXT(""), PROBLEM_INVALID_DATA, SIZE_POINTER},
    {BLOB("4") "," SIZES, TEXT("abcde"), PROBLEM_INVALID_DATA, "/inputs"},
    {INPUT, TEXT("abcde"), PROBLEM_INVALID_DATA, "/inputs"},
    {BLOB("3"), TEXT("abc"), PROBLEM_INVALID_DATA, SIZE_POINTER},
    {BLOB("-1"), TEXT("abcd"), PROBLEM_INVALID_REQUEST, SIZE_POINTER},
    {BLOB("3.5"), TEXT("abcd"), PROBLEM_INVALID_REQUEST, SIZE_POINTER},
    {BLOB("true"), TEXT("abcd"), PROBLEM_INVALID_REQUEST, SIZE_POINTER},
    {BLOB("'2, 2'"), TEXT("abcd"), PROBLEM_INVALID_REQUEST, SIZE_POINTER},
    {BLOB("null"), TEXT("abcd"), PROBLEM_INVALID_REQUEST, SIZE_POINTER},
    {BLOB("18446744073709551615"), TEXT("abcd"), PROBLEM_INVALID_DATA, SIZE_POINTER},
    {BLOB("18446744073709551620"), TEXT("abcd"), PROBLEM_INVALID_REQUEST, SIZE_POINTER},
    {"{'name':'input','shape':[4],'datatype':'INT8','data':[1,2,3,4],'parameters':{'binary_data_size':4}}",
     TEXT("abcd"), PROBLEM_INVALID_REQUEST, "/inputs/0"},
    {"{'parameters':{'binary_data_size':0},'name':'input','shape':[0],'datatype':'INT8','data':null}", TEXT(""),
     PROBLEM_NONE, ""},
};

START_TEST(binary_input)
{
    char text[512];
    snprintf(text, sizeof(text), "{'inputs':[%s]}", blobs[_i].inputs);
    struct bytes tail = {(const uint8_t *)blobs[_i].tail, blobs[_i].len};
    ck_assert(decode_with_tail(&f, "expand", 13, text, tail) == (blobs[_i].code == PROBLEM_NONE));
    assert_refused(&f, blobs[_i].code, blobs[_i].pointer);
}
END_TEST

/* Blobs follow the order of the inputs in the document, which need not be the operator's. */
START_TEST(blobs_in_order)
{
    static const char tail[] = "\2\0\0\0\0\0\0\0abcd";
    ck_assert(decode_with_tail(&f, "expand", 13,
                               "{'inputs':[{'name':'shape','shape':[1],'datatype':'INT64','parameters':"
                               "{'binary_data_size':8}}," BLOB("4") "]}",
                               (struct bytes){(const uint8_t *)tail, 12}));
    ck_assert_mem_eq(f.call.in[0].tensor.data, "abcd", 4);
    ck_assert_mem_eq(f.call.in[1].tensor.data, "\2\0\0\0\0\0\0\0", 8);
    ck_assert_str_eq(f.call.in[0].pointer, "/inputs/1");
}
END_TEST

/* ---- id and form ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *id;
    const char *want;
} ids[] = {
    {"'42'", "\"42\""}, {"'a\\u0041\xc3\xa9\\n'", "\"a\\u0041\xc3\xa9\\n\""}, {"''", ""}, {"null", ""},
};

START_TEST(id_as_written)
{
    char text[512];
    snprintf(text, sizeof(text), "{'id':%s," BOTH "}", ids[_i].id);
    ck_assert_msg(decode(&f, "expand", 13, text), "%s", f.err.detail);
    ck_assert(bytes_equal(f.call.id, ids[_i].want));
}
END_TEST

static const struct {
    const char *all, *one;
    enum call_form want;
} forms[] = {
    {"", "", FORM_JSON},
    {"'binary_data_output':true", "", FORM_BINARY},
    {"'binary_data_output':false", "", FORM_JSON},
    {"", "'binary_data':true", FORM_BINARY},
    {"", "'binary_data':false", FORM_JSON},
    {"'binary_data_output':true", "'binary_data':false", FORM_JSON},
    {"'binary_data_output':false", "'binary_data':true", FORM_BINARY},
};

START_TEST(form)
{
    char text[1024];
    snprintf(text, sizeof(text), "{'outputs':[{'parameters':{%s},'name':'output'}]," BOTH ",'parameters':{%s}}",
             forms[_i].one, forms[_i].all);
    ck_assert(decode(&f, "expand", 13, text));
    ck_assert_int_eq(f.call.form, forms[_i].want);
    if (forms[_i].one[0] != '\0')
        return;
    snprintf(text, sizeof(text), "{" BOTH ",'parameters':{%s}}", forms[_i].all); /* no output listed */
    ck_assert(decode(&f, "expand", 13, text));
    ck_assert_int_eq(f.call.form, forms[_i].want);
}
END_TEST

/* ---- dry runs -------------------------------------------------------------------------------------------------------- */

/* Decodes a document whose second input ends with `data`; what comes after it makes it a dry run. */
static void decode_late_dry_run(const char *data)
{
    char text[512];
    snprintf(text, sizeof(text),
             "{'inputs':[" INPUT ",{'name':'shape','datatype':'INT64','shape':[2]%s}],'parameters':{'dry_run':true}}", data);
    ck_assert_msg(decode(&f, "expand", 13, text), "%s", f.err.detail);
    ck_assert(f.call.dry_run);
}

/* What has been read before is read again. */
START_TEST(dry_run_found_late)
{
    decode_late_dry_run(",'data':['batch',3]");
    ck_assert(f.call.in[1].names);
    ck_assert_int_eq(tensor_int64(&f.call.in[1].tensor, 1), 3);
}
END_TEST

START_TEST(dry_run_without_data)
{
    decode_late_dry_run("");
    ck_assert_ptr_nonnull(f.call.in[0].tensor.data);
    ck_assert_ptr_null(f.call.in[1].tensor.data);
}
END_TEST

/* Whatever was in its memory. */
START_TEST(call_begins_empty)
{
    memset(&f.call, 0xff, sizeof(f.call));
    call_init(&f.call, op_find("expand", 13), false);
    ck_assert(f.call.op->since == 13 && f.call.id.len == 0 && f.call.form == FORM_JSON && !f.call.files && !f.call.dry_run);
    ck_assert_int_eq(f.call.symbols.count, 0);
    for (int i = 0; i < OP_MAX_INPUTS; i++) {
        const struct call_input *in = &f.call.in[i];
        ck_assert(!in->given && in->pointer[0] == '\0' && !in->names && !in->ucs4);
        ck_assert(in->tensor.dtype == DTYPE_NONE && in->tensor.shape.rank == 0 && in->tensor.data == NULL);
    }
}
END_TEST

/* ---- messages -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    const char *says;
} messages[] = {
    {"{'inputs':[{'name':'Input'}]}", "expand has no input \"Input\": its inputs are \"input\" and \"shape\""},
    {WITH("'datatype':'FP31'"), "there is no datatype \"FP31\": use one of FP32, UINT8, INT8,"},
    {WITH("'datatype':'FP31'"), "FP8_E8M0, UINT2, INT2"},
    {WITH("'datatype':'UINT8','shape':[1],'data':[300]"), "300 is out of range: data of UINT8 may be 0 to 255"},
    {WITH("'datatype':'UINT8','shape':[1],'data':[1.5]"), "data of UINT8 takes whole numbers, not 1.5"},
    {WITH("'datatype':'FP32','shape':[2,3],'data':[[1,2,3],[4,5]]"),
     "shape [2,3] needs 3 elements in this list, but data has only 2"},
    {WITH("'datatype':'FP32','shape':[2,3],'data':[1,2,3,4,5,6,7]"),
     "shape [2,3] needs 6 elements in all, but data has more than 6"},
    {WITH("'datatype':'FP32','shape':[2,3],'data':[[1,2,3],[1,2,3],[1,2,3]]"),
     "shape [2,3] needs 2 lists in this list, but data has more than 2"},
    {WITH("'datatype':'FP32','shape':[1],'data':['nan']"),
     "data of FP32 takes numbers, or \"NaN\", \"Infinity\", \"-Infinity\", but here is a string"},
    {WITH("'datatype':'FP32','shape':[1]"), "input \"input\" needs data, or binary_data_size in its parameters"},
    {"{'inputs':[],'inputs':[]}", "the member \"inputs\" is there twice"},
    {"{'inputs':[7]}", "inputs/0 must be an object, not a number"},
    {WITH("'shape':7"), "shape must be an array of sizes, not a number"},
    {"7", "the document must be an object, not a number"},
    {"{" BOTH ",'outputs':[{'name':'x'}]}", "expand has no output \"x\": its output is \"output\""},
    {WITH("'datatype':'INT8','shape':[4],'parameters':{'binary_data_size':4}"), "Inference-Header-Content-Length"},
};

START_TEST(message)
{
    ck_assert(!decode(&f, "expand", 13, messages[_i].text));
    ck_assert_msg(strstr(f.err.detail, messages[_i].says) != NULL, "%s", f.err.detail);
}
END_TEST

SUITE("codec_json_decode", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ROWS(accepted, good)
      TEST_ROWS(refused, bad) TEST_ROWS(axes_as_parameter, attributes) TEST_ROWS(binary_input, blobs)
      TEST_ONE(blobs_in_order) TEST_ROWS(id_as_written, ids) TEST_ROWS(form, forms)
      TEST_ONE(dry_run_found_late) TEST_ONE(dry_run_without_data) TEST_ONE(call_begins_empty) TEST_ROWS(message, messages))
