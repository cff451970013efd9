/* Sizes in a request document: the members of `shape`, and in a dry run the data of an input of sizes, which may then
 * hold names and nulls as well. */
#include "api/codec_json_decoder.h"

#include <string.h>

static bool refuse_size(struct decoder *d)
{
    return decoder_refuse(d, PROBLEM_INVALID_SHAPE, "the sizes in shape must be whole numbers from 0 to %lld%s",
                          (long long)INT64_MAX, d->call->dry_run ? ", names, or null" : "");
}

static bool refuse_value(struct decoder *d)
{
    return decoder_refuse(d, PROBLEM_INVALID_SHAPE,
                          "the values of %s in a dry run must be whole numbers, names, or null",
                          d->call->op->in[d->draft.index].name);
}

static bool read_name(struct decoder *d, int64_t *ret)
{
    struct bytes name;
    if (!json_string(&d->json, &name))
        return false;
    if (name.len == 0 || name.len > SYMBOLS_MAX_BYTES || memchr(name.ptr, '\0', name.len) != NULL)
        return decoder_refuse(d, PROBLEM_INVALID_SHAPE,
                              "the name of a size must have 1 to %d bytes, none of them NUL", SYMBOLS_MAX_BYTES);
    switch (symbols_size(&d->call->symbols, d->arena, name, ret)) {
    case SYMBOLS_OK: return true;
    case SYMBOLS_NO_MEMORY: return problem_memory(d->err);
    default:
        return decoder_refuse(d, PROBLEM_INVALID_SHAPE, "a request can have at most %d names of sizes",
                              SYMBOLS_MAX);
    }
}

/* A whole number, or in a dry run what stands for one; else `refuse`. */
static bool read_value(struct decoder *d, int64_t *ret, bool (*refuse)(struct decoder *d))
{
    struct decimal number;
    enum json_kind kind = json_peek(&d->json);
    if (d->call->dry_run && kind == JSON_STRING)
        return read_name(d, ret);
    if (d->call->dry_run && kind == JSON_NULL) {
        *ret = DIM_UNKNOWN;
        return json_skip(&d->json);
    }
    if (kind != JSON_NUMBER)
        return json_skip(&d->json) && refuse(d);
    if (!json_number(&d->json, &number))
        return false;
    return (number_type_of(DTYPE_INT64)->read(&number, ret) == NUMBER_OK && !dim_symbolic(*ret)) || refuse(d);
}

static bool read_dim(struct json *json, size_t index, void *ctx)
{
    struct decoder *d = ctx;
    struct shape *shape = &d->tensor->shape;
    (void)json;
    if (index == SHAPE_MAX_RANK)
        return decoder_refuse(d, PROBLEM_INVALID_SHAPE, "shape has more sizes than %d, the highest rank",
                              SHAPE_MAX_RANK);
    decoder_enter_element(d, index);
    int64_t *dim = &shape->dim[index];
    if (!read_value(d, dim, refuse_size))
        return false;
    if (*dim < 0 && !dim_symbolic(*dim))
        return refuse_size(d);
    shape->rank = (int)index + 1;
    decoder_leave(d);
    return true;
}

bool codec_json_shape(struct decoder *d)
{
    struct shape *shape = &d->tensor->shape;
    d->draft.has_shape = true;
    if (d->call->dry_run && json_peek(&d->json) == JSON_NULL) {
        shape->rank = SHAPE_RANK_UNKNOWN;
        return json_skip(&d->json);
    }
    shape->rank = 0;
    return decoder_array(d, read_dim, "an array of sizes");
}

struct values {
    struct decoder *decoder;
    int64_t *out;
    int64_t count;
};

static bool refuse_count(struct decoder *d, int64_t count)
{
    return decoder_refuse(d, PROBLEM_INVALID_DATA, "shape says %lld values: make data hold as many",
                          (long long)count);
}

static bool read_element(struct json *json, size_t index, void *ctx)
{
    struct values *values = ctx;
    struct decoder *d = values->decoder;
    (void)json;
    if (index >= (size_t)values->count)
        return refuse_count(d, values->count);
    decoder_enter_element(d, index);
    if (!read_value(d, &values->out[index], refuse_value))
        return false;
    decoder_leave(d);
    values->decoder->draft.values = (int64_t)index + 1;
    return true;
}

bool codec_json_values(struct decoder *d)
{
    struct draft *draft = &d->draft;
    struct values values = {.decoder = d};
    if (!shape_elements(&d->tensor->shape, &values.count) || values.count > SHAPE_MAX_RANK)
        return decoder_refuse(d, PROBLEM_INVALID_SHAPE, "a dry run takes at most %d values here", SHAPE_MAX_RANK);
    values.out = arena_alloc(d->arena, (size_t)values.count, sizeof(int64_t));
    if (values.out == NULL)
        return problem_memory(d->err);
    draft->values = 0;
    d->tensor->data = values.out;
    return json_array(&d->json, read_element, &values) &&
           (draft->values == values.count || refuse_count(d, values.count));
}
