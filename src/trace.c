#include "src/trace.h"

#include <string.h>
#include <strings.h>

#include "api/ascii.h"

static bool is_request_id(const char *text)
{
    size_t len = ascii_span(ASCII_ID, text);
    return text[len] == '\0' && len > 0 && len <= TRACE_ID_MAX;
}

/* Lower case, as the standard wants it, and not all zeros; `end` follows. */
static bool is_hex(const char *text, size_t len, char end)
{
    bool zero = true;
    for (size_t i = 0; i < len; i++) {
        bool digit = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
        if (!digit)
            return false;
        zero &= text[i] == '0';
    }
    return text[len] == end && !zero;
}

/* version "-" trace-id "-" parent-id "-" flags; a version to come may have more behind that. */
static bool is_traceparent(const char *text)
{
    enum { TRACE = 3, PARENT = TRACE + 33, FLAGS = PARENT + 17, LEN = FLAGS + 2 };
    if (strnlen(text, LEN) < LEN || memcmp(text, "ff", 2) == 0 || text[2] != '-')
        return false;
    bool whole = text[LEN] == '\0' || (memcmp(text, "00", 2) != 0 && text[LEN] == '-');
    static const char digits[] = "0123456789abcdef";
    return whole && is_hex(text + TRACE, 32, '-') && is_hex(text + PARENT, 16, '-') &&
           strspn(text, digits) == 2 && strspn(text + FLAGS, digits) == 2;
}

const char *trace_id(const char *request_id, const char *traceparent, size_t *len)
{
    if (request_id != NULL && is_request_id(request_id)) {
        *len = strlen(request_id);
        return request_id;
    }
    if (traceparent == NULL || !is_traceparent(traceparent))
        return NULL;
    *len = 32;
    return traceparent + 3;
}

bool trace_wants_timing(const char *prefer)
{
    static const char name[] = "server-timing";
    while (prefer != NULL && *prefer != '\0') {
        prefer += strspn(prefer, " \t,");
        size_t len = strcspn(prefer, " \t,;=");
        if (len == sizeof(name) - 1 && strncasecmp(prefer, name, len) == 0)
            return true;
        prefer += strcspn(prefer, ",");
    }
    return false;
}
