/* Documents of the Open Inference Protocol: what is decoded is sound and costs memory in proportion, and each tensor of it,
 * written as JSON and read again, has the same bits.
 *
 * Input: operator version, kind of call, bytes of binary data at the end, document. */
#include "api/codec.h"
#include "api/codec_json_data.h"
#include "api/codec_json_text.h"
#include "tests/fuzz/outputs.h"

static void check_again(struct arena *arena, const struct tensor *tensor)
{
    struct problem err;
    struct bytes text;
    struct json json;
    struct tensor again;
    if (!codec_json_text(arena, tensor, "", NULL, &text, &err)) {
        REQUIRE(tensor->dtype == DTYPE_BYTES && err.code == PROBLEM_INVALID_DATA, "not written: %s", err.detail);
        return;
    }
    uint8_t *list = malloc(text.len + 2);
    list[0] = '[';
    memcpy(list + 1, text.ptr, text.len);
    list[text.len > 0 ? text.len : 1] = ']'; /* in the place of the last ',' */
    tensor_init(&again, tensor->dtype, &tensor->shape, NULL);
    json_init(&json, (struct bytes){list, text.len > 0 ? text.len + 1 : 2}, 1, arena, &err);
    REQUIRE(codec_json_data(&json, "", &again) && json_end(&json), "not read again: %s", err.detail);
    REQUIRE(same_tensor(tensor, &again), "read again otherwise");
    free(list);
}

static void check_call(struct arena *arena, const struct call *call)
{
    for (int i = 0; i < call->op->inputs; i++) {
        const struct call_input *input = &call->in[i];
        REQUIRE(memchr(input->pointer, '\0', sizeof(input->pointer)) != NULL, "no end of a pointer");
        if (!input->given || call->dry_run)
            continue;
        check_tensor(&input->tensor);
        bool bits = i > 0 || input->tensor.dtype == DTYPE_BYTES; /* NaN has many; what came in binary may be any */
        if (bits || call->form == FORM_JSON)
            check_again(arena, &input->tensor);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct feed feed = feed_of(data, size);
    struct call call = {.op = op_at(feed_below(&feed, op_count()))};
    call.dry_run = feed_byte(&feed) % 8 == 7;
    struct problem err = {.code = PROBLEM_NONE};
    const struct codec_limits limits = {.json_depth = 20};
    size_t tail = feed_byte(&feed);
    struct bytes rest = feed_rest(&feed);
    tail = tail < rest.len ? tail : 0;
    uint8_t *head = fuzz_copy(rest.ptr, rest.len - tail);
    uint8_t *blobs = fuzz_copy(rest.ptr + (rest.len - tail), tail);
    fuzz_memory_init(&memory);
    bool good = codec_json_decode(&memory.arena, &limits, (struct bytes){head, rest.len - tail},
                                  (struct bytes){blobs, tail}, &call, &err);
    REQUIRE(good || err.code != PROBLEM_NONE, "a refusal without a reason");
    check_memory(&memory, rest.len, 16);
    if (good && tail == 0)
        check_call(&memory.arena, &call);
    fuzz_memory_release(&memory);
    free(head);
    free(blobs);
    return 0;
}
