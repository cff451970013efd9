/* Encoders in fuzz targets: the output of an operator that keeps its tensor, and what becomes of it. */
#ifndef TESTS_FUZZ_OUTPUTS_H
#define TESTS_FUZZ_OUTPUTS_H

#include "api/codec.h"
#include "api/output.h"
#include "tests/fuzz/tensors.h"

#define OUTPUT_LIMIT ((uint64_t)1 << 20)

/* Pulls the whole source in blocks of `block` bytes into memory of the heap, for the caller to free. */
static inline uint8_t *pull_all(struct source *source, size_t block, size_t *len)
{
    size_t room = 4096, got = 0;
    uint8_t *out = malloc(room);
    *len = 0;
    do {
        if (room - *len < block)
            out = realloc(out, room = 2 * room + block);
        got = source_pull(source, out + *len, block);
        REQUIRE(got <= block, "a source gives more than it was asked for");
        *len += got;
    } while (got == block);
    REQUIRE(source_pull(source, out, block) == 0, "a source goes on after its end");
    REQUIRE(source->length == SOURCE_LENGTH_UNKNOWN || source->length == *len, "%zu bytes came, not %llu", *len,
            (unsigned long long)source->length);
    return out;
}

typedef struct source *encode_fn(const struct output *output);

/* `input` as a file, in memory of the heap; NULL with *err filled if it is refused. */
static inline uint8_t *encode_file(struct arena *arena, encode_fn *encode, const struct call_input *input, size_t block,
                                   size_t *len, struct problem *err)
{
    struct call call = {.op = op_newest("unsqueeze")};
    call.in[0] = *input;
    const struct output output = {.arena = arena, .call = &call, .view = &input->tensor, .input = &input->tensor,
                                  .max_bytes = OUTPUT_LIMIT, .err = err};
    *err = (struct problem){.code = PROBLEM_NONE};
    struct source *source = encode(&output);
    REQUIRE((source == NULL) == (err->code != PROBLEM_NONE), "a refusal without a reason, or a reason without one");
    return source != NULL ? pull_all(source, block, len) : NULL;
}

/* Decoding what is at most `factor` bytes of memory a byte of input. */
static inline void check_memory(const struct fuzz_memory *memory, size_t input, size_t factor)
{
    size_t most = ((size_t)64 << 10) + input * factor;
    REQUIRE(memory->scarce.total <= most, "%zu bytes of memory for %zu of input", memory->scarce.total, input);
}

#endif
