#include "ops/tensor.h"

#include <string.h>

/* Elements of a view, or 0 when it has none, or when its sizes are not all numbers or too many to count. */
static int64_t elements_or_0(const struct shape *shape)
{
    int64_t elements = 0;
    return shape_known(shape) && shape_elements(shape, &elements) ? elements : 0;
}

void tensor_init(struct tensor *ret, enum dtype dtype, const struct shape *shape, const void *data)
{
    int64_t stride = elements_or_0(shape) > 0 ? 1 : 0;
    ret->dtype = dtype;
    ret->data = data;
    ret->shape.rank = shape->rank;
    for (int i = shape->rank - 1; i >= 0; i--) {
        ret->shape.dim[i] = shape->dim[i];
        ret->stride[i] = stride;
        stride *= shape->dim[i]; /* at most the number of elements */
    }
}

void tensor_assign(struct tensor *ret, const struct tensor *view)
{
    ret->dtype = view->dtype;
    ret->data = view->data;
    ret->shape.rank = view->shape.rank;
    for (int i = 0; i < view->shape.rank; i++) {
        ret->shape.dim[i] = view->shape.dim[i];
        ret->stride[i] = view->stride[i];
    }
}

static bool packed(enum dtype type)
{
    return dtype_info(type)->bits < 8;
}

bool tensor_dense(const struct tensor *tensor)
{
    if (!shape_known(&tensor->shape))
        return false;
    if (packed(tensor->dtype) || elements_or_0(&tensor->shape) == 0)
        return true;
    struct layout layout;
    layout_init(&layout, tensor);
    return layout.rank == 0 || (layout.rank == 1 && layout.stride[0] == 1);
}

int64_t tensor_int64(const struct tensor *tensor, int64_t index)
{
    int64_t value = 0;
    int64_t step = tensor->shape.rank == 0 ? 0 : tensor->stride[0];
    memcpy(&value, (const unsigned char *)tensor->data + index * step * (int64_t)sizeof(value), sizeof(value));
    return value;
}

/* Merges the last dimension of the layout with a new one inside it if one stride walks both; else appends it. */
static void append(struct layout *layout, int64_t dim, int64_t stride)
{
    int last = layout->rank - 1;
    if (last >= 0 && layout->stride[last] == stride * dim) {
        layout->dim[last] *= dim;
        layout->stride[last] = stride;
        return;
    }
    layout->dim[layout->rank] = dim;
    layout->stride[layout->rank] = stride;
    layout->rank++;
}

void layout_init(struct layout *ret, const struct tensor *view)
{
    ret->rank = 0;
    ret->elements = elements_or_0(&view->shape);
    if (ret->elements == 0)
        return;
    if (packed(view->dtype)) {
        append(ret, ret->elements, 1);
        return;
    }
    for (int i = 0; i < view->shape.rank; i++)
        if (view->shape.dim[i] != 1)
            append(ret, view->shape.dim[i], view->stride[i]);
}
