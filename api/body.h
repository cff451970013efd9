/* How a request body becomes a call, whatever form it has: a JSON document, JSON and blobs, tensor files.
 *
 * Compressed bodies are unpacked first. The form is told by Content-Type and Inference-Header-Content-Length; what is
 * told by neither is JSON, so that a client need not say so.
 */
#ifndef API_BODY_H
#define API_BODY_H

#include "api/call.h"
#include "api/dispatch.h"

/* Reads the body of the request into *ret, whose op is set. The call borrows from the body and the arena. `query` is the
 * raw query of the target, or NULL. */
bool body_decode(struct arena *arena, const struct api_env *env, const struct api_request *request, const char *query,
                 struct call *ret, struct problem *err);

#endif
