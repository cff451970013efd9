/* A strict JSON reader that leaves numbers as text, and a writer of strings.
 *
 *     json_enter(&in, '{');
 *     while (json_more(&in, '}') && json_key(&in, arena, &key))
 *         ... read or json_skip the value
 *     if (in.bad) ...
 *
 * A fault makes everything after it fail too, so one look at the end is enough.
 */
#ifndef TESTS_CONFORMANCE_JSON_H
#define TESTS_CONFORMANCE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "api/arena.h"
#include "api/bytes.h"

/* A place in a text; copying it is a bookmark. Borrows the text. */
struct json {
    const uint8_t *next, *end;
    bool first; /* no comma is due */
    bool bad;
};

void json_start(struct json *in, struct bytes text);

/* The whole text was read and was JSON. */
bool json_finished(struct json *in);

/* The first character of the next value; 0 at the end of the text. */
char json_peek(struct json *in);

/* Goes into an object ('{') or array ('['). */
bool json_enter(struct json *in, char opening);

/* There is another member or element; false: the end, and it is left. */
bool json_more(struct json *in, char closing);

bool json_key(struct json *in, struct arena *arena, struct bytes *ret);
bool json_string(struct json *in, struct arena *arena, struct bytes *ret); /* terminated, may hold NUL inside */

/* A number, true, false or null, as terminated text. */
bool json_word(struct json *in, struct arena *arena, const char **ret);

/* Any value. */
bool json_skip(struct json *in, struct arena *arena);

/* A string, with its quotes. The bytes must be UTF-8. */
void json_write_string(FILE *out, struct bytes string);

#endif
