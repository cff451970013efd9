#include "api/codec_json_decoder.h"

#include <stdarg.h>
#include <string.h>

static struct bytes step_text(const struct decoder_step *step, char digits[DECIMAL_MAX])
{
    return step->name.ptr != NULL ? step->name : bytes_decimal((int64_t)step->index, digits);
}

/* Steps [from, to) as a JSON pointer, as far as there is room. No name of ours has a character to be escaped. */
static const char *write_steps(const struct decoder *d, int from, int to, char out[CALL_POINTER_MAX])
{
    char digits[DECIMAL_MAX], *next = out;
    const char *const end = out + CALL_POINTER_MAX - 1;
    for (int i = from; i < to; i++) {
        struct bytes text = step_text(&d->step[i], digits);
        if (text.len >= (size_t)(end - next))
            break;
        *next++ = '/';
        memcpy(next, text.ptr, text.len);
        next += text.len;
    }
    *next = '\0';
    return out;
}

const char *decoder_pointer(const struct decoder *d, int depth, char out[CALL_POINTER_MAX])
{
    return write_steps(d, 0, depth, out);
}

bool decoder_member(struct json *json, struct bytes name, void *ctx)
{
    const struct decoder_members *members = ctx;
    struct decoder *d = members->decoder;
    const struct decoder_member *row = members->rows, *end = row + members->count;
    while (row < end && !bytes_same(row->name, name))
        row++;
    if (row == end)
        return json_skip(json);
    decoder_enter(d, row->name);
    if (!row->read(d))
        return false;
    decoder_leave(d);
    return true;
}

bool decoder_refuse(struct decoder *d, enum problem_code code, const char *format, ...)
{
    char pointer[CALL_POINTER_MAX];
    va_list args;
    va_start(args, format);
    problem_vset(d->err, code, decoder_pointer(d, d->depth, pointer), format, args);
    va_end(args);
    return false;
}

/* The last name on the way, with the number of an element behind it: "outputs/0". */
static const char *here(const struct decoder *d, char out[CALL_POINTER_MAX])
{
    int from = d->depth - 1;
    while (from > 0 && d->step[from].name.ptr == NULL)
        from--;
    return d->depth > 0 ? write_steps(d, from, d->depth, out) + 1 : "the document";
}

bool decoder_refuse_kind(struct decoder *d, const char *what)
{
    char name[CALL_POINTER_MAX];
    enum json_kind kind = json_peek(&d->json);
    return json_skip(&d->json) && decoder_refuse(d, PROBLEM_INVALID_REQUEST, "%s must be %s, not %s", here(d, name), what,
                                                 json_kind_name(kind));
}

bool decoder_not_offered(struct decoder *d)
{
    char name[CALL_POINTER_MAX];
    return decoder_refuse(d, PROBLEM_NOT_OFFERED, "%s is not offered by this server: leave it out", here(d, name));
}

bool decoder_null(struct decoder *d)
{
    return json_peek(&d->json) == JSON_NULL && json_skip(&d->json);
}

bool decoder_object(struct decoder *d, struct decoder_members *members)
{
    if (json_peek(&d->json) != JSON_OBJECT)
        return decoder_refuse_kind(d, "an object");
    return json_object(&d->json, decoder_member, members);
}

bool decoder_array(struct decoder *d, json_element_fn *element, const char *what)
{
    if (json_peek(&d->json) != JSON_ARRAY)
        return decoder_refuse_kind(d, what);
    return json_array(&d->json, element, d);
}

bool decoder_text(struct decoder *d, struct bytes *ret)
{
    if (json_peek(&d->json) != JSON_STRING)
        return decoder_refuse_kind(d, "a string");
    return json_string(&d->json, ret);
}

bool decoder_choice(struct decoder *d, enum choice *ret)
{
    enum json_kind kind = json_peek(&d->json);
    if (kind != JSON_TRUE && kind != JSON_FALSE)
        return decoder_refuse_kind(d, "true or false");
    *ret = kind == JSON_TRUE ? CHOICE_YES : CHOICE_NO;
    return json_skip(&d->json);
}

int decoder_find_input(const struct decoder *d, struct bytes name)
{
    for (int i = 0; i < d->call->op->inputs; i++)
        if (bytes_equal(name, d->call->op->in[i].name))
            return i;
    return -1;
}
