/* A strict reader of JSON (RFC 8259) that works on the bytes as they are: it builds no tree, converts nothing that it is
 * not asked for, and checks everything it passes, UTF-8 and lone surrogates included.
 *
 * The caller asks for the value at hand by kind and so walks down the document. Every function that returns bool returns
 * false after a refusal, with *err filled (for bad syntax: MALFORMED_JSON, the place and what was expected there); the
 * reader cannot be used any more then. White space before a value is passed by whoever reads the value.
 *
 * Nesting is bounded by max_depth, and passing over a value takes no more stack when it is nested.
 */
#ifndef API_JSON_H
#define API_JSON_H

#include "api/arena.h"
#include "api/bytes.h"
#include "api/number.h"
#include "api/problem.h"

#define JSON_MAX_DEPTH 10000 /* of max_depth */
#define JSON_MAX_MEMBERS 128 /* of an object whose members are read by name */

struct json {
    const uint8_t *start, *next, *end;
    int depth, max_depth; /* arrays and objects that are open now, and at most */
    struct arena *arena;  /* for strings with escapes, which cannot be borrowed */
    struct problem *err;
};

enum json_kind {
    JSON_NONE, /* no value starts here */
    JSON_NULL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

void json_init(struct json *ret, struct bytes text, int max_depth, struct arena *arena, struct problem *err);

/* "a string", for messages. */
const char *json_kind_name(enum json_kind kind);

/* Passes the value at hand, whatever it is. */
bool json_skip(struct json *json);

/* Nothing but white space follows. */
bool json_end(struct json *json);

/* The value must be a number. Its token is borrowed. */
bool json_number(struct json *json, struct decimal *ret);

/* The value must be a string; *ret is its text, borrowed where it has no escapes. */
bool json_string(struct json *json, struct bytes *ret);

/* The same, as it is written, with its quotes. */
bool json_string_token(struct json *json, struct bytes *ret);

/* The value must be an array or object. The callback is called for each element or member and must pass its value; when
 * it returns false, so does the walk. Member names are decoded, and must differ. */
typedef bool json_element_fn(struct json *json, size_t index, void *ctx);
typedef bool json_member_fn(struct json *json, struct bytes name, void *ctx);
bool json_array(struct json *json, json_element_fn *element, void *ctx);
bool json_object(struct json *json, json_member_fn *member, void *ctx);

/* Refuses the document at `at`, a place in it: "... at byte 57 (line 1, column 58): EXPECTED, but there is ...". */
bool json_refuse(struct json *json, const uint8_t *at, const char *expected) __attribute__((cold));

/* The same where a value should stand; has a hint for NaN and Infinity. */
bool json_refuse_value(struct json *json, const uint8_t *at) __attribute__((cold));

/* Passes white space, of which there mostly is none. */
void json_pass_space(struct json *json);
static inline void json_space(struct json *json)
{
    if (json->next < json->end && *json->next <= ' ')
        json_pass_space(json);
}

extern const uint8_t json_kinds[256]; /* enum json_kind by first byte */

/* The kind of value that comes next, by its first byte; passes white space. */
static inline enum json_kind json_peek(struct json *json)
{
    json_space(json);
    return json->next < json->end ? (enum json_kind)json_kinds[*json->next] : JSON_NONE;
}

/* A ',' that follows at once has been passed: the quick way to the next element. */
static inline bool json_comma(struct json *json)
{
    bool comma = json->next < json->end && *json->next == ',';
    json->next += comma ? 1 : 0;
    return comma;
}

/* For walks that need no callback: json_open passes `bracket`; json_more passes what stands between two elements and sets
 * *more, or passes `bracket`, the closing one, and clears it. `first`: no element has been read yet. */
bool json_refuse_open(struct json *json, char bracket) __attribute__((cold));
static inline bool json_open(struct json *json, char bracket)
{
    json_space(json);
    if (json->next == json->end || *json->next != (uint8_t)bracket || json->depth == json->max_depth)
        return json_refuse_open(json, bracket);
    json->depth++;
    json->next++;
    return true;
}

static inline bool json_more(struct json *json, char bracket, bool first, bool *more)
{
    json_space(json);
    *more = json->next == json->end || *json->next != (uint8_t)bracket;
    if (*more)
        return first || json_comma(json) ||
               json_refuse(json, json->next, bracket == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
    json->depth--;
    json->next++;
    return true;
}

#endif
