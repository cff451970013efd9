/* What /metrics tells of the process as it is now. */
#ifndef SRC_GAUGES_H
#define SRC_GAUGES_H

#include "api/metrics.h"
#include "src/loops.h"
#include "src/service.h"

/* On the main thread or any loop's. */
void gauges_read(const struct service *service, const struct loops *loops, struct metrics_gauges *ret);

#endif
