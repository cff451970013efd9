#include "api/codec_json_text.h"

#include <string.h>

#include "api/number.h"
#include "api/utf8.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Writes one element (of `parts` numbers) at a time; returns the length of it all. */
static size_t write_numbers(const struct number_type *type, const uint8_t *in, int64_t count, int parts, uint8_t *out,
                            uint64_t *offset)
{
    uint8_t *next = out;
    for (int64_t i = 0; i < count; i++) {
        if (offset != NULL)
            offset[i] = (uint64_t)(next - out);
        for (int part = 0; part < parts; part++) {
            next += type->write(in, (char *)next);
            *next++ = ',';
            in += type->width;
        }
    }
    return (size_t)(next - out);
}

/* The same for types of 4 and 2 bits, low bits first. */
static size_t write_packed(const struct number_type *type, const uint8_t *in, int64_t count, unsigned bits, uint8_t *out,
                           uint64_t *offset)
{
    uint8_t *next = out;
    unsigned per_byte = 8 / bits;
    unsigned mask = (1u << bits) - 1;
    for (int64_t i = 0; i < count; i++) {
        if (offset != NULL)
            offset[i] = (uint64_t)(next - out);
        unsigned shift = bits * (unsigned)(i % per_byte);
        uint8_t code = (uint8_t)((unsigned)in[i / per_byte] >> shift & mask);
        next += type->write(&code, (char *)next);
        *next++ = ',';
    }
    return (size_t)(next - out);
}

static bool number_text(struct arena *arena, const struct tensor *tensor, int64_t count, uint64_t *offset,
                        struct bytes *ret)
{
    const struct number_type *type = number_type_of(tensor->dtype);
    const struct dtype_info *info = dtype_info(tensor->dtype);
    int parts = info->kind == KIND_COMPLEX ? 2 : 1;
    /* The last number may use all the room that `write` asks for. */
    size_t most = (type->max_text + 1) * (size_t)parts;
    if ((uint64_t)count > (SIZE_MAX - NUMBER_MAX_TEXT) / most)
        return false;
    uint8_t *out = arena_alloc(arena, (size_t)count * most + NUMBER_MAX_TEXT, 1);
    if (out == NULL)
        return false;
    size_t len = info->bits < 8 ? write_packed(type, tensor->data, count, info->bits, out, offset)
                                : write_numbers(type, tensor->data, count, parts, out, offset);
    *ret = (struct bytes){.ptr = out, .len = len};
    return true;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* The letter that escapes a character after a backslash; 'u' is \u00XX; 0: needs no escape. */
static const char escapes[256] = {
    ['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't',
    [0x00] = 'u', [0x01] = 'u', [0x02] = 'u', [0x03] = 'u', [0x04] = 'u', [0x05] = 'u', [0x06] = 'u', [0x07] = 'u',
    [0x0b] = 'u', [0x0e] = 'u', [0x0f] = 'u', [0x10] = 'u', [0x11] = 'u', [0x12] = 'u', [0x13] = 'u', [0x14] = 'u',
    [0x15] = 'u', [0x16] = 'u', [0x17] = 'u', [0x18] = 'u', [0x19] = 'u', [0x1a] = 'u', [0x1b] = 'u', [0x1c] = 'u',
    [0x1d] = 'u', [0x1e] = 'u', [0x1f] = 'u',
};

static size_t string_length(struct string string)
{
    size_t len = sizeof("\"\",") - 1 + string.len;
    for (uint64_t i = 0; i < string.len; i++) {
        char escape = escapes[(unsigned char)string.ptr[i]];
        len += escape == 0 ? 0 : escape == 'u' ? 5 : 1;
    }
    return len;
}

static uint8_t *write_string(struct string string, uint8_t *out)
{
    static const char digits[] = "0123456789abcdef";
    *out++ = '"';
    for (uint64_t i = 0; i < string.len; i++) {
        unsigned char c = (unsigned char)string.ptr[i];
        char escape = escapes[c];
        if (escape == 0) {
            *out++ = c;
            continue;
        }
        *out++ = '\\';
        *out++ = (uint8_t)escape;
        if (escape == 'u') {
            const uint8_t code[4] = {'0', '0', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 0xf]};
            memcpy(out, code, sizeof(code));
            out += sizeof(code);
        }
    }
    *out++ = '"';
    *out++ = ',';
    return out;
}

static bool measure_strings(const struct string *strings, int64_t count, const char *pointer, size_t *ret,
                            struct problem *err)
{
    *ret = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!utf8_valid((const uint8_t *)strings[i].ptr, strings[i].len))
            return problem_set(err, PROBLEM_INVALID_DATA, pointer, "element %lld of this BYTES tensor is not UTF-8, "
                               "which JSON cannot carry: ask for the output in binary, with the parameter "
                               "binary_data true", (long long)i);
        *ret += string_length(strings[i]);
    }
    return true;
}

static bool string_text(struct arena *arena, const struct string *strings, int64_t count, const char *pointer,
                        uint64_t *offset, struct bytes *ret, struct problem *err)
{
    size_t size;
    if (!measure_strings(strings, count, pointer, &size, err))
        return false;
    uint8_t *out = arena_alloc(arena, size, 1);
    if (out == NULL)
        return problem_memory(err);
    uint8_t *next = out;
    for (int64_t i = 0; i < count; i++) {
        if (offset != NULL)
            offset[i] = (uint64_t)(next - out);
        next = write_string(strings[i], next);
    }
    *ret = (struct bytes){.ptr = out, .len = size};
    return true;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

bool codec_json_text(struct arena *arena, const struct tensor *tensor, const char *pointer, uint64_t *offset,
                     struct bytes *ret, struct problem *err)
{
    int64_t count = 0;
    bool ok = shape_elements(&tensor->shape, &count);
    if (ok && tensor->dtype == DTYPE_BYTES)
        ok = string_text(arena, tensor->data, count, pointer, offset, ret, err);
    else if (!ok || !number_text(arena, tensor, count, offset, ret))
        ok = problem_memory(err);
    if (ok && offset != NULL)
        offset[count] = ret->len;
    return ok;
}
