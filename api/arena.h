/* The memory of one request: many allocations, one release.
 *
 * Owned by the request; used by one thread at a time (whoever owns the request). Everything handed out is released by
 * arena_release, after the deferred calls have run in reverse order.
 *
 * Large pieces come from `struct memory`, which the process provides: there it is counted against the budget and
 * recycled. Every allocation can fail: NULL means "answer 503".
 */
#ifndef API_ARENA_H
#define API_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/bytes.h"

/* Where blocks come from. `alloc` returns NULL when it may or can not give more; contents are not zeroed. Both may be
 * called from any thread. */
struct memory {
    void *(*alloc)(void *ctx, size_t size);
    void (*free)(void *ctx, void *block, size_t size);
    void *ctx;
};

/* malloc and free, without a limit. */
extern const struct memory memory_heap;

struct arena_block;
struct arena_deferred;

/* Fields are private. */
struct arena {
    const struct memory *memory;
    uint8_t *next, *end;          /* free part of the current small block */
    uint8_t *first, *first_end;   /* the borrowed one */
    struct arena_block *blocks;
    struct arena_deferred *deferred;
};

/* `first` (may be NULL) is the first small block, borrowed, so that a small request allocates nothing at all. */
void arena_init(struct arena *arena, const struct memory *memory, void *first, size_t size);

/* n * size bytes, aligned for any type, not zeroed; n * size == 0 gives a valid pointer. NULL on overflow or refusal. */
void *arena_alloc(struct arena *arena, size_t n, size_t size) __attribute__((warn_unused_result));
void *arena_zalloc(struct arena *arena, size_t n, size_t size) __attribute__((warn_unused_result));

/* A copy of a terminated text. NULL on refusal. */
char *arena_text(struct arena *arena, const char *text);

/* All parts as one. False on refusal. */
bool arena_join(struct arena *arena, const struct bytes parts[], size_t n, struct bytes *ret);

/* Formatted, terminated text. NULL on refusal. Several times as slow. */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Calls fn(ptr) at release. False (and fn has been called) if there is no memory to note it: ptr is then gone. */
bool arena_defer(struct arena *arena, void (*fn)(void *), void *ptr) __attribute__((warn_unused_result));

void arena_release(struct arena *arena);

#endif
