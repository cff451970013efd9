#include "api/dispatch.h"

#include <stddef.h>

#include "api/asset.h"
#include "api/catalog.h"
#include "api/infer.h"
#include "api/metrics.h"
#include "api/model.h"
#include "api/page.h"
#include "api/repository.h"
#include "api/server.h"
#include "api/stats.h"
#include "api/target.h"

enum route_flag {
    ROUTE_BODY = 1, /* takes a request body */
    ROUTE_OP = 2,   /* its segments name an operator, and a version of it if there are two */
    ROUTE_HEALTH = 4, /* what it is about, if not the operators: */
    ROUTE_METRICS = 8,
    ROUTE_DOCS = 16,
};

struct route {
    const char *method;
    const char *template; /* a segment in braces takes any name; at most TARGET_MAX_SEGMENTS */
    route_handler *run;
    unsigned flags;
};

#define OF_MODEL   "/v2/models/{model}"
#define OF_VERSION "/v2/models/{model}/versions/{version}"

/* Each path with its methods one below the other, a fixed name above a path that would take it too, and what
 * is called often at the top. HEAD is not listed: it is wherever GET is. */
static const struct route routes[] = {
    {"POST", OF_MODEL "/infer", infer_run, ROUTE_OP | ROUTE_BODY},
    {"POST", OF_VERSION "/infer", infer_run, ROUTE_OP | ROUTE_BODY},
    {"POST", OF_MODEL "/shape", infer_shape, ROUTE_OP | ROUTE_BODY},
    {"POST", OF_VERSION "/shape", infer_shape, ROUTE_OP | ROUTE_BODY},
    {"GET", "/v2/health/live", server_live, ROUTE_HEALTH},
    {"GET", "/v2/health/ready", server_ready, ROUTE_HEALTH},
    {"GET", "/", page_index, ROUTE_DOCS},
    {"GET", "/metrics", metrics_route, ROUTE_METRICS},
    {"GET", "/openapi.json", asset_route, ROUTE_DOCS},
    {"GET", "/openapi.yaml", asset_route, ROUTE_DOCS},
    {"GET", "/docs", page_docs, ROUTE_DOCS},
    {"GET", "/assets/{file}", page_file, ROUTE_DOCS},
    {"GET", "/v2", server_metadata, 0},
    {"GET", "/v2/models", model_list, 0},
    {"GET", "/v2/models/stats", stats_all, 0},
    {"GET", OF_MODEL, model_metadata, ROUTE_OP},
    {"GET", OF_VERSION, model_metadata, ROUTE_OP},
    {"GET", OF_MODEL "/ready", model_ready, ROUTE_OP | ROUTE_HEALTH},
    {"GET", OF_VERSION "/ready", model_ready, ROUTE_OP | ROUTE_HEALTH},
    {"GET", OF_MODEL "/config", model_config, ROUTE_OP},
    {"GET", OF_VERSION "/config", model_config, ROUTE_OP},
    {"GET", OF_MODEL "/stats", stats_model, ROUTE_OP},
    {"GET", OF_VERSION "/stats", stats_version, ROUTE_OP},
    {"GET", "/v2/repository/index", repository_index, 0},
    {"POST", "/v2/repository/index", repository_index, ROUTE_BODY},
    {"POST", "/v2/repository/models/{model}/load", repository_fixed, 0},
    {"POST", "/v2/repository/models/{model}/unload", repository_fixed, 0},
};

#define ROUTES (sizeof(routes) / sizeof(routes[0]))

/* The segments that a template left open. */
struct captures {
    size_t count;
    struct bytes name[2];
};

/* Matches the segment of a template that begins at *template, and moves that behind it. A segment of a target holds
 * neither '/' nor NUL. */
static bool match_segment(const char **template, struct bytes segment, struct captures *captures)
{
    const char *next = *template;
    if (*next == '{') {
        *template = strchr(next, '}') + 1;
        captures->name[captures->count++] = segment;
        return segment.len > 0;
    }
    for (size_t i = 0; i < segment.len; i++)
        if ((uint8_t)*next++ != segment.ptr[i])
            return false;
    *template = next;
    return *next == '/' || *next == '\0';
}

