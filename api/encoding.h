/* Content codings (RFC 9110, section 8.4): gzip (RFC 1952) and deflate, which is the zlib format (RFC 1950).
 *
 * zlib's own state lives in the arena of the request, so nothing is left behind however a request ends.
 */
#ifndef API_ENCODING_H
#define API_ENCODING_H

#include "api/arena.h"
#include "api/bytes.h"
#include "api/problem.h"
#include "api/source.h"

enum encoding { ENCODING_IDENTITY, ENCODING_GZIP, ENCODING_DEFLATE };

/* Answers below this are not worth it. */
#define ENCODING_MIN_BYTES 1024

/* The value of Content-Encoding: "gzip". Static. */
const char *encoding_name(enum encoding encoding);

/* What a request's Content-Encoding (NULL: absent) names. Refuses with UNSUPPORTED_ENCODING, which needs no
 * body. */
bool encoding_find(const char *content_encoding, enum encoding *ret, struct problem *err);

/* The body as it was before the client compressed it: `body` itself, or a piece of the arena of exactly its
 * size. A first pass only measures, so that a bomb costs a fixed window and no memory: over max_bytes it is
 * REQUEST_TOO_LARGE; what is truncated, damaged or followed by other bytes is CORRUPT_ENCODING. A gzip file
 * of several members is one body. */
bool encoding_decode(struct arena *arena, const char *content_encoding, uint64_t max_bytes, struct bytes body,
                     struct bytes *ret, struct problem *err);

/* How to encode an answer for this Accept-Encoding (NULL: absent): gzip or deflate if no other coding offered
 * has a higher q, in a tie gzip first and identity last. */
enum encoding encoding_accepted(const char *accept_encoding);

/* `plain`, whose length is known, compressed while it is pulled; `encoding` is not identity. All memory is
 * taken here. NULL if there is none. */
struct source *source_compressed(struct arena *arena, struct source *plain, enum encoding encoding);

#endif
