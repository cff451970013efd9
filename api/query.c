#include "api/query.h"

#include <inttypes.h>
#include <stdio.h>

#include "api/percent.h"

struct reader {
    struct arena *arena;
    struct call *call;
    struct query *query;
    struct problem *err;
};

/* ---- texts ---- */

static bool decode(struct arena *arena, struct bytes raw, struct bytes *ret, struct problem *err)
{
    *ret = raw;
    if (raw.len == 0 || memchr(raw.ptr, '%', raw.len) == NULL)
        return true;
    uint8_t *out = arena_alloc(arena, raw.len, 1);
    if (out == NULL)
        return problem_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < raw.len; i++) {
        int byte = raw.ptr[i] == '%' ? percent_byte(raw, i) : raw.ptr[i];
        if (byte < 0)
            return problem_set(err, PROBLEM_BAD_TARGET, NULL, "'%%' in the query must be followed by two hexadecimal "
                               "digits (a '%%' itself is %%25)");
        i += raw.ptr[i] == '%' ? 2 : 0;
        out[n++] = (uint8_t)byte;
    }
    *ret = (struct bytes){.ptr = out, .len = n};
    return true;
}

/* Cuts what comes before `mark` off the front of *rest; all of it if there is no mark. */
static struct bytes cut(struct bytes *rest, char mark)
{
    const uint8_t *at = rest->len > 0 ? memchr(rest->ptr, mark, rest->len) : NULL;
    size_t len = at != NULL ? (size_t)(at - rest->ptr) : rest->len;
    size_t past = at != NULL ? len + 1 : len;
    struct bytes ret = bytes_slice(*rest, 0, len);
    *rest = bytes_slice(*rest, past, rest->len - past);
    return ret;
}

/* A decimal integer without blanks, plus sign or leading zeros. */
static bool parse_integer(struct bytes text, int64_t *ret)
{
    bool negative = text.len > 0 && text.ptr[0] == '-';
    struct bytes digits = bytes_slice(text, negative, text.len - negative);
    int64_t value = 0;
    if (digits.len == 0 || (digits.len > 1 && digits.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        int digit = digits.ptr[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            return false;
    }
    *ret = value;
    return true;
}

/* How many entries a list has: one more than commas, but none if it is empty. */
static size_t list_length(struct bytes text)
{
    size_t n = text.len > 0 ? 1 : 0;
    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == ',';
    return n;
}

static bool parse_list(struct bytes text, const char *name, int64_t *out, size_t n, struct problem *err)
{
    for (size_t i = 0; i < n; i++) {
        char pointer[CALL_POINTER_MAX];
        struct bytes entry = cut(&text, ',');
        if (parse_integer(entry, &out[i]))
            continue;
        snprintf(pointer, sizeof(pointer), "/%s", name);
        return problem_set(err, PROBLEM_INVALID_DATA, pointer, "?%s= must be integers between commas, such as 2,3,6, but "
                           "entry %zu is \"%.*s\"", name, i, problem_quote(entry),
                           (const char *)entry.ptr);
    }
    return true;
}

/* ---- parameters ---- */

static bool refuse_double(struct reader *r, const char *name)
{
    char pointer[CALL_POINTER_MAX];
    snprintf(pointer, sizeof(pointer), "/%s", name);
    return problem_set(r->err, PROBLEM_INVALID_REQUEST, pointer, "?%s= is there twice: leave one out", name);
}

static bool read_datatype(struct reader *r, struct bytes value)
{
    if (r->query->dtype != DTYPE_NONE)
        return refuse_double(r, "datatype");
    r->query->dtype = dtype_find((const char *)value.ptr, value.len);
    if (r->query->dtype != DTYPE_NONE)
        return true;
    return problem_set(r->err, PROBLEM_UNSUPPORTED_DATATYPE, "/datatype", "?datatype=%.*s is no type: it must be one such "
                       "as FP32, INT64 or BYTES", problem_quote(value), (const char *)value.ptr);
}

static bool read_dims(struct reader *r, struct bytes value)
{
    struct shape *dims = &r->query->dims;
    size_t rank = list_length(value);
    if (r->query->has_dims)
        return refuse_double(r, "dims");
    if (rank > SHAPE_MAX_RANK)
        return problem_set(r->err, PROBLEM_INVALID_SHAPE, "/dims", "?dims= has %zu sizes, but at most %d are possible",
                           rank, SHAPE_MAX_RANK);
    if (!parse_list(value, "dims", dims->dim, rank, r->err))
        return false;
    for (size_t i = 0; i < rank; i++)
        if (dims->dim[i] < 0)
            return problem_set(r->err, PROBLEM_INVALID_SHAPE, "/dims", "?dims= has the negative size %" PRId64,
                               dims->dim[i]);
    dims->rank = (int)rank;
    r->query->has_dims = true;
    return true;
}

/* The small input, as a one-dimensional tensor. */
static bool read_input(struct reader *r, int index, struct bytes value)
{
    const char *name = r->call->op->in[index].name;
    struct call_input *input = &r->call->in[index];
    size_t n = list_length(value);
    if (input->given)
        return refuse_double(r, name);
    int64_t *data = arena_alloc(r->arena, n, sizeof(*data));
    if (data == NULL)
        return problem_memory(r->err);
    if (!parse_list(value, name, data, n, r->err))
        return false;
    input->given = true;
    tensor_init(&input->tensor, DTYPE_INT64, &(struct shape){.rank = 1, .dim = {(int64_t)n}}, data);
    return true;
}

static bool read_parameter(struct reader *r, struct bytes name, struct bytes value)
{
    if (bytes_equal(name, "datatype"))
        return read_datatype(r, value);
    if (bytes_equal(name, "dims"))
        return read_dims(r, value);
    for (int i = 0; i < r->call->op->inputs; i++)
        if (r->call->op->in[i].types == DTYPE_BIT(INT64) && bytes_equal(name, r->call->op->in[i].name))
            return read_input(r, i, value);
    return true;
}

bool query_read(struct arena *arena, const char *text, struct call *call, struct query *ret, struct problem *err)
{
    struct reader r = {.arena = arena, .call = call, .query = ret, .err = err};
    struct bytes rest = bytes_of(text != NULL ? text : "");
    *ret = (struct query){.dtype = DTYPE_NONE};
    while (rest.len > 0) {
        struct bytes raw_value = cut(&rest, '&');
        struct bytes raw_name = cut(&raw_value, '=');
        struct bytes name, value;
        if (!decode(arena, raw_name, &name, err) || !decode(arena, raw_value, &value, err) ||
            !read_parameter(&r, name, value))
            return false;
    }
    return true;
}