static bool match_template(const char *template, const struct target *target, struct captures *captures)
{
    size_t matched = 0;
    *captures = (struct captures){0};
    while (template[0] == '/' && template[1] != '\0') {
        template++;
        if (matched == target->count || !match_segment(&template, target->segment[matched], captures))
            return false;
        matched++;
    }
    return matched == target->count;
}

/* The first row of the path, or NULL. */
static const struct route *find_path(const struct target *target, struct captures *captures)
{
    for (const struct route *route = routes; route < routes + ROUTES; route++)
        if (match_template(route->template, target, captures))
            return route;
    return NULL;
}

/* The next row of the same path, or NULL. */
static const struct route *next_method(const struct route *route)
{
    const struct route *next = route + 1;
    return next < routes + ROUTES && strcmp(next->template, route->template) == 0 ? next : NULL;
}

static bool refuse_method(struct arena *arena, const char *method, const struct route *path,
                          const char **allow, struct problem *err)
{
    char *text = arena_text(arena, "");
    for (const struct route *route = path; route != NULL && text != NULL; route = next_method(route)) {
        const char *methods = strcmp(route->method, "GET") == 0 ? "GET, HEAD" : route->method;
        text = arena_printf(arena, "%s%s%s", text, *text != '\0' ? ", " : "", methods);
    }
    if (text == NULL)
        return problem_memory(err);
    *allow = text;
    return problem_set(err, PROBLEM_METHOD_NOT_ALLOWED, NULL, "%.20s is not offered for %s: use %s", method,
                       path->template, text);
}

bool route_unknown(const char *target, struct problem *err)
{
    return problem_set(err, PROBLEM_UNKNOWN_PATH, NULL, "there is no path '%.200s': GET / lists what there is", target);
}

bool route_resolve(struct arena *arena, const char *method, const char *target, struct route_match *ret,
                   const char **allow, struct problem *err)
{
    struct target parsed;
    struct captures captures;
    *allow = NULL;
    if (!target_parse(arena, target, &parsed, err))
        return false;
    const struct route *path = find_path(&parsed, &captures);
    if (path == NULL)
        return route_unknown(target, err);
    bool head = strcmp(method, "HEAD") == 0;
    const struct route *route = path;
    while (route != NULL && strcmp(route->method, head ? "GET" : method) != 0)
        route = next_method(route);
    if (route == NULL)
        return refuse_method(arena, method, path, allow, err);
    *ret = (struct route_match){.route = route, .head = head, .name = captures.name[0], .query = parsed.query};
    if ((route->flags & ROUTE_OP) == 0)
        return true;
    return catalog_find(captures.name[0], captures.count > 1 ? &captures.name[1] : NULL, &ret->op, err);
}

const char *route_template(const struct route *route)
{
    return route->template;
}

const char *route_method(const struct route *route)
{
    return route->method;
}

bool route_has_body(const struct route *route)
{
    return (route->flags & ROUTE_BODY) != 0;
}

enum route_subject route_subject(const struct route *route)
{
    return (route->flags & ROUTE_HEALTH) != 0    ? ROUTE_ABOUT_HEALTH
           : (route->flags & ROUTE_METRICS) != 0 ? ROUTE_ABOUT_METRICS
           : (route->flags & ROUTE_DOCS) != 0    ? ROUTE_ABOUT_DOCS
                                                 : ROUTE_ABOUT_OPERATORS;
}

const struct route *route_at(size_t index)
{
    return index < ROUTES ? &routes[index] : NULL;
}

size_t route_count(void)
{
    return ROUTES;
}

size_t route_index(const struct route *route)
{
    return (size_t)(route - routes);
}

const char *api_header_name(enum api_header header)
{
    static const char *const names[] = {
#define X(id, name) [API_HEADER_##id] = (name),
        API_HEADER_TABLE(X)
#undef X
    };
    return names[header];
}

void dispatch(struct arena *arena, const struct api_env *env, const struct route_match *match,
              const struct api_request *request, struct reply *ret)
{
    *ret = (struct reply){0};
    match->route->run(arena, env, match, request, ret);
}
