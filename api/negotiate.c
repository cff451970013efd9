#include "api/negotiate.h"

#include <string.h>
#include <strings.h>

/* Specificity of an element for a name; the greatest wins. */
enum cover { COVER_NONE, COVER_ALL, COVER_RANGE, COVER_EXACT };

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t");
}

static bool token_is(const char *token, size_t len, const char *name)
{
    return len == strlen(name) && strncasecmp(token, name, len) == 0;
}

struct bytes media_type(const char *value)
{
    if (value == NULL)
        return (struct bytes){NULL, 0};
    value = skip_space(value);
    return (struct bytes){.ptr = (const uint8_t *)value, .len = strcspn(value, " \t;")};
}

/* "0.375" or "1": at most three decimals, at most 1. False if it is anything else. */
static bool parse_quality(const char *p, const char *end, int *ret)
{
    if (p == end || (*p != '0' && *p != '1'))
        return false;
    int value = (*p++ - '0') * QUALITY_MAX;
    if (p < end && *p++ != '.')
        return false;
    int unit = QUALITY_MAX / 10;
    for (; p < end && *p >= '0' && *p <= '9' && unit > 0; p++, unit /= 10)
        value += (*p - '0') * unit;
    *ret = value;
    return p == end && value <= QUALITY_MAX;
}

static const char *trim_end(const char *start, const char *end)
{
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return end;
}

/* The q among the parameters [p, end) of an element; other parameters are passed over. */
static bool find_quality(const char *p, const char *end, int *ret)
{
    *ret = QUALITY_MAX;
    if (p < end && *p != ';')
        return false;
    while (p < end) {
        p = skip_space(p + 1); /* past ';' */
        size_t len = strcspn(p, ";");
        const char *next = p + len < end ? p + len : end;
        if (next - p >= 2 && (*p == 'q' || *p == 'Q') && p[1] == '=')
            return parse_quality(p + 2, trim_end(p, next), ret);
        p = next;
    }
    return true;
}

static enum cover cover_of(const char *token, size_t len, const char *name)
{
    if (token_is(token, len, name))
        return COVER_EXACT;
    if (token_is(token, len, "*") || token_is(token, len, "*/*"))
        return COVER_ALL;
    size_t type = strcspn(name, "/");
    bool range = len == type + 2 && name[type] == '/' && strncasecmp(token, name, type + 1) == 0 &&
                 token[len - 1] == '*';
    return range ? COVER_RANGE : COVER_NONE;
}

int negotiate_quality(const char *list, const char *name)
{
    int best = QUALITY_NONE;
    enum cover best_cover = COVER_NONE;
    while (list != NULL && *list != '\0') {
        const char *token = skip_space(list);
        const char *end = token + strcspn(token, ",");
        size_t len = strcspn(token, " \t;,");
        int quality;
        enum cover cover = cover_of(token, len, name);
        const char *parameters = skip_space(token + len);
        bool readable = find_quality(parameters, end, &quality);
        if (readable && cover != COVER_NONE &&
            (cover > best_cover || (cover == best_cover && quality > best))) {
            best = quality;
            best_cover = cover;
        }
        list = *end == ',' ? end + 1 : end;
    }
    return best;
}
