/* The values of an array as JSON and as a blob of the binary tensor extension. */
#ifndef TESTS_CONFORMANCE_VALUES_H
#define TESTS_CONFORMANCE_VALUES_H

#include <stdbool.h>
#include <stdio.h>

#include "api/arena.h"
#include "api/bytes.h"
#include "tests/conformance/array.h"
#include "tests/conformance/reason.h"

/* Writes "[1,2,3]", flat. BYTES elements must be UTF-8. */
void values_write_json(FILE *out, const struct array *array);

/* Reads JSON values, flat or nested to the shape, into an array whose type and shape are set. */
bool values_read_json(struct arena *arena, struct bytes text, struct array *array, struct reason *why);

/* Little-endian elements; BYTES each with its length in 4 bytes before it. */
uint64_t values_blob_size(const struct array *array);
void values_write_blob(FILE *out, const struct array *array);

/* Reads a blob, which the array borrows. */
bool values_read_blob(struct arena *arena, struct bytes blob, struct array *array, struct reason *why);

#endif
