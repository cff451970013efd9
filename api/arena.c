#include "api/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece larger than a quarter of a small block gets a block of its own, so that at most that much is wasted. */
#ifndef SMALL_BLOCK /* tests/api/scattered.c */
#define SMALL_BLOCK ((size_t)16 << 10)
#endif
#define ALIGNMENT ((size_t)16)

/* The address sanitizer is told which bytes of a block are in use: neither those that are still free nor the GUARD ones
 * behind each piece. Elsewhere this is nothing. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define GUARD              ALIGNMENT
#define FORBID(start, n)   ASAN_POISON_MEMORY_REGION(start, n)
#define PERMIT(start, n)   ASAN_UNPOISON_MEMORY_REGION(start, n)
#else
#define GUARD              ((size_t)0)
#define FORBID(start, n)   ((void)0)
#define PERMIT(start, n)   ((void)0)
#endif

struct arena_block {
    struct arena_block *next;
    size_t size; /* with this header */
};

struct arena_deferred {
    struct arena_deferred *next;
    void (*fn)(void *);
    void *ptr;
};

static void *heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static void heap_free(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)size;
    free(block);
}

const struct memory memory_heap = {.alloc = heap_alloc, .free = heap_free, .ctx = NULL};

static size_t round_up(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

void arena_init(struct arena *arena, const struct memory *memory, void *first, size_t size)
{
    *arena = (struct arena){.memory = memory};
    if (first != NULL) {
        uintptr_t start = ((uintptr_t)first + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
        arena->next = (uint8_t *)start;
        arena->end = (uint8_t *)first + size;
        if (arena->next > arena->end)
            arena->next = arena->end;
        arena->first = arena->next;
        arena->first_end = arena->end;
        FORBID(arena->next, (size_t)(arena->end - arena->next));
    }
}

/* A new block with room for `size` bytes; returns its first usable byte. */
static uint8_t *add_block(struct arena *arena, size_t size)
{
    size_t header = round_up(sizeof(struct arena_block));
    if (size > SIZE_MAX - header)
        return NULL;
    struct arena_block *block = arena->memory->alloc(arena->memory->ctx, header + size);
    if (block == NULL)
        return NULL;
    block->next = arena->blocks;
    block->size = header + size;
    arena->blocks = block;
    return (uint8_t *)block + header;
}

void *arena_alloc(struct arena *arena, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX - ALIGNMENT - GUARD)
        return NULL;
    size_t want = round_up(bytes) + GUARD;
    if (want == 0)
        want = ALIGNMENT;
    if (want <= (size_t)(arena->end - arena->next)) {
        void *ret = arena->next;
        arena->next += want;
        PERMIT(ret, bytes);
        return ret;
    }
    const bool alone = want > SMALL_BLOCK / 4;
    const size_t room = alone ? want : SMALL_BLOCK;
    uint8_t *block = add_block(arena, room);
    if (block == NULL)
        return NULL;
    if (!alone) {
        arena->next = block + want;
        arena->end = block + room;
    }
    FORBID(block + bytes, room - bytes);
    return block;
}

void *arena_zalloc(struct arena *arena, size_t n, size_t size)
{
    void *ret = arena_alloc(arena, n, size);
    if (ret != NULL)
        memset(ret, 0, n * size);
    return ret;
}

char *arena_text(struct arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *ret = arena_alloc(arena, size, 1);
    return ret == NULL ? NULL : memcpy(ret, text, size);
}

bool arena_join(struct arena *arena, const struct bytes parts[], size_t n, struct bytes *ret)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        if (__builtin_add_overflow(len, parts[i].len, &len))
            return false;
    uint8_t *out = arena_alloc(arena, len, 1);
    if (out == NULL)
        return false;
    *ret = (struct bytes){.ptr = out, .len = len};
    for (size_t i = 0; i < n; i++) {
        if (parts[i].len > 0)
            memcpy(out, parts[i].ptr, parts[i].len);
        out += parts[i].len;
    }
    return true;
}

/* Straight into the current block if it fits, which it nearly always does; else once more where it does. */
char *arena_printf(struct arena *arena, const char *format, ...)
{
    char *start = (char *)arena->next;
    va_list args;
    size_t room = (size_t)(arena->end - arena->next);
    PERMIT(start, room);
    va_start(args, format);
    int len = vsnprintf(start, room, format, args);
    va_end(args);
    FORBID(start, room);
    char *ret = len < 0 ? NULL : arena_alloc(arena, (size_t)len + 1, 1);
    if (ret == NULL || ret == start)
        return ret;
    va_start(args, format);
    vsnprintf(ret, (size_t)len + 1, format, args);
    va_end(args);
    return ret;
}

bool arena_defer(struct arena *arena, void (*fn)(void *), void *ptr)
{
    struct arena_deferred *deferred = arena_alloc(arena, 1, sizeof(*deferred));
    if (deferred == NULL) {
        fn(ptr);
        return false;
    }
    *deferred = (struct arena_deferred){.next = arena->deferred, .fn = fn, .ptr = ptr};
    arena->deferred = deferred;
    return true;
}

void arena_release(struct arena *arena)
{
    for (struct arena_deferred *d = arena->deferred; d != NULL; d = d->next)
        d->fn(d->ptr);
    while (arena->blocks != NULL) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        PERMIT(block, block->size);
        arena->memory->free(arena->memory->ctx, block, block->size);
    }
    PERMIT(arena->first, (size_t)(arena->first_end - arena->first));
    *arena = (struct arena){.memory = arena->memory};
}
