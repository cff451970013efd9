/* How the process ends without losing a request.
 *
 * First nothing changes, but that readiness is denied and every answer says Connection: close, so that
 * balancers and clients learn of it (DELAY). Then whoever waits in the backlog is let in, the listening
 * sockets are closed, connections without a request are closed, and what is running finishes (FINISH). What
 * has not finished in time is cut off (CUT), and what then still holds on is left behind.
 *
 * Belongs to the main thread.
 */
#ifndef SRC_DRAIN_H
#define SRC_DRAIN_H

#include "src/acceptor.h"
#include "src/loops.h"
#include "src/service.h"

enum drain_stage { DRAIN_NOT, DRAIN_DELAY, DRAIN_FINISH, DRAIN_CUT };

/* The members above `stage` are set by the caller before. */
struct drain {
    struct service *service;
    struct loops *loops;
    struct acceptor *acceptor;
    enum drain_stage stage; /* this and what follows is private */
    uint64_t closes, until; /* ns: when the delay is over, when the stage after it is */
    uv_timer_t timer;
};

void drain_init(struct drain *drain);

/* From within loops_run: makes it return, sooner or later. A second call ends the process at once. */
void drain_begin(struct drain *drain, int signal);

#endif
