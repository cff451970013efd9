/* The Open Inference Protocol, as any server of it speaks: values in the JSON document, or as blobs behind it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/utf8.h"
#include "tests/conformance/codec.h"
#include "tests/conformance/json.h"
#include "tests/conformance/number.h"
#include "tests/conformance/text.h"
#include "tests/conformance/values.h"

/* ---- what JSON can carry --------------------------------------------------------------------------------------- */

static bool json_carries_strings(const struct array *array, struct reason *why)
{
    for (int64_t i = 0; i < array->elements; i++)
        if (!utf8_valid(array->strings[i].ptr, array->strings[i].len))
            return because(why, "JSON cannot carry element %" PRId64 ", which is not UTF-8", i);
    return true;
}

static bool json_carries_numbers(const struct array *array, struct reason *why)
{
    char text[NUMBER_TEXT], *word = text;
    int64_t count = 0;
    enum dtype part = array_numbers(array, &count);
    for (int64_t i = 0; i < count; i++) {
        uint64_t value = number_get(array->data, dtype_info(part)->bits, i), back = 0;
        number_print(part, value, text);
        word = text + (text[0] == '"');
        word[strcspn(word, "\"")] = '\0';
        if (!number_parse(part, word, &back) || back != value)
            return because(why, "JSON cannot carry the bits %" PRIx64 " (%s)", value, word);
    }
    return true;
}

/* NaN with a payload, bools that are not 0 or 1, bytes that are not UTF-8: these are told from their own text. */
static bool json_carries(const struct test_case *test, struct arena *arena, struct reason *why)
{
    (void)arena;
    const struct array *data = &test->in[0].array;
    return test->inputs == 0 || (data->dtype == DTYPE_BYTES ? json_carries_strings(data, why)
                                                            : json_carries_numbers(data, why));
}

/* ---- requests -------------------------------------------------------------------------------------------------- */

static void write_shape(FILE *out, const struct shape *shape)
{
    fputc('[', out);
    for (int i = 0; i < shape->rank; i++)
        fprintf(out, "%s%" PRId64, i > 0 ? "," : "", shape->dim[i]);
    fputc(']', out);
}

