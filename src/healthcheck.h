/* Asks the server that runs with the same options whether it is ready: for health checks in images that hold
 * nothing but this program.
 */
#ifndef SRC_HEALTHCHECK_H
#define SRC_HEALTHCHECK_H

#include "src/options.h"

/* GET /v2/health/ready at the first address of --listen. Returns the exit status: 0 if the answer is 200,
 * else 1, with a line on standard error. Takes at most three seconds, whatever becomes of names and
 * packets: it uses the alarm, so this is for a process that does nothing else. */
int healthcheck_run(const struct options *options);

#endif
