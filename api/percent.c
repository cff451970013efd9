#include "api/percent.h"

#include "api/ascii.h"

int percent_byte(struct bytes raw, size_t at)
{
    if (raw.len - at < 3)
        return -1;
    int high = ascii_hex(raw.ptr[at + 1]);
    int low = ascii_hex(raw.ptr[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}
