/* Binary tensors: a blob is taken if and only if its size is right, and written as it came.
 *
 * Input: type, shape, how the blob's size is made to fit, the blob. */
#include "tests/fuzz/outputs.h"

/* Elements of BYTES: lengths and that many bytes, up to the end. */
static bool cuts_well(struct bytes blob, int64_t count)
{
    size_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t len = 0;
        if (blob.len - at < 4)
            return false;
        memcpy(&len, blob.ptr + at, 4);
        at += 4;
        if (blob.len - at < len)
            return false;
        at += len;
    }
    return at == blob.len;
}

static bool fits(const struct tensor *tensor, struct bytes blob)
{
    int64_t bytes = 0, count = 0;
    if (!shape_bytes(&tensor->shape, tensor->dtype, &bytes) || !shape_elements(&tensor->shape, &count))
        return false;
    return tensor->dtype == DTYPE_BYTES ? cuts_well(blob, count) : blob.len == (uint64_t)bytes;
}

static void check(struct fuzz_memory *memory, struct call_input *input, struct bytes blob)
{
    struct problem err = {.code = PROBLEM_NONE};
    size_t len = 0;
    int64_t size = 0;
    bool good = codec_binary_decode(&memory->arena, blob, input, &err);
    check_memory(memory, blob.len, 4);
    REQUIRE(good == (err.code == PROBLEM_NONE) && good == fits(&input->tensor, blob), "wrong verdict: %s", err.detail);
    if (!good)
        return;
    check_tensor(&input->tensor);
    REQUIRE(codec_binary_size(&input->tensor, &input->tensor, &size) && (size_t)size == blob.len, "wrong size");
    uint8_t *again = encode_file(&memory->arena, output_binary, input, 7, &len, &err);
    REQUIRE(again != NULL && len == blob.len && (len == 0 || memcmp(again, blob.ptr, len) == 0), "written otherwise");
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct feed feed = feed_of(data, size);
    struct call_input input = {.given = true, .pointer = "/inputs/0"};
    enum dtype type = feed_type(&feed);
    struct shape shape;
    int64_t want = 0;
    feed_small_shape(&feed, &shape);
    uint8_t odd = feed_byte(&feed);
    if (odd > 250 && shape.rank > 0)
        shape.dim[0] = (int64_t)(feed_word(&feed, 8) >> 1);
    tensor_init(&input.tensor, type, &shape, NULL);
    struct bytes blob = feed_rest(&feed);
    if (odd % 2 == 0 && type != DTYPE_BYTES && shape_bytes(&shape, type, &want) && (size_t)want <= blob.len)
        blob.len = (size_t)want;
    uint8_t *copy = fuzz_copy(blob.ptr, blob.len);
    fuzz_memory_init(&memory);
    check(&memory, &input, (struct bytes){copy, blob.len});
    fuzz_memory_release(&memory);
    free(copy);
    return 0;
}
