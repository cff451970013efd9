#include "src/loop.h"

#include <string.h>
#include <time.h>

#include "src/http.h"
#include "src/request.h"

/* Also how long a client may have left before it is noticed: with a tenth of a second, clients that come and
 * leave one after the other had 10 MiB of connections open, with this 4. */
#define TICK_MS 20

uint64_t loop_now(void)
{
    return uv_hrtime();
}

uint64_t loop_wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void on_timer(uv_timer_t *timer);

/* There to keep the loop from waiting. */
static void on_again(uv_idle_t *again)
{
    (void)again;
}

/* Each run of the daemon reads once from a connection, and a turn of the loop costs about as much as such a read. So it is run
 * again while it is not done; but no new run begins after this time, since others wait for the next turn, such as answers
 * that workers have made. */
#define RUNS_NS ((uint64_t)100000)

/* True if it has something to wait for, *wait milliseconds; 0: it is not done yet. */
static bool run_daemon(struct loop *loop, uint64_t *wait)
{
    const uint64_t until = loop_now() + RUNS_NS;
    bool waits;
    do {
        *wait = 0;
        http_run(loop->http);
        waits = http_timeout(loop->http, wait);
    } while (waits && *wait == 0 && loop_now() < until);
    return waits;
}

/* Arms the timer for the daemon's next timeout. An earlier one that is armed already stays: it costs one
 * idle run, where moving the timer would cost something on every turn. */
static void arm_timer(struct loop *loop, uint64_t wait)
{
    uint64_t due = uv_now(&loop->uv) + wait;
    if (uv_is_active((uv_handle_t *)&loop->timer) && loop->due <= due)
        return;
    loop->due = due;
    uv_timer_start(&loop->timer, on_timer, wait, 0);
}

static void run_pump(struct loop *loop)
{
    if (!loop->pump)
        return;
    uint64_t wait;
    const bool waits = run_daemon(loop, &wait);
    loop->pump = waits && wait == 0; /* once more in the next turn, after everybody else */
    if (loop->pump)
        uv_idle_start(&loop->again, on_again);
    else
        uv_idle_stop(&loop->again);
    if (waits && wait > 0)
        arm_timer(loop, wait);
}

static void on_timer(uv_timer_t *timer)
{
    struct loop *loop = timer->data;
    loop->pump = true;
    run_pump(loop); /* at once: before the check phase comes, the loop may block */
}

static void on_check(uv_check_t *check)
{
    run_pump(check->data);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    struct loop *loop = poll->data;
    loop->pump = true;
}

static void on_tick(uv_timer_t *tick)
{
    struct loop *loop = tick->data;
    uint64_t now = loop_now();
    bool more = request_expire(loop, now);
    more |= http_tick(loop->http, now);
    more |= lingering_expire(&loop->lingering, now);
    if (!more)
        uv_timer_stop(tick);
    run_pump(loop); /* last: it may ask for a tick anew (loop_watch) */
}

void loop_pump(struct loop *loop)
{
    loop->pump = true;
}

void loop_watch(struct loop *loop)
{
    if (!uv_is_active((uv_handle_t *)&loop->tick))
        uv_timer_start(&loop->tick, on_tick, TICK_MS, TICK_MS);
}

static void on_pace(uv_timer_t *pace)
{
    struct loop *loop = pace->data;
    if (!http_pace(loop->http, loop_now()))
        uv_timer_stop(pace);
}

void loop_pace(struct loop *loop, uint64_t ms)
{
    if (!uv_is_active((uv_handle_t *)&loop->pace))
        uv_timer_start(&loop->pace, on_pace, ms, ms);
}

bool loop_idle(const struct loop *loop)
{
    return http_idle(loop->http) && list_empty(&loop->waiting) && lingering_empty(&loop->lingering);
}

static void start_handles(struct loop *loop)
{
    uv_check_init(&loop->uv, &loop->check);
    uv_idle_init(&loop->uv, &loop->again);
    uv_timer_init(&loop->uv, &loop->timer);
    uv_timer_init(&loop->uv, &loop->tick);
    pool_turn_init(&loop->turn, &loop->service->pool, &loop->uv);
    uv_timer_init(&loop->uv, &loop->pace);
    loop->poll.data = loop->check.data = loop->timer.data = loop->tick.data = loop->pace.data = loop;
    uv_check_start(&loop->check, on_check);
    uv_poll_start(&loop->poll, UV_READABLE, on_poll);
}

bool loop_init(struct loop *loop, struct service *service)
{
    memset(loop, 0, sizeof(*loop));
    loop->service = service;
    list_init(&loop->waiting);
    list_init(&loop->spare);
    if (uv_loop_init(&loop->uv) != 0)
        return false;
    lingering_init(&loop->lingering, &loop->uv);
    loop->counters = counters_create();
    loop->http = loop->counters == NULL ? NULL : http_create(loop);
    if (loop->http != NULL && uv_poll_init(&loop->uv, &loop->poll, http_descriptor(loop->http)) == 0) {
        start_handles(loop);
        return true;
    }
    http_destroy(loop->http);
    counters_destroy(loop->counters);
    uv_loop_close(&loop->uv);
    return false;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void loop_close(struct loop *loop)
{
    lingering_end(&loop->lingering);
    uv_walk(&loop->uv, close_handle, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT); /* until all are closed */
    http_destroy(loop->http);
    request_free_spare(loop);
    counters_destroy(loop->counters);
    uv_loop_close(&loop->uv);
}
