#include "api/utf8.h"

#include <string.h>

/* Number of continuation bytes, and the permitted range of the first of them, by lead byte (RFC 3629, section 4). */
struct lead {
    uint8_t from, to;
    uint8_t more;
    uint8_t low, high;
};

static const struct lead leads[] = {
    {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf}, {0xe1, 0xec, 2, 0x80, 0xbf},
    {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf}, {0xf0, 0xf0, 3, 0x90, 0xbf},
    {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
};

size_t utf8_sequence(const uint8_t *text, size_t len)
{
    if (len == 0)
        return 0;
    if (text[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
        const struct lead *l = &leads[i];
        if (text[0] < l->from || text[0] > l->to)
            continue;
        if (len <= l->more || text[1] < l->low || text[1] > l->high)
            return 0;
        for (size_t k = 2; k <= l->more; k++)
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        return (size_t)l->more + 1;
    }
    return 0;
}

uint32_t utf8_get(const uint8_t *text, size_t n)
{
    static const uint8_t bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = text[0] & bits[n];
    for (size_t i = 1; i < n; i++)
        c = c << 6 | (text[i] & 0x3f);
    return c;
}

/* How many of the first bytes are ASCII, eight at a time. */
static size_t ascii_run(const uint8_t *text, size_t len)
{
    size_t i = 0;
    for (uint64_t word; len - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, text + i, sizeof(word));
        if ((word & 0x8080808080808080u) != 0)
            break;
    }
    while (i < len && text[i] < 0x80)
        i++;
    return i;
}

bool utf8_valid(const uint8_t *text, size_t len)
{
    for (size_t i = 0; i < len;) { /* without bytes, text may be NULL, from which nothing may be reckoned */
        size_t n = text[i] < 0x80 ? ascii_run(text + i, len - i) : utf8_sequence(text + i, len - i);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

size_t utf8_put(uint32_t c, uint8_t *out)
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t mark[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (uint8_t)(mark[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        out[i] = (uint8_t)(0x80 | (c >> (6 * (more - i)) & 0x3f));
    return more + 1;
}
