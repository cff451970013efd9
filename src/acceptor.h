/* Owns the listening sockets: accepts connections and hands each to somebody else.
 *
 * Belongs to one loop's thread. When the process is out of descriptors, or has as many connections as it may
 * have, it rests for a moment instead of trying in a circle; clients wait in the backlog meanwhile.
 */
#ifndef SRC_ACCEPTOR_H
#define SRC_ACCEPTOR_H

#include <uv.h>

#include <sys/socket.h>

#include "src/list.h"
#include "src/listen.h"
#include "src/log.h"

struct acceptor {
    uv_loop_t *uv;
    const struct log *log;
    /* Takes over a connected, non-blocking socket. */
    void (*deliver)(void *ctx, int fd, const struct sockaddr *address, socklen_t len);
    /* Whether there may be one more connection now. */
    bool (*room)(void *ctx);
    void *ctx;
    struct list listeners; /* this and what follows is private */
    uv_timer_t rest;
    bool resting;
};

/* The members above `listeners` are set by the caller before. */
void acceptor_init(struct acceptor *acceptor);

/* Accepts from this socket, which it owns from then on, and logs its name. False, with a log line, if it
 * cannot; the socket is then still the caller's. */
bool acceptor_add(struct acceptor *acceptor, const struct listening *listening);

/* Delivers what clients have connected so far and closes the listening sockets. (Closing one resets the
 * connections that are still in its backlog.) */
void acceptor_end(struct acceptor *acceptor);

#endif
