/* Kinds of ASCII characters, whatever the locale of the process. */
#ifndef API_ASCII_H
#define API_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sets of characters; NUL is in none of them. */
enum ascii_set {
    ASCII_TOKEN = 1,    /* names and tokens of HTTP: tchar of RFC 9110, section 5.6.2 */
    ASCII_FIELD = 2,    /* values of headers: all but control characters, the tab apart (section 5.5) */
    ASCII_TARGET = 4,   /* no blanks, no control characters */
    ASCII_HOST = 8,     /* uri-host [ ":" port ] of RFC 9110, section 7.2, by its characters */
    ASCII_BOUNDARY = 16, /* of multipart bodies: bchars of RFC 2046, section 5.1.1 */
    ASCII_ID = 32,      /* what a client may call its request */
};

extern const uint8_t ascii_sets[256];

static inline bool ascii_in(enum ascii_set set, char c)
{
    return (ascii_sets[(unsigned char)c] & set) != 0;
}

/* How many characters at the start of the terminated text belong to the set. */
static inline size_t ascii_span(enum ascii_set set, const char *text)
{
    size_t n = 0;
    while (ascii_in(set, text[n]))
        n++;
    return n;
}

/* Whether all of text[len] do; `set` is a single one. Mostly they do: so there is one question at the end, not one for each. */
static inline bool ascii_all(enum ascii_set set, const char *text, size_t len)
{
    unsigned common = set;
    for (size_t n = 0; n < len; n++)
        common &= ascii_sets[(unsigned char)text[n]];
    return common != 0;
}

/* Whether all of text[len] are characters from `least` to '~', eight at a time: the quick answer for most texts. */
static inline bool ascii_plain(char least, const char *text, size_t len)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones * 0x80;
    for (uint64_t w; len >= sizeof(w); text += sizeof(w), len -= sizeof(w)) {
        memcpy(&w, text, sizeof(w));
        /* what is below borrows, DEL carries, the rest has its top bit; what is spoilt by a neighbour is refused with it */
        if ((((w - ones * (uint8_t)least) | (w + ones) | w) & tops) != 0)
            return false;
    }
    while (len > 0 && *text >= least && *text <= '~') {
        text++;
        len--;
    }
    return len == 0;
}

/* Value of a hexadecimal digit in either case, or -1. */
static inline int ascii_hex(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif
