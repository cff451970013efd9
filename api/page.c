#include "api/page.h"

#include "api/asset.h"
#include "api/negotiate.h"
#include "api/server.h"

#define POLICY                                                                                         \
    "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " \
    "frame-ancestors 'none'; "

static const char playground_policy[] = POLICY "style-src 'self'; img-src 'self'";

/* Swagger UI sets styles in attributes, and its style sheet has pictures in itself. */
static const char docs_policy[] = POLICY "style-src 'self' 'unsafe-inline'; img-src 'self' data:";

static void answer(struct arena *arena, const struct asset *asset, const char *policy,
                   const struct api_request *request, struct reply *ret)
{
    asset_answer(arena, asset, request, ret);
    reply_header(ret, "Content-Security-Policy", policy);
    reply_header(ret, "X-Content-Type-Options", "nosniff");
}

/* Browsers name text/html and give all else less; clients of the API that take anything are given JSON. */
static bool prefers_page(const char *accept)
{
    int page = negotiate_quality(accept, "text/html");
    return page > 0 && page > negotiate_quality(accept, "application/json");
}

void page_index(struct arena *arena, const struct api_env *env, const struct route_match *match,
                const struct api_request *request, struct reply *ret)
{
    if (prefers_page(request->header[API_HEADER_ACCEPT]))
        answer(arena, asset_find(bytes_of("playground.html")), playground_policy, request, ret);
    else
        server_index(arena, env, match, request, ret);
    reply_header(ret, "Vary", "Accept");
}

void page_docs(struct arena *arena, const struct api_env *env, const struct route_match *match,
               const struct api_request *request, struct reply *ret)
{
    (void)env, (void)match;
    bool built_in = asset_find(bytes_of("swagger-ui-bundle.js")) != NULL;
    const char *name = built_in ? "docs.html" : "docs-plain.html";
    answer(arena, asset_find(bytes_of(name)), built_in ? docs_policy : playground_policy, request, ret);
}

void page_file(struct arena *arena, const struct api_env *env, const struct route_match *match,
               const struct api_request *request, struct reply *ret)
{
    (void)env;
    const struct asset *asset = asset_find(match->name);
    if (asset != NULL) {
        answer(arena, asset, playground_policy, request, ret);
        return;
    }
    struct problem problem;
    route_unknown(request->target, &problem);
    reply_problem(arena, ret, &problem);
}
