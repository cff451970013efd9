#include "api/codec_json_data.h"

#include <stdio.h>
#include <string.h>

#include "api/json_number.h"

struct reader {
    struct json *json;
    const char *pointer;
    const struct tensor *tensor;
    bool (*element)(struct reader *r);
    const struct number_type *type; /* NULL for BYTES */
    size_t width;                   /* bytes from one element to the next */
    uint8_t *out;                   /* where the next one goes */
    int parts;                      /* numbers in an element: 2 if complex */
    int levels;                     /* of lists: 1 when flat, else the rank */
    int level;                      /* lists that have been entered */
    int64_t *at;                    /* the index in each of them */
};

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* The pointer of the element, or list, at at[0 .. levels). */
static const char *pointer_at(const struct reader *r, int levels, char *out, size_t size)
{
    int len = snprintf(out, size, "%s", r->pointer);
    for (int i = 0; i < levels && len < (int)size; i++)
        len += snprintf(out + len, size - (size_t)len, "/%lld", (long long)r->at[i]);
    return out;
}

static const char *dtype_name(const struct reader *r)
{
    return dtype_info(r->tensor->dtype)->name;
}

/* A value of this kind has been passed, but the type takes none such. */
static bool refuse_type(struct reader *r, enum json_kind kind)
{
    static const char *const takes[] = {
        [KIND_BOOL] = "true, false, 0 or 1",
        [KIND_UINT] = "whole numbers",
        [KIND_INT] = "whole numbers",
        [KIND_FLOAT] = "numbers, or \"NaN\", \"Infinity\", \"-Infinity\"",
        [KIND_COMPLEX] = "numbers (re, im, re, im), or \"NaN\", \"Infinity\", \"-Infinity\"",
        [KIND_STRING] = "strings",
    };
    char pointer[256], shape[64];
    pointer_at(r, r->level, pointer, sizeof(pointer));
    if (kind == JSON_ARRAY)
        return problem_set(r->json->err, PROBLEM_INVALID_DATA, pointer, "data must be flat, or nested exactly as shape "
                           "%s, but here is a list", shape_text(&r->tensor->shape, shape, sizeof(shape)));
    return problem_set(r->json->err, PROBLEM_INVALID_DATA, pointer, "data of %s takes %s, but here is %s",
                       dtype_name(r), takes[dtype_info(r->tensor->dtype)->kind], json_kind_name(kind));
}

/* Refuses the value at hand, for its syntax first. */
static bool refuse_kind(struct reader *r, enum json_kind kind)
{
    return json_skip(r->json) && refuse_type(r, kind);
}

static bool refuse_number(struct reader *r, const struct decimal *number, enum number_code code)
{
    char pointer[256];
    pointer_at(r, r->level, pointer, sizeof(pointer));
    int len = number->len < 40 ? (int)number->len : 40;
    const char *more = number->len > 40 ? "..." : "";
    if (code == NUMBER_NOT_INTEGER)
        return problem_set(r->json->err, PROBLEM_INVALID_DATA, pointer, "data of %s takes whole numbers, not %.*s%s",
                           dtype_name(r), len, number->text, more);
    return problem_set(r->json->err, PROBLEM_INVALID_DATA, pointer, "%.*s%s is out of range: data of %s may be %s", len,
                       number->text, more, dtype_name(r), r->type->range);
}

/* A list at `level` holds `found` elements (at least, when `more`), not `want`. */
static bool refuse_count(struct reader *r, int level, int64_t want, int64_t found)
{
    char pointer[256], shape[64];
    pointer_at(r, level, pointer, sizeof(pointer));
    const char *what = r->parts == 2 ? "numbers (re and im)" : "elements";
    shape_text(&r->tensor->shape, shape, sizeof(shape));
    return problem_set(r->json->err, PROBLEM_INVALID_DATA, pointer, "shape %s needs %lld %s %s, but data has %s %lld",
                       shape, (long long)want, r->levels == 1 || level == r->levels - 1 ? what : "lists",
                       r->levels == 1 ? "in all" : "in this list", found > want ? "more than" : "only",
                       (long long)(found > want ? want : found));
}

