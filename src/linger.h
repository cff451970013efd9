/* Sockets whose answer is on its way while the client may still be sending.
 *
 * Closing a socket that has unread data, or gets more, resets the connection, and the reset can destroy an
 * answer that the client has not read yet. So such a socket is kept: what comes is thrown away until the
 * client closes, or for a few seconds.
 */
#ifndef SRC_LINGER_H
#define SRC_LINGER_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "src/list.h"

struct lingering {
    uv_loop_t *uv;
    struct list sockets; /* the earliest deadline first */
    unsigned count;
};

void lingering_init(struct lingering *lingering, uv_loop_t *uv);

/* Owns `fd` from now on: a connected socket to which nothing will be written. */
void lingering_add(struct lingering *lingering, int fd);

/* Closes those whose time is up at `now` (loop_now); true if some are left. */
bool lingering_expire(struct lingering *lingering, uint64_t now);

bool lingering_empty(const struct lingering *lingering);

/* Closes all. */
void lingering_end(struct lingering *lingering);

#endif
