/* BYTES elements as numpy has them: of one size each, filled up with NULs, which therefore cannot end an element. Kind S
 * holds bytes; kind U holds characters, in UCS-4, which are UTF-8 everywhere else here.
 */
#ifndef API_NPY_TEXT_H
#define API_NPY_TEXT_H

#include "api/arena.h"
#include "api/call.h"
#include "api/pieces.h"
#include "api/problem.h"

#define NPY_UCS4 ((size_t)4) /* bytes of a character of kind U */

struct npy_text {
    bool ucs4;   /* kind U, else S */
    size_t size; /* bytes of an element */
};

/* Reads count * form.size little-endian bytes; elements of kind S borrow them. NULL with *err filled if a character is
 * none, or there is no memory. */
const struct string *npy_text_read(struct arena *arena, struct npy_text form, const uint8_t *data, size_t count,
                                   const struct call_input *input, struct problem *err);

/* Finds the smallest size that all elements of the dense tensor fit in, but at least one byte or character, as numpy.
 * Refuses elements that end in NUL, by index; `pointer` is that of the input. ret->ucs4 is set by the caller; kind U must come from valid UTF-8. */
bool npy_text_measure(const struct tensor *input, const char *pointer, struct npy_text *ret, struct problem *err);

/* The elements, each of form.size bytes. False when there is no memory. */
bool npy_text_pieces(struct arena *arena, struct npy_text form, const struct tensor *input, struct pieces *ret);

#endif
