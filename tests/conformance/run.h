/* Runs a plan with several threads. */
#ifndef TESTS_CONFORMANCE_RUN_H
#define TESTS_CONFORMANCE_RUN_H

#include <stddef.h>

#include "tests/conformance/http.h"
#include "tests/conformance/plan.h"

/* Runs all items with `jobs` threads, each with a connection of its own. Calls `done` from the calling thread, in the
 * order of the plan, once an item and all before it are done. */
void run_plan(struct plan *plan, const struct target *target, int jobs, void (*done)(void *ctx, const struct item *item),
              void *ctx);

#endif
