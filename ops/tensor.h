/* Tensors as strided views over borrowed bytes.
 *
 * A tensor owns nothing: `data` belongs to whoever made it and must outlive the view. Values are immutable once made,
 * and may be read from any thread. Repeating an element costs nothing: its stride is 0.
 */
#ifndef OPS_TENSOR_H
#define OPS_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/dtype.h"
#include "ops/shape.h"

/* One element of a BYTES tensor; moved like any other 16-byte element. The bytes are borrowed and need no terminator. */
struct string {
    const char *ptr;
    uint64_t len;
};

struct tensor {
    enum dtype dtype;
    struct shape shape;
    int64_t stride[SHAPE_MAX_RANK]; /* in elements; 0 repeats. Meaningless (dense) for 4- and 2-bit types */
    const void *data;               /* NULL: the values are not known (shape inference) */
};

/* Makes *ret the row-major (C order) view of `data`; `shape` may be its own. Without elements, or with sizes that are not
 * numbers, strides are 0. What lies beyond the rank is not touched. */
void tensor_init(struct tensor *ret, enum dtype dtype, const struct shape *shape, const void *data);

/* Makes *ret the same view as *view. What lies beyond the rank is not touched. */
void tensor_assign(struct tensor *ret, const struct tensor *view);

/* The same elements in the same order lie one after another in memory, as numpy's C_CONTIGUOUS. True for 0 elements. */
bool tensor_dense(const struct tensor *tensor);

/* Element `index` of an INT64 tensor of rank 0 or 1 that has data. These are the small inputs, borrowed from a request
 * body and so at any alignment. */
int64_t tensor_int64(const struct tensor *tensor, int64_t index);

/* A view with its adjacent dimensions merged and its 1-sized ones dropped: what the order of elements in memory really
 * is. Every walk over a view starts here, so that a [2,3,6] that is dense is walked as [36], and [3,1] -> [2,3,6] as
 * [2,3,6] with strides {0,1,0}. */
struct layout {
    int rank;         /* 0 for one element */
    int64_t elements; /* product of dim; 0 means that dim and stride are not set */
    int64_t dim[SHAPE_MAX_RANK];
    int64_t stride[SHAPE_MAX_RANK]; /* in elements */
};

/* The shape must be known and its number of elements representable (op_infer's results are). A packed tensor is one
 * dimension of stride 1, a single element has none. */
void layout_init(struct layout *ret, const struct tensor *view);

#endif
