/* The quick way to read a JSON number, to be inlined where numbers come by the million. Works on eight digits at a time. */
#ifndef API_JSON_NUMBER_H
#define API_JSON_NUMBER_H

#include "api/json.h"
#include "api/json_word.h"

/* The top bit of each byte that is no value of a digit; a carry out of one spoils only bytes behind it. */
static inline uint64_t json_not_digits(uint64_t w)
{
    return ((w + JSON_EACH_BYTE(0x7f - 9)) | w) & JSON_EACH_BYTE(0x80);
}

/* The number that eight digits are: neighbours are joined to pairs, pairs to fours, fours to the whole. */
static inline uint64_t json_join_eight(uint64_t w)
{
    w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffu;
    w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffu;
    return (w * 10000 + (w >> 32)) & 0xffffffffu;
}

/* For a count of digits: 10^count, and the largest number behind which they fit. */
#define ROOM(power) {(power), (UINT64_MAX - ((power) - 1)) / (power)}
static const struct {
    uint64_t power, most;
} json_room[9] = {ROOM(1),      ROOM(10),      ROOM(100),      ROOM(1000),     ROOM(10000),
             ROOM(100000), ROOM(1000000), ROOM(10000000), ROOM(100000000)};

/* Takes the digits at *p into *value. False when they do not fit or end near the end of the document. Eight in a row are
 * a case of their own, so that the processor can guess where to go on instead of waiting for a count. */
static inline __attribute__((always_inline)) bool json_take_digits(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
    for (uint64_t w, others; end - *p >= 8; *p += 8) {
        w = json_load_eight(*p) ^ JSON_EACH_BYTE('0');
        others = json_not_digits(w);
        if (others == 0) {
            if (*value > json_room[8].most)
                return false;
            *value = *value * json_room[8].power + json_join_eight(w);
            continue;
        }
        unsigned count = json_first_marked(others);
        if (count == 0)
            return true;
        if (*value > json_room[count].most)
            return false;
        *value = *value * json_room[count].power + json_join_eight(w << (64 - 8 * count));
        *p += count;
        return true;
    }
    return false;
}

static inline bool json_is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* The ordinary number: valid, of up to 19 digits, without exponent, not at the very end of the document. Returns the place
 * behind it, or NULL for others, with *ret undefined. */
static inline const uint8_t *json_quick_number(const uint8_t *const start, const uint8_t *const end, struct decimal *ret)
{
    const uint8_t *p = start;
    if (end - p < 16)
        return NULL;
    const bool negative = *p == '-';
    p += negative ? 1 : 0;
    if (!json_is_digit(*p) || (*p == '0' && json_is_digit(p[1])))
        return NULL;
    uint64_t digits = (uint64_t)(*p++ - '0');
    if (json_is_digit(*p) && !json_take_digits(&p, end, &digits))
        return NULL;
    int64_t exponent = 0;
    if (*p == '.') {
        const uint8_t *fraction = ++p;
        if (!json_take_digits(&p, end, &digits) || p == fraction)
            return NULL;
        exponent = fraction - p;
    }
    if ((*p | 0x20) == 'e')
        return NULL;
    ret->digits = digits;
    ret->exponent = exponent;
    ret->negative = negative;
    ret->exact = true;
    ret->text = (const char *)start;
    ret->len = (size_t)(p - start);
    return p;
}

#endif
