/* Compressed bodies: what unpacks is what zlib's own call makes of it, its size is limited before anything is stored, and
 * compressing and unpacking gives the same text.
 *
 * Input: mode, block size of pulls, the text or the compressed bytes. */
#include <zlib.h>

#include "api/encoding.h"
#include "tests/fuzz/deflated.h"
#include "tests/fuzz/outputs.h"

#define LIMIT ((uint64_t)64 << 10)

enum { RAW = 1, GZIP = 2, TWO_MEMBERS = 4, DAMAGED = 8 };

static void check_unpacking(struct fuzz_memory *memory, bool gzip, struct bytes body)
{
    struct bytes got;
    struct problem err = {.code = PROBLEM_NONE};
    bool good = encoding_decode(&memory->arena, gzip ? "gzip" : "deflate", LIMIT, body, &got, &err);
    REQUIRE(good == (err.code == PROBLEM_NONE), "a refusal without a reason, or a reason without one");
    REQUIRE(memory->scarce.total <= ((size_t)128 << 10) + (good ? got.len : 0), "memory for what is refused");
    struct bytes want;
    uint8_t *plain = inflated(gzip, body, LIMIT, &want);
    REQUIRE(good == (plain != NULL), "zlib says %d: %s", plain != NULL, err.detail);
    REQUIRE(!good || (got.len == want.len && (got.len == 0 || memcmp(got.ptr, want.ptr, got.len) == 0)), "other text");
    free(plain);
}

static void check_packing(struct fuzz_memory *memory, bool gzip, size_t block, struct bytes text)
{
    struct bytes again;
    struct problem err;
    size_t len = 0;
    struct source *plain = source_bytes(&memory->arena, text);
    struct source *packed = source_compressed(&memory->arena, plain, gzip ? ENCODING_GZIP : ENCODING_DEFLATE);
    uint8_t *body = pull_all(packed, block, &len);
    REQUIRE(encoding_decode(&memory->arena, gzip ? "x-gzip" : "Deflate", LIMIT, (struct bytes){body, len}, &again, &err),
            "not unpacked again: %s", err.detail);
    REQUIRE(again.len == text.len && (text.len == 0 || memcmp(again.ptr, text.ptr, text.len) == 0), "other text");
    free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct feed feed = feed_of(data, size);
    uint8_t mode = feed_byte(&feed);
    size_t block = 1 + feed_byte(&feed);
    uint8_t place = feed_byte(&feed);
    bool gzip = (mode & GZIP) != 0;
    struct bytes rest = feed_rest(&feed), body = rest;
    uint8_t *made = NULL;
    if ((mode & RAW) == 0) {
        made = deflated(gzip, (mode & TWO_MEMBERS) != 0, rest, &body);
        if ((mode & DAMAGED) != 0)
            made[place * (body.len - 1) / 255] ^= (uint8_t)(1 + block % 255);
    }
    uint8_t *copy = fuzz_copy(body.ptr, body.len);
    fuzz_memory_init(&memory);
    check_unpacking(&memory, gzip, (struct bytes){copy, body.len});
    if (rest.len <= LIMIT)
        check_packing(&memory, gzip, block, rest);
    fuzz_memory_release(&memory);
    free(copy);
    free(made);
    return 0;
}
