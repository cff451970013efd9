/* A body that is pulled: bytes come into being when they are asked for.
 *
 * A source is made by a codec in the arena of its request and lives as long as that. It is pulled in order, by one thread
 * at a time (the owner of the request or of its current block), and never fails: whatever could be refused was refused
 * when it was made.
 */
#ifndef API_SOURCE_H
#define API_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "api/arena.h"
#include "api/bytes.h"
#include "ops/kernel.h"

#define SOURCE_LENGTH_UNKNOWN UINT64_MAX

struct source {
    /* Bytes in all, or SOURCE_LENGTH_UNKNOWN (then the reply is chunked). Constant. */
    uint64_t length;
    /* Estimated cost of a byte in picoseconds; what decides whether the loop or the pool fills blocks. Constant. */
    unsigned cost;
    /* Writes the next bytes to out: exactly n, or fewer only at the end. Returns how many. */
    size_t (*pull)(struct source *self, uint8_t *out, size_t n);
};

static inline size_t source_pull(struct source *source, uint8_t *out, size_t n)
{
    return source->pull(source, out, n);
}

/* Borrowed bytes as they are. All makers return NULL when there is no memory. */
struct source *source_bytes(struct arena *arena, struct bytes bytes);

/* The dense form of a view (kernel.h), in blocks of whatever size is pulled. The view's data must outlive it. */
struct source *source_view(struct arena *arena, const struct tensor *view);

/* One after another. `parts` is copied; NULL parts are not allowed. */
struct source *source_concat(struct arena *arena, struct source *const parts[], size_t n);

#endif
