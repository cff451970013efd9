/* Compressed texts by zlib's own calls, in memory of the heap. */
#ifndef TESTS_FUZZ_DEFLATED_H
#define TESTS_FUZZ_DEFLATED_H

#include <zlib.h>

#include "tests/fuzz/fuzz.h"

#define WINDOW(gzip) (MAX_WBITS + ((gzip) ? 16 : 0))

/* The text compressed, as two gzip members if asked for. */
static inline uint8_t *deflated(bool gzip, bool twice, struct bytes text, struct bytes *ret)
{
    size_t room = text.len + text.len / 1000 + 256;
    uint8_t *out = malloc(room), nothing = 0;
    z_stream z = {.next_out = out, .avail_out = (unsigned)room};
    struct bytes parts[] = {{text.ptr, twice ? text.len / 2 : text.len},
                            {text.ptr + (twice ? text.len / 2 : 0), text.len - text.len / 2}};
    REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, WINDOW(gzip), 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib has no memory");
    for (int i = 0; i < (twice ? 2 : 1); i++) {
        z.next_in = parts[i].len > 0 ? (uint8_t *)(uintptr_t)parts[i].ptr : &nothing;
        z.avail_in = (unsigned)parts[i].len;
        REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib does not end");
        uint8_t *next = z.next_out;
        unsigned left = z.avail_out;
        deflateReset(&z);
        z.next_out = next;
        z.avail_out = left;
    }
    *ret = (struct bytes){out, (size_t)(z.next_out - out)};
    deflateEnd(&z);
    return out;
}

/* The text of a compressed body, or NULL if it is broken, goes on behind its end, or has more than `limit` bytes. Members of
 * gzip may follow each other. */
static inline uint8_t *inflated(bool gzip, struct bytes body, uint64_t limit, struct bytes *ret)
{
    uint8_t *out = malloc(limit + 1), nothing = 0;
    z_stream z = {.next_in = body.len > 0 ? (uint8_t *)(uintptr_t)body.ptr : &nothing, .avail_in = (unsigned)body.len};
    bool good = inflateInit2(&z, WINDOW(gzip)) == Z_OK, ended = false;
    z.next_out = out;
    z.avail_out = (unsigned)limit + 1;
    while (good && !ended) {
        int code = inflate(&z, Z_FINISH);
        ended = code == Z_STREAM_END && z.avail_in == 0;
        good = code == Z_STREAM_END && z.avail_out > 0 && (ended || gzip);
        if (good && !ended) {
            uint8_t *next_out = z.next_out;
            unsigned left = z.avail_out;
            inflateReset(&z);
            z.next_out = next_out;
            z.avail_out = left;
        }
    }
    *ret = (struct bytes){out, (size_t)(z.next_out - out)};
    inflateEnd(&z);
    if (good)
        return out;
    free(out);
    return NULL;
}

#endif
