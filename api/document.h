/* Small JSON documents: built as a cJSON tree, printed into the arena of the request. The one place that ends
 * a tree. */
#ifndef API_DOCUMENT_H
#define API_DOCUMENT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "api/arena.h"
#include "api/bytes.h"

struct reply;

/* A tree under construction that remembers whether an addition failed, so that nobody has to look at each.
 * Starts as {0}. `name` is NULL in arrays, else static; a text that is NULL counts as a lack of memory; `parent` is NULL for the root. Returned items belong
 * to the tree. */
struct document {
    cJSON *root;
    bool failed;
};

cJSON *document_object(struct document *document, cJSON *parent, const char *name);
cJSON *document_array(struct document *document, cJSON *parent, const char *name);
void document_text(struct document *document, cJSON *parent, const char *name, const char *text);
void document_null(struct document *document, cJSON *parent, const char *name);
void document_raw(struct document *document, cJSON *parent, const char *name, const char *json); /* a whole value */
void document_bool(struct document *document, cJSON *parent, const char *name, bool value);
void document_integer(struct document *document, cJSON *parent, const char *name, int64_t value); /* exact */

/* Ends the document: answers 200 with it, or 503 if there was no memory for all of it. */
void document_reply(struct document *document, struct arena *arena, struct reply *ret);

/* Prints `root` without white space and deletes it. False if there is no memory, also when root is NULL. The
 * caller checks the additions it made to the tree, since cJSON leaves out what it had no memory for. */
bool document_print(struct arena *arena, cJSON *root, struct bytes *ret);

#endif
