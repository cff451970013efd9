#include "tests/conformance/values.h"

#include <inttypes.h>
#include <string.h>

#include "tests/conformance/json.h"
#include "tests/conformance/number.h"

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static void write_strings(FILE *out, const struct array *array)
{
    for (int64_t i = 0; i < array->elements; i++) {
        if (i > 0)
            fputc(',', out);
        json_write_string(out, array->strings[i]);
    }
}

static void write_numbers(FILE *out, const struct array *array)
{
    char text[NUMBER_TEXT];
    int64_t count = 0;
    enum dtype part = array_numbers(array, &count);
    for (int64_t i = 0; i < count; i++) {
        number_print(part, number_get(array->data, dtype_info(part)->bits, i), text);
        fprintf(out, "%s%s", i > 0 ? "," : "", text);
    }
}

void values_write_json(FILE *out, const struct array *array)
{
    fputc('[', out);
    if (array->dtype == DTYPE_BYTES)
        write_strings(out, array);
    else
        write_numbers(out, array);
    fputc(']', out);
}

/* Where values are put as they are read. */
struct sink {
    struct arena *arena;
    enum dtype part;       /* BYTES or the type of the numbers */
    int64_t count, filled; /* values in all, and so far */
    uint8_t *data;
    struct bytes *strings;
    struct reason *why;
};

static bool sink_number(struct sink *sink, const char *word)
{
    uint64_t value = 0;
    if (!number_parse(sink->part, word, &value))
        return because(sink->why, "value %" PRId64 " of data is %.40s, which is no %s", sink->filled, word,
                       dtype_info(sink->part)->name);
    number_put(sink->data, dtype_info(sink->part)->bits, sink->filled++, value);
    return true;
}

/* Values that are no numbers are told by a string. */
static bool sink_string(struct sink *sink, struct bytes string)
{
    if (sink->part == DTYPE_BYTES) {
        sink->strings[sink->filled++] = string;
        return true;
    }
    if (!bytes_equal(string, "NaN") && !bytes_equal(string, "Infinity") && !bytes_equal(string, "-Infinity"))
        return because(sink->why, "value %" PRId64 " of data is the string \"%.40s\", which is no %s", sink->filled,
                       (const char *)string.ptr, dtype_info(sink->part)->name);
    return sink_number(sink, (const char *)string.ptr);
}

static bool sink_value(struct sink *sink, struct json *in)
{
    struct bytes string;
    const char *word = NULL;
    if (sink->filled == sink->count)
        return because(sink->why, "data has more than the %" PRId64 " values of the shape", sink->count);
    if (json_peek(in) == '"')
        return json_string(in, sink->arena, &string) && sink_string(sink, string);
    if (sink->part == DTYPE_BYTES)
        return because(sink->why, "value %" PRId64 " of data is no string", sink->filled);
    return json_word(in, sink->arena, &word) && sink_number(sink, word);
}

/* The values of one array, and of those in it. */
static bool sink_array(struct sink *sink, struct json *in, int depth)
{
    if (depth > SHAPE_MAX_RANK)
        return because(sink->why, "data is nested too deeply");
    json_enter(in, '[');
    while (json_more(in, ']'))
        if (!(json_peek(in) == '[' ? sink_array(sink, in, depth + 1) : sink_value(sink, in)))
            return false;
    return !in->bad;
}

bool values_read_json(struct arena *arena, struct bytes text, struct array *array, struct reason *why)
{
    struct json in;
    struct sink sink = {.arena = arena, .part = DTYPE_BYTES, .count = array->elements, .why = why};
    if (array->dtype == DTYPE_BYTES) {
        sink.strings = arena_alloc(arena, (size_t)sink.count, sizeof(sink.strings[0]));
    } else {
        sink.part = array_numbers(array, &sink.count);
        sink.data = arena_zalloc(arena, (size_t)array->bytes, 1);
    }
    array->data = sink.data;
    array->strings = sink.strings;
    json_start(&in, text);
    because(why, "data is no JSON array of values");
    if (!sink_array(&sink, &in, 0))
        return false;
    return sink.filled == sink.count || because(why, "data has %" PRId64 " values, its shape says %" PRId64, sink.filled,
                                                sink.count);
}

/* ---- blobs ----------------------------------------------------------------------------------------------------- */

uint64_t values_blob_size(const struct array *array)
{
    uint64_t size = (uint64_t)array->bytes;
    for (int64_t i = 0; i < array->elements && array->dtype == DTYPE_BYTES; i++)
        size += 4 + array->strings[i].len;
    return size;
}

void values_write_blob(FILE *out, const struct array *array)
{
    if (array->dtype != DTYPE_BYTES && array->bytes > 0)
        fwrite(array->data, 1, (size_t)array->bytes, out);
    for (int64_t i = 0; i < array->elements && array->dtype == DTYPE_BYTES; i++) {
        uint8_t length[4];
        number_put(length, 32, 0, array->strings[i].len);
        fwrite(length, 1, sizeof(length), out);
        if (array->strings[i].len > 0) /* what is empty may be nowhere */
            fwrite(array->strings[i].ptr, 1, array->strings[i].len, out);
    }
}

static bool read_strings(struct arena *arena, struct bytes blob, struct array *array, struct reason *why)
{
    struct bytes *strings = arena_alloc(arena, (size_t)array->elements, sizeof(strings[0]));
    size_t at = 0;
    for (int64_t i = 0; i < array->elements; i++) {
        size_t left = blob.len - at;
        size_t len = left >= 4 ? (size_t)number_get(blob.ptr + at, 32, 0) : 0;
        if (left < 4 || len > left - 4)
            return because(why, "the blob ends within element %" PRId64, i);
        strings[i] = bytes_slice(blob, at + 4, len);
        at += 4 + len;
    }
    array->strings = strings;
    return at == blob.len || because(why, "%zu bytes follow the last element", blob.len - at);
}

bool values_read_blob(struct arena *arena, struct bytes blob, struct array *array, struct reason *why)
{
    if (array->dtype == DTYPE_BYTES)
        return read_strings(arena, blob, array, why);
    array->data = blob.ptr;
    return blob.len == (uint64_t)array->bytes ||
           because(why, "%zu bytes of data, the shape needs %" PRId64, blob.len, array->bytes);
}
