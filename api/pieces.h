/* A view whose elements have been written once, each as a piece of bytes of its own length (a JSON number, a BYTES
 * element with its length prefix): an output element then costs a copy, however often it is repeated.
 */
#ifndef API_PIECES_H
#define API_PIECES_H

#include "api/source.h"
#include "ops/tensor.h"

/* Piece i is bytes [offset[i], offset[i + 1]) of base; offset has count + 1 entries. i is the element's index in the
 * memory of the input tensor (which is dense). Borrowed. */
struct pieces {
    const uint8_t *base;
    const uint64_t *offset;
    int64_t count;
};

/* Length of all pieces in the order of the view, repeats included. False if it exceeds INT64_MAX. */
bool pieces_length(const struct pieces *pieces, const struct tensor *view, uint64_t *ret);

/* The pieces in the order of the view. The last `drop` bytes of the whole are left out: a separator that belongs to each
 * piece but does not follow the last. NULL when there is no memory. */
struct source *source_pieces(struct arena *arena, const struct pieces *pieces, const struct tensor *view, size_t drop);

#endif
