#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec.h"
#include "api/file.h"
#include "tests/suite.h"

#define TYPE "multipart/form-data; boundary=XX"
#define END "--XX--\r\n"
#define PART(name) "--XX\r\nContent-Disposition: form-data; name=" name "\r\n\r\n"
#define FILE_PART(name, filename, type) \
    "--XX\r\nContent-Disposition: form-data; name=\"" name "\"; filename=\"" filename "\"\r\nContent-Type: " type "\r\n\r\n"
#define INPUT FILE_PART("input", "x.bin", "application/octet-stream") "\1\2\3\r\n"
#define SHAPE PART("shape") "[2,3]\r\n"

static struct arena arena;
static struct call call;
static struct problem err;

static void setup(void)
{
    arena_init(&arena, &memory_heap, NULL, 0);
    call = (struct call){.op = op_newest("expand")};
    err = (struct problem){.code = PROBLEM_NONE};
}

static void teardown(void)
{
    arena_release(&arena);
}

/* Three UINT8 as `input`; the body in a block of its own, whose ends a sanitizer sees. */
static bool decode(const char *content_type, struct bytes body, const char *text, uint8_t **copy)
{
    static const struct codec_limits limits = {.json_depth = 100};
    struct query query;
    *copy = malloc(body.len > 0 ? body.len : 1);
    if (body.len > 0)
        memcpy(*copy, body.ptr, body.len);
    return file_begin(&arena, text, &call, &query, &err) &&
           codec_multipart_decode(&arena, &limits, content_type, (struct bytes){*copy, body.len}, &query, &call, &err);
}

#define B(text) {(const uint8_t *)(text), sizeof(text) - 1}

static const struct {
    const char *what;
    const char *content_type;
    const char *query; /* after datatype and dims */
    struct bytes body;
} good[] = {
    {"two parts", TYPE, "", B(INPUT SHAPE END)},
    {"in another order", TYPE, "", B(SHAPE INPUT END)},
    {"the small one in the query", TYPE, "&shape=2,3", B(INPUT END)},
    {"quoted boundary", "multipart/form-data; charset=utf-8; boundary=\"XX\"", "", B(INPUT SHAPE END)},
    {"boundary with marks", "multipart/form-data; boundary=\"a'()+_,-./:=? z\"", "",
     B("--a'()+_,-./:=? z\r\nContent-Disposition: form-data; name=shape\r\n\r\n[2,3]\r\n--a'()+_,-./:=? z\r\n"
       "Content-Disposition: form-data; name=input; filename=x\r\n\r\n\1\2\3\r\n--a'()+_,-./:=? z--")},
    {"no line end at the end", TYPE, "", B(INPUT SHAPE "--XX--")},
    {"preamble and epilogue", TYPE, "", B("Preamble\r\n\r\n" INPUT SHAPE "--XX--\r\nepilogue --XX\r\n--XX\r\n")},
    {"blanks behind the boundary", TYPE, "",
     B("--XX \t\r\nContent-Disposition: form-data; name=shape\r\n\r\n[2,3]\r\n" INPUT "--XX-- \t")},
    {"names in any case, other headers", TYPE, "",
     B(INPUT "--XX\r\nX: y\r\nCONTENT-disposition:FORM-DATA;Name=shape\r\ncontent-type: TEXT/plain; charset=x\r\n\r\n"
       " [2, 3] \r\n" END)},
    {"raw INT64", TYPE, "", B(INPUT FILE_PART("shape", "s", "application/octet-stream")
                              "\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\r\n" END)},
    {"raw INT64 without a file name", TYPE, "",
     B(INPUT "--XX\r\nContent-Disposition: form-data; name=shape\r\nContent-Type: application/octet-stream\r\n\r\n"
       "\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\r\n" END)},
    {"TensorProto by name", TYPE, "", B(INPUT FILE_PART("shape", "s.pb", "application/octet-stream")
                                        "\x08\2\x10\7\x3a\2\2\3\r\n" END)},
    {"TensorProto by type", TYPE, "", B(INPUT FILE_PART("shape", "s", "application/x-protobuf")
                                        "\x08\2\x10\7\x3a\2\2\3\r\n" END)},
    {"npy by magic", TYPE, "",
     B(INPUT PART("shape") "\x93NUMPY\1\0\62\0{'descr':'<i8','fortran_order':False,'shape':(2,)}"
       "\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\r\n" END)},
};

