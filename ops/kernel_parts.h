/* The parts of the kernel: moves of a fixed size, and what is done to blocks that are too short for a call of memcpy
 * each. Private to ops/kernel*.c.
 *
 * All sizes and strides are in bytes. No function reads or writes a byte outside of what it is given.
 */
#ifndef OPS_KERNEL_PARTS_H
#define OPS_KERNEL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ops/kernel.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are put together low byte first, as on the wire");

/* For functions whose size argument is to be a constant in each place where they are called. */
#define EXPANDED static inline __attribute__((always_inline))

EXPANDED uint64_t load(const unsigned char *from, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, from, size);
    return word;
}

/* Copies by moves of a fixed size, the last of which overlaps the one before. From some KiB on, memcpy is as fast. */
static inline void copy_run(unsigned char *out, const unsigned char *from, size_t n)
{
    if (n >= 64 && n <= 8192) {
        size_t last = n - 64;
        for (size_t at = 0; at < last; at += 64)
            memcpy(out + at, from + at, 64);
        memcpy(out + last, from + last, 64);
    } else if (n >= 16 && n <= 32) {
        memcpy(out, from, 16);
        memcpy(out + n - 16, from + n - 16, 16);
    } else {
        memcpy(out, from, n);
    }
}

/* ---- fill: one element again and again */

/* Sizes of an element that copy_fill takes: 1, 2, 4, 8, 16. */
bool fill_takes(size_t size);

/* Writes `n` bytes, a multiple of `size`. */
void copy_fill(unsigned char *out, uint64_t n, const unsigned char *element, size_t size);

/* ---- spread: each of many blocks several times */

struct spread {
    const unsigned char *in; /* `blocks` blocks of `size` bytes, one after another */
    uint64_t blocks;
    size_t size;
    uint64_t times; /* each block is written this often before the next */
};

void copy_spread(struct spread spread, unsigned char *out);

/* ---- gather: units from where they are, in the order of the output */

struct gather_loop {
    uint64_t count;
    int64_t stride; /* from one to the next in the source */
    uint64_t step;  /* and in the output */
};

struct gather {
    size_t unit; /* contiguous bytes; neighbours have been merged */
    uint64_t bytes;
    int depth; /* 0: all of the source is one unit */
    struct gather_loop loop[SHAPE_MAX_RANK]; /* in any order, as each knows the place of its units; 0 is innermost */
};

/* Plans the copy of every source byte of `count` blocks of level[0], without the repeated ones. */
void gather_init(struct gather *ret, const struct copy_level *level, int depth, size_t unit, uint64_t count);

void copy_gather(const struct gather *gather, const unsigned char *from, unsigned char *out);

/* ---- short blocks */

/* Blocks of this size are no longer short. */
#define COPY_SHORT ((uint64_t)2 * 1024)

/* Copies `count` blocks of level[0], whose stride is not 0 and whose size is below COPY_SHORT. There are `depth` levels,
 * and units of `unit` bytes below the last. */
void copy_short(const struct copy_level *level, int depth, size_t unit, const unsigned char *from, uint64_t count,
                unsigned char *out);

#endif
