/* The answer of a dry run: what the output would be, without its data.
 *
 * {"model_name", "model_version", "id"?, "outputs": [{"name", "datatype", "shape", "byte_size"}]}. A size is a number, a
 * name of the request, or null; the whole shape is null if the rank is unknown. byte_size is what the output takes in the
 * binary tensor extension, null if that is not known.
 */
#ifndef API_DRY_RUN_H
#define API_DRY_RUN_H

#include "api/call.h"
#include "api/reply.h"

void dry_run_answer(struct arena *arena, const struct call *call, const struct tensor *view, struct reply *ret);

#endif
