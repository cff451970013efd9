/* What all loops share: the configuration, and the few things that any thread may touch.
 *
 * Made by the server before the first loop, gone after the last. All of it is constant while loops run, but
 * for the atomics and what its members guard themselves.
 */
#ifndef SRC_SERVICE_H
#define SRC_SERVICE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "api/dispatch.h"
#include "src/addresses.h"
#include "src/bufpool.h"
#include "src/log.h"
#include "src/options.h"
#include "src/pool.h"
#include "src/tls.h"
#include "src/tokens.h"

struct service {
    const struct options *options;
    struct log log;
    struct pool pool;
    struct addresses *addresses; /* connections of each */
    struct tls *tls;             /* NULL: no TLS */
    struct tokens *tokens;       /* NULL: everybody may use all of it */
    struct bufpool *bufpool;     /* the budget */
    const struct memory *memory; /* where request bodies and arenas come from: the pool's */
    struct api_env env;
    uint64_t start_ms; /* when all this began, since the epoch: kept, since a clock that is set must not move it */
    atomic_bool draining; /* the end has been asked for */
};

static inline bool service_draining(const struct service *service)
{
    return atomic_load_explicit(&service->draining, memory_order_relaxed);
}

#endif
