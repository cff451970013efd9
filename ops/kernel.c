#include "ops/kernel.h"

#include <string.h>

/* A repeated block is doubled up to this size, which stays in the cache, and then copied from there. */
#define TILE ((uint64_t)64 * 1024)

/* Bytes of one element of the layout; packed types are counted in bytes. */
static size_t element_size(enum dtype type)
{
    unsigned bits = dtype_info(type)->bits;
    return bits < 8 ? 1 : bits / 8;
}

void copy_plan_init(struct copy_plan *ret, const struct tensor *view)
{
    struct layout layout;
    layout_init(&layout, view);
    int64_t bytes = 0;
    shape_bytes(&view->shape, view->dtype, &bytes);
    *ret = (struct copy_plan){.bytes = (uint64_t)bytes, .data = view->data};
    if (bytes == 0)
        return;
    size_t width = element_size(view->dtype);
    if (dtype_info(view->dtype)->bits < 8) /* dense: one unit */
        layout = (struct layout){.rank = 1, .dim = {bytes}, .stride = {1}};
    bool dense_rows = layout.rank > 0 && layout.stride[layout.rank - 1] == 1;
    ret->depth = layout.rank - (dense_rows ? 1 : 0);
    ret->unit = dense_rows ? (size_t)layout.dim[ret->depth] * width : width;
    uint64_t size = ret->unit;
    for (int i = ret->depth - 1; i >= 0; i--) {
        ret->level[i] = (struct copy_level){
            .count = (uint64_t)layout.dim[i], .stride = layout.stride[i] * (int64_t)width, .size = size};
        size *= ret->level[i].count;
    }
}

/* Makes `total` bytes of the block that stands at the start of `out`. */
static void repeat(unsigned char *out, uint64_t block, uint64_t total)
{
    uint64_t done = block;
    while (done < total) {
        uint64_t tile = done < TILE || block > TILE ? done : TILE / block * block;
        uint64_t step = tile < total - done ? tile : total - done;
        memcpy(out + done, out, step);
        done += step;
    }
}

static void copy_blocks(const struct copy_plan *plan, int depth, const unsigned char *from, uint64_t count,
                        unsigned char *out);

/* One whole block below `depth` levels. */
static void copy_block(const struct copy_plan *plan, int depth, const unsigned char *from, unsigned char *out)
{
    if (depth == plan->depth)
        memcpy(out, from, plan->unit);
    else
        copy_blocks(plan, depth, from, plan->level[depth].count, out);
}

/* `count` whole blocks of the level at `depth`. */
static void copy_blocks(const struct copy_plan *plan, int depth, const unsigned char *from, uint64_t count,
                        unsigned char *out)
{
    const struct copy_level *level = &plan->level[depth];
    if (level->stride == 0) {
        copy_block(plan, depth + 1, from, out);
        repeat(out, level->size, count * level->size);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        copy_block(plan, depth + 1, from + (int64_t)i * level->stride, out + i * level->size);
}

/* Bytes [pos, pos + n) of the block below `depth` levels: the end of one block, whole ones, the start of another. */
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
    from += (int64_t)(pos / level->size) * level->stride;
    pos %= level->size;
    if (pos > 0) {
        uint64_t head = n < level->size - pos ? n : level->size - pos;
        copy_part(plan, depth + 1, from, pos, head, out);
        from += level->stride;
        out += head;
        n -= head;
    }
    uint64_t whole = n / level->size;
    if (whole > 0)
        copy_blocks(plan, depth, from, whole, out);
    copy_part(plan, depth + 1, from + (int64_t)whole * level->stride, 0, n % level->size, out + whole * level->size);
}

void copy_range(const struct copy_plan *plan, uint64_t pos, size_t n, void *out)
{
    copy_part(plan, 0, plan->data, pos, n, out);
}
