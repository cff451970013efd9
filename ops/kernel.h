/* Copying any byte range of a view into dense row-major form: the only code that moves tensor data.
 *
 * Kernels know widths, not types: 1, 2, 4, 8 and 16 bytes. 4- and 2-bit tensors are always dense (no operator that moves
 * data allows them) and are copied as their packed bytes. No allocation, no state besides the plan; a plan may be used
 * by several threads at once.
 */
#ifndef OPS_KERNEL_H
#define OPS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "ops/tensor.h"

/* One loop of the walk: `count` blocks of `size` output bytes each, whose sources are `stride` bytes apart. */
struct copy_level {
    uint64_t count;
    int64_t stride; /* 0: the same block again */
    uint64_t size;
};

/* How a view is walked, made once per view. Private but for `bytes`. */
struct copy_plan {
    uint64_t bytes; /* of the dense form */
    const unsigned char *data;
    size_t unit; /* bytes that are contiguous in the source: the innermost block */
    int depth;
    struct copy_level level[SHAPE_MAX_RANK]; /* `depth` of them, outermost first; the blocks of the last are units */
};

/* `view` must have data (unless it has no elements) and a known shape whose bytes are representable. */
void copy_plan_init(struct copy_plan *ret, const struct tensor *view);

/* Writes bytes [pos, pos + n) of the dense form to `out`; pos + n must not exceed plan->bytes. Neither end needs to be
 * at an element boundary. Cannot fail. */
void copy_range(const struct copy_plan *plan, uint64_t pos, size_t n, void *out);

#endif
