/* One event loop: a uv loop that drives one HTTP daemon, and the requests on it.
 *
 * All of it belongs to the thread that runs the loop, but for `counters`, which any thread may read. Loops
 * share nothing but the service.
 */
#ifndef SRC_LOOP_H
#define SRC_LOOP_H

#include <stdatomic.h>

#include <uv.h>

#include "src/linger.h"
#include "src/list.h"
#include "src/pool.h"
#include "src/service.h"
#include "src/counters.h"

struct http;

struct loop {
    uv_loop_t uv;
    struct service *service;
    struct http *http;
    struct counters *counters;
    struct lingering lingering;
    struct pool_turn turn; /* small jobs for the pool */
    struct list waiting; /* requests handed to the pool, the earliest deadline first */
    struct list spare;   /* requests for reuse */
    unsigned spare_count;
    atomic_uint connections; /* open ones; any thread may read it */
    bool pump; /* the daemon has something to do in this turn; private, as is what follows */
    uint64_t due;      /* when `timer` is over, if it is active: ms, as uv_now */
    uv_poll_t poll;    /* the daemon's epoll descriptor */
    uv_check_t check;  /* runs the daemon, at most once a turn */
    uv_idle_t again;   /* active while the daemon must run in the next turn, whatever happens */
    uv_timer_t timer;  /* the daemon's own timeouts */
    uv_timer_t tick;   /* our deadlines, while there are any */
    uv_timer_t pace;   /* looks after slow clients, while there are connections */
};

/* False when there is no memory or no descriptor; nothing of *loop must be closed then. `loop` and the service
 * must stay where they are. */
bool loop_init(struct loop *loop, struct service *service);

/* Nothing may be in flight on the loop, and its uv loop must not be running. Closes all handles, also
 * those that others have opened on loop->uv. */
void loop_close(struct loop *loop);

/* Lets the daemon run in this turn: after a response was queued from outside it, or a connection added. */
void loop_pump(struct loop *loop);

/* Makes sure that deadlines are looked at; they are kept to 20 ms. */
void loop_watch(struct loop *loop);

/* Makes sure that slow clients are looked for, every `ms`. */
void loop_pace(struct loop *loop, uint64_t ms);

/* No connection, no job, no socket that lingers. */
bool loop_idle(const struct loop *loop);

/* Nanoseconds, monotonic. On any thread, as the next. */
uint64_t loop_now(void);

/* Milliseconds since the epoch, by a clock that may be set. */
uint64_t loop_wall_ms(void);

#endif
