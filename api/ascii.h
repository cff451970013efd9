/* Letters and digits of ASCII, whatever the locale of the process. */
#ifndef API_ASCII_H
#define API_ASCII_H

#include <stdbool.h>

static inline bool ascii_alphanumeric(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
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
