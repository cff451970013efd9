#include "api/npy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define ALIGNMENT 64
/* numpy leaves so many columns for the first size, so that a file can be extended in place. */
#define GROWTH_COLUMNS 21

bool npy_detect(struct bytes content)
{
    return content.len >= NPY_MAGIC_LEN && memcmp(content.ptr, NPY_MAGIC, NPY_MAGIC_LEN) == 0;
}

/* ---- the text of the dict: a cursor, and functions that step over one thing or leave it where it is ---- */

struct cursor {
    const uint8_t *at, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || (*c->at >= '\t' && *c->at <= '\r')))
        c->at++;
}

/* Steps over one character, and blanks before it. */
static bool skip(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != (uint8_t)wanted)
        return false;
    c->at++;
    return true;
}

static bool skip_word(struct cursor *c, const char *word)
{
    size_t len = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0)
        return false;
    c->at += len;
    return true;
}

/* A string in either kind of quotes. None of the strings that occur has an escape. */
static bool read_string(struct cursor *c, struct bytes *ret)
{
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const uint8_t *text = c->at + 1;
    const uint8_t *quote = memchr(text, *c->at, (size_t)(c->end - text));
    if (quote == NULL)
        return false;
    *ret = (struct bytes){.ptr = text, .len = (size_t)(quote - text)};
    c->at = quote + 1;
    return memchr(text, '\\', ret->len) == NULL;
}

/* A list up to its closing bracket, unread. */
static bool read_list(struct cursor *c, struct bytes *ret)
{
    const uint8_t *start = c->at;
    int depth = 0;
    do {
        if (c->at == c->end)
            return false;
        depth += (*c->at == '[') - (*c->at == ']');
        c->at++;
    } while (depth > 0);
    *ret = (struct bytes){.ptr = start, .len = (size_t)(c->at - start)};
    return true;
}

static bool is_digit(const struct cursor *c)
{
    return c->at < c->end && *c->at >= '0' && *c->at <= '9';
}

/* A size, which may be negative (the caller refuses it by name), and may end in the L of a Python 2 writer. False if it
 * is not written like one or does not fit. */
static bool read_size(struct cursor *c, int64_t *ret)
{
    bool negative = skip(c, '-');
    skip_blanks(c);
    const uint8_t *start = c->at;
    int64_t value = 0;
    bool fits = true;
    for (; is_digit(c); c->at++)
        fits = fits && !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, *c->at - '0', &value);
    ptrdiff_t digits = c->at - start;
    if (c->at < c->end && *c->at == 'L')
        c->at++;
    if (!fits || digits == 0 || (digits > 1 && *start == '0'))
        return false;
    *ret = negative ? -value : value;
    return true;
}

/* ---- the three values ---- */

struct reader {
    struct cursor cursor;
    const struct call_input *input;
    struct npy_header *header;
    struct problem *err;
};

static bool read_descr(struct reader *r)
{
    skip_blanks(&r->cursor);
    r->header->structured = r->cursor.at < r->cursor.end && *r->cursor.at == '[';
    if (r->header->structured ? read_list(&r->cursor, &r->header->descr)
                              : read_string(&r->cursor, &r->header->descr))
        return true;
    return file_refuse(r->input, r->err, PROBLEM_INVALID_DATA,
                       "'descr' in the .npy header must be a type such as '<f4'");
}

static bool read_fortran_order(struct reader *r)
{
    r->header->fortran_order = skip_word(&r->cursor, "True");
    if (r->header->fortran_order || skip_word(&r->cursor, "False"))
        return true;
    return file_refuse(r->input, r->err, PROBLEM_INVALID_DATA,
                       "'fortran_order' in the .npy header must be True or False");
}

/* One size and what follows it, with which a tuple differs from a number in parentheses. */
static bool read_dim(struct reader *r, bool *more)
{
    struct shape *shape = &r->header->shape;
    int64_t size = 0;
    if (shape->rank == SHAPE_MAX_RANK)
        return file_refuse(r->input, r->err, PROBLEM_INVALID_SHAPE,
                           "'shape' in the .npy header has more than %d dimensions", SHAPE_MAX_RANK);
    bool read = read_size(&r->cursor, &size);
    *more = read && skip(&r->cursor, ',');
    if (!read || (!*more && shape->rank == 0))
        return file_refuse(r->input, r->err, PROBLEM_INVALID_SHAPE,
                           "'shape' in the .npy header must be a tuple of sizes such as (3, 4), (3,) or ()");
    if (size < 0)
        return file_refuse(r->input, r->err, PROBLEM_INVALID_SHAPE,
                           "'shape' in the .npy header has the negative size %" PRId64, size);
    shape->dim[shape->rank++] = size;
    return true;
}

static bool read_shape(struct reader *r)
{
    bool more = skip(&r->cursor, '(');
    r->header->shape.rank = 0;
    if (more && skip(&r->cursor, ')'))
        return true;
    while (more) {
        if (!read_dim(r, &more))
            return false;
        if (skip(&r->cursor, ')'))
            return true;
    }
    return file_refuse(r->input, r->err, PROBLEM_INVALID_SHAPE,
                       "'shape' in the .npy header must be a tuple of sizes such as (3, 4), (3,) or ()");
}

