/* The answer of an inference, as JSON or as JSON head and binary tensor. Each element of the input is written once, as a
 * piece of text; what the operator repeats is copied text. */
#include "api/codec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/number.h"
#include "api/utf8.h"

/* The least an element takes in JSON, so that what is far too large is refused before anything is written: "0,". */
#define LEAST_TEXT 2

/* Room for the fixed members and 64 sizes of up to 19 digits. */
#define HEAD_ROOM 2048

struct head {
    char *text;
    size_t len, size;
};

static void __attribute__((format(printf, 2, 3))) put(struct head *head, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(head->text + head->len, head->size - head->len, format, args);
    va_end(args);
    head->len += (size_t)n;
}

/* Everything before the value of the output. */
static bool write_head(struct arena *arena, const struct call *call, const struct tensor *view, struct head *ret)
{
    ret->len = 0;
    ret->size = HEAD_ROOM + call->id.len;
    ret->text = arena_alloc(arena, ret->size, 1);
    if (ret->text == NULL)
        return false;
    put(ret, "{\"model_name\":\"%s\",\"model_version\":\"%d\"", call->op->name, call->op->since);
    if (call->id.len > 0)
        put(ret, ",\"id\":");
    if (call->id.len > 0)
        memcpy(ret->text + ret->len, call->id.ptr, call->id.len);
    ret->len += call->id.len;
    put(ret, ",\"outputs\":[{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":[", call->op->output,
        dtype_info(view->dtype)->name);
    for (int i = 0; i < view->shape.rank; i++)
        put(ret, "%s%" PRId64, i > 0 ? "," : "", view->shape.dim[i]);
    put(ret, "],");
    return true;
}

/* The output is larger than the limit: what made it so is the small input if it repeats anything, else the tensor. */
static bool refuse_length(const struct call *call, const struct tensor *view, uint64_t length, uint64_t max,
                          struct problem *err)
{
    int64_t in = 0, out = 0;
    bool counted = shape_elements(&call->in[0].tensor.shape, &in) && shape_elements(&view->shape, &out);
    int blame = counted && out > in ? 1 : 0;
    return problem_set(err, PROBLEM_OUTPUT_TOO_LARGE, call->in[blame].pointer,
                       "the output would take %s%" PRIu64 " bytes and the limit is %" PRIu64 ": use smaller sizes in %s",
                       length == UINT64_MAX ? "more than " : "", length, max, call->op->in[blame].name);
}

/* ---- elements as text ---- */

/* A value of 4 or 2 bits, low bits first, alone in a byte. */
static uint8_t unpack(const uint8_t *data, int64_t index, unsigned bits)
{
    unsigned per_byte = 8 / bits;
    unsigned shift = (unsigned)(index % per_byte) * bits;
    return (uint8_t)(data[index / per_byte] >> shift & ((1u << bits) - 1));
}

/* `parts` numbers to each element, each followed by a comma. Returns the length. */
static uint64_t write_numbers(const struct tensor *in, int64_t count, unsigned parts, char *out, uint64_t *offset)
{
    const struct number_type *type = number_type_of(in->dtype);
    unsigned bits = dtype_info(in->dtype)->bits;
    const uint8_t *data = in->data;
    char *at = out;
    for (int64_t i = 0; i < count; i++) {
        offset[i] = (uint64_t)(at - out);
        uint8_t small = bits < 8 ? unpack(data, i, bits) : 0;
        for (unsigned part = 0; part < parts; part++) {
            at += type->write(bits < 8 ? &small : data, at);
            *at++ = ',';
            data += bits < 8 ? 0 : type->width;
        }
    }
    offset[count] = (uint64_t)(at - out);
    return offset[count];
}

static bool number_pieces(struct arena *arena, const struct tensor *in, int64_t count, struct pieces *ret)
{
    unsigned parts = dtype_info(in->dtype)->kind == KIND_COMPLEX ? 2 : 1;
    size_t room = parts * (number_type_of(in->dtype)->max_text + 1);
    char *text = arena_alloc(arena, (size_t)count, room);
    uint64_t *offset = arena_alloc(arena, (size_t)count + 1, sizeof(*offset));
    if (text == NULL || offset == NULL)
        return false;
    write_numbers(in, count, parts, text, offset);
    *ret = (struct pieces){.base = (uint8_t *)text, .offset = offset, .count = count};
    return true;
}

/* What stands for a byte inside a JSON string (RFC 8259, section 7): itself, \ and a letter, or \u00XX. */
static char short_escape(uint8_t c)
{
    switch (c) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return '\0';
    }
}

static size_t escaped_length(struct string s)
{
    size_t len = 0;
    for (uint64_t i = 0; i < s.len; i++) {
        uint8_t c = (uint8_t)s.ptr[i];
        len += short_escape(c) != '\0' ? 2 : c < 0x20 ? 6 : 1;
    }
    return len;
}

