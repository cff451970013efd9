/* The request target (RFC 9112, section 3.2) cut into decoded path segments and the query.
 *
 * Works on the raw text, so that each segment is decoded exactly once and no spelling of a path reaches a
 * route that another spelling would not. Dot segments are names like any other: nothing here is a file.
 */
#ifndef API_TARGET_H
#define API_TARGET_H

#include <stddef.h>

#include "api/arena.h"
#include "api/bytes.h"
#include "api/problem.h"

/* More segments than any route has; those beyond are counted, not kept. */
#define TARGET_MAX_SEGMENTS 8

struct target {
    size_t count;                              /* of segments; 0 for "/" */
    struct bytes segment[TARGET_MAX_SEGMENTS]; /* decoded; borrowed from the raw text, or in the arena */
    const char *query;                         /* raw text after '?', borrowed, or NULL */
};

/* Reads origin form ("/v2/models?x=1") and absolute form ("http://host/v2/models"). One slash at the end
 * counts as none; an empty segment elsewhere is kept, and matches nothing. Refuses with BAD_TARGET: other
 * forms, a fragment, a '%' without two hex digits, and %00 and %2F, which no name can hold. */
bool target_parse(struct arena *arena, const char *raw, struct target *ret, struct problem *err);

#endif
