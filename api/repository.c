#include "api/repository.h"

#include <stdio.h>

#include "api/document.h"
#include "api/encoding.h"
#include "api/json.h"

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

/* "ready": list only what can be called now. Other members are ignored. */
static bool read_member(struct json *json, struct bytes name, void *only_ready)
{
    enum json_kind kind = json_peek(json);
    if (!bytes_equal(name, "ready") || kind == JSON_NONE)
        return json_skip(json);
    if (kind != JSON_TRUE && kind != JSON_FALSE && kind != JSON_NULL)
        return problem_set(json->err, PROBLEM_INVALID_REQUEST, "/ready",
                           "ready must be true or false, not %s", json_kind_name(kind));
    *(bool *)only_ready = kind == JSON_TRUE;
    return json_skip(json);
}

/* The request document; clients may leave it out. */
static bool read_request(struct arena *arena, const struct api_env *env, const struct api_request *request,
                         bool *only_ready, struct problem *err)
{
    struct bytes body;
    struct json json;
    *only_ready = false;
    if (!encoding_decode(arena, request->header[API_HEADER_CONTENT_ENCODING], env->max_request_bytes,
                         request->body, &body, err))
        return false;
    if (body.len == 0)
        return true;
    json_init(&json, body, env->json_depth, arena, err);
    return json_object(&json, read_member, only_ready) && json_end(&json);
}

void repository_index(struct arena *arena, const struct api_env *env, const struct route_match *match,
                      const struct api_request *request, struct reply *ret)
{
    struct problem problem;
    bool only_ready = false;
    if (route_has_body(match->route) && !read_request(arena, env, request, &only_ready, &problem)) {
        reply_problem(arena, ret, &problem);
        return;
    }
    bool ready = !env->draining(env->ctx);
    struct document document = {0};
    cJSON *list = document_array(&document, NULL, NULL);
    for (size_t i = 0; i < op_count() && (ready || !only_ready); i++)
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
