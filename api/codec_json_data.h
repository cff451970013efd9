/* The `data` member of a JSON input, read straight into the memory of its tensor.
 *
 * `data` is flat, or nested exactly as the shape says; for rank 0 also a bare value. Complex elements are two numbers each,
 * re and im: flat they alternate, nested the lists of the last level hold twice its size. BYTES are strings, borrowed
 * from the document where they have no escapes. BOOL takes true, false, 0 and 1; floats also the strings of number.h.
 */
#ifndef API_CODEC_JSON_DATA_H
#define API_CODEC_JSON_DATA_H

#include "api/json.h"
#include "ops/tensor.h"

/* Reads the value at hand into tensor->data; tensor->dtype and shape are set, and their size in bytes is representable.
 * Allocates only what the rest of the document could fill. `pointer` is that of the member, "/inputs/0/data". */
bool codec_json_data(struct json *json, const char *pointer, struct tensor *tensor);

#endif