static const struct member {
    const char *key;
    bool (*read)(struct reader *);
} members[] = {
    {"descr", read_descr},
    {"fortran_order", read_fortran_order},
    {"shape", read_shape},
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

static bool refuse_dict(struct reader *r)
{
    return file_refuse(r->input, r->err, PROBLEM_INVALID_DATA,
                       "the .npy header must be a dict with 'descr', 'fortran_order' and 'shape', each once");
}

/* One `'key': value`; `seen` has a bit for each member. */
static bool read_member(struct reader *r, unsigned *seen)
{
    struct bytes key;
    if (!read_string(&r->cursor, &key) || !skip(&r->cursor, ':'))
        return refuse_dict(r);
    for (unsigned i = 0; i < MEMBERS; i++) {
        if (!bytes_equal(key, members[i].key) || (*seen >> i & 1) != 0)
            continue;
        *seen |= 1u << i;
        return members[i].read(r);
    }
    return refuse_dict(r);
}

static bool read_dict(struct reader *r)
{
    unsigned seen = 0;
    bool more = skip(&r->cursor, '{');
    while (more && !skip(&r->cursor, '}')) {
        if (!read_member(r, &seen))
            return false;
        more = skip(&r->cursor, ',');
        if (!more && !skip(&r->cursor, '}'))
            return refuse_dict(r);
    }
    skip_blanks(&r->cursor);
    return (seen == (1u << MEMBERS) - 1 && r->cursor.at == r->cursor.end) || refuse_dict(r);
}

/* ---- the frame around it ---- */

/* Where the dict begins and ends in a file whose magic is right. Version 3.0 differs from 2.0 only in that the dict is
 * UTF-8, which matters to the field names of structured types. */
static bool find_dict(struct bytes content, const struct call_input *input, struct bytes *ret, struct problem *err)
{
    const uint8_t *version = content.ptr + NPY_MAGIC_LEN;
    size_t start = NPY_MAGIC_LEN + 2 + (content.len > NPY_MAGIC_LEN && version[0] == 1 ? 2 : 4);
    if (content.len < start)
        return file_refuse(input, err, PROBLEM_INVALID_DATA, "the .npy file ends within its header");
    if (version[0] < 1 || version[0] > 3 || version[1] != 0)
        return file_refuse(input, err, PROBLEM_INVALID_DATA, "version %u.%u of .npy is not known: use 1.0, 2.0 or 3.0",
                           version[0], version[1]);
    uint32_t length = version[0] > 1 ? bytes_uint32(version + 2) : (uint32_t)version[2] | (uint32_t)version[3] << 8;
    if (length > content.len - start)
        return file_refuse(input, err, PROBLEM_INVALID_DATA, "the .npy header claims %" PRIu32 " bytes, but the file "
                           "ends after %zu", length, content.len - start);
    *ret = bytes_slice(content, start, length);
    return true;
}

bool npy_read_header(struct bytes content, const struct call_input *input, struct npy_header *ret,
                     struct problem *err)
{
    struct bytes dict = {.ptr = NULL};
    if (!npy_detect(content))
        return file_refuse(input, err, PROBLEM_INVALID_DATA, "this is not a .npy file: it does not begin with \\x93NUMPY");
    if (!find_dict(content, input, &dict, err))
        return false;
    const uint8_t *end = dict.ptr + dict.len;
    struct reader reader = {
        .cursor = {.at = dict.ptr, .end = end}, .input = input, .header = ret, .err = err};
    ret->length = (size_t)(end - content.ptr);
    return read_dict(&reader);
}

/* Appends formatted text, which fits. */
static size_t append(char *out, size_t len, const char *format, ...) __attribute__((format(printf, 3, 4)));

static size_t append(char *out, size_t len, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int added = vsnprintf(out + len, NPY_MAX_HEADER - len, format, args);
    va_end(args);
    return len + (size_t)added;
}

size_t npy_write_header(const char *descr, const struct shape *shape, char out[NPY_MAX_HEADER])
{
    const size_t start = NPY_MAGIC_LEN + 4;
    size_t len = append(out, start, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < shape->rank; i++)
        len = append(out, len, i > 0 ? ", %" PRId64 : "%" PRId64, shape->dim[i]);
    len = append(out, len, shape->rank == 1 ? ",), }" : "), }");
    if (shape->rank > 0)
        len = append(out, len, "%*s", GROWTH_COLUMNS - snprintf(NULL, 0, "%" PRId64, shape->dim[0]), "");
    size_t end = ((len + 1) / ALIGNMENT + 1) * ALIGNMENT; /* a whole line of blanks rather than none, as numpy */
    memset(out + len, ' ', end - len);
    out[end - 1] = '\n';
    size_t dict = end - start;
    memcpy(out, NPY_MAGIC "\1\0", NPY_MAGIC_LEN + 2);
    out[NPY_MAGIC_LEN + 2] = (char)(dict & 0xff);
    out[NPY_MAGIC_LEN + 3] = (char)(dict >> 8);
    return end;
}
