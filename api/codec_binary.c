/* The binary tensor extension of Triton: little-endian, row-major; BYTES elements are a uint32 length and the bytes. */
#include "api/codec.h"

#include <stdio.h>
#include <string.h>

#define PREFIX ((size_t)4) /* the length before each BYTES element */

static bool refuse_size(const struct call_input *input, struct problem *err, const char *takes, size_t got)
{
    char pointer[CALL_POINTER_MAX + 32];
    snprintf(pointer, sizeof(pointer), "%s/parameters/binary_data_size", input->pointer);
    char shape[96];
    return problem_set(err, PROBLEM_INVALID_DATA, pointer,
                       "%s of shape %s takes %s, but %zu bytes were sent: make shape and binary_data_size agree",
                       dtype_info(input->tensor.dtype)->name,
                       shape_text(&input->tensor.shape, shape, sizeof(shape)), takes, got);
}

/* Cuts the blob into `count` elements that fill it exactly. */
static bool cut_strings(struct bytes blob, struct string *ret, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (blob.len < PREFIX || blob.len - PREFIX < bytes_uint32(blob.ptr))
            return false;
        uint32_t len = bytes_uint32(blob.ptr);
        ret[i] = (struct string){.ptr = (const char *)blob.ptr + PREFIX, .len = len};
        blob = bytes_slice(blob, PREFIX + len, blob.len - PREFIX - len);
    }
    return blob.len == 0;
}

static bool decode_strings(struct arena *arena, struct bytes blob, int64_t count, struct call_input *input,
                           struct problem *err)
{
    static const char takes[] = "a uint32 length and that many bytes for each element";
    /* Checked before allocating: every element has a length at least. */
    if ((uint64_t)count > blob.len / PREFIX)
        return refuse_size(input, err, takes, blob.len);
    struct string *strings = arena_alloc(arena, (size_t)count, sizeof(*strings));
    if (strings == NULL)
        return problem_memory(err);
    input->tensor.data = strings;
    return cut_strings(blob, strings, count) || refuse_size(input, err, takes, blob.len);
}

static bool decode_fixed(struct bytes blob, int64_t size, struct call_input *input, struct problem *err)
{
    if ((uint64_t)size != blob.len) {
        char takes[32];
        snprintf(takes, sizeof(takes), "%lld bytes", (long long)size);
        return refuse_size(input, err, takes, blob.len);
    }
    input->tensor.data = blob.ptr;
    return true;
}

bool codec_binary_decode(struct arena *arena, struct bytes blob, struct call_input *input, struct problem *err)
{
    const enum dtype dtype = input->tensor.dtype;
    int64_t count = 0, size = 0;
    if (!shape_elements(&input->tensor.shape, &count) || !dtype_bytes(dtype, count, &size))
        return problem_set(err, PROBLEM_INVALID_SHAPE, input->pointer, "the size of this input is not representable");
    return dtype == DTYPE_BYTES ? decode_strings(arena, blob, count, input, err) : decode_fixed(blob, size, input, err);
}

/* Writes each element with its prefix; the blob that came in may be gone or never have been. */
static void write_strings(const struct string *in, int64_t count, uint8_t *out, uint64_t *offset)
{
    uint64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        offset[i] = at;
        uint32_t len = (uint32_t)in[i].len;
        const uint8_t prefix[PREFIX] = {(uint8_t)len, (uint8_t)(len >> 8), (uint8_t)(len >> 16), (uint8_t)(len >> 24)};
        memcpy(out + at, prefix, PREFIX);
        if (len > 0)
            memcpy(out + at + PREFIX, in[i].ptr, len);
        at += PREFIX + len;
    }
    offset[count] = at;
}

bool codec_binary_pieces(struct arena *arena, const struct tensor *input, struct pieces *ret)
{
    int64_t count = 0;
    if (!shape_elements(&input->shape, &count))
        return false;
    const struct string *strings = input->data;
    size_t size = 0;
    for (int64_t i = 0; i < count; i++)
        size += PREFIX + strings[i].len;
    uint8_t *base = arena_alloc(arena, size, 1);
    uint64_t *offset = arena_alloc(arena, (size_t)count + 1, sizeof(*offset));
    if (base == NULL || offset == NULL)
        return false;
    write_strings(strings, count, base, offset);
    *ret = (struct pieces){.base = base, .offset = offset, .count = count};
    return true;
}

bool codec_binary_size(const struct tensor *view, const struct tensor *input, int64_t *ret)
{
    int64_t out = 0, in = 0;
    if (!shape_known(&view->shape) || !shape_elements(&view->shape, &out))
        return false;
    if (view->dtype != DTYPE_BYTES)
        return dtype_bytes(view->dtype, out, ret);
    *ret = 0;
    if (out == 0)
        return true;
    const struct string *strings = input->data;
    if (strings == NULL || !shape_elements(&input->shape, &in))
        return false;
    for (int64_t i = 0; i < in; i++)
        *ret += (int64_t)(PREFIX + strings[i].len);
    return !__builtin_mul_overflow(*ret, out / in, ret);
}
