/* The account of a request at its end: what is counted of it, and its line in the log. */
#ifndef SRC_ACCOUNT_H
#define SRC_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct request;

/* Where the time of a request to an operator went, up to now; nanoseconds. */
struct account_times {
    uint64_t total, read, send;
    bool known; /* what follows; else a worker still has it */
    uint64_t queue, compute, encode;
};

/* Only once there is an answer (request->answered > 0). `now` as loop_now. */
struct account_times account_times(const struct request *request, uint64_t now);

/* Once for each request, when HTTP is done with it. `whole`: its answer was sent to the end. */
void account_request(const struct request *request, bool whole);

#endif
