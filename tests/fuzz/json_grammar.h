/* RFC 8259 once more, as plainly as it can be written, to judge the reader by: one function for each rule of its grammar,
 * byte by byte. Refuses what api/json.h says that it refuses beyond the grammar: bytes that are not UTF-8, lone surrogates,
 * and nesting deeper than a limit.
 */
#ifndef TESTS_FUZZ_JSON_GRAMMAR_H
#define TESTS_FUZZ_JSON_GRAMMAR_H

#include "tests/fuzz/fuzz.h"

struct grammar {
    const uint8_t *at, *end;
    int depth; /* that is left */
};

static inline bool grammar_value(struct grammar *g);

static inline int grammar_peek(const struct grammar *g)
{
    return g->at < g->end ? *g->at : -1;
}

static inline bool grammar_take(struct grammar *g, const char *set)
{
    int c = grammar_peek(g);
    bool taken = c > 0 && strchr(set, c) != NULL;
    g->at += taken ? 1 : 0;
    return taken;
}

static inline void grammar_space(struct grammar *g)
{
    while (grammar_take(g, " \t\r\n"))
        continue;
}

static inline bool grammar_word(struct grammar *g, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(g->end - g->at) < len || memcmp(g->at, word, len) != 0)
        return false;
    g->at += len;
    return true;
}

static inline bool grammar_digits(struct grammar *g)
{
    bool any = false;
    while (grammar_take(g, "0123456789"))
        any = true;
    return any;
}

static inline bool grammar_number(struct grammar *g)
{
    grammar_take(g, "-");
    if (!grammar_take(g, "0") && !(grammar_take(g, "123456789") && (grammar_digits(g), true)))
        return false;
    if (grammar_take(g, ".") && !grammar_digits(g))
        return false;
    if (!grammar_take(g, "eE"))
        return true;
    grammar_take(g, "+-");
    return grammar_digits(g);
}

/* Four hexadecimal digits, or -1. */
static inline int32_t grammar_hex(struct grammar *g)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int c = grammar_peek(g);
        if (!grammar_take(g, "0123456789abcdefABCDEF"))
            return -1;
        value = value * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

/* The rest of an escape; appends what it stands for. */
static inline bool grammar_escape(struct grammar *g, int32_t *code)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    int c = grammar_peek(g);
    if (grammar_take(g, names)) {
        *code = values[strchr(names, c) - names];
        return true;
    }
    if (!grammar_take(g, "u"))
        return false;
    *code = grammar_hex(g);
    if (*code < 0 || (*code >= 0xdc00 && *code <= 0xdfff))
        return false;
    if (*code < 0xd800 || *code > 0xdbff)
        return true;
    int32_t low = grammar_word(g, "\\u") ? grammar_hex(g) : -1;
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return low >= 0xdc00 && low <= 0xdfff;
}

/* One character of UTF-8 (RFC 3629, section 4). */
static inline bool grammar_utf8(struct grammar *g, int32_t *code)
{
    static const int32_t first_of[] = {0, 0, 0x80, 0x800, 0x10000};
    int c = *g->at++;
    int length = c < 0x80 ? 1 : c >= 0xc0 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf8 ? 4 : 0;
    *code = length == 1 ? c : c & (0x7f >> length);
    for (int i = 1; i < length; i++) {
        if ((grammar_peek(g) & 0xc0) != 0x80 || grammar_peek(g) < 0)
            return false;
        *code = *code << 6 | (*g->at++ & 0x3f);
    }
    return length > 0 && *code >= first_of[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
}

static inline size_t grammar_put(int32_t code, uint8_t *out)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out[0] = (uint8_t)(0xff00 >> (more + 1) | code >> (6 * more));
    for (int i = 1; i <= more; i++)
        out[i] = (uint8_t)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    return 1 + (size_t)more;
}

/* A string; its text goes to out (room for as many bytes as it is written with), which may be NULL. */
static inline bool grammar_string(struct grammar *g, uint8_t *out, size_t *len)
{
    uint8_t scratch[4];
    *len = 0;
    if (!grammar_take(g, "\""))
        return false;
    while (g->at < g->end && *g->at != '"') {
        int32_t code = 0;
        bool good = *g->at >= 0x20 && (*g->at == '\\' ? (g->at++, grammar_escape(g, &code)) : grammar_utf8(g, &code));
        if (!good)
            return false;
        *len += grammar_put(code, out != NULL ? out + *len : scratch);
    }
    return grammar_take(g, "\"");
}

static inline bool grammar_member(struct grammar *g)
{
    size_t len = 0;
    grammar_space(g);
    if (!grammar_string(g, NULL, &len))
        return false;
    grammar_space(g);
    return grammar_take(g, ":") && grammar_value(g);
}

/* What stands between brackets. */
static inline bool grammar_list(struct grammar *g, const char *close, bool (*item)(struct grammar *))
{
    if (g->depth-- == 0)
        return false;
    g->at++;
    grammar_space(g);
    bool good = grammar_take(g, close);
    bool more = !good;
    while (more && item(g)) {
        grammar_space(g);
        good = grammar_take(g, close);
        more = !good && grammar_take(g, ",");
    }
    g->depth++;
    return good;
}

static inline bool grammar_value(struct grammar *g)
{
    size_t len = 0;
    grammar_space(g);
    switch (grammar_peek(g)) {
    case '{': return grammar_list(g, "}", grammar_member);
    case '[': return grammar_list(g, "]", grammar_value);
    case '"': return grammar_string(g, NULL, &len);
    case 't': return grammar_word(g, "true");
    case 'f': return grammar_word(g, "false");
    case 'n': return grammar_word(g, "null");
    default: return grammar_number(g);
    }
}

/* The whole text is one JSON value. */
static inline bool grammar_document(struct bytes text, int depth)
{
    struct grammar g = {.at = text.ptr, .end = text.ptr + text.len, .depth = depth};
    if (!grammar_value(&g))
        return false;
    grammar_space(&g);
    return g.at == g.end;
}

#endif
