/* What a request says about being traced: its id, and whether its client wants to know where the time
 * went. */
#ifndef SRC_TRACE_H
#define SRC_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#define TRACE_ID_MAX 128

/* The id of a request by its headers (each may be NULL): X-Request-Id if it is 1 to TRACE_ID_MAX letters,
 * digits and -_.:/+=@~ (else it counts as absent), or the trace-id of a valid traceparent (W3C Trace
 * Context). NULL if there is none. *len is its length; the text is within the value. */
const char *trace_id(const char *request_id, const char *traceparent, size_t *len);

/* Whether a Prefer header (RFC 7240) has the preference "server-timing". NULL is allowed. */
bool trace_wants_timing(const char *prefer);

#endif
