/* Counters of the operators and of all else that is counted, one set per loop: written by its thread
 * alone, read by any. */
#ifndef SRC_COUNTERS_H
#define SRC_COUNTERS_H

#include "api/dispatch.h"

struct counters;

/* Adds to the number at `at` of the array that api/metrics.h describes. */
void counters_bump(struct counters *counters, size_t at, uint64_t n);

/* Adds that array to sum[metrics_size()]. */
void counters_sum(const struct counters *counters, uint64_t *sum);

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
