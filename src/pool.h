/* The worker pool: libuv's threads, and a bound on how much may wait for them.
 *
 * A job is handed over with pool_submit and comes back to the loop that submitted it; between the two it, and
 * all it points to, belongs to the pool. Submitting and cancelling are done on the thread of that loop.
 */
#ifndef SRC_POOL_H
#define SRC_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <uv.h>

struct pool {
    unsigned threads, max_inflight;
    atomic_uint inflight; /* jobs submitted and not yet back */
    atomic_uint running;  /* of these, with a worker */
};

struct job {
    void (*run)(struct job *job);                  /* on a worker */
    void (*back)(struct job *job, bool cancelled); /* on the loop; cancelled: run was not called */
    struct pool *pool;                             /* this and what follows is private */
    uv_work_t work;
};

/* Sets the number of threads; only before the first job of the process. */
void pool_init(struct pool *pool, unsigned threads, unsigned max_inflight);

/* False, with nothing done, if too many jobs are in flight. */
bool pool_submit(struct pool *pool, uv_loop_t *loop, struct job *job);

/* Takes back a job that no worker has started; `back` is called later, as ever. False if it is running or
 * done. */
bool pool_cancel(struct job *job);

#endif
