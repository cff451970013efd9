/* Media types and the lists that clients negotiate with: Accept, Accept-Encoding (RFC 9110, sections 8.3
 * and 12.5).
 *
 * Names are compared without case; elements that cannot be read are skipped, as if they had not been sent. No
 * state, no allocation. Values may be NULL: the header is absent.
 */
#ifndef API_NEGOTIATE_H
#define API_NEGOTIATE_H

#include "api/bytes.h"

#define QUALITY_MAX  1000 /* q=1, in thousandths */
#define QUALITY_NONE (-1) /* the list does not speak of it */

/* A Content-Type without its parameters ("application/json"), borrowed; of length 0 if there is none. To be compared
 * without case. */
struct bytes media_type(const char *value);

/* What `list` gives to `name`, a media type or a coding: the q of the most specific element that covers it
 * (the name itself, then "type/" with a star, then a star), the greater one if it is there twice, or
 * QUALITY_NONE. */
int negotiate_quality(const char *list, const char *name);

#endif
