/* Numbers of every ONNX type as bits, and as JSON text.
 *
 * Written apart from the server's own number code on purpose: a runner that shared it could not see its faults. Here
 * every type of 16 bits or less goes through double, which holds all their values; speed does not matter.
 *
 * A complex element is two numbers of its part's type.
 */
#ifndef TESTS_CONFORMANCE_NUMBER_H
#define TESTS_CONFORMANCE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/dtype.h"

#define NUMBER_TEXT 40 /* room for the text of any number */

/* The type of the numbers that make an element of `type`, and how many. Not for BYTES. */
enum dtype number_part(enum dtype type, int *count);

/* The index-th number of `bits` bits (2, 4, 8, 16, 32, 64) in little-endian data, packed low bits first. */
uint64_t number_get(const uint8_t *data, unsigned bits, int64_t index);

/* Sets it; the bits must have been 0. */
void number_put(uint8_t *data, unsigned bits, int64_t index, uint64_t value);

/* Writes JSON text that tells the number exactly (not finite: in quotes) into out[NUMBER_TEXT], terminated. */
void number_print(enum dtype part, uint64_t value, char *out);

/* Reads the text of a JSON token: a number, true or false, or one of NaN, Infinity, -Infinity without its quotes.
 * Rounds to the nearest value, ties to even. False if it is no number of that type. */
bool number_parse(enum dtype part, const char *text, uint64_t *ret);

#endif