static void write_input(FILE *out, const struct case_input *input, bool binary)
{
    fprintf(out, "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":", input->name, dtype_info(input->array.dtype)->name);
    write_shape(out, &input->array.shape);
    if (binary) {
        fprintf(out, ",\"parameters\":{\"binary_data_size\":%" PRIu64 "}", values_blob_size(&input->array));
    } else {
        fputs(",\"data\":", out);
        values_write_json(out, &input->array);
    }
    fputc('}', out);
}

static void write_document(FILE *out, const struct test_case *test, bool binary)
{
    fputs("{\"inputs\":[", out);
    for (int i = 0; i < test->inputs; i++) {
        fputs(i > 0 ? "," : "", out);
        write_input(out, &test->in[i], binary);
    }
    fprintf(out, "],\"outputs\":[{\"name\":\"%s\",\"parameters\":{\"binary_data\":%s}}]", test->op->output,
            binary ? "true" : "false");
    if (test->axes != NULL)
        fprintf(out, ",\"parameters\":{\"axes\":\"%s\"}", test->axes);
    fputc('}', out);
}

static void encode_json(const struct test_case *test, struct arena *arena, struct request *ret)
{
    struct text text;
    text_open(&text);
    write_document(text.out, test, false);
    *ret = (struct request){.type = "application/json", .head = -1, .body = text_close(&text, arena)};
}

static void encode_binary(const struct test_case *test, struct arena *arena, struct request *ret)
{
    struct text text;
    text_open(&text);
    write_document(text.out, test, true);
    int64_t head = ftell(text.out);
    for (int i = 0; i < test->inputs; i++)
        values_write_blob(text.out, &test->in[i].array);
    *ret = (struct request){.type = "application/octet-stream", .head = head, .body = text_close(&text, arena)};
}

/* ---- answers --------------------------------------------------------------------------------------------------- */

/* The members of an output; those that are absent are NULL, or -1. */
struct output {
    struct bytes name, datatype;
    bool has_shape;
    struct shape shape;
    struct bytes data;   /* the JSON text */
    int64_t binary_size;
};

static bool read_size(struct json *in, struct arena *arena, int64_t *ret)
{
    uint64_t value = 0;
    const char *word = NULL;
    if (!json_word(in, arena, &word) || !number_parse(DTYPE_INT64, word, &value))
        return false;
    *ret = (int64_t)value;
    return true;
}

static bool read_shape(struct json *in, struct arena *arena, struct output *ret)
{
    ret->has_shape = true;
    json_enter(in, '[');
    while (json_more(in, ']'))
        if (ret->shape.rank == SHAPE_MAX_RANK || !read_size(in, arena, &ret->shape.dim[ret->shape.rank++]))
            return false;
    return !in->bad;
}

static bool read_parameters(struct json *in, struct arena *arena, struct output *ret)
{
    struct bytes key;
    json_enter(in, '{');
    while (json_more(in, '}') && json_key(in, arena, &key))
        if (!(bytes_equal(key, "binary_data_size") ? read_size(in, arena, &ret->binary_size) : json_skip(in, arena)))
            return false;
    return !in->bad;
}

/* Its type and shape may come after it, so it is read later. */
static bool read_data(struct json *in, struct arena *arena, struct output *ret)
{
    json_peek(in);
    ret->data.ptr = in->next;
    bool good = json_skip(in, arena);
    ret->data.len = (size_t)(in->next - ret->data.ptr);
    return good;
}

static bool read_member(struct json *in, struct arena *arena, struct bytes key, struct output *ret)
{
    if (bytes_equal(key, "name"))
        return json_string(in, arena, &ret->name);
    if (bytes_equal(key, "datatype"))
        return json_string(in, arena, &ret->datatype);
    if (bytes_equal(key, "shape"))
        return read_shape(in, arena, ret);
    if (bytes_equal(key, "data"))
        return read_data(in, arena, ret);
    if (bytes_equal(key, "parameters"))
        return read_parameters(in, arena, ret);
    return json_skip(in, arena);
}

static bool read_output(struct json *in, struct arena *arena, struct output *ret)
{
    struct bytes key;
    *ret = (struct output){.binary_size = -1};
    json_enter(in, '{');
    while (json_more(in, '}') && json_key(in, arena, &key))
        if (!read_member(in, arena, key, ret))
            return false;
    return !in->bad;
}

/* The last output of the document, and how many there are. */
static bool read_document(struct bytes text, struct arena *arena, struct output *ret, int *count)
{
    struct json in;
    struct bytes key;
    *count = 0;
    json_start(&in, text);
    json_enter(&in, '{');
    while (json_more(&in, '}') && json_key(&in, arena, &key)) {
        if (!bytes_equal(key, "outputs")) {
            json_skip(&in, arena);
            continue;
        }
        json_enter(&in, '[');
        for (; json_more(&in, ']'); ++*count)
            if (!read_output(&in, arena, ret))
                return false;
    }
    return json_finished(&in);
}

/* The one output of an answer whose document is `text`: its type, its shape, and where its values are. */
static bool find_output(const struct test_case *test, struct arena *arena, struct bytes text, struct output *output,
                        struct array *ret, struct reason *why)
{
    int count = 0;
    if (!read_document(text, arena, output, &count))
        return because(why, "the answer is no JSON document of the protocol: %.*s", (int)(text.len < 200 ? text.len : 200),
                       (const char *)text.ptr);
    if (count != 1)
        return because(why, "expected one output, got %d", count);
    if (!bytes_equal(output->name, test->op->output))
        return because(why, "expected output %s, got %.*s", test->op->output, (int)output->name.len,
                       (const char *)output->name.ptr);
    enum dtype type = dtype_find((const char *)output->datatype.ptr, output->datatype.len);
    if (type == DTYPE_NONE || !output->has_shape)
        return because(why, "the output has no known datatype, or no shape");
    return array_init(ret, type, (size_t)output->shape.rank, output->shape.dim, why);
}

static bool decode_json(const struct test_case *test, struct arena *arena, const struct response *response,
                        struct array *ret, struct reason *why)
{
    struct output output;
    if (!find_output(test, arena, response->body, &output, ret, why))
        return false;
    if (output.data.len == 0)
        return because(why, "the output has no data");
    return values_read_json(arena, output.data, ret, why);
}

static bool decode_binary(const struct test_case *test, struct arena *arena, const struct response *response,
                          struct array *ret, struct reason *why)
{
    struct output output;
    if (response->head < 0 || (uint64_t)response->head > response->body.len)
        return because(why, "Inference-Header-Content-Length is missing or is not within the body");
    size_t head = (size_t)response->head;
    struct bytes blob = bytes_slice(response->body, head, response->body.len - head);
    if (!find_output(test, arena, bytes_slice(response->body, 0, head), &output, ret, why))
        return false;
    if (output.binary_size < 0 || (uint64_t)output.binary_size != blob.len)
        return because(why, "binary_data_size is %" PRId64 ", but %zu bytes follow the document", output.binary_size,
                       blob.len);
    return values_read_blob(arena, blob, ret, why);
}

const struct codec codec_json = {"json", json_carries, encode_json, decode_json};
const struct codec codec_binary = {"binary", NULL, encode_binary, decode_binary};
