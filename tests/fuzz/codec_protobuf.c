/* TensorProto files. Input: the file. */
#include "tests/fuzz/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct call_input input;
    struct problem err;
    uint8_t *copy = fuzz_copy(data, size);
    const struct tensor_file file = {.content = {copy, size}};
    fuzz_memory_init(&memory);
    bool good = decode_file(&memory, codec_protobuf_decode, &file, &input, &err);
    check_memory(&memory, size, 48);
    if (good)
        check_file_again(&memory, codec_protobuf_decode, codec_protobuf_encode, &input);
    fuzz_memory_release(&memory);
    free(copy);
    return 0;
}
