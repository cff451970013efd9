#include "src/bufpool.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Below this, malloc is as good and reuses by itself. */
#define SMALLEST ((size_t)64 << 10)

/* What is not smaller leaves this part of the budget to connections and small requests, so that streams whose
 * readers are slow, and large bodies, cannot keep everybody else out. */
#define LEFT_BY_LARGE(budget) ((budget) / 8)

/* Four classes to a doubling (4, 5, 6, 7 quarters), so that rounding up wastes an eighth on average. */
#define PER_DOUBLING 4
#define CLASSES (PER_DOUBLING * 30)

/* From this size on, a block is aligned so that huge pages can back it: faulting them in is several times
 * cheaper. */
#define HUGE_PAGE ((size_t)2 << 20)

/* A block that waits for reuse; stands in its own first bytes. */
struct kept {
    struct kept *next;
    unsigned epoch; /* of bufpool_trim, when it came back */
};

struct bufpool {
    struct memory memory;
    pthread_mutex_t lock; /* guards all below */
    size_t used, kept, refused, budget;
    unsigned epoch;
    struct kept *free[CLASSES];
};

static size_t class_size(unsigned class)
{
    return (SMALLEST / PER_DOUBLING * (PER_DOUBLING + class % PER_DOUBLING)) << (class / PER_DOUBLING);
}

/* The smallest class that holds `size`; CLASSES if there is none. */
static unsigned class_of(size_t size)
{
    unsigned class = 0;
    while (class < CLASSES && class_size(class) < size)
        class++;
    return class;
}

static void *map_block(size_t size)
{
    size_t slack = size >= HUGE_PAGE ? HUGE_PAGE : 0;
    uint8_t *start = mmap(NULL, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    if (slack == 0)
        return start;
    uint8_t *block = (uint8_t *)(((uintptr_t)start + slack - 1) & ~(uintptr_t)(slack - 1));
    size_t before = (size_t)(block - start);
    if (before > 0)
        munmap(start, before);
    if (slack > before)
        munmap(block + size, slack - before);
    madvise(block, size, MADV_HUGEPAGE);
    return block;
}

/* Unmaps kept blocks, the largest first, until `size` more fit into the budget; with the lock held. */
static void make_room(struct bufpool *pool, size_t size)
{
    for (unsigned class = CLASSES; class-- > 0 && pool->budget - pool->used - pool->kept < size;) {
        while (pool->free[class] != NULL && pool->budget - pool->used - pool->kept < size) {
            struct kept *block = pool->free[class];
            pool->free[class] = block->next;
            pool->kept -= class_size(class);
            munmap(block, class_size(class));
        }
    }
}

/* With the lock held. */
static bool fits_into(const struct bufpool *pool, size_t size)
{
    size_t most = pool->budget - (size < SMALLEST ? 0 : LEFT_BY_LARGE(pool->budget));
    return pool->used <= most && size <= most - pool->used;
}

bool bufpool_reserve(struct bufpool *pool, size_t size)
{
    pthread_mutex_lock(&pool->lock);
    bool fits = fits_into(pool, size);
    if (fits) {
        make_room(pool, size);
        pool->used += size;
    } else {
        pool->refused++;
    }
    pthread_mutex_unlock(&pool->lock);
    return fits;
}

void bufpool_unreserve(struct bufpool *pool, size_t size)
{
    pthread_mutex_lock(&pool->lock);
    pool->used -= size;
    pthread_mutex_unlock(&pool->lock);
}

static void *alloc_small(struct bufpool *pool, size_t size)
{
    if (!bufpool_reserve(pool, size))
        return NULL;
    void *ret = malloc(size);
    if (ret == NULL)
        bufpool_unreserve(pool, size);
    return ret;
}

static void *take_kept(struct bufpool *pool, unsigned class)
{
    pthread_mutex_lock(&pool->lock);
    struct kept *block = fits_into(pool, class_size(class)) ? pool->free[class] : NULL;
    if (block != NULL) {
        pool->free[class] = block->next;
        pool->kept -= class_size(class);
        pool->used += class_size(class);
    }
    pthread_mutex_unlock(&pool->lock);
    return block;
}

static void *pool_alloc(void *ctx, size_t size)
{
    struct bufpool *pool = ctx;
    if (size < SMALLEST)
        return alloc_small(pool, size);
    unsigned class = class_of(size);
    if (class == CLASSES)
        return NULL;
    void *ret = take_kept(pool, class);
    if (ret != NULL)
        return ret;
    if (!bufpool_reserve(pool, class_size(class)))
        return NULL;
    ret = map_block(class_size(class));
    if (ret == NULL)
        bufpool_unreserve(pool, class_size(class));
    return ret;
}

static void pool_free(void *ctx, void *ptr, size_t size)
{
    struct bufpool *pool = ctx;
    if (size < SMALLEST) {
        free(ptr);
        bufpool_unreserve(pool, size);
        return;
    }
    unsigned class = class_of(size);
    struct kept *block = ptr;
    pthread_mutex_lock(&pool->lock);
    block->next = pool->free[class];
    block->epoch = pool->epoch;
    pool->free[class] = block;
    pool->used -= class_size(class);
    pool->kept += class_size(class);
    pthread_mutex_unlock(&pool->lock);
}

/* Lists are last in, first out: behind the first old block all are old. */
static struct kept *cut_old(struct bufpool *pool, unsigned class)
{
    struct kept **at = &pool->free[class];
    while (*at != NULL && (*at)->epoch == pool->epoch)
        at = &(*at)->next;
    struct kept *old = *at;
    *at = NULL;
    for (struct kept *block = old; block != NULL; block = block->next)
        pool->kept -= class_size(class);
    return old;
}

void bufpool_trim(struct bufpool *pool)
{
    for (unsigned class = 0; class < CLASSES; class++) {
        pthread_mutex_lock(&pool->lock);
        struct kept *old = cut_old(pool, class);
        pthread_mutex_unlock(&pool->lock);
        while (old != NULL) {
            struct kept *next = old->next;
            munmap(old, class_size(class));
            old = next;
        }
    }
    pthread_mutex_lock(&pool->lock);
    pool->epoch++;
    pthread_mutex_unlock(&pool->lock);
}

struct bufpool *bufpool_create(size_t budget)
{
    struct bufpool *pool = calloc(1, sizeof(*pool));
    if (pool == NULL)
        return NULL;
    pool->budget = budget;
    pool->memory = (struct memory){.alloc = pool_alloc, .free = pool_free, .ctx = pool};
    pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void bufpool_destroy(struct bufpool *pool)
{
    if (pool == NULL)
        return;
    bufpool_trim(pool); /* what came back since the last one */
    bufpool_trim(pool); /* and now all of it */
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

const struct memory *bufpool_memory(const struct bufpool *pool)
{
    return &pool->memory;
}

struct bufpool_usage bufpool_usage(struct bufpool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct bufpool_usage ret = {
        .budget = pool->budget, .used = pool->used, .kept = pool->kept, .refused = pool->refused};
    pthread_mutex_unlock(&pool->lock);
    return ret;
}
