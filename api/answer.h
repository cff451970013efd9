/* How the output of a call becomes a reply: in the form that was asked for, compressed if that was asked for too.
 *
 * For a JSON document the form is in the document, unless Accept wants a tensor file; for tensor files it is that of the
 * data tensor, unless Accept wants another. An Accept that names nothing offered is ignored.
 */
#ifndef API_ANSWER_H
#define API_ANSWER_H

#include "api/call.h"
#include "api/dispatch.h"

/* Fills status, headers and body of *ret. Sets call->form to the form chosen. Nothing of the output is written before
 * its size has been checked. */
bool answer_encode(struct arena *arena, const struct api_env *env, const struct api_request *request, struct call *call,
                   const struct tensor *view, struct reply *ret, struct problem *err);

#endif
