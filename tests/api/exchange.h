/* One request through the front door (api/dispatch.h), without a server: for tests of routes and documents.
 */
#ifndef TESTS_API_EXCHANGE_H
#define TESTS_API_EXCHANGE_H

#include <stdio.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "api/dispatch.h"
#include "tests/suite.h"

/* The process that the API believes to be in; `ctx` of the env. */
struct process {
    bool draining;
    struct op_stats stats; /* of every operator */
    uint64_t clock;
};

struct exchange {
    struct arena arena;
    struct process process;
    struct api_env env;
    struct api_request request; /* headers and body may be set before the call */
    const char *allow;          /* of a 405 */
    struct reply reply;
    cJSON *json; /* the body, NULL if it is none */
};

static inline uint64_t exchange_now(void *ctx)
{
    return ++((struct process *)ctx)->clock;
}

static inline bool exchange_draining(void *ctx)
{
    return ((struct process *)ctx)->draining;
}

static inline void exchange_stats(void *ctx, const struct op *op, struct op_stats *ret)
{
    *ret = ((struct process *)ctx)->stats;
    ret->success += op_index(op);
}

static inline void exchange_init(struct exchange *x)
{
    *x = (struct exchange){.process = {.draining = false}};
    arena_init(&x->arena, &memory_heap, NULL, 0);
    x->env = (struct api_env){.max_request_bytes = 1 << 20,
                              .max_output_bytes = 1 << 20,
                              .compress_max = 1 << 20,
                              .json_depth = 100,
                              .now = exchange_now,
                              .draining = exchange_draining,
                              .stats = exchange_stats,
                              .ctx = &x->process};
}

static inline void exchange_release(struct exchange *x)
{
    cJSON_Delete(x->json);
    arena_release(&x->arena);
}

/* Resolves and runs, as the server does; a refusal becomes its document. */
static inline void exchange_run(struct exchange *x, const char *method, const char *target)
{
    struct route_match match;
    struct problem problem;
    x->request.method = method;
    x->request.target = target;
    if (route_resolve(&x->arena, method, target, &match, &x->allow, &problem))
        dispatch(&x->arena, &x->env, &match, &x->request, &x->reply);
    else
        reply_problem(&x->arena, &x->reply, &problem);
    x->json = cJSON_ParseWithLength((const char *)x->reply.text.ptr, x->reply.text.len);
}

/* The item at a path of member names and indices: "inputs/0/name"; NULL if there is none. */
static inline const cJSON *exchange_at(const struct exchange *x, const char *path)
{
    const cJSON *item = x->json;
    while (*path != '\0' && item != NULL) {
        char name[64];
        size_t len = strcspn(path, "/");
        snprintf(name, sizeof(name), "%.*s", (int)len, path);
        item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, (int)strtol(name, NULL, 10))
                                   : cJSON_GetObjectItemCaseSensitive(item, name);
        path += len + (path[len] == '/');
    }
    return item;
}

static inline const char *exchange_text(const struct exchange *x, const char *path)
{
    return cJSON_GetStringValue(exchange_at(x, path));
}

static inline const char *exchange_header(const struct exchange *x, const char *name)
{
    for (size_t i = 0; i < x->reply.header_count; i++)
        if (strcasecmp(x->reply.headers[i].name, name) == 0)
            return x->reply.headers[i].value;
    return NULL;
}

#endif