START_TEST(takes)
{
    char query[64];
    uint8_t *copy;
    snprintf(query, sizeof(query), "datatype=UINT8&dims=3%s", good[_i].query);
    ck_assert_msg(decode(good[_i].content_type, good[_i].body, query, &copy), "%s: %s", good[_i].what, err.detail);
    ck_assert_int_eq(call.form, FORM_RAW);
    ck_assert(call.in[0].given && call.in[1].given);
    ck_assert_int_eq(call.in[0].tensor.dtype, DTYPE_UINT8);
    ck_assert(shape_equal(&call.in[0].tensor.shape, &(struct shape){1, {3}}));
    ck_assert_mem_eq(call.in[0].tensor.data, "\1\2\3", 3);
    ck_assert_int_eq(call.in[1].tensor.dtype, DTYPE_INT64);
    ck_assert(shape_equal(&call.in[1].tensor.shape, &(struct shape){1, {2}}));
    ck_assert_mem_eq(call.in[1].tensor.data, "\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16);
    free(copy);
}
END_TEST

/* What looks like a delimiter but is not at the start of a line, or not whole, is content; a part may be empty. */
static const struct {
    struct bytes content;
} contents[] = {
    {B("")},        {B("\r\n")},        {B("x--XX")},    {B("x--XX--")},    {B("\n--XX\n")},
    {B("\r\n--X")}, {B("\r\n-XX\r\n")}, {B("\r\n--xx")}, {B("\0\r\n\r\n")}, {B("\r\r\n--\r\n")},
};

START_TEST(content_is_not_changed)
{
    uint8_t body[256];
    uint8_t *copy;
    static const char head[] = FILE_PART("input", "x", "application/octet-stream");
    struct bytes content = contents[_i].content;
    size_t at = sizeof(head) - 1;
    memcpy(body, head, at);
    memcpy(body + at, content.ptr, content.len);
    memcpy(body + at + content.len, "\r\n" END, sizeof("\r\n" END) - 1);
    char query[64];
    snprintf(query, sizeof(query), "datatype=UINT8&dims=%zu", content.len);
    struct bytes whole = {body, at + content.len + sizeof("\r\n" END) - 1};
    ck_assert_msg(decode(TYPE, whole, query, &copy), "%s", err.detail);
    ck_assert_int_eq(call.in[0].tensor.shape.dim[0], (int64_t)content.len);
    if (content.len > 0)
        ck_assert_mem_eq(call.in[0].tensor.data, content.ptr, content.len);
    free(copy);
}
END_TEST

/* RFC 2046: a part without content may lack the line end of its own, which is then that of the delimiter. */
START_TEST(empty_part_with_one_line_end)
{
    uint8_t *copy;
    static const char body[] = FILE_PART("input", "x", "application/octet-stream") END;
    ck_assert_msg(decode(TYPE, (struct bytes)B(body), "datatype=UINT8&dims=0", &copy), "%s", err.detail);
    ck_assert_int_eq(call.in[0].tensor.shape.dim[0], 0);
    free(copy);
}
END_TEST

#define A70 "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg"

static const struct {
    const char *what;
    const char *content_type;
    struct bytes body;
    enum problem_code code;
    const char *pointer;
    const char *says;
} bad[] = {
    {"no boundary", "multipart/form-data", B(INPUT END), PROBLEM_INVALID_HEADER, "", "with a boundary"},
    {"empty boundary", "multipart/form-data; boundary=\"\"", B(INPUT END), PROBLEM_INVALID_HEADER, "", "with a boundary"},
    {"boundary of 71", "multipart/form-data; boundary=" A70 "h", B(INPUT END), PROBLEM_INVALID_HEADER, "", "1 to 70"},
    {"boundary with a star", "multipart/form-data; boundary=X*", B(INPUT END), PROBLEM_INVALID_HEADER, "", "letters"},
    {"boundary that ends in a blank", "multipart/form-data; boundary=\"X \"", B(INPUT END), PROBLEM_INVALID_HEADER, "",
     "letters"},
    {"two boundaries", TYPE "; boundary=YY", B(INPUT END), PROBLEM_INVALID_HEADER, "", "with a boundary"},
    {"another boundary", "multipart/form-data; boundary=YY", B(INPUT END), PROBLEM_INVALID_REQUEST, "", "does not occur"},
    {"no body", TYPE, B(""), PROBLEM_INVALID_REQUEST, "", "does not occur"},
    {"first boundary in a line", TYPE, B("x--XX\r\n"), PROBLEM_INVALID_REQUEST, "", "does not occur"},
    {"no last boundary", TYPE, B(INPUT SHAPE), PROBLEM_INVALID_REQUEST, "", "within the part \"shape\""},
    {"last boundary cut", TYPE, B(INPUT "--XX-"), PROBLEM_INVALID_REQUEST, "", "followed by something else"},
    {"longer boundary in a part", TYPE, B(INPUT "--XXYY\r\n" SHAPE END), PROBLEM_INVALID_REQUEST, "",
     "followed by something else"},
    {"text behind the last boundary", TYPE, B(INPUT SHAPE "--XX--x"), PROBLEM_INVALID_REQUEST, "",
     "followed by something else"},
    {"lines that end in LF", TYPE, B("--XX\nContent-Disposition: form-data; name=shape\n\n[2]\n--XX--\n"),
     PROBLEM_INVALID_REQUEST, "", "followed by something else"},
    {"header that ends in LF", TYPE, B("--XX\r\nContent-Disposition: form-data; name=shape\n\n[2]\r\n" END),
     PROBLEM_INVALID_REQUEST, "", "CRLF"},
    {"no header", TYPE, B("--XX\r\n\r\n[2]\r\n" END), PROBLEM_INVALID_REQUEST, "", "Content-Disposition"},
    {"no disposition", TYPE, B("--XX\r\nContent-Type: text/plain\r\n\r\n[2]\r\n" END), PROBLEM_INVALID_REQUEST, "",
     "Content-Disposition"},
    {"two dispositions", TYPE, B("--XX\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b"
                                 "\r\n\r\n[2]\r\n" END), PROBLEM_INVALID_REQUEST, "", "Content-Disposition"},
    {"attachment", TYPE, B("--XX\r\nContent-Disposition: attachment; name=shape\r\n\r\n[2]\r\n" END),
     PROBLEM_INVALID_REQUEST, "", "form-data"},
    {"no name", TYPE, B("--XX\r\nContent-Disposition: form-data\r\n\r\n[2]\r\n" END), PROBLEM_INVALID_REQUEST, "", "name="},
    {"name without its quote", TYPE, B(PART("\"shape") "[2]\r\n" END), PROBLEM_INVALID_REQUEST, "", "name="},
    {"folded line", TYPE, B("--XX\r\nContent-Disposition: form-data;\r\n name=shape\r\n\r\n[2]\r\n" END),
     PROBLEM_INVALID_REQUEST, "", "Content-Disposition"},
    {"folded line with a colon", TYPE, B("--XX\r\nContent-Disposition: form-data; name=shape\r\n x: y\r\n\r\n[2]\r\n" END),
     PROBLEM_INVALID_REQUEST, "", "Content-Disposition"},
    {"line without a colon", TYPE, B("--XX\r\nx\r\n\r\n[2]\r\n" END), PROBLEM_INVALID_REQUEST, "", "Content-Disposition"},
    {"unknown name", TYPE, B(PART("scale") "[2]\r\n" END), PROBLEM_UNKNOWN_NAME, "/scale", "no input \"scale\""},
    {"name in another case", TYPE, B(PART("Shape") "[2]\r\n" END), PROBLEM_UNKNOWN_NAME, "/Shape", "no input \"Shape\""},
    {"the other operator's name", TYPE, B(PART("axes") "[2]\r\n" END), PROBLEM_UNKNOWN_NAME, "/axes", "input and shape"},
    {"empty name", TYPE, B(PART("\"\"") "[2]\r\n" END), PROBLEM_UNKNOWN_NAME, "/", "no input \"\""},
    {"doubled part", TYPE, B(SHAPE SHAPE END), PROBLEM_INVALID_REQUEST, "/shape", "twice"},
    {"bad JSON", TYPE, B(PART("shape") "[2,3\r\n" END), PROBLEM_MALFORMED_JSON, "/shape", "shape: "},
    {"text behind JSON", TYPE, B(PART("shape") "[2,3] 4\r\n" END), PROBLEM_MALFORMED_JSON, "/shape", "shape: "},
    {"a fraction", TYPE, B(PART("shape") "[2.5]\r\n" END), PROBLEM_INVALID_DATA, "/shape", "shape: "},
    {"ragged", TYPE, B(PART("shape") "[[1,2],[3]]\r\n" END), PROBLEM_INVALID_DATA, "/shape", "shape: "},
    {"raw INT64 of 9 bytes", TYPE, B(FILE_PART("shape", "s.bin", "application/octet-stream") "123456789\r\n" END),
     PROBLEM_INVALID_DATA, "/shape", "shape: INT64 of shape [1] takes 8 bytes, but the file has 9"},
    {"broken npy", TYPE, B(FILE_PART("input", "x.npy", "application/octet-stream") "\x93NUMPY\1\0\5\0{}\r\n" END),
     PROBLEM_INVALID_DATA, "/input", "input: the .npy header"},
    {"broken protobuf", TYPE, B(FILE_PART("input", "x.pb", "application/octet-stream") "\x08\r\n" END),
     PROBLEM_INVALID_DATA, "/input", "input: the protobuf"},
};

START_TEST(refuses)
{
    uint8_t *copy;
    ck_assert_msg(!decode(bad[_i].content_type, bad[_i].body, "datatype=UINT8&dims=3", &copy), "not refused: %s", bad[_i].what);
    ck_assert_msg(strstr(err.detail, bad[_i].says) != NULL, "%s: \"%s\" does not say \"%s\"", bad[_i].what, err.detail,
                  bad[_i].says);
    ck_assert_str_eq(problem_info(err.code)->code, problem_info(bad[_i].code)->code);
    ck_assert_str_eq(err.pointer, bad[_i].pointer);
    free(copy);
}
END_TEST

static const struct {
    struct bytes body;
    const char *query;
    const char *says;
} untold[] = {
    {B(INPUT END), NULL, "raw bytes do not tell type and shape"},
    {B(INPUT END), "datatype=UINT8", "raw bytes do not tell type and shape"},
    {B(INPUT END), "dims=3", "raw bytes do not tell type and shape"},
    {B(INPUT END), "dims=3&datatype=INT16", "INT16 of shape [3] takes 6 bytes, but the file has 3"},
    {B(INPUT END), "dims=4294967296,4294967296&datatype=INT16", "not representable"},
    {B(INPUT END), "dims=1&datatype=BYTES", "a uint32 length"},
    {B(PART("input") "[1]\r\n" END), NULL, "JSON text does not tell its type"},
    {B(PART("input") "[1]\r\n" END), "datatype=FP32&dims=2", "shape [2] needs 2 elements"},
    {B(PART("input") "[1,2,3]\r\n" END), "datatype=COMPLEX64", "pairs"},
    {B(FILE_PART("input", "x.pb", "") "\x08\3\x10\2\x4a\3abc\r\n" END), "datatype=INT8", "holds UINT8, not INT8"},
    {B(FILE_PART("input", "x.pb", "") "\x08\3\x10\2\x4a\3abc\r\n" END), "dims=3,1", "shape [3], not [3,1]"},
};

START_TEST(refuses_what_was_not_told)
{
    uint8_t *copy;
    ck_assert(!decode(TYPE, untold[_i].body, untold[_i].query, &copy));
    ck_assert_msg(strstr(err.detail, untold[_i].says) != NULL, "\"%s\"", err.detail);
    ck_assert_int_eq(problem_info(err.code)->status, 400);
    ck_assert_str_eq(err.pointer, "/input");
    free(copy);
}
END_TEST

/* Text tells its shape by its nesting. */
static const struct {
    struct bytes body;
    const char *query;
    struct shape shape;
} texts[] = {
    {B(PART("input") "[1]\r\n" END), "datatype=FP32", {1, {1}}},
    {B(PART("input") "[[1,2,3],[4,5,6]]\r\n" END), "datatype=FP32", {2, {2, 3}}},
    {B(PART("input") "[1,2,3,4,5,6]\r\n" END), "datatype=FP32&dims=3,2", {2, {3, 2}}},
    {B(PART("input") "7\r\n" END), "datatype=INT8", {0, {0}}},
    {B(PART("input") "[]\r\n" END), "datatype=INT8", {1, {0}}},
    {B(PART("input") "[[],[]]\r\n" END), "datatype=INT8", {2, {2, 0}}},
    {B(PART("input") "[[1,2,3,4]]\r\n" END), "datatype=COMPLEX64", {2, {1, 2}}},
    {B(PART("input") "[[\"a\"],[\"b\"]]\r\n" END), "datatype=BYTES", {2, {2, 1}}},
};

START_TEST(text_tells_its_shape)
{
    uint8_t *copy;
    ck_assert_msg(decode(TYPE, texts[_i].body, texts[_i].query, &copy), "%s", err.detail);
    ck_assert(shape_equal(&call.in[0].tensor.shape, &texts[_i].shape));
    ck_assert_int_eq(call.form, FORM_JSON);
    free(copy);
}
END_TEST

START_TEST(refuses_a_name_in_the_query_and_a_part)
{
    uint8_t *copy;
    static const char body[] = SHAPE END;
    ck_assert(!decode(TYPE, (struct bytes)B(body), "shape=2,3", &copy));
    ck_assert_int_eq(err.code, PROBLEM_INVALID_REQUEST);
    ck_assert_str_eq(err.pointer, "/shape");
    free(copy);
}
END_TEST

START_TEST(bounds_the_header_of_a_part)
{
    char body[5200] = "--XX\r\n";
    size_t at = 6;
    uint8_t *copy;
    for (int i = 0; i < 410; i++, at += 10)
        memcpy(body + at, "X: 345 8\r\n", 10);
    int len = snprintf(body + at, sizeof(body) - at, "Content-Disposition: form-data; name=shape\r\n\r\n[2]\r\n" END);
    ck_assert(!decode(TYPE, (struct bytes){(uint8_t *)body, at + (size_t)len}, NULL, &copy));
    ck_assert_ptr_nonnull(strstr(err.detail, "at most 4096 bytes"));
    free(copy);
}
END_TEST

/* Cut after each byte, and with each byte changed: refused, or something that can be read. */
START_TEST(mutations)
{
    static const uint8_t masks[] = {0x01, 0x80, 0x20, 0x07, 0xff};
    uint8_t body[1024];
    size_t len = good[_i].body.len;
    memcpy(body, good[_i].body.ptr, len);
    for (size_t i = 0; i < len; i++) {
        for (size_t k = 0; k < sizeof(masks) + 1; k++) {
            uint8_t *copy;
            body[i] = good[_i].body.ptr[i] ^ (k < sizeof(masks) ? masks[k] : 0);
            bool cut = k == sizeof(masks);
            if (!decode(good[_i].content_type, (struct bytes){body, cut ? i : len}, "datatype=UINT8&dims=3", &copy))
                ck_assert_int_eq(problem_info(err.code)->status, 400);
            free(copy);
            teardown();
            setup();
        }
        body[i] = good[_i].body.ptr[i];
    }
}
END_TEST

SUITE("codec_multipart", tcase_add_checked_fixture(tcase, setup, teardown); TEST_ROWS(takes, good)
      TEST_ROWS(content_is_not_changed, contents) TEST_ONE(empty_part_with_one_line_end) TEST_ROWS(refuses, bad)
      TEST_ROWS(refuses_what_was_not_told, untold) TEST_ROWS(text_tells_its_shape, texts)
      TEST_ONE(refuses_a_name_in_the_query_and_a_part) TEST_ONE(bounds_the_header_of_a_part)
      TEST_ROWS(mutations, good))
