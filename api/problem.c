#include "api/problem.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/utf8.h"

static const struct problem_info infos[] = {
    [PROBLEM_NONE] = {200, "none", "no problem"},
#define X(id, status, word, when) [PROBLEM_##id] = {(status), (word), (when)},
    PROBLEM_TABLE(X)
#undef X
};
static_assert(sizeof(infos) / sizeof(infos[0]) == PROBLEM_END, "a row for every code");

const struct problem_info *problem_info(enum problem_code code)
{
    assert(code < PROBLEM_END);
    return &infos[code];
}

/* What the client sent may be quoted in a message: keep it printable, and valid where it was cut. */
static void make_printable(char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len;) {
        size_t n = utf8_sequence((const uint8_t *)text + i, len - i);
        bool control = n == 1 && ((unsigned char)text[i] < 0x20 || text[i] == 0x7f);
        if (n == 0 || control)
            text[i] = '?';
        i += n == 0 ? 1 : n;
    }
}

/* Marks text that did not fit, not leaving half a character before the mark. */
static void mark_cut(char *text, size_t size)
{
    size_t end = size - sizeof("...");
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    memcpy(text + end, "...", sizeof("..."));
}

bool problem_vset(struct problem *ret, enum problem_code code, const char *pointer, const char *format, va_list args)
{
    ret->code = code;
    int len = vsnprintf(ret->detail, sizeof(ret->detail), format, args);
    if (len >= (int)sizeof(ret->detail))
        mark_cut(ret->detail, sizeof(ret->detail));
    make_printable(ret->detail);

    len = snprintf(ret->pointer, sizeof(ret->pointer), "%s", pointer != NULL ? pointer : "");
    if (len >= (int)sizeof(ret->pointer))
        mark_cut(ret->pointer, sizeof(ret->pointer));
    make_printable(ret->pointer);
    return false;
}

bool problem_set(struct problem *ret, enum problem_code code, const char *pointer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    problem_vset(ret, code, pointer, format, args);
    va_end(args);
    return false;
}

bool problem_memory(struct problem *ret)
{
    return problem_set(ret, PROBLEM_OUT_OF_MEMORY, NULL, "%s", PROBLEM_MEMORY_DETAIL);
}

static const enum problem_code from_op[] = {
    [OP_OK] = PROBLEM_NONE,
    [OP_BAD_TYPE] = PROBLEM_UNSUPPORTED_DATATYPE,
    [OP_MISSING] = PROBLEM_INVALID_REQUEST,
    [OP_BAD_RANK] = PROBLEM_INVALID_SHAPE,
    [OP_BAD_SHAPE] = PROBLEM_INVALID_SHAPE,
    [OP_BAD_AXES] = PROBLEM_INVALID_AXES,
    [OP_OVERFLOW] = PROBLEM_OUTPUT_TOO_LARGE,
};

static const char *const part_member[] = {
    [OP_PART_INPUT] = "",
    [OP_PART_DATATYPE] = "/datatype",
    [OP_PART_SHAPE] = "/shape",
    [OP_PART_DATA] = "/data",
};

bool problem_from_op(struct problem *ret, const struct op_diag *diag, const char *const pointers[OP_MAX_INPUTS])
{
    char pointer[sizeof(ret->pointer)];
    const char *base = diag->input >= 0 ? pointers[diag->input] : NULL;
    /* An attribute ("/parameters/axes") has no members of its own to point at. */
    bool members = base != NULL && strncmp(base, "/inputs/", 8) == 0;
    if (!members)
        snprintf(pointer, sizeof(pointer), "%s", base != NULL ? base : "/inputs");
    else if (diag->element >= 0)
        snprintf(pointer, sizeof(pointer), "%s%s/%lld", base, part_member[diag->part], (long long)diag->element);
    else
        snprintf(pointer, sizeof(pointer), "%s%s", base, part_member[diag->part]);
    return problem_set(ret, from_op[diag->code], pointer, "%s", diag->text);
}
