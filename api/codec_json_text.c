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

static int parts_of(const struct dtype_info *info)
{
    return info->kind == KIND_COMPLEX ? 2 : 1;
}

bool codec_json_room(enum dtype dtype, int64_t count, size_t *ret)
{
    size_t most = (number_type_of(dtype)->max_text + 1) * (size_t)parts_of(dtype_info(dtype));
    /* The last number may use all the room that `write` asks for. */
    return !__builtin_mul_overflow((size_t)count, most, ret) && !__builtin_add_overflow(*ret, NUMBER_MAX_TEXT, ret);
}

size_t codec_json_numbers(enum dtype dtype, const void *in, int64_t count, uint8_t *out, uint64_t *offset)
{
    const struct number_type *type = number_type_of(dtype);
    const struct dtype_info *info = dtype_info(dtype);
    return info->bits < 8 ? write_packed(type, in, count, info->bits, out, offset)
                          : write_numbers(type, in, count, parts_of(info), out, offset);
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

static size_t write_strings(const struct string *strings, int64_t count, uint8_t *out, uint64_t *offset)
{
    uint8_t *next = out;
    for (int64_t i = 0; i < count; i++) {
        if (offset != NULL)
            offset[i] = (uint64_t)(next - out);
        next = write_string(strings[i], next);
    }
    return (size_t)(next - out);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

/* The offsets, if they are asked for, and room for the text behind them, in one block: both, or nothing is held. */
static uint8_t *make_room(struct arena *arena, int64_t count, size_t room, uint64_t **offset)
{
    size_t before = 0;
    if (offset != NULL && __builtin_mul_overflow((size_t)count + 1, sizeof(**offset), &before))
        return NULL;
    if (__builtin_add_overflow(room, before, &room))
        return NULL;
    uint8_t *block = arena_alloc(arena, room, 1);
    if (block != NULL && offset != NULL)
        *offset = (uint64_t *)(void *)block;
    return block == NULL ? NULL : block + before;
}

bool codec_json_text(struct arena *arena, const struct tensor *tensor, const char *pointer, uint64_t **offset,
                     struct bytes *ret, struct problem *err)
{
    int64_t count = 0;
    size_t room;
    const bool strings = tensor->dtype == DTYPE_BYTES;
    if (!shape_elements(&tensor->shape, &count))
        return problem_memory(err);
    if (strings && !measure_strings(tensor->data, count, pointer, &room, err))
        return false;
    if (!strings && !codec_json_room(tensor->dtype, count, &room))
        return problem_memory(err);
    uint8_t *out = make_room(arena, count, room, offset);
    if (out == NULL)
        return problem_memory(err);
    uint64_t *at = offset != NULL ? *offset : NULL;
    *ret = (struct bytes){.ptr = out, .len = strings ? write_strings(tensor->data, count, out, at)
                                                     : codec_json_numbers(tensor->dtype, tensor->data, count, out, at)};
    if (at != NULL)
        at[count] = ret->len;
    return true;
}
