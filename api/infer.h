/* Running an operator: POST /v2/models/{model}[/versions/{version}]/infer, and the same without the data: .../shape.
 *
 * body -> encoding -> codec -> op_infer -> codec -> encoding -> reply. Every step may refuse with a problem; nothing of
 * the output is written before all checks, its size among them, have passed.
 */
#ifndef API_INFER_H
#define API_INFER_H

#include "api/dispatch.h"

/* Handlers of the routes; match->op is set. Both always fill *ret. A dry run does not count in the statistics. */
void infer_run(struct arena *arena, const struct api_env *env, const struct route_match *match,
               const struct api_request *request, struct reply *ret);
void infer_shape(struct arena *arena, const struct api_env *env, const struct route_match *match,
                 const struct api_request *request, struct reply *ret);

#endif
