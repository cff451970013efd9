/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef API_UTF8_H
#define API_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the valid sequence at text (1 to 4), or 0 if there is none within len bytes. */
size_t utf8_sequence(const uint8_t *text, size_t len);

/* The code point of a valid sequence of n bytes. */
uint32_t utf8_get(const uint8_t *text, size_t n);

/* The whole of it is valid. */
bool utf8_valid(const uint8_t *text, size_t len);

/* Writes the code point (not a surrogate, <= 0x10FFFF) to out[4]; returns the length. */
size_t utf8_put(uint32_t code_point, uint8_t *out);

#endif
