/* Shapes: a rank and its sizes, the only place where sizes are multiplied, and the broadcast rule.
 *
 * Pure values, no allocation, usable from any thread.
 *
 * A size is 0 .. INT64_MAX when known. For shape inference without data it may also be unknown, or a name that stands
 * for an unknown size ("batch"): such sizes are the negative numbers below, which no known size can be. The caller keeps
 * the table of names; here two sizes with the same name are simply equal.
 */
#ifndef OPS_SHAPE_H
#define OPS_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/dtype.h"

#define SHAPE_MAX_RANK 64       /* as numpy */
#define SHAPE_RANK_UNKNOWN (-1) /* `rank` of a shape of which nothing is known */

#define DIM_UNKNOWN INT64_MIN
#define DIM_MAX_NAMES 1024
#define DIM_NAME(k) (INT64_MIN + 1 + (int64_t)(k)) /* the k-th name, 0 <= k < DIM_MAX_NAMES */

struct shape {
    int rank; /* 0 .. SHAPE_MAX_RANK, or SHAPE_RANK_UNKNOWN */
    int64_t dim[SHAPE_MAX_RANK];
};

/* A size that is a number. */
static inline bool dim_known(int64_t dim)
{
    return dim >= 0;
}

/* A size that is a name or unknown; any other negative number is nobody's size. */
static inline bool dim_symbolic(int64_t dim)
{
    return dim <= DIM_NAME(DIM_MAX_NAMES - 1);
}

/* Rank and all sizes are numbers. */
bool shape_known(const struct shape *shape);

bool shape_equal(const struct shape *a, const struct shape *b);

/* Number of elements of a known shape: the product of its sizes, 1 for rank 0, and 0 as soon as one size is 0, however
 * large the others are. False if it exceeds INT64_MAX. */
bool shape_elements(const struct shape *shape, int64_t *ret);

/* Bytes of a dense tensor of this shape in memory, packed for 4- and 2-bit types. False if it exceeds INT64_MAX. */
bool shape_bytes(const struct shape *shape, enum dtype type, int64_t *ret);

/* The size that two aligned sizes broadcast to (ONNX Broadcasting.md, "multidirectional"): equal sizes stay, 1 gives way
 * to the other (so 1 against 0 is 0). Known against a name or unknown other than by 1 gives the known one; a name
 * against the same name gives the name; else DIM_UNKNOWN. False if both are known, differ, and neither is 1. */
bool dim_broadcast(int64_t a, int64_t b, int64_t *ret);

/* Writes "[2,3,6]" (names and unknown sizes as "?", unknown rank as "?") into out[size], cut with "..." if too long;
 * always terminated. Returns out, for use in a printf argument. */
const char *shape_text(const struct shape *shape, char *out, size_t size);

#endif
