/* Bearer tokens (RFC 6750): who has one may use the server. They come from a file, one a line, what follows
 * '#' is a comment; and are read again when told.
 *
 * Only their digests are kept. What is compared takes the same time whatever it is. No token, nor a part of
 * one, is ever written to the log.
 */
#ifndef SRC_TOKENS_H
#define SRC_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/log.h"

/* Longer ones do not fit into a line of the file. */
#define TOKENS_LENGTH_MAX 1024

struct tokens;

/* Reads the file, whose name is borrowed. NULL, with a log line that says why, if it cannot be read, has a
 * line that is no token, or holds none. */
struct tokens *tokens_create(const char *path, const struct log *log);

/* Nobody may be using them. NULL is allowed. */
void tokens_destroy(struct tokens *tokens);

/* Reads the file anew. If it is no good that is logged, and the tokens in force stay. */
void tokens_reload(struct tokens *tokens);

/* Whether the value of an Authorization header (NULL: there is none) has one of the tokens. On any thread. */
bool tokens_accept(struct tokens *tokens, const char *authorization);

/* The first token of the file; false if there is none that can be read. */
bool tokens_first(const char *path, char *out, size_t size);

#endif
