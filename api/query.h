/* What the query of a request with tensor files tells: the type and sizes of a data tensor that does not tell them
 * itself, and the small input.
 *
 *     ?datatype=FP32&dims=3,1&shape=2,3,6
 *
 * Names and values are percent-decoded; lists are decimal integers between commas, and may be empty. A parameter that is
 * there twice is refused; one that is not known is ignored, as a member of a JSON document is.
 */
#ifndef API_QUERY_H
#define API_QUERY_H

#include "api/arena.h"
#include "api/call.h"
#include "api/problem.h"

struct query {
    enum dtype dtype; /* DTYPE_NONE: not given */
    bool has_dims;
    struct shape dims;
};

/* Reads `text`, the raw query or NULL. An input of call->op that can only be INT64 and is named in the query is filled
 * in. Pointers in *err are "/" and the parameter. */
bool query_read(struct arena *arena, const char *text, struct call *call, struct query *ret, struct problem *err);

#endif
