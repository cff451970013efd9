/* What has really passed over a TCP connection, as the kernel knows it: what the client has sent, whether it
 * has been read or not, and what it has acknowledged of what was written. One system call. */
#ifndef SRC_TCP_PROGRESS_H
#define SRC_TCP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct tcp_progress {
    bool known; /* else all is zero: not TCP, or a kernel that does not tell */
    uint64_t received; /* bytes, since the connection began */
    uint64_t acked;    /* bytes */
    bool pending;      /* something written is not acknowledged yet */
};

struct tcp_progress tcp_progress(int fd);

#endif
