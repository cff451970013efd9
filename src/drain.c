#include "src/drain.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/loop.h"

#define POLL_MS 10

#define NS_PER_MS ((uint64_t)1000000)

/* How long workers may take to come back after everything has been cut off. */
#define LAST_NS ((uint64_t)2000000000)

/* How long the log may take, of a process that ends, and of one that is to end at once. */
#define LOG_END_MS 1000
#define LOG_NOW_MS 50

static void finish(struct drain *drain)
{
    drain->stage = DRAIN_FINISH;
    acceptor_end(drain->acceptor);
    loops_drain(drain->loops);
}

/* Requests at the pool are answered: a daemon that is stopped must have no suspended connection. */
static void cut(struct drain *drain)
{
    log_write(&drain->service->log, LOG_WARNING, "%u connections left after the drain timeout: cut off",
              loops_connections(drain->loops));
    drain->stage = DRAIN_CUT;
    drain->until = loop_now() + LAST_NS;
    loops_cut(drain->loops);
}

static void leave_behind(const struct drain *drain, unsigned jobs)
{
    log_write(&drain->service->log, LOG_WARNING, "%u jobs are still running: ended without", jobs);
    log_flush(&drain->service->log, LOG_END_MS);
    _exit(EXIT_SUCCESS);
}

static void on_timer(uv_timer_t *timer)
{
    struct drain *drain = timer->data;
    uint64_t now = loop_now();
    if (drain->stage == DRAIN_DELAY) {
        if (now < drain->closes)
            return;
        finish(drain);
    }
    unsigned jobs = atomic_load_explicit(&drain->service->pool.inflight, memory_order_relaxed);
    if (loops_idle(drain->loops) && jobs == 0) {
        uv_timer_stop(timer);
        loops_end(drain->loops);
    } else if (now >= drain->until) {
        if (drain->stage == DRAIN_FINISH)
            cut(drain);
        else
            leave_behind(drain, jobs);
    }
}

void drain_init(struct drain *drain)
{
    drain->stage = DRAIN_NOT;
    uv_timer_init(loops_main(drain->loops), &drain->timer);
    drain->timer.data = drain;
}

void drain_begin(struct drain *drain, int signal)
{
    const struct log *log = &drain->service->log;
    const struct options *options = drain->service->options;
    if (drain->stage != DRAIN_NOT) {
        log_flush(log, LOG_NOW_MS);
        _exit(128 + signal);
    }
    log_write(log, LOG_INFO, "%s: draining", signal == SIGTERM ? "SIGTERM" : "SIGINT");
    atomic_store_explicit(&drain->service->draining, true, memory_order_relaxed);
    drain->stage = DRAIN_DELAY;
    drain->closes = loop_now() + options->drain_delay * NS_PER_MS;
    drain->until = loop_now() + options->drain_timeout * NS_PER_MS;
    uv_timer_start(&drain->timer, on_timer, 0, POLL_MS);
}
