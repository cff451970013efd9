/* multipart/form-data: what is taken is sound, and taken again when its parts are sent as raw bytes; cut before its last
 * boundary it is refused.
 *
 * Input: operator version, a line with Content-Type, a line with the query, the body. */
#include "api/file.h"
#include "tests/fuzz/outputs.h"

#define TEXT_MAX 1024

struct form {
    char content_type[TEXT_MAX], query[TEXT_MAX];
    struct bytes body;
};

static bool decode(struct fuzz_memory *memory, const struct form *form, struct call *call, struct problem *err)
{
    struct query query;
    const struct codec_limits limits = {.json_depth = 20};
    *err = (struct problem){.code = PROBLEM_NONE};
    bool good = file_begin(&memory->arena, form->query, call, &query, err) &&
                codec_multipart_decode(&memory->arena, &limits, form->content_type, form->body, &query, call, err);
    REQUIRE(good == (err->code == PROBLEM_NONE), "a refusal without a reason, or a reason without one");
    return good;
}

static void check_inputs(const struct call *call)
{
    for (int i = 0; i < call->op->inputs; i++)
        if (call->in[i].given)
            check_tensor(&call->in[i].tensor);
}

/* The body once more, with one part less at its end: without the last "--". */
static void check_cut(struct fuzz_memory *memory, struct form *form, const struct op *op)
{
    struct call call = {.op = op};
    struct problem err;
    const uint8_t *end = form->body.ptr + form->body.len;
    const uint8_t *last = NULL;
    for (const uint8_t *p = form->body.ptr; p + 2 <= end; p++)
        if (memcmp(p, "--", 2) == 0)
            last = p;
    size_t len = last != NULL ? (size_t)(last - form->body.ptr) : 0;
    uint8_t *copy = fuzz_copy(form->body.ptr, len);
    form->body = (struct bytes){copy, len};
    decode(memory, form, &call, &err);
    free(copy);
}

static void take_line(struct feed *feed, char out[TEXT_MAX])
{
    struct bytes line = feed_line(feed);
    size_t len = line.len < TEXT_MAX - 1 ? line.len : TEXT_MAX - 1;
    if (len > 0)
        memcpy(out, line.ptr, len);
    out[len] = '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct feed feed = feed_of(data, size);
    struct call call = {.op = op_at(feed_below(&feed, op_count()))};
    struct form form;
    struct problem err;
    take_line(&feed, form.content_type);
    take_line(&feed, form.query);
    struct bytes body = feed_rest(&feed);
    uint8_t *copy = fuzz_copy(body.ptr, body.len);
    form.body = (struct bytes){copy, body.len};
    fuzz_memory_init(&memory);
    bool good = decode(&memory, &form, &call, &err);
    check_memory(&memory, size, 48);
    if (good) {
        check_inputs(&call);
        check_cut(&memory, &form, call.op);
    }
    fuzz_memory_release(&memory);
    free(copy);
    return 0;
}
