/* Operators and kernel: verdict and shape of op_infer are those of an oracle that goes by the text of ONNX's specification,
 * and every byte range of the result is what the oracle puts together element by element.
 *
 * Input: decisions, see LLVMFuzzerTestOneInput. */
#include "ops/kernel.h"
#include "ops/op.h"
#include "tests/fuzz/oracle.h"

#define MAX_BYTES ((int64_t)1 << 16) /* of tensors that are really there */
#define RANGES 4

/* ---- the case ---- */

static int64_t some_size(struct feed *feed)
{
    static const int64_t sizes[] = {1, 2, 3, 0, 4, 5, 7, 8, 16, 17, 33, 64, 100, 257, 1000, 65536,
                                    (int64_t)1 << 31, (int64_t)1 << 32, (int64_t)1 << 62, INT64_MAX};
    size_t choice = feed_below(feed, 256);
    return sizes[choice % (choice < 200 ? 8 : sizeof(sizes) / sizeof(sizes[0]))];
}

static void some_shape(struct feed *feed, struct shape *ret)
{
    size_t choice = feed_below(feed, 256);
    ret->rank = (int)(choice < 240 ? choice % 6 : choice % (SHAPE_MAX_RANK + 1));
    for (int i = 0; i < ret->rank; i++)
        ret->dim[i] = some_size(feed);
}

/* A list of sizes or axes: near what is right, or anything. */
static void some_list(struct feed *feed, const struct shape *data, struct shape *ret)
{
    size_t choice = feed_below(feed, 256);
    ret->rank = (int)(choice < 240 ? choice % 6 : choice % (SHAPE_MAX_RANK + 1));
    for (int i = 0; i < ret->rank; i++) {
        uint8_t kind = feed_byte(feed);
        int from = i - ret->rank + data->rank;
        ret->dim[i] = kind < 80 && from >= 0    ? data->dim[from]
                      : kind < 160              ? some_size(feed)
                      : kind < 250              ? (int64_t)feed_below(feed, 16) - 8
                                                : (int64_t)feed_word(feed, 8);
    }
}

/* ---- results ---- */

static void check_ranges(struct feed *feed, const struct tensor *view, const uint8_t *want, int64_t bytes)
{
    struct copy_plan plan;
    copy_plan_init(&plan, view);
    REQUIRE(plan.bytes == (uint64_t)bytes, "the plan has %llu bytes, not %lld", (unsigned long long)plan.bytes,
            (long long)bytes);
    for (int i = 0; i < RANGES; i++) {
        size_t from = i == 0 ? 0 : feed_below(feed, (size_t)bytes + 1);
        size_t n = i == 0 ? (size_t)bytes : feed_below(feed, (size_t)bytes - from + 1);
        uint8_t *out = malloc(n > 0 ? n : 1);
        copy_range(&plan, from, n, out);
        REQUIRE(n == 0 || memcmp(out, want + from, n) == 0, "bytes %zu to %zu are wrong", from, from + n);
        free(out);
    }
}

/* The output as bytes, if it is small enough to be made. */
static void check_output(struct feed *feed, const struct oracle_case *c, const struct tensor *view)
{
    int64_t bytes = 0;
    REQUIRE(shape_bytes(&view->shape, view->dtype, &bytes), "a result of no known size");
    if (bytes > MAX_BYTES || view->data == NULL)
        return;
    uint8_t *want = malloc(bytes > 0 ? (size_t)bytes : 1);
    oracle_output(c, &view->shape, want);
    check_ranges(feed, view, want, bytes);
    free(want);
}

static void check_call(struct feed *feed, const struct oracle_case *c)
{
    struct tensor data, list, view = {.dtype = DTYPE_NONE};
    struct op_diag diag = {.code = OP_OK};
    struct shape want;
    struct shape length = {.rank = c->list_rank, .dim = {c->list.rank}};
    tensor_init(&data, c->type, &c->shape, c->data);
    tensor_init(&list, c->list_type, &length, c->list.dim);
    enum op_code code = op_infer(c->op, &(struct op_call){.in = {&data, &list}}, &view, &diag);
    enum op_code expected = oracle_infer(c, &want);
    REQUIRE(code == expected, "%s %d gives %d, not %d: %s", c->op->name, c->op->since, code, expected, diag.text);
    REQUIRE(code == OP_OK ? view.dtype == c->type : view.dtype == DTYPE_NONE, "wrong type, or a refusal with a result");
    REQUIRE(code == diag.code && memchr(diag.text, '\0', sizeof(diag.text)) != NULL, "wrong diagnosis");
    if (code != OP_OK)
        return;
    REQUIRE(shape_equal(&view.shape, &want), "wrong shape");
    check_output(feed, c, &view);
}

/* ---- any view at all: what files in column-major order are ---- */

static void check_view(struct feed *feed, struct oracle_case *c)
{
    struct tensor view;
    int64_t bytes = 0;
    tensor_init(&view, c->type, &c->shape, c->data);
    if (c->data == NULL || dtype_info(c->type)->bits < 8)
        return;
    for (int i = 0; i < c->shape.rank; i++) {
        int other = (int)feed_below(feed, (size_t)c->shape.rank);
        int64_t dim = view.shape.dim[i], stride = view.stride[i];
        view.shape.dim[i] = view.shape.dim[other];
        view.stride[i] = view.stride[other];
        view.shape.dim[other] = dim;
        view.stride[other] = stride;
    }
    for (int i = 0; i < c->shape.rank; i++)
        if (feed_byte(feed) < 64)
            view.stride[i] = 0;
    REQUIRE(shape_bytes(&view.shape, view.dtype, &bytes), "no size");
    uint8_t *want = malloc(bytes > 0 ? (size_t)bytes : 1);
    oracle_view(&view, want);
    check_ranges(feed, &view, want, bytes);
    free(want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct feed feed = feed_of(data, size);
    struct oracle_case c = {.op = op_at(feed_below(&feed, op_count()))};
    int64_t bytes = 0;
    c.type = (enum dtype)(1 + feed_below(&feed, DTYPE_END - 1));
    uint8_t odd = feed_byte(&feed);
    c.list_rank = odd == 255 ? 0 : odd == 254 ? 2 : 1;
    c.list_type = odd == 253 ? DTYPE_INT32 : DTYPE_INT64;
    some_shape(&feed, &c.shape);
    some_list(&feed, &c.shape, &c.list);
    if (c.list_rank == 0)
        c.list.rank = 1;
    bool there = shape_bytes(&c.shape, c.type, &bytes) && bytes <= MAX_BYTES;
    uint8_t *memory = malloc(there && bytes > 0 ? (size_t)bytes : 1);
    for (int64_t i = 0; i < bytes && there; i++)
        memory[i] = (uint8_t)(i * 151 + i / 256);
    c.data = there ? memory : NULL;
    if (odd == 252)
        check_view(&feed, &c);
    else if (there || odd < 64)
        check_call(&feed, &c);
    free(memory);
    return 0;
}
