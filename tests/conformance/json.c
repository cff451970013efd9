#include "tests/conformance/json.h"

#include <string.h>

#include "api/utf8.h"

#define MAX_DEPTH 100

void json_start(struct json *in, struct bytes text)
{
    *in = (struct json){.next = text.ptr, .end = text.ptr + text.len, .first = true};
}

static bool bad(struct json *in)
{
    in->bad = true;
    in->next = in->end;
    return false;
}

char json_peek(struct json *in)
{
    while (in->next < in->end && memchr(" \t\r\n", *in->next, 4) != NULL)
        in->next++;
    return in->next < in->end ? (char)*in->next : '\0';
}

bool json_finished(struct json *in)
{
    return json_peek(in) == '\0' && in->next == in->end && !in->bad;
}

static bool take(struct json *in, char c)
{
    if (json_peek(in) != c)
        return bad(in);
    in->next++;
    return true;
}

bool json_enter(struct json *in, char opening)
{
    in->first = true;
    return take(in, opening);
}

bool json_more(struct json *in, char closing)
{
    bool first = in->first;
    in->first = false;
    if (in->bad)
        return false;
    if (json_peek(in) == closing) {
        in->next++;
        return false;
    }
    return first || take(in, ',');
}

/* ---- strings --------------------------------------------------------------------------------------------------- */

static bool hex4(struct json *in, uint32_t *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = in->next < in->end ? memchr(digits, *in->next++, sizeof(digits) - 1) : NULL;
        if (digit == NULL)
            return bad(in);
        uint32_t value = (uint32_t)(digit - digits);
        *ret = *ret << 4 | (value < 16 ? value : value - 6);
    }
    return true;
}

/* After "\u": one code point, from two escapes if it is above U+FFFF. */
static bool code_point(struct json *in, uint32_t *ret)
{
    uint32_t low = 0;
    if (!hex4(in, ret) || (*ret & 0xfffff800) != 0xd800)
        return !in->bad;
    bool pair = *ret < 0xdc00 && in->end - in->next >= 6 && in->next[0] == '\\' && in->next[1] == 'u';
    in->next += pair ? 2 : 0;
    if (!pair || !hex4(in, &low) || (low & 0xfffffc00) != 0xdc00)
        return bad(in);
    *ret = 0x10000 + ((*ret & 0x3ff) << 10) + (low & 0x3ff);
    return true;
}

/* After a backslash. Writes at most 4 bytes; returns how many, 0 if it is no escape. */
static size_t escape(struct json *in, uint8_t *out)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    uint8_t c = in->next < in->end ? *in->next++ : 0;
    uint32_t point = 0;
    if (c == 'u')
        return code_point(in, &point) ? utf8_put(point, out) : 0;
    const char *name = memchr(names, c, sizeof(names) - 1);
    if (name == NULL)
        return 0;
    *out = (uint8_t)values[name - names];
    return 1;
}

/* A character of a string as it stands. */
static size_t plain(struct json *in, uint8_t *out)
{
    size_t n = *in->next < 0x20 ? 0 : utf8_sequence(in->next, (size_t)(in->end - in->next));
    memcpy(out, in->next, n);
    in->next += n;
    return n;
}

bool json_string(struct json *in, struct arena *arena, struct bytes *ret)
{
    if (!take(in, '"'))
        return false;
    const uint8_t *closing = in->next; /* no text is longer than what stands before the closing quote */
    while (closing < in->end && *closing != '"')
        closing += *closing == '\\' && in->end - closing > 1 ? 2 : 1;
    uint8_t *out = arena_alloc(arena, (size_t)(closing - in->next) + 1, 1);
    size_t len = 0;
    while (in->next < in->end && *in->next != '"') {
        bool escaped = *in->next == '\\';
        in->next += escaped;
        size_t n = escaped ? escape(in, out + len) : plain(in, out + len);
        if (n == 0)
            return bad(in);
        len += n;
    }
    out[len] = '\0';
    *ret = (struct bytes){.ptr = out, .len = len};
    return take(in, '"');
}

bool json_key(struct json *in, struct arena *arena, struct bytes *ret)
{
    return json_string(in, arena, ret) && take(in, ':');
}

void json_write_string(FILE *out, struct bytes string)
{
    fputc('"', out);
    for (size_t i = 0; i < string.len; i++) {
        uint8_t c = string.ptr[i];
        if (c == '"' || c == '\\')
            fputc('\\', out);
        if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* ---- words and the rest ---------------------------------------------------------------------------------------- */

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* RFC 8259: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [-+]? [0-9]+)? */
static bool is_number(const char *text)
{
    text += *text == '-';
    size_t whole = digits(text);
    bool good = whole == 1 || (whole > 1 && *text != '0');
    text += whole;
    if (*text == '.') {
        good = good && digits(text + 1) > 0;
        text += 1 + digits(text + 1);
    }
    if (*text == 'e' || *text == 'E') {
        text += text[1] == '-' || text[1] == '+' ? 2 : 1;
        good = good && digits(text) > 0;
        text += digits(text);
    }
    return good && *text == '\0';
}

bool json_word(struct json *in, struct arena *arena, const char **ret)
{
    json_peek(in);
    const uint8_t *start = in->next;
    while (in->next < in->end && memchr(" \t\r\n,:[]{}\"", *in->next, 11) == NULL)
        in->next++;
    const char *word = arena_printf(arena, "%.*s", (int)(in->next - start), (const char *)start);
    *ret = word;
    return is_number(word) || strcmp(word, "true") == 0 || strcmp(word, "false") == 0 || strcmp(word, "null") == 0 ||
           bad(in);
}

static bool skip(struct json *in, struct arena *arena, int depth)
{
    struct bytes string;
    const char *word = NULL;
    char c = json_peek(in);
    if (c == '"')
        return json_string(in, arena, &string);
    if (c != '{' && c != '[')
        return json_word(in, arena, &word);
    if (depth == MAX_DEPTH)
        return bad(in);
    char closing = c == '{' ? '}' : ']';
    json_enter(in, c);
    while (json_more(in, closing) && (c != '{' || json_key(in, arena, &string)))
        if (!skip(in, arena, depth + 1))
            return false;
    return !in->bad;
}

bool json_skip(struct json *in, struct arena *arena)
{
    return skip(in, arena, 0);
}