/* A string of data that is broken says which element it is. */
static bool refuse_string(struct reader *r)
{
    struct problem inner = *r->json->err;
    char pointer[256];
    if (inner.code == PROBLEM_OUT_OF_MEMORY)
        return false;
    pointer_at(r, r->level, pointer, sizeof(pointer));
    return problem_set(r->json->err, inner.code, pointer, "in data: %s", inner.detail);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static inline bool read_number(struct reader *r)
{
    struct decimal number;
    if (!json_number(r->json, &number))
        return false;
    enum number_code code = r->type->read(&number, r->out);
    return code == NUMBER_OK || refuse_number(r, &number, code);
}

static bool read_integer(struct reader *r)
{
    enum json_kind kind = json_peek(r->json);
    return kind == JSON_NUMBER ? read_number(r) : refuse_kind(r, kind);
}

static bool read_bool(struct reader *r)
{
    enum json_kind kind = json_peek(r->json);
    if (kind == JSON_NUMBER)
        return read_number(r);
    if (kind != JSON_TRUE && kind != JSON_FALSE)
        return refuse_kind(r, kind);
    *r->out = kind == JSON_TRUE;
    return json_skip(r->json);
}

/* A float that is written as a string. */
static bool read_special(struct reader *r)
{
    struct bytes text;
    if (!json_string(r->json, &text))
        return refuse_string(r);
    int value = 0;
    while (value < NUMBER_SPECIALS && !bytes_equal(text, number_special_name((enum number_special)value)))
        value++;
    if (value == NUMBER_SPECIALS)
        return refuse_type(r, JSON_STRING);
    if (r->type->special((enum number_special)value, r->out))
        return true;
    char pointer[256];
    return problem_set(r->json->err, PROBLEM_INVALID_DATA, pointer_at(r, r->level, pointer, sizeof(pointer)),
                       "data of %s may be %s: the type has no %s", dtype_name(r), r->type->range,
                       number_special_name((enum number_special)value));
}

static bool read_float(struct reader *r)
{
    enum json_kind kind = json_peek(r->json);
    if (kind == JSON_NUMBER)
        return read_number(r);
    return kind == JSON_STRING ? read_special(r) : refuse_kind(r, kind);
}

static bool read_string(struct reader *r)
{
    struct bytes text;
    enum json_kind kind = json_peek(r->json);
    if (kind != JSON_STRING)
        return refuse_kind(r, kind);
    if (!json_string(r->json, &text))
        return refuse_string(r);
    struct string string = {.ptr = (const char *)text.ptr, .len = text.len};
    memcpy(r->out, &string, sizeof(string));
    return true;
}

static bool (*const element_readers[])(struct reader *) = {
    [KIND_BOOL] = read_bool,   [KIND_UINT] = read_integer,  [KIND_INT] = read_integer,
    [KIND_FLOAT] = read_float, [KIND_COMPLEX] = read_float, [KIND_STRING] = read_string,
};

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* A list at `level` ends after `found` elements, or goes on (`more`) after the `count` that it may have. */
static bool end_list(struct reader *r, int level, int64_t count, int64_t found, bool more)
{
    if (more) /* bad syntax goes first */
        return json_skip(r->json) && refuse_count(r, level, count, found + 1);
    return found == count || refuse_count(r, level, count, found);
}

/* Reads at most `count` numbers, as long as each is an ordinary one with a ',' behind it, and stops before the first that
 * is not, or whose value is refused. Returns how many. Keeps its place in a register: through memory it would be what the
 * next number waits for. */
static int64_t read_quickly(struct reader *r, int64_t count)
{
    json_space(r->json);
    const uint8_t *next = r->json->next;
    const uint8_t *const end = r->json->end;
    struct decimal number;
    int64_t i = 0;
    for (; i < count; i++) {
        const uint8_t *behind = json_quick_number(next, end, &number);
        if (behind == NULL || *behind != ',' || r->type->read(&number, r->out) != NUMBER_OK)
            break;
        next = behind + 1;
        next += next < end && *next == ' ';
        r->out += r->width;
    }
    r->json->next = next;
    return i;
}

/* A list of `count` elements. */
static bool read_row(struct reader *r, int level, int64_t count)
{
    bool more;
    if (!json_open(r->json, '['))
        return false;
    r->level = level + 1;
    for (int64_t i = 0;; i++) {
        more = i > 0 && json_comma(r->json);
        if (!more && !json_more(r->json, ']', i == 0, &more))
            return false;
        if (!more || i == count)
            return end_list(r, level, count, i, more);
        if (r->type != NULL)
            i += read_quickly(r, count - 1 - i);
        r->at[level] = i;
        if (!r->element(r))
            return false;
        r->out += r->width;
    }
}

/* A list of lists down to the last level. */
static bool read_level(struct reader *r, int level)
{
    bool more;
    int64_t count = r->tensor->shape.dim[level];
    if (level == r->levels - 1)
        return read_row(r, level, count * r->parts);
    if (!json_open(r->json, '['))
        return false;
    for (int64_t i = 0; json_more(r->json, ']', i == 0, &more); i++) {
        if (!more || i == count)
            return end_list(r, level, count, i, more);
        r->at[level] = i;
        r->level = level + 1;
        enum json_kind kind = json_peek(r->json);
        if (kind != JSON_ARRAY)
            return refuse_kind(r, kind);
        if (!read_level(r, level + 1))
            return false;
    }
    return false;
}

/* The first thing in the list at hand is a list itself. */
static bool is_nested(const struct json *json)
{
    struct json ahead = *json;
    struct problem ignored;
    ahead.err = &ignored;
    return json_open(&ahead, '[') && json_peek(&ahead) == JSON_ARRAY;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Elements of 4 and 2 bits were read into a byte each; packs them in place, low bits first. */
static void pack(uint8_t *codes, int64_t count, unsigned bits)
{
    unsigned per_byte = 8 / bits;
    unsigned mask = (1u << bits) - 1;
    for (int64_t i = 0; i < count; i++) {
        unsigned shift = bits * (unsigned)(i % per_byte);
        unsigned code = (codes[i] & mask) << shift;
        uint8_t *byte = &codes[i / per_byte];
        *byte = (uint8_t)(shift == 0 ? code : *byte | code);
    }
}

static bool read_value(struct reader *r, int64_t numbers)
{
    const struct shape *shape = &r->tensor->shape;
    enum json_kind kind = json_peek(r->json);
    if (kind != JSON_ARRAY && shape->rank == 0 && r->parts == 1)
        return r->element(r);
    if (kind != JSON_ARRAY)
        return json_skip(r->json) && problem_set(r->json->err, PROBLEM_INVALID_DATA, r->pointer,
                                                 "data must be an array, not %s", json_kind_name(kind));
    if (shape->rank < 2 || !is_nested(r->json))
        return read_row(r, 0, numbers);
    r->levels = shape->rank;
    return read_level(r, 0);
}

/* No text can hold more numbers than half its bytes ("1,", but "1" at the end), so that a shape alone costs no memory. */
static bool may_hold(const struct json *json, int64_t numbers)
{
    return (uint64_t)numbers <= (uint64_t)(json->end - json->next + 1) / 2;
}

static bool refuse_size(const struct reader *r, int64_t numbers)
{
    char shape[64];
    return problem_set(r->json->err, PROBLEM_INVALID_DATA, r->pointer,
                       "shape %s needs %lld %s, more than there are in data",
                       shape_text(&r->tensor->shape, shape, sizeof(shape)), (long long)numbers,
                       r->parts == 2 ? "numbers (re and im)" : "elements");
}

bool codec_json_data(struct json *json, const char *pointer, struct tensor *tensor)
{
    const struct dtype_info *info = dtype_info(tensor->dtype);
    const struct number_type *type = number_type_of(tensor->dtype);
    int64_t at[SHAPE_MAX_RANK];
    struct reader r = {
        .json = json, .pointer = pointer, .tensor = tensor, .element = element_readers[info->kind], .type = type,
        .width = type != NULL ? type->width : sizeof(struct string),
        .parts = info->kind == KIND_COMPLEX ? 2 : 1, .levels = 1, .at = at,
    };
    int64_t count = 0;
    if (!shape_elements(&tensor->shape, &count))
        return problem_set(json->err, PROBLEM_INVALID_SHAPE, pointer, "the shape of this data is not representable");
    int64_t numbers = count <= INT64_MAX / 2 ? count * r.parts : INT64_MAX;
    if (!may_hold(json, numbers))
        return refuse_size(&r, numbers);
    uint8_t *data = arena_alloc(json->arena, (size_t)numbers, r.width);
    if (data == NULL)
        return problem_memory(json->err);
    r.out = data;
    if (!read_value(&r, numbers))
        return false;
    if (info->bits < 8)
        pack(data, count, info->bits);
    tensor->data = data;
    return true;
}
