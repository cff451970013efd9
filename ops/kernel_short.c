/* Blocks so short that a call of memcpy for each would cost more than its bytes are copied in batches that fit the first
 * level cache, in steps that each run over a whole batch:
 *
 * 1. Gather: bring the source bytes that are used into the order of the output, each once. Nothing is to be done for a
 *    row-major source.
 * 2. Spread: for each repeated dimension, from the innermost on, write every block as often as it is repeated. The data
 *    grows with each, so that most of the time goes to the last one, whose blocks are the longest.
 */
#include "ops/kernel_parts.h"

#define BATCH ((uint64_t)8 * 1024)

/* The outermost of the repeated levels, the one that writes the output; 0 if there is none. */
static int last_spread(const struct copy_level *level, int depth)
{
    int last = 1;
    while (last < depth && level[last].stride != 0)
        last++;
    return last < depth ? last : 0;
}

static void copy_batch(const struct copy_level *level, int depth, size_t unit, const unsigned char *from,
                       uint64_t count, unsigned char *out)
{
    unsigned char scratch[BATCH]; /* enough: every spread at least doubles the data, and the last one makes a batch */
    unsigned char *to = scratch;
    int last = last_spread(level, depth);
    struct gather gather;
    gather_init(&gather, level, depth, unit, count);
    if (gather.depth > 0) {
        to = last > 0 ? scratch : out;
        copy_gather(&gather, from, to);
        from = to;
        to += gather.bytes;
    }
    uint64_t bytes = gather.bytes;
    for (int i = depth - 1; i > 0; i--) {
        if (level[i].stride != 0)
            continue;
        to = i == last ? out : to;
        copy_spread((struct spread){from, bytes / level[i].size, level[i].size, level[i].count}, to);
        bytes *= level[i].count;
        from = to;
        to += bytes;
    }
}

void copy_short(const struct copy_level *level, int depth, size_t unit, const unsigned char *from, uint64_t count,
                unsigned char *out)
{
    uint64_t per_batch = BATCH / level->size;
    for (uint64_t done = 0; done < count; done += per_batch) {
        uint64_t n = count - done < per_batch ? count - done : per_batch;
        copy_batch(level, depth, unit, from + (int64_t)done * level->stride, n, out + done * level->size);
    }
}
