/* The elements of a tensor as JSON. */
#ifndef API_CODEC_JSON_TEXT_H
#define API_CODEC_JSON_TEXT_H

#include "api/arena.h"
#include "api/bytes.h"
#include "api/problem.h"
#include "ops/tensor.h"

/* Writes each element of a dense tensor, in order, with a ',' behind it (complex: "re,im,") into one run of the arena.
 * Element i is bytes [(*offset)[i], (*offset)[i + 1]) of it; `offset` may be NULL. Refuses BYTES that are not UTF-8, pointing
 * at `pointer`. */
bool codec_json_text(struct arena *arena, const struct tensor *tensor, const char *pointer, uint64_t **offset,
                     struct bytes *ret, struct problem *err);

/* The same for `count` elements of any type but BYTES, into memory of at least codec_json_room; returns the length. Those of
 * 4 and 2 bits begin in the low bits of the first byte. `offset`, of as many entries, may be NULL. */
size_t codec_json_numbers(enum dtype dtype, const void *in, int64_t count, uint8_t *out, uint64_t *offset);

/* False if that exceeds SIZE_MAX. */
bool codec_json_room(enum dtype dtype, int64_t count, size_t *ret);

#endif
