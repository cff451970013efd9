/* Eight characters of a JSON text as one word, for the quick ways over strings and numbers. */
#ifndef API_JSON_WORD_H
#define API_JSON_WORD_H

#include <stdint.h>
#include <string.h>

#define JSON_EACH_BYTE(value) (0x0101010101010101u * (uint64_t)(value))

/* The first in the lowest byte. */
static inline uint64_t json_load_eight(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* The first of the characters whose top bits are set in `marks`, which is not 0. */
static inline unsigned json_first_marked(uint64_t marks)
{
    return (unsigned)__builtin_ctzll(marks) / 8;
}

#endif
