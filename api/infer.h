/* Running an operator: POST /v2/models/{model}[/versions/{version}]/infer.
 *
 * body -> encoding -> codec -> op_infer -> codec -> encoding -> reply. Every step may refuse with a problem; nothing of
 * the output is written before all checks, its size among them, have passed.
 */
#ifndef API_INFER_H
#define API_INFER_H

#include "api/dispatch.h"

/* Handler of the route; match->op is set. Always fills *ret. */
void infer_run(struct arena *arena, const struct api_env *env, const struct route_match *match,
               const struct api_request *request, struct reply *ret);

#endif
