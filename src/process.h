/* What the system says of this process (Linux, /proc). */
#ifndef SRC_PROCESS_H
#define SRC_PROCESS_H

#include <stdint.h>

/* What cannot be known is UINT64_MAX. */
struct process_usage {
    uint64_t cpu_ns; /* user and system */
    uint64_t resident_bytes, virtual_bytes;
    uint64_t open_fds, max_fds;
    uint64_t threads;
};

struct process_usage process_usage(void);

#endif
