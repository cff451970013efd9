#include "api/codec_json_decoder.h"

#include <stdio.h>
#include <string.h>

/* As much of `text` as there is room for. */
static void append(struct decoder *d, const char *text)
{
    size_t room = sizeof(d->pointer) - 1 - d->pointer_len, len = strlen(text);
    size_t n = len < room ? len : room;
    memcpy(d->pointer + d->pointer_len, text, n);
    d->pointer_len += n;
    d->pointer[d->pointer_len] = '\0';
}

size_t decoder_enter(struct decoder *d, const char *name, size_t index)
{
    size_t before = d->pointer_len;
    char number[24];
    if (name == NULL)
        snprintf(number, sizeof(number), "%zu", index);
    append(d, "/");
    append(d, name != NULL ? name : number);
    return before;
}

void decoder_copy_pointer(const struct decoder *d, size_t len, char out[CALL_POINTER_MAX])
{
    size_t n = len < CALL_POINTER_MAX ? len : CALL_POINTER_MAX - 1;
    memcpy(out, d->pointer, n);
    out[n] = '\0';
}

void decoder_leave(struct decoder *d, size_t length)
{
    d->pointer_len = length;
    d->pointer[length] = '\0';
}

bool decoder_member(struct json *json, struct bytes name, void *ctx)
{
    const struct decoder_members *members = ctx;
    for (size_t i = 0; i < members->count; i++) {
        if (!bytes_equal(name, members->rows[i].name))
            continue;
        size_t before = decoder_enter(members->decoder, members->rows[i].name, 0);
        if (!members->rows[i].read(members->decoder))
            return false;
        decoder_leave(members->decoder, before);
        return true;
    }
    return json_skip(json);
}

/* The last name on the pointer, with the number of an element behind it: "outputs/0". */
static const char *here(const struct decoder *d)
{
    const char *at = d->pointer + d->pointer_len;
    do {
        while (at > d->pointer && *--at != '/')
            ;
    } while (at > d->pointer && at[1] >= '0' && at[1] <= '9');
    return d->pointer_len > 0 ? at + 1 : "the document";
}

bool decoder_refuse_kind(struct decoder *d, const char *what)
{
    enum json_kind kind = json_peek(&d->json);
    return json_skip(&d->json) && problem_set(d->err, PROBLEM_INVALID_REQUEST, d->pointer, "%s must be %s, not %s",
                                              here(d), what, json_kind_name(kind));
}

bool decoder_not_offered(struct decoder *d)
{
    return problem_set(d->err, PROBLEM_NOT_OFFERED, d->pointer, "%s is not offered by this server: leave it out",
                       here(d));
}

bool decoder_null(struct decoder *d)
{
    return json_peek(&d->json) == JSON_NULL && json_skip(&d->json);
}

bool decoder_object(struct decoder *d, const struct decoder_members *members)
{
    struct decoder_members ctx = *members;
    if (json_peek(&d->json) != JSON_OBJECT)
        return decoder_refuse_kind(d, "an object");
    return json_object(&d->json, decoder_member, &ctx);
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
