/* The elements of a tensor as JSON. */
#ifndef API_CODEC_JSON_TEXT_H
#define API_CODEC_JSON_TEXT_H

#include "api/arena.h"
#include "api/bytes.h"
#include "api/problem.h"
#include "ops/tensor.h"

/* Writes each element of a dense tensor, in order, with a ',' behind it (complex: "re,im,") into one run of the arena.
 * Element i is bytes [offset[i], offset[i + 1]) of it; offset, of elements + 1 entries, may be NULL. Refuses BYTES that
 * are not UTF-8, pointing at `pointer`. */
bool codec_json_text(struct arena *arena, const struct tensor *tensor, const char *pointer, uint64_t *offset,
                     struct bytes *ret, struct problem *err);

#endif
