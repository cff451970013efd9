/* Parameters of a header value: `form-data; name="input"; filename="x.npy"` (RFC 9110, section 5.6.6). */
#ifndef API_PARAMS_H
#define API_PARAMS_H

#include <stdbool.h>

#include "api/bytes.h"

/* What comes before the first ';', without blanks around it. */
struct bytes params_value(struct bytes header);

/* The parameter `name` (any case): *ret is a token, or what stands between the quotes, its escapes left as they are;
 * ptr NULL if there is none. False if the parameters cannot be read, or this one is there twice. */
bool params_find(struct bytes header, const char *name, struct bytes *ret);

#endif
