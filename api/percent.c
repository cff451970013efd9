#include "api/percent.h"

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    uint8_t lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

int percent_byte(struct bytes raw, size_t at)
{
    if (raw.len - at < 3)
        return -1;
    int high = hex_digit(raw.ptr[at + 1]);
    int low = hex_digit(raw.ptr[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}
