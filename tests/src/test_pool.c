#include "src/pool.h"

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

/* Jobs that wait until they are let go, on a pool of one thread. */
struct work {
    struct job job;
    sem_t *gate; /* NULL: does not wait */
    uv_thread_t ran_on;
    bool ran, back, cancelled;
};

static void run(struct job *job)
{
    struct work *work = (struct work *)job;
    if (work->gate != NULL)
        sem_wait(work->gate);
    work->ran_on = uv_thread_self();
    work->ran = true;
}

static void back(struct job *job, bool cancelled)
{
    struct work *work = (struct work *)job;
    work->back = true;
    work->cancelled = cancelled;
}

static struct work make(sem_t *gate)
{
    return (struct work){.job = {.run = run, .back = back}, .gate = gate};
}

static void start(uv_loop_t *loop, struct pool *pool, unsigned max_inflight)
{
    pool_init(pool, 1, max_inflight);
    ck_assert_int_eq(uv_loop_init(loop), 0);
}

START_TEST(runs_elsewhere_and_comes_back)
{
    uv_loop_t loop;
    struct pool pool;
    start(&loop, &pool, 10);
    struct work work = make(NULL);
    ck_assert(pool_submit(&pool, &loop, &work.job));
    ck_assert(!work.back);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_thread_t self = uv_thread_self();
    ck_assert(work.ran && work.back && !work.cancelled);
    ck_assert(!uv_thread_equal(&work.ran_on, &self));
    ck_assert_uint_eq(atomic_load(&pool.inflight), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

START_TEST(takes_no_more_than_its_bound)
{
    uv_loop_t loop;
    struct pool pool;
    start(&loop, &pool, 3);
    sem_t gate;
    sem_init(&gate, 0, 0);
    struct work works[4] = {make(&gate), make(&gate), make(&gate), make(&gate)};
    for (int i = 0; i < 3; i++)
        ck_assert(pool_submit(&pool, &loop, &works[i].job));
    ck_assert(!pool_submit(&pool, &loop, &works[3].job));
    for (int i = 0; i < 3; i++)
        sem_post(&gate);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(works[0].back && works[1].back && works[2].back && !works[3].ran && !works[3].back);
    works[3].gate = NULL;
    ck_assert(pool_submit(&pool, &loop, &works[3].job)); /* there is room again */
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(works[3].ran);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

START_TEST(cancels_what_waits_but_not_what_runs)
{
    uv_loop_t loop;
    struct pool pool;
    start(&loop, &pool, 10);
    sem_t gate;
    sem_init(&gate, 0, 0);
    struct work running = make(&gate), waiting = make(NULL);
    ck_assert(pool_submit(&pool, &loop, &running.job));
    ck_assert(pool_submit(&pool, &loop, &waiting.job));
    uv_sleep(50); /* the one thread has taken the first by then */
    ck_assert(!pool_cancel(&running.job));
    ck_assert(pool_cancel(&waiting.job));
    sem_post(&gate);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(running.ran && !running.cancelled);
    ck_assert(!waiting.ran && waiting.back && waiting.cancelled);
    ck_assert_uint_eq(atomic_load(&pool.inflight), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

SUITE("pool", TEST_ONE(runs_elsewhere_and_comes_back) TEST_ONE(takes_no_more_than_its_bound)
                  TEST_ONE(cancels_what_waits_but_not_what_runs))
