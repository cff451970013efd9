/* Large buffers, reused and counted.
 *
 * Fresh pages cost more than the work done in them, so blocks go back to free lists by size class and are
 * handed out again. Everything handed out, kept, or reserved counts against one budget; what would exceed it
 * is refused (the caller does without, or answers 503), so that the process never grows into the out-of-memory
 * killer. An eighth of the budget is only for pieces below 64 KiB: connections and small requests.
 *
 * All functions may be called from any thread.
 */
#ifndef SRC_BUFPOOL_H
#define SRC_BUFPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "api/arena.h"

struct bufpool;

/* NULL when there is no memory. `budget` in bytes. */
struct bufpool *bufpool_create(size_t budget);

/* Everything taken must have been given back. NULL is allowed. */
void bufpool_destroy(struct bufpool *pool);

/* The pool as where arenas take their blocks from. Valid as long as the pool. */
const struct memory *bufpool_memory(const struct bufpool *pool);

/* Counts memory that others allocate (connections, responses in flight) against the budget. False, with
 * nothing counted, if it does not fit. */
bool bufpool_reserve(struct bufpool *pool, size_t size);
void bufpool_unreserve(struct bufpool *pool, size_t size);

/* Gives blocks that nobody has taken since the last call back to the system. Call it every few seconds. */
void bufpool_trim(struct bufpool *pool);

struct bufpool_usage {
    size_t budget;
    size_t used;    /* handed out or reserved */
    size_t kept;    /* in free lists */
    size_t refused; /* how often, so far */
};

struct bufpool_usage bufpool_usage(struct bufpool *pool);

#endif
