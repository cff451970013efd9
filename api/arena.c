#include "api/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece larger than a quarter of a small block gets a block of its own, so that at most that much is wasted. */
#define SMALL_BLOCK ((size_t)16 << 10)
#define ALIGNMENT ((size_t)16)

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
    if (size != 0 && n > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t want = round_up(n * size);
    if (want == 0)
        want = ALIGNMENT;
    if (want <= (size_t)(arena->end - arena->next)) {
        void *ret = arena->next;
        arena->next += want;
        return ret;
    }
    if (want > SMALL_BLOCK / 4)
        return add_block(arena, want);
    uint8_t *block = add_block(arena, SMALL_BLOCK);
    if (block == NULL)
        return NULL;
    arena->next = block + want;
    arena->end = block + SMALL_BLOCK;
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

static size_t total_length(va_list texts)
{
    size_t ret = 0;
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        ret += strlen(text);
    return ret;
}

char *arena_join(struct arena *arena, ...)
{
    va_list texts;
    va_start(texts, arena);
    char *ret = arena_alloc(arena, total_length(texts) + 1, 1);
    va_end(texts);
    if (ret == NULL)
        return NULL;
    char *end = ret;
    va_start(texts, arena);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;) {
        size_t len = strlen(text);
        memcpy(end, text, len);
        end += len;
    }
    va_end(texts);
    *end = '\0';
    return ret;
}

/* Straight into the current block if it fits, which it nearly always does; else once more where it does. */
char *arena_printf(struct arena *arena, const char *format, ...)
{
    char *start = (char *)arena->next;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(start, (size_t)(arena->end - arena->next), format, args);
    va_end(args);
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
        arena->memory->free(arena->memory->ctx, block, block->size);
    }
    *arena = (struct arena){.memory = arena->memory};
}
