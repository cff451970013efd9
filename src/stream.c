#include "src/stream.h"

#include <string.h>

bool stream_busy(const struct stream *stream)
{
    return stream->filling != NULL;
}

/* On whichever thread owns the block. */
static void fill(struct stream *stream, struct stream_block *block)
{
    block->len = source_pull(stream->source, block->data, STREAM_BLOCK_BYTES);
    block->read = 0;
}

/* On the loop, with the block that has been filled. */
static void filled(struct stream *stream, struct stream_block *block)
{
    block->state = STREAM_FULL;
    if (block->len < STREAM_BLOCK_BYTES)
        stream->ended = true;
}

static void on_fill(struct job *job)
{
    struct stream *stream = job_owner(job, struct stream, job);
    fill(stream, stream->filling);
}

static void fill_next(struct stream *stream);

static void on_filled(struct job *job, bool cancelled)
{
    struct stream *stream = job_owner(job, struct stream, job);
    struct stream_block *block = stream->filling;
    stream->filling = NULL;
    if (cancelled)
        block->state = STREAM_EMPTY;
    else
        filled(stream, block);
    fill_next(stream);
    if (stream->waiting) {
        stream->waiting = false;
        stream->ready(stream);
    }
}

/* Has the first empty block filled, in the order in which they are read. */
static void fill_next(struct stream *stream)
{
    if (stream->ended || stream_busy(stream))
        return;
    struct stream_block *block = &stream->block[stream->at];
    if (block->state != STREAM_EMPTY)
        block = &stream->block[1 - stream->at];
    if (block->state != STREAM_EMPTY)
        return;
    block->state = STREAM_FILLING;
    stream->filling = block;
    if (pool_submit(stream->pool, stream->loop, &stream->job))
        return;
    stream->filling = NULL;
    /* The pool takes no more: the answer has begun and must go on, so the loop does it. */
    fill(stream, block);
    filled(stream, block);
}

bool stream_init(struct stream *stream, struct arena *arena, struct source *source, struct pool *pool, uv_loop_t *loop,
                 void (*ready)(struct stream *stream), void *context)
{
    *stream = (struct stream){.source = source, .pool = pool, .loop = loop, .ready = ready, .context = context};
    stream->job = (struct job){.run = on_fill, .back = on_filled};
    for (size_t i = 0; i < 2; i++) {
        stream->block[i].data = arena_alloc(arena, STREAM_BLOCK_BYTES, 1);
        if (stream->block[i].data == NULL)
            return false;
    }
    fill_next(stream);
    return true;
}

size_t stream_read(struct stream *stream, void *out, size_t n)
{
    struct stream_block *block = &stream->block[stream->at];
    if (block->state != STREAM_FULL) {
        stream->waiting = !stream->ended;
        return 0;
    }
    size_t take = block->len - block->read < n ? block->len - block->read : n;
    memcpy(out, block->data + block->read, take);
    block->read += take;
    if (block->read == block->len) {
        block->state = STREAM_EMPTY;
        stream->at = 1 - stream->at;
        fill_next(stream);
    }
    return take;
}

bool stream_ended(const struct stream *stream)
{
    return stream->ended && stream->block[0].state == STREAM_EMPTY && stream->block[1].state == STREAM_EMPTY;
}

void stream_stop(struct stream *stream)
{
    stream->ended = true;
    stream->waiting = stream_busy(stream);
    if (stream->waiting)
        pool_cancel(&stream->job);
}
