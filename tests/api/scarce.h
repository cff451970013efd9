/* Memory (api/arena.h) that counts, and refuses the block number `fail_at` (1, 2, ...; 0: never).
 */
#ifndef TESTS_API_SCARCE_H
#define TESTS_API_SCARCE_H

#include <stdlib.h>

#include "api/arena.h"

struct scarce {
    size_t blocks, fail_at;
    size_t total; /* bytes */
    size_t live;  /* blocks that were not given back */
};

static inline void *scarce_alloc(void *ctx, size_t size)
{
    struct scarce *scarce = ctx;
    scarce->total += size;
    if (++scarce->blocks == scarce->fail_at)
        return NULL;
    scarce->live++;
    return malloc(size);
}

static inline void scarce_free(void *ctx, void *block, size_t size)
{
    struct scarce *scarce = ctx;
    (void)size;
    scarce->live--;
    free(block);
}

static inline struct memory scarce_memory(struct scarce *scarce)
{
    return (struct memory){.alloc = scarce_alloc, .free = scarce_free, .ctx = scarce};
}

#endif
