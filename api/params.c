#include "api/params.h"

static struct bytes trim(struct bytes text)
{
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
        text = bytes_slice(text, 1, text.len - 1);
    while (text.len > 0 && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
        text.len--;
    return text;
}

/* Position of the first `mark` in the text, or its length. */
static size_t find(struct bytes text, char mark)
{
    const uint8_t *at = text.len > 0 ? memchr(text.ptr, mark, text.len) : NULL;
    return at != NULL ? (size_t)(at - text.ptr) : text.len;
}

/* Length of the quoted string that the text begins with, quotes included; 0 if it does not end. */
static size_t quoted_length(struct bytes text)
{
    for (size_t i = 1; i < text.len; i++) {
        if (text.ptr[i] == '"')
            return i + 1;
        if (text.ptr[i] == '\\')
            i++;
    }
    return 0;
}

/* One `name=value` off the front of *rest, up to the next ';'. */
static bool cut_parameter(struct bytes *rest, struct bytes *name, struct bytes *value)
{
    size_t equals = find(*rest, '=');
    if (equals == rest->len || find(*rest, ';') < equals)
        return false;
    *name = trim(bytes_slice(*rest, 0, equals));
    *rest = trim(bytes_slice(*rest, equals + 1, rest->len - equals - 1));
    bool quoted = rest->len > 0 && rest->ptr[0] == '"';
    size_t len = quoted ? quoted_length(*rest) : find(*rest, ';');
    if (len == 0)
        return false;
    *value = quoted ? bytes_slice(*rest, 1, len - 2) : trim(bytes_slice(*rest, 0, len));
    *rest = trim(bytes_slice(*rest, len, rest->len - len));
    return rest->len == 0 || rest->ptr[0] == ';';
}

struct bytes params_value(struct bytes header)
{
    return trim(bytes_slice(header, 0, find(header, ';')));
}

bool params_find(struct bytes header, const char *name, struct bytes *ret)
{
    struct bytes rest = trim(header);
    size_t first = find(rest, ';');
    *ret = (struct bytes){.ptr = NULL};
    rest = bytes_slice(rest, first, rest.len - first);
    while (rest.len > 0) {
        struct bytes key, value;
        rest = trim(bytes_slice(rest, 1, rest.len - 1)); /* the ';' */
        if (rest.len == 0)
            break;
        if (!cut_parameter(&rest, &key, &value) || (bytes_equal_nocase(key, name) && ret->ptr != NULL))
            return false;
        if (bytes_equal_nocase(key, name))
            *ret = value;
    }
    return true;
}
