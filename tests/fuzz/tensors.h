/* Tensors in fuzz targets: made from an input, and compared. */
#ifndef TESTS_FUZZ_TENSORS_H
#define TESTS_FUZZ_TENSORS_H

#include "ops/tensor.h"
#include "tests/fuzz/fuzz.h"

static inline enum dtype feed_type(struct feed *feed)
{
    return (enum dtype)(1 + feed_below(feed, DTYPE_END - 1));
}

/* A shape of at most 3^4 elements. */
static inline void feed_small_shape(struct feed *feed, struct shape *ret)
{
    ret->rank = (int)feed_below(feed, 5);
    for (int i = 0; i < ret->rank; i++)
        ret->dim[i] = (int64_t)feed_below(feed, 4);
}

static inline bool same_strings(const struct string *a, const struct string *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (a[i].len != b[i].len || (a[i].len > 0 && memcmp(a[i].ptr, b[i].ptr, a[i].len) != 0))
            return false;
    return true;
}

/* Type, shape and the bits of every element are the same; both are dense. Bits behind the last 4- or 2-bit element do not
 * count. */
static inline bool same_tensor(const struct tensor *a, const struct tensor *b)
{
    int64_t bytes = 0, count = 0;
    if (a->dtype != b->dtype || !shape_equal(&a->shape, &b->shape) || !shape_elements(&a->shape, &count) ||
        !shape_bytes(&a->shape, a->dtype, &bytes))
        return false;
    if (bytes == 0)
        return true;
    if (a->dtype == DTYPE_BYTES)
        return same_strings(a->data, b->data, count);
    unsigned odd = (unsigned)(count * dtype_info(a->dtype)->bits % 8);
    const uint8_t *x = a->data, *y = b->data;
    size_t whole = (size_t)bytes - (odd > 0);
    return memcmp(x, y, whole) == 0 && (odd == 0 || ((x[whole] ^ y[whole]) & ((1u << odd) - 1)) == 0);
}

/* A decoded tensor is dense, of a known size, and has data if it has elements; touches all of them. */
static inline void check_tensor(const struct tensor *tensor)
{
    int64_t bytes = 0, count = 0;
    unsigned sum = 0;
    REQUIRE(shape_known(&tensor->shape) && shape_bytes(&tensor->shape, tensor->dtype, &bytes), "a size is not known");
    REQUIRE(tensor_dense(tensor) && (bytes == 0 || tensor->data != NULL), "a tensor without data, or not dense");
    REQUIRE(shape_elements(&tensor->shape, &count), "elements cannot be counted");
    for (int64_t i = 0; i < bytes; i++)
        sum += ((const uint8_t *)tensor->data)[i];
    const struct string *strings = tensor->data;
    for (int64_t i = 0; i < count && tensor->dtype == DTYPE_BYTES; i++)
        for (uint64_t k = 0; k < strings[i].len; k++)
            sum += (unsigned char)strings[i].ptr[k];
    volatile unsigned sink = sum;
    (void)sink;
}

#endif
