/* Whole numbers as text, for what is written into every answer: there snprintf would be a good part of the work. */
#ifndef OPS_DECIMAL_H
#define OPS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* Room for any int64_t and the terminator. */
#define DECIMAL_MAX 21

/* Writes the number at the end of out; returns where it begins, in out. */
static inline const char *decimal_text(int64_t value, char out[DECIMAL_MAX])
{
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char *start = out + (DECIMAL_MAX - 1);
    *start = '\0';
    do {
        *--start = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *--start = '-';
    return start;
}

/* How long the text is that decimal_text has written into out. */
static inline size_t decimal_length(const char *start, const char out[DECIMAL_MAX])
{
    return (size_t)(out + (DECIMAL_MAX - 1) - start);
}

#endif
