/* What the tests of the JSON codec share. Documents are written with ' for ", so that they can be read here. */
#ifndef TESTS_API_CODEC_JSON_H
#define TESTS_API_CODEC_JSON_H

#include <stdio.h>
#include <string.h>

#include "api/codec.h"
#include "tests/suite.h"

#define TEXT(literal) literal, sizeof(literal) - 1

struct fixture {
    struct arena arena;
    struct problem err;
    struct call call;
};

/* A copy in memory of just that size, with ' turned into ". */
static inline struct bytes document(struct fixture *f, const char *text)
{
    size_t len = strlen(text);
    uint8_t *copy = arena_alloc(&f->arena, 1, len);
    for (size_t i = 0; i < len; i++)
        copy[i] = text[i] == '\'' ? '"' : (uint8_t)text[i];
    return (struct bytes){copy, len};
}

static inline bool decode_with_tail(struct fixture *f, const char *op, int since, const char *text, struct bytes tail)
{
    const struct codec_limits limits = {.json_depth = 100};
    f->err = (struct problem){.code = PROBLEM_NONE};
    f->call = (struct call){.op = op_find(op, since)};
    return codec_json_decode(&f->arena, &limits, document(f, text), tail, &f->call, &f->err);
}

static inline bool decode(struct fixture *f, const char *op, int since, const char *text)
{
    return decode_with_tail(f, op, since, text, (struct bytes){NULL, 0});
}

static inline void assert_refused(const struct fixture *f, enum problem_code code, const char *pointer)
{
    ck_assert_msg(f->err.code == code && strcmp(f->err.pointer, pointer) == 0, "%s at \"%s\", not %s at \"%s\": %s",
                  problem_info(f->err.code)->code, f->err.pointer, problem_info(code)->code, pointer, f->err.detail);
}

#endif
