/* The quick way over a JSON string, to be inlined where names are read. Works on eight characters at a time. */
#ifndef API_JSON_STRING_H
#define API_JSON_STRING_H

#include "api/json.h"
#include "api/json_word.h"

/* The top bit of each byte that needs a look: quote, backslash, control character or UTF-8; a borrow from one spoils only
 * bytes behind it. */
static inline uint64_t json_not_plain(uint64_t w)
{
    const uint64_t ones = JSON_EACH_BYTE(1);
    uint64_t quote = w ^ ones * '"';
    uint64_t backslash = w ^ ones * '\\';
    return ((quote - ones) | (backslash - ones) | (w - ones * 0x20) | w) & ones * 0x80;
}

/* Length of the longest run of bytes that need no look. */
static inline size_t json_plain_run(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *start = p;
    for (; end - p >= 8; p += 8) {
        uint64_t others = json_not_plain(json_load_eight(p));
        if (others != 0)
            return (size_t)(p - start) + json_first_marked(others);
    }
    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return (size_t)(p - start);
}

/* Passes the string whose quote is at hand, if it is plain; *ret is its text, borrowed. False: nothing has been passed. */
static inline bool json_quick_string(struct json *json, struct bytes *ret)
{
    const uint8_t *const start = json->next + 1;
    const uint8_t *const quote = start + json_plain_run(start, json->end);
    if (quote == json->end || *quote != '"')
        return false;
    json->next = quote + 1;
    *ret = (struct bytes){.ptr = start, .len = (size_t)(quote - start)};
    return true;
}

#endif
