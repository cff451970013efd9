#include "api/codec_json_print.h"

#include <assert.h>
#include <string.h>

#include "api/codec_json_text.h"

/* Elements at a time: whole bytes of 4- and 2-bit types, too. */
#define BATCH ((int64_t)256)

/* Picoseconds a byte, as measured with floats of nine digits. */
#define COST_PRINT 2000

struct print_source {
    struct source base;
    struct source *elements; /* of the output, in binary */
    enum dtype dtype;
    int64_t unread;          /* of these */
    uint64_t left;           /* bytes of text to come */
    struct bytes rest;       /* of the text of a batch */
    uint8_t *raw, *text;     /* room for a batch */
};

static int64_t batch_of(int64_t left)
{
    return left < BATCH ? left : BATCH;
}

static size_t raw_bytes(enum dtype dtype, int64_t elements)
{
    int64_t bytes = 0;
    dtype_bytes(dtype, elements, &bytes);
    return (size_t)bytes;
}

static void print_batch(struct print_source *s)
{
    assert(s->unread > 0);
    int64_t n = batch_of(s->unread);
    source_pull(s->elements, s->raw, raw_bytes(s->dtype, n));
    s->rest = (struct bytes){.ptr = s->text, .len = codec_json_numbers(s->dtype, s->raw, n, s->text, NULL)};
    s->unread -= n;
}

static size_t pull_print(struct source *self, uint8_t *out, size_t n)
{
    struct print_source *s = (struct print_source *)self;
    const size_t want = s->left < n ? (size_t)s->left : n;
    for (size_t done = 0; done < want;) {
        if (s->rest.len == 0)
            print_batch(s);
        size_t take = s->rest.len < want - done ? s->rest.len : want - done;
        memcpy(out + done, s->rest.ptr, take);
        s->rest = bytes_slice(s->rest, take, s->rest.len - take);
        done += take;
    }
    s->left -= want;
    return want;
}

/* Length of the text of a dense tensor, with a ',' behind each element. */
static uint64_t measure(const struct tensor *tensor, int64_t count, uint8_t *scratch)
{
    uint64_t len = 0;
    const uint8_t *in = tensor->data;
    for (int64_t done = 0; done < count; done += BATCH) {
        int64_t n = batch_of(count - done);
        len += codec_json_numbers(tensor->dtype, in, n, scratch, NULL);
        in += raw_bytes(tensor->dtype, n);
    }
    return len;
}

static struct print_source *make(const struct output *output)
{
    const enum dtype dtype = output->view->dtype;
    struct arena *arena = output->arena;
    struct print_source *ret = arena_alloc(arena, 1, sizeof(*ret));
    size_t room;
    if (ret == NULL || !codec_json_room(dtype, BATCH, &room))
        return NULL;
    *ret = (struct print_source){
        .dtype = dtype,
        .elements = source_view(arena, output->view),
        .raw = arena_alloc(arena, raw_bytes(dtype, BATCH), 1),
        .text = arena_alloc(arena, room, 1),
    };
    return ret->elements != NULL && ret->raw != NULL && ret->text != NULL ? ret : NULL;
}

struct source *codec_json_print(const struct output *output, int64_t in, int64_t out)
{
    struct print_source *s = make(output);
    if (s == NULL)
        return output_made(output, NULL);
    assert(out % in == 0); /* a view repeats each element of its input equally often */
    uint64_t length = measure(output->input, in, s->text);
    if (__builtin_mul_overflow(length, (uint64_t)(out / in), &length) || length - 1 > output->max_bytes)
        return output_too_large(output);
    s->base = (struct source){.length = length - 1, .cost = COST_PRINT, .pull = pull_print};
    s->left = length - 1; /* no ',' behind the last */
    s->unread = out;
    return &s->base;
}
