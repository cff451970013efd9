/* Text <-> number for every ONNX element type but BYTES.
 *
 * Reading rounds the decimal text itself, once, to the nearest value of the type (ties to even, as IEEE 754; the power of
 * two above a tie for FP8_E8M0, which has no even); a finite number never becomes an infinity. Integers are exact.
 * Writing gives the fewest digits that read back to the same bits. Neither knows locales.
 *
 * Pure functions, usable from any thread. Written in C++ for std::from_chars and std::to_chars; C sees only this header.
 */
#ifndef API_NUMBER_H
#define API_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "ops/dtype.h"

/* A JSON number as it was scanned: digits * 10^exponent. */
struct decimal {
    uint64_t digits;  /* the leading significant digits, as many as fit */
    int64_t exponent; /* |exponent| < 2^62 */
    bool negative;
    bool exact;       /* all digits are there; else the number is a little larger in magnitude */
    const char *text; /* the token, for what the leading digits cannot decide; borrowed, not terminated */
    size_t len;
};

enum number_code {
    NUMBER_OK,
    NUMBER_NOT_INTEGER, /* a fraction where the type has none */
    NUMBER_OUT_OF_RANGE,
};

/* The non-finite values, written in JSON as the strings that number_special_name tells. */
enum number_special { NUMBER_NAN, NUMBER_INFINITY, NUMBER_MINUS_INFINITY, NUMBER_SPECIALS };

/* Room that `write` needs. */
#define NUMBER_MAX_TEXT 28

/* How one type is read and written. A complex type has the row of its parts, of which it has two an element. */
struct number_type {
    size_t width; /* bytes at `in` and `out`: an element in memory, or one byte for a 4- or 2-bit type (low bits) */
    size_t max_text;   /* most bytes that `write` writes */
    const char *range; /* for messages: "-128 to 127" */
    enum number_code (*read)(const struct decimal *in, void *out); /* leaves *out alone unless NUMBER_OK */
    size_t (*write)(const void *in, char *out); /* JSON text; returns its length, no terminator */
    bool (*special)(enum number_special value, void *out); /* false if the type lacks the value; NULL: lacks them all */
};

/* The row of a type; NULL for BYTES. `in` and `out` need no alignment. */
const struct number_type *number_type_of(enum dtype type);

/* "NaN", "Infinity", "-Infinity". */
const char *number_special_name(enum number_special value);

#ifdef __cplusplus
}
#endif

#endif
