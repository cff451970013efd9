#include "api/json.h"

#include <stdio.h>
#include <string.h>

#include "api/json_string.h"
#include "api/utf8.h"

void json_init(struct json *ret, struct bytes text, int max_depth, struct arena *arena, struct problem *err)
{
    *ret = (struct json){
        .start = text.ptr, .next = text.ptr, .end = text.ptr + text.len,
        .max_depth = max_depth < JSON_MAX_DEPTH ? max_depth : JSON_MAX_DEPTH, .arena = arena, .err = err,
    };
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* Writes what stands at `at`: "'x'", "byte 0x80" or "the end". A character beyond ASCII may be invisible, or look like
 * another one (blanks, dashes and quotes that word processors make): its number tells. */
static void found_text(const struct json *json, const uint8_t *at, char *out, size_t size)
{
    size_t left = (size_t)(json->end - at);
    size_t n = utf8_sequence(at, left);
    if (left == 0)
        snprintf(out, size, "the document ends");
    else if (n == 0 || *at < 0x20 || *at == 0x7f)
        snprintf(out, size, "there is the byte 0x%02x", (unsigned)*at);
    else if (n == 1)
        snprintf(out, size, "there is '%c'", *at);
    else
        snprintf(out, size, "there is '%.*s' (U+%04X)", (int)n, (const char *)at, (unsigned)utf8_get(at, n));
}

bool json_refuse(struct json *json, const uint8_t *at, const char *expected)
{
    char found[48];
    found_text(json, at, found, sizeof(found));
    size_t line = 1;
    const uint8_t *line_start = json->start;
    for (const uint8_t *p = json->start; p < at; p++)
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    return problem_set(json->err, PROBLEM_MALFORMED_JSON, NULL,
                       "not valid JSON at byte %zu (line %zu, column %zu): %s, but %s",
                       (size_t)(at - json->start), line, (size_t)(at - line_start) + 1, expected, found);
}

bool json_refuse_value(struct json *json, const uint8_t *at)
{
    bool bare = at < json->end && (*at == 'N' || *at == 'I');
    return json_refuse(json, at, bare ? "non-finite numbers are written as \"NaN\", \"Infinity\", \"-Infinity\""
                                      : "expected a value");
}

/* ---- kinds and structure ----------------------------------------------------------------------------------------- */

static const struct bytes kind_names[] = {
    [JSON_NONE] = BYTES_LITERAL("no value"),   [JSON_NULL] = BYTES_LITERAL("null"),
    [JSON_TRUE] = BYTES_LITERAL("true"),       [JSON_FALSE] = BYTES_LITERAL("false"),
    [JSON_NUMBER] = BYTES_LITERAL("a number"), [JSON_STRING] = BYTES_LITERAL("a string"),
    [JSON_ARRAY] = BYTES_LITERAL("an array"),  [JSON_OBJECT] = BYTES_LITERAL("an object"),
};

const char *json_kind_name(enum json_kind kind)
{
    return (const char *)kind_names[kind].ptr;
}

#define DIGIT(c) [c] = JSON_NUMBER
const uint8_t json_kinds[256] = {
    ['{'] = JSON_OBJECT, ['['] = JSON_ARRAY, ['"'] = JSON_STRING, ['t'] = JSON_TRUE, ['f'] = JSON_FALSE,
    ['n'] = JSON_NULL, ['-'] = JSON_NUMBER, DIGIT('0'), DIGIT('1'), DIGIT('2'), DIGIT('3'), DIGIT('4'), DIGIT('5'),
    DIGIT('6'), DIGIT('7'), DIGIT('8'), DIGIT('9'),
};

/* Indentation is passed in strides. */
void json_pass_space(struct json *json)
{
    static const uint8_t stride[] = {' ', ' ', ' ', ' '};
    const uint8_t *p = json->next, *const end = json->end;
    while (p < end && *p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        p++;
        while (end - p >= (ptrdiff_t)sizeof(stride) && memcmp(p, stride, sizeof(stride)) == 0)
            p += sizeof(stride);
    }
    json->next = p;
}

bool json_end(struct json *json)
{
    json_space(json);
    return json->next == json->end || json_refuse(json, json->next, "nothing may follow the document");
}

bool json_refuse_open(struct json *json, char bracket)
{
    if (json->next == json->end || *json->next != (uint8_t)bracket)
        return json_refuse(json, json->next, bracket == '[' ? "expected '['" : "expected '{'");
    return problem_set(json->err, PROBLEM_MALFORMED_JSON, NULL,
                       "nested too deeply at byte %zu: the limit is %d arrays and objects within each other",
                       (size_t)(json->next - json->start), json->max_depth);
}

/* ---- walks ------------------------------------------------------------------------------------------------------- */

bool json_array(struct json *json, json_element_fn *element, void *ctx)
{
    bool more;
    if (!json_open(json, '['))
        return false;
    for (size_t i = 0; json_more(json, ']', i == 0, &more); i++) {
        if (!more)
            return true;
        if (!element(json, i, ctx))
            return false;
    }
    return false;
}

/* A member's name, and what stands between it and the value. One that is not plain is left to `read`. */
static inline __attribute__((always_inline)) bool read_name(struct json *json, bool (*read)(struct json *, struct bytes *),
                                                            struct bytes *ret)
{
    json_space(json);
    if (json->next == json->end || *json->next != '"')
        return json_refuse(json, json->next, "expected a member name in '\"'");
    if (!json_quick_string(json, ret) && !read(json, ret))
        return false;
    json_space(json);
    if (json->next == json->end || *json->next != ':')
        return json_refuse(json, json->next, "expected ':' after a member name");
    json->next++;
    return true;
}

static bool note_name(struct json *json, struct bytes *names, size_t count, struct bytes name)
{
    if (count == JSON_MAX_MEMBERS)
        return problem_set(json->err, PROBLEM_INVALID_REQUEST, NULL, "an object may have at most %d members here",
                           JSON_MAX_MEMBERS);
    for (size_t i = 0; i < count; i++)
        if (names[i].len == name.len && (name.len == 0 || memcmp(names[i].ptr, name.ptr, name.len) == 0))
            return problem_set(json->err, PROBLEM_INVALID_REQUEST, NULL, "the member \"%.*s\" is there twice",
                               problem_quote(name), (const char *)name.ptr);
    names[count] = name;
    return true;
}

bool json_object(struct json *json, json_member_fn *member, void *ctx)
{
    struct bytes names[JSON_MAX_MEMBERS];
    bool more;
    if (!json_open(json, '{'))
        return false;
    for (size_t i = 0; json_more(json, '}', i == 0, &more); i++) {
        if (!more)
            return true;
        struct bytes name;
        if (!read_name(json, json_string, &name) || !note_name(json, names, i, name) || !member(json, name, ctx))
            return false;
    }
    return false;
}

/* ---- passing over ------------------------------------------------------------------------------------------------ */

static bool skip_word(struct json *json, struct bytes word)
{
    if (!bytes_begins((struct bytes){json->next, (size_t)(json->end - json->next)}, word))
        return json_refuse_value(json, json->next);
    json->next += word.len;
    return true;
}

static bool skip_plain(struct json *json, enum json_kind kind)
{
    struct bytes token;
    struct decimal number;
    switch (kind) {
    case JSON_NULL:
    case JSON_TRUE:
    case JSON_FALSE: return skip_word(json, kind_names[kind]);
    case JSON_NUMBER: return json_number(json, &number);
    case JSON_STRING: return json_string_token(json, &token);
    default: return json_refuse_value(json, json->next);
    }
}

/* What is open while a value is passed over: a bit for each depth, 1 for an object. Not by recursion, which would ask for
 * a stack as deep as the client likes. */
struct nest {
    int base; /* the depth that the value itself is at */
    uint64_t object[JSON_MAX_DEPTH / 64 + 1];
};

static bool in_object(const struct nest *nest, int depth)
{
    return (nest->object[depth / 64] >> depth % 64 & 1) != 0;
}

/* Opens an array or object, or passes a value that is neither; *opened tells which. */
static bool enter(struct json *json, struct nest *nest, bool *opened)
{
    enum json_kind kind = json_peek(json);
    *opened = kind == JSON_ARRAY || kind == JSON_OBJECT;
    if (!*opened)
        return skip_plain(json, kind);
    if (!json_open(json, kind == JSON_OBJECT ? '{' : '['))
        return false;
    uint64_t bit = (uint64_t)1 << json->depth % 64, *word = &nest->object[json->depth / 64];
    *word = kind == JSON_OBJECT ? *word | bit : *word & ~bit;
    return true;
}

/* Closes what ends here, up to where another value begins, or all; `first`: something has just been opened. */
static bool leave(struct json *json, const struct nest *nest, bool first)
{
    struct bytes name;
    for (bool more = false; json->depth > nest->base && !more; first = false) {
        bool object = in_object(nest, json->depth);
        if (!json_more(json, object ? '}' : ']', first, &more) ||
            (more && object && !read_name(json, json_string_token, &name)))
            return false;
    }
    return true;
}

static bool skip_nested(struct json *json)
{
    struct nest nest; /* bits are set before they are read */
    bool opened = false;
    nest.base = json->depth;
    do {
        if (!enter(json, &nest, &opened) || !leave(json, &nest, opened))
            return false;
    } while (json->depth > nest.base);
    return true;
}

bool json_skip(struct json *json)
{
    enum json_kind kind = json_peek(json);
    return kind == JSON_ARRAY || kind == JSON_OBJECT ? skip_nested(json) : skip_plain(json, kind);
}
