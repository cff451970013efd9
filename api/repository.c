#include "api/repository.h"

#include <stdio.h>

#include "api/document.h"

static void add_entry(struct document *document, cJSON *list, const struct op *op, bool ready)
{
    char version[16];
    snprintf(version, sizeof(version), "%d", op->since);
    cJSON *entry = document_object(document, list, NULL);
    document_text(document, entry, "name", op->name);
    document_text(document, entry, "version", version);
    document_text(document, entry, "state", ready ? "READY" : "UNAVAILABLE");
    document_text(document, entry, "reason", ready ? "" : "the server is shutting down");
}

void repository_index(struct arena *arena, const struct api_env *env, const struct route_match *match,
                      const struct api_request *request, struct reply *ret)
{
    (void)match, (void)request;
    bool ready = !env->draining(env->ctx);
    struct document document = {0};
    cJSON *list = document_array(&document, NULL, NULL);
    for (size_t i = 0; i < op_count(); i++)
        add_entry(&document, list, op_at(i), ready);
    document_reply(&document, arena, ret);
}

void repository_fixed(struct arena *arena, const struct api_env *env, const struct route_match *match,
                      const struct api_request *request, struct reply *ret)
{
    (void)env, (void)match, (void)request;
    struct problem problem;
    problem_set(
        &problem, PROBLEM_NOT_OFFERED, NULL,
        "models cannot be loaded or unloaded: they are built in and always there, call them right away");
    reply_problem(arena, ret, &problem);
}
