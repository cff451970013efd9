/* A dense tensor as files and wires have it, and the comparison of two.
 *
 * Borrows all its bytes; immutable once made.
 */
#ifndef TESTS_CONFORMANCE_ARRAY_H
#define TESTS_CONFORMANCE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/arena.h"
#include "api/bytes.h"
#include "ops/dtype.h"
#include "ops/shape.h"
#include "tests/conformance/reason.h"

struct array {
    enum dtype dtype;
    struct shape shape;
    int64_t elements;
    int64_t bytes;               /* what `data` must have; of BYTES: nothing */
    const uint8_t *data;         /* row-major, little-endian; 4 and 2 bits packed low bits first. Not of BYTES */
    const struct bytes *strings; /* of BYTES: one an element */
};

/* Everything but the values; `dims` has `rank` sizes. Refuses an unknown type, a rank or sizes beyond counting. */
bool array_init(struct array *ret, int64_t dtype, size_t rank, const int64_t *dims, struct reason *why);

/* The numbers of all elements (a complex one has two) and their type. Not for BYTES. */
enum dtype array_numbers(const struct array *array, int64_t *count);

/* Whether the output that came is bit for bit the expected one; padding of packed types is not looked at. If not, *why
 * tells the type or shape, or the first index with both values. */
bool array_equal(const struct array *want, const struct array *got, struct reason *why);

#endif
