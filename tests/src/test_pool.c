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

static void start_turn(uv_loop_t *loop, struct pool *pool, struct pool_turn *turn, unsigned max_inflight)
{
    start(loop, pool, max_inflight);
    pool_turn_init(turn, pool, loop);
}

static void end_turn(uv_loop_t *loop, struct pool_turn *turn)
{
    ck_assert_uint_eq(atomic_load(&turn->pool->inflight), 0);
    uv_close((uv_handle_t *)&turn->prepare, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(loop), 0);
}

/* However many there are, in groups of any length: each runs once, elsewhere, and comes back. */
START_TEST(hands_over_the_jobs_of_a_turn_together)
{
    uv_loop_t loop;
    struct pool pool;
    struct pool_turn turn;
    start_turn(&loop, &pool, &turn, 1000);
    for (int n = 1; n <= 70; n++) {
        struct work works[70];
        for (int i = 0; i < n; i++) {
            works[i] = make(NULL);
            ck_assert(pool_turn_submit(&turn, &works[i].job));
        }
        uv_sleep(n % 16 == 0 ? 5 : 0); /* none is handed over before the loop waits */
        for (int i = 0; i < n; i++)
            ck_assert(!works[i].ran);
        uv_run(&loop, UV_RUN_DEFAULT);
        uv_thread_t self = uv_thread_self();
        for (int i = 0; i < n; i++)
            ck_assert(works[i].ran && works[i].back && !works[i].cancelled &&
                      !uv_thread_equal(&works[i].ran_on, &self));
    }
    end_turn(&loop, &turn);
}
END_TEST

START_TEST(bounds_a_turn_too)
{
    uv_loop_t loop;
    struct pool pool;
    struct pool_turn turn;
    start_turn(&loop, &pool, &turn, 2);
    struct work works[3] = {make(NULL), make(NULL), make(NULL)};
    ck_assert(pool_turn_submit(&turn, &works[0].job));
    ck_assert(pool_turn_submit(&turn, &works[1].job));
    ck_assert(!pool_turn_submit(&turn, &works[2].job));
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(works[0].back && works[1].back && !works[2].ran && !works[2].back);
    end_turn(&loop, &turn);
}
END_TEST

/* A job that waits alone is taken back; one that goes along with others, or has not gone yet, is not. */
START_TEST(cancels_of_a_turn_only_what_is_alone)
{
    uv_loop_t loop;
    struct pool pool;
    struct pool_turn turn;
    start_turn(&loop, &pool, &turn, 10);
    sem_t gate;
    sem_init(&gate, 0, 0);
    struct work running = make(&gate), alone = make(NULL), two[2] = {make(NULL), make(NULL)};
    ck_assert(pool_submit(&pool, &loop, &running.job));
    ck_assert(pool_turn_submit(&turn, &alone.job));
    ck_assert(!pool_cancel(&alone.job));
    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert(pool_turn_submit(&turn, &two[0].job));
    ck_assert(pool_turn_submit(&turn, &two[1].job));
    uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert(pool_cancel(&alone.job));
    ck_assert(!pool_cancel(&two[0].job) && !pool_cancel(&two[1].job));
    sem_post(&gate);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(!alone.ran && alone.cancelled);
    ck_assert(two[0].ran && two[1].ran && !two[0].cancelled && !two[1].cancelled);
    end_turn(&loop, &turn);
}
END_TEST

SUITE("pool", TEST_ONE(runs_elsewhere_and_comes_back) TEST_ONE(takes_no_more_than_its_bound)
                  TEST_ONE(cancels_what_waits_but_not_what_runs) TEST_ONE(hands_over_the_jobs_of_a_turn_together)
                  TEST_ONE(bounds_a_turn_too) TEST_ONE(cancels_of_a_turn_only_what_is_alone))
