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

static void wait_at(void *gate)
{
    uv_sem_wait(gate);
}

/* Makes so many threads, for a moment. */
static bool threads_to_be_had(unsigned count)
{
    uv_sem_t gate;
    unsigned made = 0;
    uv_thread_t *thread = calloc(count, sizeof(*thread));
    if (thread == NULL || uv_sem_init(&gate, 0) != 0) {
        free(thread);
        return false;
    }
    while (made < count && uv_thread_create(&thread[made], wait_at, &gate) == 0)
        made++;
    for (unsigned i = 0; i < made; i++)
        uv_sem_post(&gate);
    for (unsigned i = 0; i < made; i++)
        uv_thread_join(&thread[i]);
    uv_sem_destroy(&gate);
    free(thread);
    return made == count;
}

static void on_first(uv_work_t *work)
{
    (void)work;
}

static void on_first_back(uv_work_t *work, int status)
{
    (void)work;
    (void)status;
}

bool pool_start(struct pool *pool, uv_loop_t *loop)
{
    return threads_to_be_had(pool->threads) && uv_queue_work(loop, &pool->first, on_first, on_first_back) == 0;
}

static void on_work(uv_work_t *work)
{
    for (struct job *job = work->data; job != NULL; job = job->next) {
        atomic_fetch_add_explicit(&job->pool->running, 1, memory_order_relaxed);
        job->run(job);
        atomic_fetch_sub_explicit(&job->pool->running, 1, memory_order_relaxed);
    }
}

static void on_back(uv_work_t *work, int status)
{
    struct job *next;
    for (struct job *job = work->data; job != NULL; job = next) {
        next = job->next; /* the job may be gone after this: */
        atomic_fetch_sub_explicit(&job->pool->inflight, 1, memory_order_relaxed);
        job->back(job, status == UV_ECANCELED);
    }
}

static bool take(struct pool *pool, struct job *job)
{
    if (atomic_fetch_add_explicit(&pool->inflight, 1, memory_order_relaxed) >= pool->max_inflight) {
        atomic_fetch_sub_explicit(&pool->inflight, 1, memory_order_relaxed);
        return false;
    }
    job->pool = pool;
    job->next = NULL;
    job->grouped = false;
    return true;
}

static void hand_over(uv_loop_t *loop, struct job *first)
{
    first->work.data = first;
    uv_queue_work(loop, &first->work, on_work, on_back); /* fails only without a function */
}

bool pool_submit(struct pool *pool, uv_loop_t *loop, struct job *job)
{
    if (!take(pool, job))
        return false;
    hand_over(loop, job);
    return true;
}

bool pool_cancel(struct job *job)
{
    return !job->grouped && uv_cancel((uv_req_t *)&job->work) == 0;
}

/* ---- a turn -------------------------------------------------------------------------------------------- */

/* So that others need not wait long for a worker. */
#define GROUP_MAX 16

/* Takes a group of n jobs, or all there are, off the front. */
static struct job *cut_group(struct pool_turn *turn, unsigned n)
{
    struct job *first = turn->first, *last = first;
    for (turn->count--; n > 1 && last->next != NULL; n--, turn->count--)
        last = last->next;
    turn->first = last->next;
    last->next = NULL;
    first->grouped = last != first;
    return first;
}

/* To as many workers as there are, if there is that much. */
static void on_prepare(uv_prepare_t *prepare)
{
    struct pool_turn *turn = prepare->data;
    unsigned share = (turn->count + turn->pool->threads - 1) / turn->pool->threads;
    while (turn->first != NULL)
        hand_over(turn->loop, cut_group(turn, share < GROUP_MAX ? share : GROUP_MAX));
    uv_prepare_stop(prepare);
}

void pool_turn_init(struct pool_turn *turn, struct pool *pool, uv_loop_t *loop)
{
    *turn = (struct pool_turn){.pool = pool, .loop = loop};
    uv_prepare_init(loop, &turn->prepare);
    turn->prepare.data = turn;
}

bool pool_turn_submit(struct pool_turn *turn, struct job *job)
{
    if (!take(turn->pool, job))
        return false;
    job->grouped = true;
    if (turn->first == NULL)
        turn->first = job;
    else
        turn->last->next = job;
    turn->last = job;
    if (turn->count++ == 0)
        uv_prepare_start(&turn->prepare, on_prepare);
    return true;
}
