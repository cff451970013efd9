/* Tensor files with what they mean (made by make_vectors.py), and what is checked with each of them.
 */
#ifndef TESTS_API_VECTORS_H
#define TESTS_API_VECTORS_H

#include <stdlib.h>
#include <string.h>

#include "api/codec.h"
#include "api/output.h"
#include "tests/api/scarce.h"
#include "tests/suite.h"

struct vector {
    const char *what;
    enum dtype told; /* beside the file */
    enum dtype dtype;
    struct shape shape;
    struct bytes file;
    struct bytes data;   /* as the binary tensor extension has it; NONE: the end of the file */
    struct bytes answer; /* the same tensor as an output; NONE: the file itself */
};

#define BYTES(text) {(const uint8_t *)(text), sizeof(text) - 1}
#define NONE {NULL, 0}

struct codec {
    bool (*decode)(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                   struct call_input *ret, struct problem *err);
    struct source *(*encode)(const struct output *output);
};

/* ---- one file there and back ---- */

/* A round trip; everything in it lives in the arena. */
struct trip {
    struct arena arena;
    struct call call; /* of an operator whose output is called "output" */
    struct problem err;
    uint8_t *file; /* a copy in a block of its own, whose ends a sanitizer sees */
};

static inline void trip_begin(struct trip *t, const struct memory *memory)
{
    *t = (struct trip){.call = {.op = op_newest("expand")}, .err = {.code = PROBLEM_NONE}};
    t->call.in[0] = (struct call_input){.given = true, .pointer = "/input"};
    t->call.in[1] = (struct call_input){.given = true, .pointer = "/shape"};
    arena_init(&t->arena, memory, NULL, 0);
}

static inline void trip_end(struct trip *t)
{
    arena_release(&t->arena);
    free(t->file);
}

static inline bool trip_decode(struct trip *t, const struct codec *codec, struct bytes file, enum dtype told)
{
    static const struct codec_limits limits = {.json_depth = 100};
    t->file = malloc(file.len > 0 ? file.len : 1);
    if (file.len > 0)
        memcpy(t->file, file.ptr, file.len);
    const struct tensor_file copy = {.content = {t->file, file.len}, .dtype = told};
    return codec->decode(&t->arena, &limits, &copy, &t->call.in[0], &t->err);
}

static inline struct output trip_output(struct trip *t)
{
    const struct tensor *tensor = &t->call.in[0].tensor;
    return (struct output){.arena = &t->arena, .call = &t->call, .view = tensor, .input = tensor,
                           .max_bytes = 1 << 20, .err = &t->err};
}

/* All of a source, pulled in pieces of an odd size; the caller frees it. */
static inline struct bytes pull_all(struct source *source)
{
    size_t len = 0;
    uint8_t *out = malloc((size_t)source->length + 1);
    for (size_t n = 1; n > 0; len += n)
        n = source_pull(source, out + len, len + 7 < source->length ? 7 : (size_t)source->length - len);
    ck_assert_uint_eq(len, source->length);
    return (struct bytes){out, len};
}

static inline void check_source(struct source *source, struct bytes want)
{
    ck_assert_ptr_nonnull(source);
    struct bytes got = pull_all(source);
    ck_assert_uint_eq(got.len, want.len);
    if (want.len > 0)
        ck_assert_mem_eq(got.ptr, want.ptr, want.len);
    free((void *)(uintptr_t)got.ptr);
}

/* The file is read as what it means, and that is written as the answer. */
static inline void check_vector(const struct codec *codec, const struct vector *v)
{
    struct trip t;
    trip_begin(&t, &memory_heap);
    ck_assert_msg(trip_decode(&t, codec, v->file, v->told), "%s: %s", v->what, t.err.detail);
    const struct tensor *tensor = &t.call.in[0].tensor;
    ck_assert_int_eq(tensor->dtype, v->dtype);
    ck_assert(shape_equal(&tensor->shape, &v->shape));
    ck_assert(tensor_dense(tensor));
    ck_assert_ptr_nonnull(tensor->data);
    const struct output output = trip_output(&t);
    int64_t bytes = 0;
    ck_assert(shape_bytes(&v->shape, v->dtype, &bytes));
    struct bytes end = {v->file.ptr + v->file.len - bytes, (size_t)bytes};
    check_source(output_binary(&output), v->data.ptr != NULL ? v->data : end);
    check_source(codec->encode(&output), v->answer.ptr != NULL ? v->answer : v->file);
    trip_end(&t);
}

/* Whatever is made of the file must be refused as the client's fault, or be a tensor that can be read. */
static inline void check_survives(const struct codec *codec, struct bytes file, enum dtype told)
{
    struct trip t;
    trip_begin(&t, &memory_heap);
    if (trip_decode(&t, codec, file, told)) {
        const struct output output = trip_output(&t);
        struct source *source = output_binary(&output);
        if (source != NULL)
            free((void *)(uintptr_t)pull_all(source).ptr);
    } else {
        ck_assert_int_eq(problem_info(t.err.code)->status, 400);
        ck_assert_str_eq(t.err.pointer, "/input");
        ck_assert_int_eq(strncmp(t.err.detail, "input: ", 7), 0);
    }
    trip_end(&t);
}

/* The file cut after each byte, longer by one, and with each of its bytes changed in some ways. */
static inline void check_mutations(const struct codec *codec, const struct vector *v)
{
    static const uint8_t masks[] = {0x01, 0x80, 0x20, 0x13, 0xff};
    uint8_t bytes[1024];
    ck_assert_uint_lt(v->file.len, sizeof(bytes));
    memcpy(bytes, v->file.ptr, v->file.len);
    bytes[v->file.len] = 0;
    for (size_t len = 0; len <= v->file.len + 1; len++)
        check_survives(codec, (struct bytes){bytes, len}, v->told);
    for (size_t i = 0; i < v->file.len; i++)
        for (size_t k = 0; k < sizeof(masks); k++) {
            bytes[i] ^= masks[k];
            check_survives(codec, (struct bytes){bytes, v->file.len}, v->told);
            bytes[i] = v->file.ptr[i];
        }
}

/* Wherever memory ends on the way there and back, the problem says so. */
static inline void check_scarce(const struct codec *codec, const struct vector *v)
{
    bool done = false;
    for (size_t fail_at = 1; !done; fail_at++) {
        struct scarce scarce = {.fail_at = fail_at};
        const struct memory memory = scarce_memory(&scarce);
        struct trip t;
        trip_begin(&t, &memory);
        done = trip_decode(&t, codec, v->file, v->told);
        const struct output output = trip_output(&t);
        done = done && codec->encode(&output) != NULL;
        ck_assert(done == (scarce.blocks < fail_at));
        ck_assert_int_eq(t.err.code, done ? PROBLEM_NONE : PROBLEM_OUT_OF_MEMORY);
        trip_end(&t);
    }
}

#endif
