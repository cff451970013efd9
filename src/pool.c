#include "src/pool.h"

#include <stdio.h>
#include <stdlib.h>

void pool_init(struct pool *pool, unsigned threads, unsigned max_inflight)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", threads);
    setenv("UV_THREADPOOL_SIZE", text, 1); /* libuv reads it when the first job comes */
    pool->threads = threads;
    pool->max_inflight = max_inflight;
    atomic_init(&pool->running, 0);
    atomic_init(&pool->inflight, 0);
}

static void on_work(uv_work_t *work)
{
    struct job *job = work->data;
    struct pool *pool = job->pool;
    atomic_fetch_add_explicit(&pool->running, 1, memory_order_relaxed);
    job->run(job);
    atomic_fetch_sub_explicit(&pool->running, 1, memory_order_relaxed);
}

static void on_back(uv_work_t *work, int status)
{
    struct job *job = work->data;
    atomic_fetch_sub_explicit(&job->pool->inflight, 1, memory_order_relaxed);
    job->back(job, status == UV_ECANCELED);
}

bool pool_submit(struct pool *pool, uv_loop_t *loop, struct job *job)
{
    if (atomic_fetch_add_explicit(&pool->inflight, 1, memory_order_relaxed) >= pool->max_inflight) {
        atomic_fetch_sub_explicit(&pool->inflight, 1, memory_order_relaxed);
        return false;
    }
    job->pool = pool;
    job->work.data = job;
    int status = uv_queue_work(loop, &job->work, on_work, on_back);
    if (status != 0)
        atomic_fetch_sub_explicit(&pool->inflight, 1, memory_order_relaxed);
    return status == 0;
}

bool pool_cancel(struct job *job)
{
    return uv_cancel((uv_req_t *)&job->work) == 0;
}
