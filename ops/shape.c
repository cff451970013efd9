#include "ops/shape.h"

#include <string.h>

#include "ops/decimal.h"

bool shape_known(const struct shape *shape)
{
    bool known = shape->rank >= 0;
    for (int i = 0; i < shape->rank; i++)
        known = known && dim_known(shape->dim[i]);
    return known;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
    if (a->rank != b->rank)
        return false;
    return a->rank <= 0 || memcmp(a->dim, b->dim, (size_t)a->rank * sizeof(a->dim[0])) == 0;
}

bool shape_elements(const struct shape *shape, int64_t *ret)
{
    int64_t product = 1;
    bool overflow = false;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] == 0) {
            *ret = 0;
            return true;
        }
        overflow = overflow || __builtin_mul_overflow(product, shape->dim[i], &product);
    }
    *ret = product;
    return !overflow;
}

bool shape_bytes(const struct shape *shape, enum dtype type, int64_t *ret)
{
    int64_t elements = 0;
    return shape_elements(shape, &elements) && dtype_bytes(type, elements, ret);
}

bool dim_broadcast(int64_t a, int64_t b, int64_t *ret)
{
    bool fits = a == b || a == 1 || b == 1 || !dim_known(a) || !dim_known(b);
    if (!fits)
        return false;
    if (a == b || b == 1)
        *ret = a;
    else if (a == 1)
        *ret = b;
    else if (dim_known(a))
        *ret = a;
    else
        *ret = dim_known(b) ? b : DIM_UNKNOWN;
    return true;
}

/* Appends text[wanted], cut if need be; returns the new length, or `size` when it did not fit. */
static size_t append(char *out, size_t size, size_t len, const char *text, size_t wanted)
{
    if (len >= size)
        return size;
    size_t room = size - len - 1;
    size_t n = wanted < room ? wanted : room;
    memcpy(out + len, text, n);
    out[len + n] = '\0';
    return wanted <= room ? len + n : size;
}

static size_t append_dim(char *out, size_t size, size_t len, int64_t dim)
{
    char number[DECIMAL_MAX];
    if (!dim_known(dim))
        return append(out, size, len, "?", 1);
    const char *text = decimal_text(dim, number);
    return append(out, size, len, text, decimal_length(text, number));
}

const char *shape_text(const struct shape *shape, char *out, size_t size)
{
    size_t len = append(out, size, 0, shape->rank < 0 ? "?" : "[", 1);
    for (int i = 0; i < shape->rank; i++) {
        if (i > 0)
            len = append(out, size, len, ",", 1);
        len = append_dim(out, size, len, shape->dim[i]);
    }
    if (shape->rank >= 0)
        len = append(out, size, len, "]", 1);
    if (len == size && size > 3)
        memcpy(out + size - 4, "...", 4);
    return out;
}
