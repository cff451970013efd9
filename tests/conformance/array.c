#include "tests/conformance/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/conformance/number.h"

#define ELEMENT_TEXT 100

bool array_init(struct array *ret, int64_t dtype, size_t rank, const int64_t *dims, struct reason *why)
{
    *ret = (struct array){0};
    if (dtype <= DTYPE_NONE || dtype >= DTYPE_END)
        return because(why, "unknown type %" PRId64, dtype);
    if (rank > SHAPE_MAX_RANK)
        return because(why, "rank %zu is above %d", rank, SHAPE_MAX_RANK);
    ret->dtype = (enum dtype)dtype;
    ret->shape.rank = (int)rank;
    if (rank > 0)
        memcpy(ret->shape.dim, dims, rank * sizeof(dims[0]));
    if (!shape_known(&ret->shape) || !shape_elements(&ret->shape, &ret->elements) ||
        !shape_bytes(&ret->shape, ret->dtype, &ret->bytes)) {
        char text[200];
        return because(why, "%s is no shape", shape_text(&ret->shape, text, sizeof(text)));
    }
    if (ret->dtype == DTYPE_BYTES)
        ret->bytes = 0;
    return true;
}

enum dtype array_numbers(const struct array *array, int64_t *count)
{
    int parts = 0;
    enum dtype part = number_part(array->dtype, &parts);
    *count = array->elements * parts;
    return part;
}

/* Writes a string as C would, cut to the room there is. */
static void string_text(struct bytes string, char *out, size_t size)
{
    size_t len = (size_t)snprintf(out, size, "\"");
    for (size_t i = 0; i < string.len && len + 8 < size; i++) {
        uint8_t c = string.ptr[i];
        bool plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
        len += (size_t)snprintf(out + len, size - len, plain ? "%c" : "\\x%02x", c);
    }
    snprintf(out + len, size - len, "\" (%zu bytes)", string.len);
}

/* The value of an element and its bits: two NaNs, or 0 and -0, look alike without. */
static void element_text(const struct array *array, int64_t index, char *out, size_t size)
{
    if (array->dtype == DTYPE_BYTES) {
        string_text(array->strings[index], out, size);
        return;
    }
    int parts = 0;
    enum dtype part = number_part(array->dtype, &parts);
    unsigned bits = dtype_info(part)->bits;
    int digits = (int)(bits + 3) / 4;
    char text[2][NUMBER_TEXT];
    uint64_t value[2] = {0};
    for (int i = 0; i < parts; i++) {
        value[i] = number_get(array->data, bits, index * parts + i);
        number_print(part, value[i], text[i]);
    }
    if (parts == 2)
        snprintf(out, size, "(%s, %s) (bits %0*" PRIx64 " %0*" PRIx64 ")", text[0], text[1], digits, value[0], digits,
                 value[1]);
    else
        snprintf(out, size, "%s (bits %0*" PRIx64 ")", text[0], digits, value[0]);
}

static bool element_equal(const struct array *a, const struct array *b, int64_t index)
{
    if (a->dtype == DTYPE_BYTES) {
        struct bytes x = a->strings[index], y = b->strings[index];
        return x.len == y.len && (x.len == 0 || memcmp(x.ptr, y.ptr, x.len) == 0);
    }
    int parts = 0;
    unsigned bits = dtype_info(number_part(a->dtype, &parts))->bits;
    for (int i = 0; i < parts; i++)
        if (number_get(a->data, bits, index * parts + i) != number_get(b->data, bits, index * parts + i))
            return false;
    return true;
}

/* The index of a flat position: "[1,0,2]". */
static const char *index_text(const struct shape *shape, int64_t position, char *out, size_t size)
{
    struct shape index = *shape;
    for (int i = shape->rank - 1; i >= 0; i--) {
        index.dim[i] = position % shape->dim[i];
        position /= shape->dim[i];
    }
    return shape_text(&index, out, size);
}

static bool because_elements(const struct array *want, const struct array *got, int64_t first, int64_t differ,
                             struct reason *why)
{
    char where[100], expected[ELEMENT_TEXT], came[ELEMENT_TEXT];
    element_text(want, first, expected, sizeof(expected));
    element_text(got, first, came, sizeof(came));
    return because(why, "at %s: expected %s, got %s; %" PRId64 " of %" PRId64 " elements differ",
                   index_text(&want->shape, first, where, sizeof(where)), expected, came, differ, want->elements);
}

bool array_equal(const struct array *want, const struct array *got, struct reason *why)
{
    char expected[100], came[100];
    if (want->dtype != got->dtype)
        return because(why, "expected type %s, got %s", dtype_info(want->dtype)->name, dtype_info(got->dtype)->name);
    if (!shape_equal(&want->shape, &got->shape))
        return because(why, "expected shape %s, got %s", shape_text(&want->shape, expected, sizeof(expected)),
                       shape_text(&got->shape, came, sizeof(came)));
    int64_t first = -1, differ = 0;
    for (int64_t i = want->elements - 1; i >= 0; i--)
        if (!element_equal(want, got, i)) {
            first = i;
            differ++;
        }
    return differ == 0 || because_elements(want, got, first, differ, why);
}
