#include "api/target.h"

#include <string.h>
#include <strings.h>

#include "api/percent.h"

static const char *const schemes[] = {"http://", "https://"};

/* The path of an absolute form, past scheme and authority; may be empty. NULL if it is none. */
static const char *skip_authority(const char *raw)
{
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t len = strlen(schemes[i]);
        if (strncasecmp(raw, schemes[i], len) != 0)
            continue;
        size_t authority = strcspn(raw + len, "/?#");
        return authority > 0 ? raw + len + authority : NULL;
    }
    return NULL;
}

static bool decode_into(struct bytes raw, uint8_t *out, struct bytes *ret, struct problem *err)
{
    size_t n = 0;
    for (size_t i = 0; i < raw.len; i++) {
        int byte = raw.ptr[i];
        if (byte == '%') {
            byte = percent_byte(raw, i);
            if (byte < 0)
                return problem_set(
                    err, PROBLEM_BAD_TARGET, NULL,
                    "'%%' in the path must be followed by two hexadecimal digits (a '%%' itself is %%25)");
            if (byte == 0 || byte == '/')
                return problem_set(err, PROBLEM_BAD_TARGET, NULL,
                                   "%%%02X cannot be part of a name in the path", byte);
            i += 2;
        }
        out[n++] = (uint8_t)byte;
    }
    *ret = (struct bytes){.ptr = out, .len = n};
    return true;
}

static bool has_escapes(struct bytes text)
{
    return text.len > 0 && memchr(text.ptr, '%', text.len) != NULL;
}

static bool decode_segment(struct arena *arena, struct bytes raw, struct bytes *ret, struct problem *err)
{
    uint8_t *out = arena_alloc(arena, raw.len, 1);
    if (out == NULL)
        return problem_memory(err);
    return decode_into(raw, out, ret, err);
}

/* `path` is "" or starts with '/'. */
static bool decode_path(struct arena *arena, struct bytes path, struct target *ret, struct problem *err)
{
    const bool escapes = has_escapes(path); /* hardly ever */
    if (path.len > 0 && path.ptr[path.len - 1] == '/')
        path.len--;
    for (size_t at = 0; at < path.len;) {
        struct bytes rest = bytes_slice(path, at + 1, path.len - at - 1);
        const uint8_t *slash = rest.len > 0 ? memchr(rest.ptr, '/', rest.len) : NULL;
        struct bytes segment = {.ptr = rest.ptr,
                                .len = slash != NULL ? (size_t)(slash - rest.ptr) : rest.len};
        struct bytes decoded = segment;
        if (escapes && has_escapes(segment) && !decode_segment(arena, segment, &decoded, err))
            return false;
        if (ret->count < TARGET_MAX_SEGMENTS)
            ret->segment[ret->count] = decoded;
        ret->count++;
        at += 1 + segment.len;
    }
    return true;
}

bool target_parse(struct arena *arena, const char *raw, struct target *ret, struct problem *err)
{
    const char *path = raw[0] == '/' ? raw : skip_authority(raw);
    if (path == NULL)
        return problem_set(err, PROBLEM_BAD_TARGET, NULL,
                           "the request target must be a path such as /v2/models, or an absolute http URL");
    if (strchr(path, '#') != NULL)
        return problem_set(err, PROBLEM_BAD_TARGET, NULL,
                           "the request target must not hold a fragment: leave out '#' "
                           "and what follows");
    size_t len = strcspn(path, "?");
    ret->count = 0;
    ret->query = path[len] == '?' ? path + len + 1 : NULL;
    return decode_path(arena, (struct bytes){.ptr = (const uint8_t *)path, .len = len}, ret, err);
}
