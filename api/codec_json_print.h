/* The elements of an output as JSON that is written while it is pulled.
 *
 * For when there is no memory for all texts at once (codec_json_text.h): it takes a few KiB however large the tensors are,
 * but the input is printed once more, to know the length, and what repeats is printed each time.
 */
#ifndef API_CODEC_JSON_PRINT_H
#define API_CODEC_JSON_PRINT_H

#include "api/output.h"

/* The elements with ',' between them, of any type but BYTES; `in` and `out` are the numbers of elements of the input and of
 * the output, neither 0. NULL with the problem if the limit is exceeded, or if there is no memory at all. */
struct source *codec_json_print(const struct output *output, int64_t in, int64_t out);

#endif
