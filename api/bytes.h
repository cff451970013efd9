/* A borrowed run of bytes: pointer and length, never terminated, never owned. */
#ifndef API_BYTES_H
#define API_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "ops/decimal.h"

struct bytes {
    const uint8_t *ptr; /* may be NULL if len is 0 */
    size_t len;
};

/* Initialises a struct bytes with a literal, whose length the compiler knows. */
#define BYTES_LITERAL(text) {(const uint8_t *)(text), sizeof(text) - 1}

static inline struct bytes bytes_of(const char *text)
{
    return (struct bytes){.ptr = (const uint8_t *)text, .len = strlen(text)};
}

/* A number as text, written into out. */
static inline struct bytes bytes_decimal(int64_t value, char out[DECIMAL_MAX])
{
    const char *start = decimal_text(value, out);
    return (struct bytes){.ptr = (const uint8_t *)start, .len = decimal_length(start, out)};
}

static inline uint64_t bytes_word(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof(word));
    return word;
}

/* Most names of one length differ in their first byte, and many are two words that may overlap: then there is nothing to
 * call. */
static inline bool bytes_same(struct bytes a, struct bytes b)
{
    if (a.len != b.len || a.len == 0)
        return a.len == b.len;
    if (a.ptr[0] != b.ptr[0] || a.len < 8 || a.len > 16)
        return a.ptr[0] == b.ptr[0] && memcmp(a.ptr, b.ptr, a.len) == 0;
    return bytes_word(a.ptr) == bytes_word(b.ptr) && bytes_word(a.ptr + a.len - 8) == bytes_word(b.ptr + b.len - 8);
}

static inline bool bytes_begins(struct bytes a, struct bytes with)
{
    return a.len >= with.len && (with.len == 0 || memcmp(a.ptr, with.ptr, with.len) == 0);
}

static inline bool bytes_equal(struct bytes a, const char *text)
{
    return a.len == 0 ? text[0] == '\0' : a.ptr[0] == (uint8_t)text[0] && bytes_same(a, bytes_of(text));
}

/* The same but for the case of ASCII letters, as names in HTTP are compared. */
static inline bool bytes_same_nocase(struct bytes a, struct bytes b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp((const char *)a.ptr, (const char *)b.ptr, a.len) == 0);
}

static inline bool bytes_equal_nocase(struct bytes a, const char *text)
{
    return bytes_same_nocase(a, bytes_of(text));
}

/* [from, from + n) of a; the caller has checked the range. */
static inline struct bytes bytes_slice(struct bytes a, size_t from, size_t n)
{
    return (struct bytes){.ptr = from > 0 ? a.ptr + from : a.ptr, .len = n}; /* NULL + 0 is undefined in C */
}

/* Four bytes, the lowest first, as a number. */
static inline uint32_t bytes_uint32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#endif
