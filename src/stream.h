/* A body pulled ahead by the worker pool, so that costly bytes (those of gzip) never hold up the
 * loop.
 *
 * Two blocks. Each has one owner at a time: EMPTY and FULL the loop, FILLING the worker. A source is pulled
 * in order, so at most one block is FILLING, while the loop reads the other. A job is one block of work, so
 * that no body, however long, keeps a worker from others.
 *
 * All functions are called on the loop's thread; the source belongs to the stream until stream_busy is false.
 */
#ifndef SRC_STREAM_H
#define SRC_STREAM_H

#include "api/source.h"
#include "src/pool.h"

#define STREAM_BLOCK_BYTES ((size_t)256 << 10)

enum stream_block_state { STREAM_EMPTY, STREAM_FILLING, STREAM_FULL };

struct stream_block {
    enum stream_block_state state;
    uint8_t *data; /* STREAM_BLOCK_BYTES */
    size_t len, read;
};

/* Fields are private, but `context`. */
struct stream {
    struct job job;
    struct source *source;
    struct pool *pool;
    uv_loop_t *loop;
    void (*ready)(struct stream *stream);
    void *context;
    struct stream_block block[2];
    struct stream_block *filling; /* or NULL; constant while a worker has it */
    unsigned at;   /* the block that is read, or waited for */
    bool ended;    /* the source has given its last byte */
    bool waiting;  /* stream_read had nothing, or stream_stop a job out: call ready */
};

/* `ready(stream)` is called on the loop when there is something again after a stream_read that had
 * nothing. The blocks come from the arena. False when there is no memory. */
bool stream_init(struct stream *stream, struct arena *arena, struct source *source, struct pool *pool, uv_loop_t *loop,
                 void (*ready)(struct stream *stream), void *context);

/* Copies up to n of the next bytes to out and has read blocks filled again. 0: at the end if stream_ended,
 * else there is nothing yet, and `ready` will be called. */
size_t stream_read(struct stream *stream, void *out, size_t n);

/* Every byte has been read. */
bool stream_ended(const struct stream *stream);

/* A worker has a block: nothing of the stream may be freed before it is back. */
bool stream_busy(const struct stream *stream);

/* Nobody will read any more: no further block is filled. If stream_busy, `ready` is called when the block
 * is back. */
void stream_stop(struct stream *stream);

#endif
