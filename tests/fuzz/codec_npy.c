/* .npy files.
 *
 * Input: type that is told, version; for versions 1 to 3 the text of the header, a newline, and data, of which a well-formed
 * frame is made; else the file as it is. */
#include "tests/fuzz/files.h"

static uint8_t *frame(uint8_t version, struct bytes header, struct bytes data, size_t *len)
{
    size_t width = version == 1 ? 2 : 4;
    size_t header_len = header.len + 1;
    *len = 8 + width + header_len + data.len;
    uint8_t *file = malloc(*len);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = version;
    file[7] = 0;
    for (size_t i = 0; i < width; i++)
        file[8 + i] = (uint8_t)(header_len >> (8 * i));
    if (header.len > 0)
        memcpy(file + 8 + width, header.ptr, header.len);
    file[8 + width + header.len] = '\n';
    if (data.len > 0)
        memcpy(file + 8 + width + header_len, data.ptr, data.len);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct call_input input;
    struct problem err;
    struct feed feed = feed_of(data, size);
    struct tensor_file file = {.dtype = (enum dtype)feed_below(&feed, DTYPE_END)};
    uint8_t version = feed_byte(&feed);
    uint8_t *copy = NULL;
    if (version >= 1 && version <= 3) {
        struct bytes header = feed_line(&feed);
        copy = frame(version, header, feed_rest(&feed), &file.content.len);
    } else {
        struct bytes rest = feed_rest(&feed);
        file.content.len = rest.len;
        copy = fuzz_copy(rest.ptr, rest.len);
    }
    file.content.ptr = copy;
    fuzz_memory_init(&memory);
    if (decode_file(&memory, codec_npy_decode, &file, &input, &err)) {
        check_memory(&memory, size, 32);
        check_file_again(&memory, codec_npy_decode, codec_npy_encode, &input);
    }
    fuzz_memory_release(&memory);
    free(copy);
    return 0;
}
