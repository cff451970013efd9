#include "api/problem.h"

#include <string.h>

#include "api/utf8.h"
#include "tests/suite.h"

static const struct {
    enum problem_code code;
    int status;
    const char *word;
} rows[] = {
    {PROBLEM_MALFORMED_JSON, 400, "malformed_json"},     {PROBLEM_UNKNOWN_MODEL, 404, "unknown_model"},
    {PROBLEM_METHOD_NOT_ALLOWED, 405, "method_not_allowed"}, {PROBLEM_OUTPUT_TOO_LARGE, 413, "output_too_large"},
    {PROBLEM_UNSUPPORTED_ENCODING, 415, "unsupported_encoding"}, {PROBLEM_DRAINING, 503, "draining"},
    {PROBLEM_INTERNAL, 500, "internal"},
};

START_TEST(table)
{
    ck_assert_int_eq(problem_info(rows[_i].code)->status, rows[_i].status);
    ck_assert_str_eq(problem_info(rows[_i].code)->code, rows[_i].word);
}
END_TEST

START_TEST(codes_are_distinct)
{
    for (int a = 1; a < PROBLEM_END; a++)
        for (int b = a + 1; b < PROBLEM_END; b++)
            ck_assert_str_ne(problem_info((enum problem_code)a)->code, problem_info((enum problem_code)b)->code);
}
END_TEST

static const struct {
    const char *quoted, *want;
} quotes[] = {
    {"plain", "plain"},
    {"\u00fc", "\u00fc"},
    {"a\nb\x7f", "a?b?"},
    {"\xff\xc3", "??"},
};

START_TEST(text_is_printable)
{
    struct problem problem;
    ck_assert(!problem_set(&problem, PROBLEM_UNKNOWN_NAME, quotes[_i].quoted, "%s", quotes[_i].quoted));
    ck_assert_str_eq(problem.detail, quotes[_i].want);
    ck_assert_str_eq(problem.pointer, quotes[_i].want);
}
END_TEST

/* Wherever in a character the text ends, it stays valid and says that it was cut. */
START_TEST(long_text_is_cut)
{
    struct problem problem;
    char text[4 * sizeof(problem.detail)] = "";
    memset(text, 'x', (size_t)_i);
    for (size_t i = (size_t)_i; i + 3 < sizeof(text) - 1; i += 3)
        memcpy(text + i, "\u20ac", 3);
    problem_set(&problem, PROBLEM_UNKNOWN_NAME, text, "%s", text);
    size_t len = strlen(problem.detail);
    ck_assert_uint_lt(len, sizeof(problem.detail));
    ck_assert_str_eq(problem.detail + len - 3, "...");
    ck_assert(utf8_valid((const uint8_t *)problem.detail, len));
    ck_assert_ptr_null(strchr(problem.detail, '?'));
    ck_assert_str_eq(problem.pointer + strlen(problem.pointer) - 3, "...");
    ck_assert_ptr_null(strchr(problem.pointer, '?'));
}
END_TEST

static const struct {
    struct op_diag diag;
    const char *base;
    enum problem_code code;
    const char *pointer;
} diags[] = {
    {{OP_BAD_TYPE, 0, OP_PART_DATATYPE, -1, "t"}, "/inputs/1", PROBLEM_UNSUPPORTED_DATATYPE, "/inputs/1/datatype"},
    {{OP_BAD_AXES, 1, OP_PART_DATA, 2, "t"}, "/inputs/0", PROBLEM_INVALID_AXES, "/inputs/0/data/2"},
    {{OP_BAD_AXES, 1, OP_PART_DATA, 2, "t"}, "/parameters/axes", PROBLEM_INVALID_AXES, "/parameters/axes"},
    {{OP_BAD_RANK, 1, OP_PART_SHAPE, -1, "t"}, "/inputs/0", PROBLEM_INVALID_SHAPE, "/inputs/0/shape"},
    {{OP_MISSING, 1, OP_PART_INPUT, -1, "t"}, NULL, PROBLEM_INVALID_REQUEST, "/inputs"},
    {{OP_OVERFLOW, 1, OP_PART_INPUT, -1, "t"}, "/inputs/1", PROBLEM_OUTPUT_TOO_LARGE, "/inputs/1"},
};

START_TEST(operator_diagnoses)
{
    const char *pointers[OP_MAX_INPUTS] = {NULL};
    pointers[diags[_i].diag.input] = diags[_i].base;
    struct problem problem;
    ck_assert(!problem_from_op(&problem, &diags[_i].diag, pointers));
    ck_assert_int_eq(problem.code, diags[_i].code);
    ck_assert_str_eq(problem.pointer, diags[_i].pointer);
    ck_assert_str_eq(problem.detail, "t");
}
END_TEST

SUITE("problem", TEST_ROWS(table, rows) TEST_ONE(codes_are_distinct) TEST_ROWS(text_is_printable, quotes)
      TEST_TIMES(long_text_is_cut, 4) TEST_ROWS(operator_diagnoses, diags))