static char *write_string(struct string s, char *at)
{
    static const char hex[] = "0123456789abcdef";
    *at++ = '"';
    for (uint64_t i = 0; i < s.len; i++) {
        uint8_t c = (uint8_t)s.ptr[i];
        char escape = short_escape(c);
        if (escape != '\0') {
            *at++ = '\\';
            *at++ = escape;
        } else if (c < 0x20) {
            memcpy(at, "\\u00", 4);
            at[4] = hex[c >> 4];
            at[5] = hex[c & 15];
            at += 6;
        } else {
            *at++ = (char)c;
        }
    }
    *at++ = '"';
    *at++ = ',';
    return at;
}

static bool check_text(const struct call *call, const struct string *strings, int64_t count, uint64_t *length,
                       struct problem *err)
{
    *length = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!utf8_valid((const uint8_t *)strings[i].ptr, strings[i].len))
            return problem_set(err, PROBLEM_INVALID_DATA, call->in[0].pointer,
                               "element %" PRId64 " of %s is not UTF-8, which JSON cannot carry: "
                               "ask for the output in binary (binary_data_output)", i, call->op->in[0].name);
        *length += escaped_length(strings[i]) + sizeof("\"\",") - 1;
    }
    return true;
}

static bool string_pieces(struct arena *arena, const struct call *call, const struct tensor *in, int64_t count,
                          struct pieces *ret, struct problem *err)
{
    const struct string *strings = in->data;
    uint64_t length = 0;
    if (!check_text(call, strings, count, &length, err))
        return false;
    char *text = arena_alloc(arena, length, 1);
    uint64_t *offset = arena_alloc(arena, (size_t)count + 1, sizeof(*offset));
    if (text == NULL || offset == NULL)
        return problem_memory(err);
    char *at = text;
    for (int64_t i = 0; i < count; i++) {
        offset[i] = (uint64_t)(at - text);
        at = write_string(strings[i], at);
    }
    offset[count] = length;
    *ret = (struct pieces){.base = (uint8_t *)text, .offset = offset, .count = count};
    return true;
}

/* ---- the two forms ---- */

static struct source *json_data(struct arena *arena, const struct call *call, const struct tensor *view,
                                const struct tensor *input, uint64_t max, struct problem *err)
{
    int64_t out = 0, in = 0;
    struct pieces pieces;
    uint64_t length = 0;
    bool counted = shape_elements(&view->shape, &out) && shape_elements(&input->shape, &in);
    if (!counted || (uint64_t)out > max / LEAST_TEXT) {
        refuse_length(call, view, counted ? (uint64_t)out * LEAST_TEXT : UINT64_MAX, max, err);
        return NULL;
    }
    if (view->dtype != DTYPE_BYTES) {
        if (!number_pieces(arena, input, in, &pieces)) {
            problem_memory(err);
            return NULL;
        }
    } else if (!string_pieces(arena, call, input, in, &pieces, err)) {
        return NULL;
    }
    if (!pieces_length(&pieces, view, &length) || length > max) {
        refuse_length(call, view, length, max, err);
        return NULL;
    }
    struct source *ret = source_pieces(arena, &pieces, view, 1);
    if (ret == NULL)
        problem_memory(err);
    return ret;
}

static struct source *binary_data(struct arena *arena, const struct call *call, const struct tensor *view,
                                  const struct tensor *input, uint64_t max, struct problem *err)
{
    struct pieces pieces;
    uint64_t length = UINT64_MAX;
    int64_t bytes = 0;
    bool strings = view->dtype == DTYPE_BYTES;
    if (strings && !codec_binary_pieces(arena, input, &pieces)) {
        problem_memory(err);
        return NULL;
    }
    if (strings ? !pieces_length(&pieces, view, &length) : !shape_bytes(&view->shape, view->dtype, &bytes))
        length = UINT64_MAX;
    else if (!strings)
        length = (uint64_t)bytes;
    if (length > max) {
        refuse_length(call, view, length, max, err);
        return NULL;
    }
    struct source *ret = strings ? source_pieces(arena, &pieces, view, 0) : source_view(arena, view);
    if (ret == NULL)
        problem_memory(err);
    return ret;
}

struct source *codec_json_encode(struct arena *arena, const struct call *call, const struct tensor *view,
                                 const struct tensor *input, uint64_t max_bytes, size_t *head_len, struct problem *err)
{
    bool json = call->form == FORM_JSON;
    struct source *data = (json ? json_data : binary_data)(arena, call, view, input, max_bytes, err);
    if (data == NULL)
        return NULL;
    struct head head;
    struct source *parts[3] = {NULL, data, NULL};
    if (write_head(arena, call, view, &head)) {
        if (json)
            put(&head, "\"data\":[");
        else
            put(&head, "\"parameters\":{\"binary_data_size\":%" PRIu64 "}}]}", data->length);
        parts[0] = source_bytes(arena, (struct bytes){(const uint8_t *)head.text, head.len});
        parts[2] = source_bytes(arena, bytes_of(json ? "]}]}" : ""));
        *head_len = head.len;
    }
    struct source *ret = parts[0] != NULL && parts[2] != NULL ? source_concat(arena, parts, 3) : NULL;
    if (ret == NULL) {
        problem_memory(err);
        return NULL;
    }
    if (ret->length > max_bytes) {
        refuse_length(call, view, ret->length, max_bytes, err);
        return NULL;
    }
    return ret;
}
