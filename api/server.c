#include "api/server.h"

#include "api/document.h"

static const char *const extensions[] = {"binary_tensor_data", "model_configuration", "statistics",
                                         "onnx_datatypes"};

void server_index(struct arena *arena, const struct api_env *env, const struct route_match *match,
                  const struct api_request *request, struct reply *ret)
{
    (void)env, (void)match, (void)request;
    struct document document = {0};
    cJSON *root = document_object(&document, NULL, NULL);
    document_text(&document, root, "name", PACKAGE_NAME);
    document_text(&document, root, "version", PACKAGE_VERSION);
    document_text(&document, root, "documentation", "/docs");
    document_text(&document, root, "openapi", "/openapi.json");
    cJSON *routes = document_array(&document, root, "routes");
    for (size_t i = 0; route_at(i) != NULL; i++) {
        cJSON *route = document_object(&document, routes, NULL);
        document_text(&document, route, "method", route_method(route_at(i)));
        document_text(&document, route, "path", route_template(route_at(i)));
    }
    document_reply(&document, arena, ret);
}

void server_metadata(struct arena *arena, const struct api_env *env, const struct route_match *match,
                     const struct api_request *request, struct reply *ret)
{
    (void)env, (void)match, (void)request;
    struct document document = {0};
    cJSON *root = document_object(&document, NULL, NULL);
    document_text(&document, root, "name", PACKAGE_NAME);
    document_text(&document, root, "version", PACKAGE_VERSION);
    cJSON *list = document_array(&document, root, "extensions");
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++)
        document_text(&document, list, NULL, extensions[i]);
    document_reply(&document, arena, ret);
}

/* Probes come often: constants, that need no memory. */
void server_live(struct arena *arena, const struct api_env *env, const struct route_match *match,
                 const struct api_request *request, struct reply *ret)
{
    (void)arena, (void)env, (void)match, (void)request;
    reply_text(ret, "application/json", bytes_of("{\"live\":true}"));
}

void server_ready(struct arena *arena, const struct api_env *env, const struct route_match *match,
                  const struct api_request *request, struct reply *ret)
{
    (void)arena, (void)match, (void)request;
    bool ready = !env->draining(env->ctx);
    reply_text(ret, "application/json",
               bytes_of(ready ? "{\"live\":true,\"ready\":true}" : "{\"live\":true,\"ready\":false}"));
    ret->status = ready ? 200 : 503;
    ret->problem = ready ? PROBLEM_NONE : PROBLEM_DRAINING;
}
