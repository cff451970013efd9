#include "ops/kernel_parts.h"

/* A loop of fewer turns than this is not worth being the innermost one. */
#define MANY 8

/* Puts innermost the loop over the last dimension, which writes in order, unless it is short. But small units are read
 * better in the order of the source, so that all of a cache line is used while it is there: in a matrix in Fortran order
 * that is the loop over the rows, whose stride is the smallest. If all are short, the longest. */
static int choose_innermost(const struct gather *gather)
{
    int longest = 0;
    int nearest = 0;
    for (int i = 1; i < gather->depth; i++) {
        const struct gather_loop *loop = &gather->loop[i];
        if (loop->count > gather->loop[longest].count)
            longest = i;
        if (loop->count >= MANY && loop->stride > 0 && loop->stride < gather->loop[nearest].stride)
            nearest = i;
    }
    if (gather->unit <= 4 && nearest != 0)
        return nearest;
    return gather->loop[0].count >= MANY ? 0 : longest;
}

void gather_init(struct gather *ret, const struct copy_level *level, int depth, size_t unit, uint64_t count)
{
    ret->unit = unit;
    ret->bytes = unit;
    ret->depth = 0;
    for (int i = depth - 1; i >= 0; i--) {
        uint64_t times = i == 0 ? count : level[i].count;
        if (level[i].stride == 0)
            continue;
        if (ret->depth == 0 && level[i].stride == (int64_t)ret->unit)
            ret->unit *= times;
        else
            ret->loop[ret->depth++] = (struct gather_loop){times, level[i].stride, ret->bytes};
        ret->bytes *= times;
    }
    if (ret->depth > 1) {
        int innermost = choose_innermost(ret);
        struct gather_loop loop = ret->loop[innermost];
        ret->loop[innermost] = ret->loop[0];
        ret->loop[0] = loop;
    }
}

EXPANDED uint64_t gather_pair(const unsigned char *from, int64_t stride, size_t unit)
{
    return load(from, unit) | load(from + stride, unit) << 8 * unit;
}

EXPANDED uint64_t gather_quad(const unsigned char *from, int64_t stride, size_t unit)
{
    return gather_pair(from, stride, unit) | gather_pair(from + 2 * stride, stride, unit) << 16 * unit;
}

/* As many units of 1, 2 or 4 bytes as fill a word. */
EXPANDED uint64_t gather_word(const unsigned char *from, int64_t stride, size_t unit)
{
    if (unit == 4)
        return gather_pair(from, stride, 4);
    if (unit == 2)
        return gather_quad(from, stride, 2);
    return gather_quad(from, stride, 1) | gather_quad(from + 4 * stride, stride, 1) << 32;
}

/* Units that follow one another in the output are put together to words. Returns how many were. */
EXPANDED uint64_t gather_words(struct gather_loop loop, size_t unit, const unsigned char *from, unsigned char *out)
{
    uint64_t i = 0;
    for (; i + 8 / unit <= loop.count; i += 8 / unit) {
        uint64_t word = gather_word(from + (int64_t)i * loop.stride, loop.stride, unit);
        memcpy(out + i * unit, &word, 8);
    }
    return i;
}

EXPANDED void gather_units(struct gather_loop loop, size_t unit, const unsigned char *from, unsigned char *out)
{
    uint64_t i = unit < 8 && loop.step == unit ? gather_words(loop, unit, from, out) : 0;
    for (; i < loop.count; i++)
        memcpy(out + i * loop.step, from + (int64_t)i * loop.stride, unit);
}

static void gather_runs(struct gather_loop loop, size_t unit, const unsigned char *from, unsigned char *out)
{
    for (uint64_t i = 0; i < loop.count; i++)
        copy_run(out + i * loop.step, from + (int64_t)i * loop.stride, unit);
}

static void gather_innermost(const struct gather *gather, const unsigned char *from, unsigned char *out)
{
    switch (gather->unit) {
    case 1:
        gather_units(gather->loop[0], 1, from, out);
        break;
    case 2:
        gather_units(gather->loop[0], 2, from, out);
        break;
    case 4:
        gather_units(gather->loop[0], 4, from, out);
        break;
    case 8:
        gather_units(gather->loop[0], 8, from, out);
        break;
    case 16:
        gather_units(gather->loop[0], 16, from, out);
        break;
    default:
        gather_runs(gather->loop[0], gather->unit, from, out);
        break;
    }
}

static void gather_loops(const struct gather *gather, int outermost, const unsigned char *from, unsigned char *out)
{
    if (outermost == 0) {
        gather_innermost(gather, from, out);
        return;
    }
    const struct gather_loop *loop = &gather->loop[outermost];
    for (uint64_t i = 0; i < loop->count; i++)
        gather_loops(gather, outermost - 1, from + (int64_t)i * loop->stride, out + i * loop->step);
}

void copy_gather(const struct gather *gather, const unsigned char *from, unsigned char *out)
{
    gather_loops(gather, gather->depth - 1, from, out);
}
