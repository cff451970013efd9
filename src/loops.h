/* The event loops of the process: the first on the main thread, each other on a thread of its own.
 *
 * They run side by side and share only the service. What goes from the main thread to a loop (sockets,
 * orders) goes through its mailbox; what comes back are atomics. All functions are called on the main thread.
 */
#ifndef SRC_LOOPS_H
#define SRC_LOOPS_H

#include <stdbool.h>
#include <sys/socket.h>

#include <uv.h>

#include "api/dispatch.h"
#include "src/service.h"

struct loops;

/* NULL when there is no memory or no descriptor. No loop runs yet. */
struct loops *loops_create(struct service *service, unsigned count);

/* The main thread's, for the handles of others, which loops_destroy closes. */
uv_loop_t *loops_main(struct loops *loops);

/* Runs all loops until loops_end. False, with a log line, if there is no thread to be had. */
bool loops_run(struct loops *loops);

/* From within loops_run: makes it return. Nothing may be in flight (loops_idle). */
void loops_end(struct loops *loops);

/* No loop may run. NULL is allowed. */
void loops_destroy(struct loops *loops);

/* Hands a connected, non-blocking socket to the loop with the fewest connections, which owns it from then
 * on. */
void loops_deliver(struct loops *loops, int fd, const struct sockaddr *address, socklen_t len);

/* Open connections of all loops. */
unsigned loops_connections(const struct loops *loops);

/* Adds the counters of all loops for `op` to *sum. */
void loops_count(const struct loops *loops, const struct op *op, struct op_stats *sum);

/* Adds all that they have counted to sum[metrics_size()]. */
void loops_sum(const struct loops *loops, uint64_t *sum);

/* From now on every answer closes its connection; those without a request are closed. */
void loops_drain(struct loops *loops);

/* After loops_drain: answers what waits for the pool and cuts all connections off. */
void loops_cut(struct loops *loops);

/* After loops_drain: no loop has a connection, a request, or a socket to come, as of some milliseconds
 * ago. */
bool loops_idle(const struct loops *loops);

#endif
