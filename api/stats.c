#include "api/stats.h"

#include <stdio.h>

#include "api/document.h"

static void add_duration(struct document *document, cJSON *parent, const char *name, uint64_t count,
                         uint64_t ns)
{
    cJSON *duration = document_object(document, parent, name);
    document_integer(document, duration, "count", (int64_t)count);
    document_integer(document, duration, "ns", (int64_t)ns);
}

/* Triton counts executions and inferences apart because it batches; here each request is one of both. */
static void add_op(struct document *document, cJSON *list, const struct op *op, const struct op_stats *stats)
{
    char version[16];
    snprintf(version, sizeof(version), "%d", op->since);
    cJSON *model = document_object(document, list, NULL);
    document_text(document, model, "name", op->name);
    document_text(document, model, "version", version);
    document_integer(document, model, "last_inference", (int64_t)stats->last_ms);
    document_integer(document, model, "inference_count", (int64_t)stats->success);
    document_integer(document, model, "execution_count", (int64_t)stats->success);
    cJSON *durations = document_object(document, model, "inference_stats");
    add_duration(document, durations, "success", stats->success, stats->success_ns);
    add_duration(document, durations, "fail", stats->fail, stats->fail_ns);
    add_duration(document, durations, "queue", stats->success, stats->queue_ns);
    add_duration(document, durations, "compute_input", stats->success, stats->decode_ns);
    add_duration(document, durations, "compute_infer", stats->success, stats->infer_ns);
    add_duration(document, durations, "compute_output", stats->success, stats->encode_ns);
    add_duration(document, durations, "cache_hit", 0, 0);
    add_duration(document, durations, "cache_miss", 0, 0);
    document_array(document, model, "batch_stats");
}

/* All operators, those called `name`, or `only` one; the others are NULL. */
static void answer(struct arena *arena, const struct api_env *env, const char *name, const struct op *only,
                   struct reply *ret)
{
    struct document document = {0};
    cJSON *root = document_object(&document, NULL, NULL);
    cJSON *list = document_array(&document, root, "model_stats");
    for (size_t i = 0; i < op_count(); i++) {
        const struct op *op = op_at(i);
        bool wanted = (name == NULL || strcmp(op->name, name) == 0) && (only == NULL || op == only);
        if (!wanted)
            continue;
        struct op_stats stats = {0};
        env->stats(env->ctx, op, &stats);
        add_op(&document, list, op, &stats);
    }
    document_reply(&document, arena, ret);
}

void stats_all(struct arena *arena, const struct api_env *env, const struct route_match *match,
               const struct api_request *request, struct reply *ret)
{
    (void)match, (void)request;
    answer(arena, env, NULL, NULL, ret);
}

void stats_model(struct arena *arena, const struct api_env *env, const struct route_match *match,
                 const struct api_request *request, struct reply *ret)
{
    (void)request;
    answer(arena, env, match->op->name, NULL, ret);
}

void stats_version(struct arena *arena, const struct api_env *env, const struct route_match *match,
                   const struct api_request *request, struct reply *ret)
{
    (void)request;
    answer(arena, env, NULL, match->op, ret);
}
