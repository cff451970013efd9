#include "api/infer.h"

#include "api/answer.h"
#include "api/body.h"

/* Translates the call for the operator, and what it refuses for the client. */
static bool infer(const struct call *call, struct tensor *ret, struct problem *err)
{
    struct op_call op_call = {.symbolic = false};
    const char *pointers[OP_MAX_INPUTS] = {NULL};
    struct op_diag diag;
    for (int i = 0; i < call->op->inputs; i++) {
        pointers[i] = call->in[i].given || call->files ? call->in[i].pointer : NULL;
        op_call.in[i] = call->in[i].given ? &call->in[i].tensor : NULL;
    }
    return op_infer(call->op, &op_call, ret, &diag) == OP_OK || problem_from_op(err, &diag, pointers);
}

void infer_run(struct arena *arena, const struct api_env *env, const struct route_match *match,
               const struct api_request *request, struct reply *ret)
{
    struct call call = {.op = match->op};
    struct tensor view;
    struct problem err;
    *ret = (struct reply){.op = match->op};

    uint64_t start = env->now(env->ctx);
    bool ok = body_decode(arena, env, request, match->query, &call, &err);
    uint64_t decoded = env->now(env->ctx);
    ok = ok && infer(&call, &view, &err);
    uint64_t inferred = env->now(env->ctx);
    ok = ok && answer_encode(arena, env, request, &call, &view, ret, &err);
    ret->phases = (struct reply_phases){
        .decode = decoded - start, .infer = inferred - decoded, .encode = env->now(env->ctx) - inferred};
    if (!ok)
        reply_problem(arena, ret, &err);
}
