#include "api/infer.h"

#include "api/answer.h"
#include "api/body.h"
#include "api/dry_run.h"
#include "api/file.h"

/* Tensor files are added in other ways than the inputs of a document. */
static bool check_files(const struct call *call, struct problem *err)
{
    for (int i = 0; i < call->op->inputs; i++) {
        const char *name = call->op->in[i].name;
        if (call->in[i].given)
            continue;
        if (i == 0)
            return file_refuse(&call->in[i], err, PROBLEM_INVALID_REQUEST, "%s %d needs this input: add a part with that "
                               "name to the form", call->op->onnx, call->op->since);
        return file_refuse(&call->in[i], err, PROBLEM_INVALID_REQUEST, "%s %d needs this input: add ?%s= to the query, as "
                           "?%s=0,2, or a part with that name to a form", call->op->onnx, call->op->since, name, name);
    }
    return true;
}

/* The numbers that stand for names in shape inference could come as bytes, and would then be taken for names. */
static enum op_code check_numbers(const struct call *call, struct op_diag *diag)
{
    for (int i = 0; i < call->op->inputs; i++) {
        const struct call_input *in = &call->in[i];
        int64_t count = 0;
        if (!call->op->in[i].sizes || in->names || in->tensor.data == NULL || in->tensor.dtype != DTYPE_INT64)
            continue;
        shape_elements(&in->tensor.shape, &count);
        for (int64_t k = 0; k < count; k++)
            if (dim_symbolic(tensor_int64(&in->tensor, k)))
                return op_refuse(diag, OP_BAD_SHAPE, i, OP_PART_DATA, k, "%s[%lld] is %lld, but a size cannot be negative",
                                 call->op->in[i].name, (long long)k, (long long)tensor_int64(&in->tensor, k));
    }
    return OP_OK;
}

/* Translates the call for the operator, and what it refuses for the client. */
static bool infer(const struct call *call, struct tensor *ret, struct problem *err)
{
    struct op_call op_call = {.symbolic = call->dry_run};
    const char *pointers[OP_MAX_INPUTS] = {NULL};
    struct op_diag diag;
    if (call->files && !check_files(call, err))
        return false;
    for (int i = 0; i < call->op->inputs; i++) {
        pointers[i] = call->in[i].given || call->files ? call->in[i].pointer : NULL;
        op_call.in[i] = call->in[i].given ? &call->in[i].tensor : NULL;
    }
    enum op_code code = call->dry_run ? check_numbers(call, &diag) : OP_OK;
    if (code == OP_OK)
        code = op_infer(call->op, &op_call, ret, &diag);
    return code == OP_OK || problem_from_op(err, &diag, pointers);
}

/* Decodes, infers and answers `call`, of which op and dry_run are set. */
static void run(struct arena *arena, const struct api_env *env, const struct route_match *match,
                const struct api_request *request, struct call *call, struct reply *ret)
{
    struct tensor view;
    struct problem err;
    bool ok = body_decode(arena, env, request, match->query, call, &err);
    uint64_t decoded = env->now(env->ctx);
    ok = ok && infer(call, &view, &err);
    uint64_t inferred = env->now(env->ctx);
    if (ok && call->dry_run) {
        dry_run_answer(arena, call, &view, ret);
        return;
    }
    ok = ok && answer_encode(arena, env, request, call, &view, ret, &err);
    ret->op = call->dry_run ? NULL : call->op;
    uint64_t encoded = env->now(env->ctx);
    ret->phases = (struct reply_phases){.decode = decoded - request->started, .infer = inferred - decoded,
                                        .encode = encoded - inferred, .end = encoded};
    if (!ok)
        reply_problem(arena, ret, &err);
}

void infer_run(struct arena *arena, const struct api_env *env, const struct route_match *match,
               const struct api_request *request, struct reply *ret)
{
    struct call call;
    call_init(&call, match->op, false);
    run(arena, env, match, request, &call, ret);
}

void infer_shape(struct arena *arena, const struct api_env *env, const struct route_match *match,
                 const struct api_request *request, struct reply *ret)
{
    struct call call;
    call_init(&call, match->op, true);
    run(arena, env, match, request, &call, ret);
}
