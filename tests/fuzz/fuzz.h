/* What every fuzz target shares. A target is one file with LLVMFuzzerTestOneInput, which is called with one input after
 * another and ends the process when a property does not hold. Built with libFuzzer (configure --with-fuzzer) it is fed by
 * that; else replay.c feeds it its corpus, as one of the tests.
 *
 * Inputs are structured so that what an engine does to them blindly stays near what is right: decisions are single bytes at
 * the front (struct feed), requests are text, and lengths and checksums are made by the target.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/arena.h"
#include "api/bytes.h"
#include "tests/api/scarce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property, with a printf format that says what does not hold. */
#define REQUIRE(holds, ...)                                   \
    do {                                                      \
        if (!(holds)) {                                       \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);   \
            fprintf(stderr, __VA_ARGS__);                     \
            fputc('\n', stderr);                              \
            abort();                                          \
        }                                                     \
    } while (0)

/* ---- memory: an arena that is checked when it ends ---- */

struct fuzz_memory {
    struct scarce scarce;
    struct memory memory;
    struct arena arena;
};

static inline void fuzz_memory_init(struct fuzz_memory *m)
{
    *m = (struct fuzz_memory){.scarce = {.fail_at = 0}};
    m->memory = scarce_memory(&m->scarce);
    arena_init(&m->arena, &m->memory, NULL, 0);
}

static inline void fuzz_memory_release(struct fuzz_memory *m)
{
    arena_release(&m->arena);
    REQUIRE(m->scarce.live == 0, "%zu blocks were not given back", m->scarce.live);
}

/* A copy of just that size, so that a sanitizer sees a byte too many; also when it is empty. */
static inline uint8_t *fuzz_copy(const void *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    REQUIRE(copy != NULL, "no memory");
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

/* ---- decisions from the front of the input; zeros when it has run out ---- */

struct feed {
    const uint8_t *next, *end;
};

static inline struct feed feed_of(const uint8_t *data, size_t size)
{
    return (struct feed){.next = data, .end = size > 0 ? data + size : data};
}

static inline size_t feed_left(const struct feed *feed)
{
    return (size_t)(feed->end - feed->next);
}

static inline uint8_t feed_byte(struct feed *feed)
{
    return feed->next < feed->end ? *feed->next++ : 0;
}

static inline uint64_t feed_word(struct feed *feed, size_t bytes)
{
    uint64_t word = 0;
    for (size_t i = 0; i < bytes; i++)
        word |= (uint64_t)feed_byte(feed) << (8 * i);
    return word;
}

/* 0 to below - 1. */
static inline size_t feed_below(struct feed *feed, size_t below)
{
    return (size_t)(feed_word(feed, below > 256 ? 4 : 1) % below);
}

/* What is left, up to the first newline if there is one, which is passed. */
static inline struct bytes feed_line(struct feed *feed)
{
    size_t left = feed_left(feed);
    const uint8_t *newline = left > 0 ? memchr(feed->next, '\n', left) : NULL;
    struct bytes line = {.ptr = feed->next, .len = newline != NULL ? (size_t)(newline - feed->next) : left};
    feed->next = newline != NULL ? newline + 1 : feed->end;
    return line;
}

static inline struct bytes feed_rest(struct feed *feed)
{
    struct bytes rest = {.ptr = feed->next, .len = feed_left(feed)};
    feed->next = feed->end;
    return rest;
}

#endif
