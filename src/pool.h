/* The worker pool: libuv's threads, and a bound on how much may wait for them.
 *
 * A job is handed over with pool_submit and comes back to the loop that submitted it; between the two it, and
 * all it points to, belongs to the pool. Submitting and cancelling are done on the thread of that loop.
 *
 * To wake a worker, and the loop when it is done, costs as much as a small job. So small jobs are collected
 * over a turn of the loop and then handed over in groups, each of which a worker runs one after the other.
 */
#ifndef SRC_POOL_H
#define SRC_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

struct pool {
    unsigned threads, max_inflight;
    atomic_uint inflight; /* jobs submitted and not yet back */
    atomic_uint running;  /* of these, with a worker */
    uv_work_t first;      /* private */
};

struct job {
    void (*run)(struct job *job);                  /* on a worker */
    void (*back)(struct job *job, bool cancelled); /* on the loop; cancelled: run was not called */
    struct pool *pool;                             /* this and what follows is private */
    struct job *next;                              /* of its group */
    bool grouped;                                  /* shares a `work`, or will: cannot be cancelled */
    uv_work_t work;                                /* used by the first of a group, for all of it */
};

/* What a job is a member of. */
#define job_owner(job, type, member) ((type *)(void *)((char *)(job) - offsetof(type, member)))

/* The small jobs of one turn of a loop. Private. */
struct pool_turn {
    struct pool *pool;
    uv_loop_t *loop;
    uv_prepare_t prepare; /* before the loop waits */
    struct job *first, *last;
    unsigned count;
};

/* Sets the number of threads; only before the first job of the process. */
void pool_init(struct pool *pool, unsigned threads, unsigned max_inflight);

/* Has the threads made, once loops run. libuv would make them when the first job comes, and end the
 * process if it could not: with this it is known at the start. False if they cannot be had. */
bool pool_start(struct pool *pool, uv_loop_t *loop);

/* False, with nothing done, if too many jobs are in flight. */
bool pool_submit(struct pool *pool, uv_loop_t *loop, struct job *job);

/* Opens a handle on the loop, which whoever closes the loop closes. */
void pool_turn_init(struct pool_turn *turn, struct pool *pool, uv_loop_t *loop);

/* As pool_submit, for a job that takes well below a millisecond: it goes along with others. */
bool pool_turn_submit(struct pool_turn *turn, struct job *job);

/* Takes back a job that no worker has started; `back` is called later, as ever. False if it is running or
 * done, or goes along with others. */
bool pool_cancel(struct job *job);

#endif
