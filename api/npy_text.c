#include "api/npy_text.h"

#include <string.h>

#include "api/file.h"
#include "api/utf8.h"

/* ---- reading ---- */

static uint32_t character(const uint8_t *element, size_t index)
{
    return bytes_uint32(element + index * NPY_UCS4);
}

/* Characters of an element without the NULs at its end. */
static size_t characters(struct npy_text form, const uint8_t *element)
{
    size_t n = form.size / NPY_UCS4;
    while (n > 0 && character(element, n - 1) == 0)
        n--;
    return n;
}

static size_t put_text(const uint8_t *element, size_t n, uint8_t *out)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        len += utf8_put(character(element, i), out + len);
    return len;
}

/* Bytes of n characters in UTF-8; false at one that is none. */
static bool measure_text(const uint8_t *element, size_t n, size_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t utf8[4];
        uint32_t c = character(element, i);
        if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
            return false;
        *ret += utf8_put(c, utf8);
    }
    return true;
}

/* Sets all lengths and returns the room for all texts. */
static bool measure_all(struct npy_text form, const uint8_t *data, struct string *strings, size_t count,
                        const struct call_input *input, size_t *ret, struct problem *err)
{
    *ret = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *element = data + i * form.size;
        size_t len = 0;
        if (!measure_text(element, characters(form, element), &len))
            return file_refuse(input, err, PROBLEM_INVALID_DATA,
                               "element %zu of the .npy file holds a number that is no Unicode character", i);
        strings[i].len = len;
        *ret += len;
    }
    return true;
}

static bool read_text(struct arena *arena, struct npy_text form, const uint8_t *data, struct string *strings,
                      size_t count, const struct call_input *input, struct problem *err)
{
    size_t size = 0;
    if (!measure_all(form, data, strings, count, input, &size, err))
        return false;
    uint8_t *out = arena_alloc(arena, size, 1);
    if (out == NULL)
        return problem_memory(err);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *element = data + i * form.size;
        strings[i].ptr = (const char *)out;
        out += put_text(element, characters(form, element), out);
    }
    return true;
}

static void read_bytes(struct npy_text form, const uint8_t *data, struct string *strings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *element = data + i * form.size;
        size_t len = form.size;
        while (len > 0 && element[len - 1] == 0)
            len--;
        strings[i] = (struct string){.ptr = (const char *)element, .len = len};
    }
}

const struct string *npy_text_read(struct arena *arena, struct npy_text form, const uint8_t *data, size_t count,
                                   const struct call_input *input, struct problem *err)
{
    struct string *strings = arena_alloc(arena, count, sizeof(*strings));
    if (strings == NULL) {
        problem_memory(err);
        return NULL;
    }
    if (form.ucs4)
        return read_text(arena, form, data, strings, count, input, err) ? strings : NULL;
    read_bytes(form, data, strings, count);
    return strings;
}

/* ---- writing ---- */

/* Characters of valid UTF-8: the bytes that are no continuation. */
static size_t utf8_length(struct string text)
{
    size_t n = 0;
    for (uint64_t i = 0; i < text.len; i++)
        n += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return n;
}

bool npy_text_measure(const struct tensor *input, const char *pointer, struct npy_text *ret, struct problem *err)
{
    int64_t count = 0;
    shape_elements(&input->shape, &count);
    const struct string *strings = input->data;
    size_t longest = 1;
    for (int64_t i = 0; i < count; i++) {
        struct string s = strings[i];
        if (s.len > 0 && s.ptr[s.len - 1] == '\0')
            return problem_set(err, PROBLEM_INVALID_DATA, pointer, "element %lld ends in a NUL byte, which .npy cannot "
                               "keep: ask for another form, e.g. Accept: application/x-protobuf", (long long)i);
        size_t len = ret->ucs4 ? utf8_length(s) : s.len;
        longest = len > longest ? len : longest;
    }
    ret->size = ret->ucs4 ? longest * NPY_UCS4 : longest;
    return true;
}

static void put_ucs4(struct string text, uint8_t *out)
{
    const uint8_t *at = (const uint8_t *)text.ptr;
    for (const uint8_t *end = at + text.len; at < end; out += NPY_UCS4) {
        size_t n = utf8_sequence(at, (size_t)(end - at));
        uint32_t c = utf8_get(at, n);
        for (size_t k = 0; k < NPY_UCS4; k++)
            out[k] = (uint8_t)(c >> (8 * k));
        at += n;
    }
}

bool npy_text_pieces(struct arena *arena, struct npy_text form, const struct tensor *input, struct pieces *ret)
{
    int64_t count = 0;
    shape_elements(&input->shape, &count);
    const struct string *strings = input->data;
    uint8_t *base = arena_zalloc(arena, (size_t)count, form.size);
    uint64_t *offset = arena_alloc(arena, (size_t)count + 1, sizeof(*offset));
    if (base == NULL || offset == NULL)
        return false;
    offset[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        uint8_t *out = base + offset[i];
        if (form.ucs4)
            put_ucs4(strings[i], out);
        else if (strings[i].len > 0)
            memcpy(out, strings[i].ptr, strings[i].len);
        offset[i + 1] = offset[i] + form.size;
    }
    *ret = (struct pieces){.base = base, .offset = offset, .count = count};
    return true;
}
