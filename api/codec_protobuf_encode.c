/* Writing ONNX TensorProto files (.pb). By hand: an answer is a few bytes of fields around values that are pulled. */
#include "api/codec.h"

#include <string.h>

#include "api/output.h"

/* Field numbers with their wire types (protobuf encoding: number << 3 | type). */
#define TAG_DIMS (1 << 3 | 0)
#define TAG_DATA_TYPE (2 << 3 | 0)
#define TAG_STRING_DATA (6 << 3 | 2)
#define TAG_NAME (8 << 3 | 2)
#define TAG_RAW_DATA (9 << 3 | 2)

#define MAX_VARINT 10
/* dims and data_type, name, and what comes before raw_data. */
#define MAX_FIELDS ((size_t)(SHAPE_MAX_RANK + 3) * (MAX_VARINT + 1))
#define MAX_MESSAGE INT32_MAX /* of protobuf in every language */

static uint8_t *put_varint(uint8_t *out, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        *out++ = (uint8_t)(value | 0x80);
    *out++ = (uint8_t)value;
    return out;
}

static size_t varint_size(uint64_t value)
{
    uint8_t scratch[MAX_VARINT];
    return (size_t)(put_varint(scratch, value) - scratch);
}

static uint8_t *put_tagged(uint8_t *out, uint8_t tag, uint64_t value)
{
    *out++ = tag;
    return put_varint(out, value);
}

static uint8_t *put_shape(uint8_t *out, const struct tensor *view)
{
    for (int i = 0; i < view->shape.rank; i++)
        out = put_tagged(out, TAG_DIMS, (uint64_t)view->shape.dim[i]);
    return put_tagged(out, TAG_DATA_TYPE, (uint64_t)view->dtype);
}

static uint8_t *put_name(uint8_t *out, const char *name)
{
    size_t len = strlen(name);
    out = put_tagged(out, TAG_NAME, len);
    memcpy(out, name, len);
    return out + len;
}

/* The elements as string_data fields. */
static bool string_fields(struct arena *arena, const struct tensor *input, struct pieces *ret)
{
    int64_t count = 0;
    shape_elements(&input->shape, &count);
    const struct string *strings = input->data;
    size_t size = 0;
    for (int64_t i = 0; i < count; i++)
        size += 1 + varint_size(strings[i].len) + strings[i].len;
    uint8_t *base = arena_alloc(arena, size, 1);
    uint64_t *offset = arena_alloc(arena, (size_t)count + 1, sizeof(*offset));
    if (base == NULL || offset == NULL)
        return false;
    uint8_t *out = base;
    for (int64_t i = 0; i < count; i++) {
        offset[i] = (uint64_t)(out - base);
        out = put_tagged(out, TAG_STRING_DATA, strings[i].len);
        if (strings[i].len > 0)
            memcpy(out, strings[i].ptr, strings[i].len);
        out += strings[i].len;
    }
    offset[count] = size;
    *ret = (struct pieces){.base = base, .offset = offset, .count = count};
    return true;
}

/* ---- the message: fields in the order of their numbers, as every writer has them ---- */

static struct source *fields_source(const struct output *output, const uint8_t *from, const uint8_t *to)
{
    return output_made(output, source_bytes(output->arena, (struct bytes){from, (size_t)(to - from)}));
}

/* string_data is 6, the name 8. */
static struct source *encode_strings(const struct output *output, uint8_t *fields)
{
    struct pieces pieces;
    if (!string_fields(output->arena, output->input, &pieces))
        return output_made(output, NULL);
    struct source *data = output_pieces(output, &pieces, 0);
    if (data == NULL)
        return NULL;
    uint8_t *middle = put_shape(fields, output->view);
    uint8_t *end = put_name(middle, output->call->op->output);
    struct source *const parts[] = {fields_source(output, fields, middle), data, fields_source(output, middle, end)};
    return output_concat(output, parts, sizeof(parts) / sizeof(parts[0]));
}

/* The name is 8, raw_data 9. */
static struct source *encode_raw(const struct output *output, uint8_t *fields)
{
    struct source *data = output_binary(output);
    if (data == NULL)
        return NULL;
    uint8_t *end = put_name(put_shape(fields, output->view), output->call->op->output);
    end = put_tagged(end, TAG_RAW_DATA, data->length);
    struct source *const parts[] = {fields_source(output, fields, end), data};
    return output_concat(output, parts, sizeof(parts) / sizeof(parts[0]));
}

struct source *codec_protobuf_encode(const struct output *output)
{
    uint8_t *fields = arena_alloc(output->arena, MAX_FIELDS + strlen(output->call->op->output), 1);
    if (fields == NULL)
        return output_made(output, NULL);
    struct source *ret = (output->view->dtype == DTYPE_BYTES ? encode_strings : encode_raw)(output, fields);
    if (ret == NULL || ret->length <= MAX_MESSAGE)
        return ret;
    problem_set(output->err, PROBLEM_OUTPUT_TOO_LARGE, output->call->in[1].pointer, "a protobuf message ends at 2 GiB: use "
                "smaller sizes in %s, or ask for another form, e.g. Accept: application/x-npy",
                output->call->op->in[1].name);
    return NULL;
}
