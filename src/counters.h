/* Counters of the operators, one set per loop: written by its thread alone, read by any. */
#ifndef SRC_COUNTERS_H
#define SRC_COUNTERS_H

#include "api/dispatch.h"

struct counters;

/* NULL when there is no memory. */
struct counters *counters_create(void);
void counters_destroy(struct counters *counters);

/* Counts an answer of an operator (reply->op is set). `total_ns` from the complete request to the answer,
 * `queue_ns` of it waiting for a worker, `now_ms` the wall clock. */
void counters_count(struct counters *counters, const struct reply *reply, uint64_t total_ns,
                    uint64_t queue_ns, uint64_t now_ms);

/* Adds the counters of `op` to *sum; last_ms becomes the later one. */
void counters_add(const struct counters *counters, const struct op *op, struct op_stats *sum);

#endif
