/* Small JSON documents: built as a cJSON tree, printed into the arena of the request. The one place that ends a tree. */
#ifndef API_DOCUMENT_H
#define API_DOCUMENT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "api/arena.h"
#include "api/bytes.h"

/* Prints `root` without white space and deletes it. False if there is no memory, also when root is NULL. The caller
 * checks the additions it made to the tree, since cJSON leaves out what it had no memory for. */
bool document_print(struct arena *arena, cJSON *root, struct bytes *ret);

#endif
