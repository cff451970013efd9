#include "api/asset.h"

#include <assert.h>

#include "api/asset_table.h"
#include "api/encoding.h"

/* One form of a file, and the tag that tells it from all others. */
struct form {
    const uint8_t *ptr;
    size_t len;
    const char *etag;
};

struct asset {
    const char *name;
    struct form plain; /* len 0: only gzip is there */
    struct form gzip;
};

#define X(symbol, name, bytes, gzip_bytes, hash) extern const uint8_t asset_##symbol[], asset_##symbol##_gzip[];
ASSET_TABLE(X)
#undef X

static const struct asset assets[] = {
#define X(symbol, name, bytes, gzip_bytes, hash)                   \
    {(name),                                                       \
     {asset_##symbol, (bytes), "\"" hash "\""},                    \
     {asset_##symbol##_gzip, (gzip_bytes), "\"" hash "-gzip\""}},
    ASSET_TABLE(X)
#undef X
};

static const struct {
    const char *ending;
    const char *media_type;
} types[] = {
    {".json", "application/json"},
    {".yaml", "application/yaml"}, /* RFC 9512 */
    {".html", "text/html; charset=utf-8"},
    {".txt", "text/plain; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"}, /* RFC 9239 */
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
};

static const char *media_type(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(dot, types[i].ending) == 0)
            return types[i].media_type;
    return "application/octet-stream";
}

const struct asset *asset_find(struct bytes name)
{
    for (size_t i = 0; i < sizeof(assets) / sizeof(assets[0]); i++)
        if (bytes_equal(name, assets[i].name))
            return &assets[i];
    return NULL;
}

/* If-None-Match is "*", or tags between commas, each perhaps weak (RFC 9110, 13.1.2). A tag cannot hold a quote, so it is
 * listed if it is there with both of its own. */
static bool client_has(const char *if_none_match, const char *etag)
{
    if (if_none_match == NULL)
        return false;
    const char *first = if_none_match + strspn(if_none_match, " \t");
    return (first[0] == '*' && first[1 + strspn(first + 1, " \t")] == '\0') || strstr(first, etag) != NULL;
}

/* The plain form of a file of which only gzip is there. */
static bool unpack(struct arena *arena, const struct asset *asset, struct bytes *ret, struct reply *reply)
{
    struct bytes packed = {.ptr = asset->gzip.ptr, .len = asset->gzip.len};
    struct problem problem;
    if (encoding_decode(arena, "gzip", UINT64_MAX, packed, ret, &problem))
        return true;
    reply_problem(arena, reply, &problem);
    return false;
}

void asset_answer(struct arena *arena, const struct asset *asset, const struct api_request *request,
                  struct reply *ret)
{
    bool gzip = encoding_accepted(request->header[API_HEADER_ACCEPT_ENCODING]) == ENCODING_GZIP;
    const struct form *form = gzip ? &asset->gzip : &asset->plain;
    struct bytes text = {.ptr = form->ptr, .len = form->len};
    if (text.len == 0 && !unpack(arena, asset, &text, ret))
        return;
    if (client_has(request->header[API_HEADER_IF_NONE_MATCH], form->etag)) {
        ret->status = 304;
        ret->text = text; /* not sent, but its length may be told: no other may (RFC 9110, 8.6) */
    } else {
        reply_text(ret, media_type(asset->name), text);
        if (gzip)
            reply_header(ret, "Content-Encoding", encoding_name(ENCODING_GZIP));
    }
    reply_header(ret, "ETag", form->etag);
    reply_header(ret, "Cache-Control", "no-cache"); /* keep it, but ask: another version may have another */
    reply_header(ret, "Vary", "Accept-Encoding");
}

void asset_route(struct arena *arena, const struct api_env *env, const struct route_match *match,
                 const struct api_request *request, struct reply *ret)
{
    (void)env;
    const struct asset *asset = asset_find(bytes_of(route_template(match->route) + 1));
    assert(asset != NULL);
    asset_answer(arena, asset, request, ret);
}
