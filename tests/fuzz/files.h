/* What the targets of file codecs share: a file that is taken is sound and, written and read again, the same. */
#ifndef TESTS_FUZZ_FILES_H
#define TESTS_FUZZ_FILES_H

#include "tests/fuzz/outputs.h"

typedef bool decode_fn(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                       struct call_input *ret, struct problem *err);

static inline bool decode_file(struct fuzz_memory *memory, decode_fn *decode, const struct tensor_file *file,
                               struct call_input *ret, struct problem *err)
{
    const struct codec_limits limits = {.json_depth = 20};
    *ret = (struct call_input){.given = true, .pointer = "/data"};
    *err = (struct problem){.code = PROBLEM_NONE};
    bool good = decode(&memory->arena, &limits, file, ret, err);
    REQUIRE(good == (err->code == PROBLEM_NONE), "a refusal without a reason, or a reason without one");
    if (good)
        check_tensor(&ret->tensor);
    return good;
}

/* What a decoded file is once it has been written and read again. */
static inline void check_file_again(struct fuzz_memory *memory, decode_fn *decode, encode_fn *encode,
                                    const struct call_input *input)
{
    struct problem err;
    struct call_input again;
    size_t len = 0;
    uint8_t *file = encode_file(&memory->arena, encode, input, 13, &len, &err);
    if (file == NULL) {
        REQUIRE(err.code == PROBLEM_INVALID_DATA || err.code == PROBLEM_OUTPUT_TOO_LARGE, "not written: %s", err.detail);
        return;
    }
    const struct tensor_file told = {.content = {file, len}, .dtype = input->tensor.dtype, .dims = &input->tensor.shape};
    REQUIRE(decode_file(memory, decode, &told, &again, &err), "not read again: %s", err.detail);
    REQUIRE(same_tensor(&input->tensor, &again.tensor), "read again otherwise");
    free(file);
}

#endif
