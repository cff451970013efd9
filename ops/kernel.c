#include "ops/kernel.h"

#include <string.h>

#include "ops/kernel_parts.h"

/* ---- the plan */

void copy_plan_init(struct copy_plan *ret, const struct tensor *view)
{
    struct layout layout;
    layout_init(&layout, view);
    int64_t bytes = 0;
    shape_bytes(&view->shape, view->dtype, &bytes);
    ret->bytes = (uint64_t)bytes;
    ret->data = view->data;
    ret->unit = (size_t)bytes;
    ret->depth = 0;
    unsigned bits = dtype_info(view->dtype)->bits;
    if (bytes == 0 || bits < 8) /* packed types are dense: one unit */
        return;

    size_t width = bits / 8;
    bool rows = layout.rank > 0 && layout.stride[layout.rank - 1] == 1;
    ret->depth = layout.rank - (rows ? 1 : 0);
    ret->unit = rows ? (size_t)layout.dim[ret->depth] * width : width;
    uint64_t size = ret->unit;
    for (int i = ret->depth - 1; i >= 0; i--) {
        uint64_t count = (uint64_t)layout.dim[i];
        ret->level[i] = (struct copy_level){count, layout.stride[i] * (int64_t)width, size};
        size *= count;
    }
}

/* ---- whole blocks */

/* A repeated block is doubled up to this size and then copied from there, out of the first level cache. */
#define TILE ((uint64_t)8 * 1024)

/* Fills `total` bytes with the block that stands at their start. */
static void repeat(unsigned char *out, uint64_t block, uint64_t total)
{
    uint64_t tile = block < TILE ? TILE / block * block : block;
    for (uint64_t done = block; done < total;) {
        uint64_t step = done < tile ? done : tile;
        step = step < total - done ? step : total - done;
        copy_run(out + done, out, step);
        done += step;
    }
}

static void copy_blocks(const struct copy_plan *plan, int depth, const unsigned char *from, uint64_t count,
                        unsigned char *out);

/* One whole block below `depth` levels. */
static void copy_block(const struct copy_plan *plan, int depth, const unsigned char *from, unsigned char *out)
{
    if (depth == plan->depth)
        copy_run(out, from, plan->unit);
    else
        copy_blocks(plan, depth, from, plan->level[depth].count, out);
}

/* `count` whole blocks of the level at `depth`. */
static void copy_blocks(const struct copy_plan *plan, int depth, const unsigned char *from, uint64_t count,
                        unsigned char *out)
{
    const struct copy_level *level = &plan->level[depth];
    if (level->stride == 0 && depth + 1 == plan->depth && fill_takes(plan->unit)) {
        copy_fill(out, count * level->size, from, plan->unit);
    } else if (level->stride == 0) {
        copy_block(plan, depth + 1, from, out);
        repeat(out, level->size, count * level->size);
    } else if (level->size < COPY_SHORT) {
        copy_short(level, plan->depth - depth, plan->unit, from, count, out);
    } else {
        for (uint64_t i = 0; i < count; i++)
            copy_block(plan, depth + 1, from + (int64_t)i * level->stride, out + i * level->size);
    }
}

/* ---- ranges */

/* Bytes [pos, pos + n) of the block below `depth` levels: the end of one inner block, whole ones, the start of another. */
static void copy_part(const struct copy_plan *plan, int depth, const unsigned char *from, uint64_t pos, uint64_t n,
                      unsigned char *out)
{
    if (n == 0)
        return;
    if (depth == plan->depth) {
        memcpy(out, from + pos, n);
        return;
    }
    const struct copy_level *level = &plan->level[depth];
    int64_t index = (int64_t)(pos / level->size);
    uint64_t offset = pos % level->size;
    if (offset > 0) {
        uint64_t head = n < level->size - offset ? n : level->size - offset;
        copy_part(plan, depth + 1, from + index * level->stride, offset, head, out);
        out += head;
        n -= head;
        index++;
    }
    uint64_t whole = n / level->size;
    if (whole > 0)
        copy_blocks(plan, depth, from + index * level->stride, whole, out);
    uint64_t tail = n % level->size;
    if (tail > 0)
        copy_part(plan, depth + 1, from + (index + (int64_t)whole) * level->stride, 0, tail,
                  out + whole * level->size);
}

void copy_range(const struct copy_plan *plan, uint64_t pos, size_t n, void *out)
{
    copy_part(plan, 0, plan->data, pos, n, out);
}
