#include "api/metrics.h"

#include <string.h>

/* The order of the array: scalars, reasons of cuts, phases with buckets and sum, requests. */
#define CUTS_AT     ((size_t)METRICS_SCALARS)
#define PHASES_AT   (CUTS_AT + CUT_END)
#define PHASE_SIZE  ((size_t)METRICS_BOUNDS + 2) /* buckets, the one without bound, the sum */
#define REQUESTS_AT (PHASES_AT + METRICS_PHASES * PHASE_SIZE)

/* What may become of a request: error codes, the first of which is none, and 304. */
#define NOT_MODIFIED ((size_t)PROBLEM_END)
#define OUTCOMES     (NOT_MODIFIED + 1)

#define US ((uint64_t)1000)
#define MS ((uint64_t)1000000)
#define S  ((uint64_t)1000000000)

static const uint64_t bounds[METRICS_BOUNDS] = {
    10 * US, 50 * US, 100 * US, 500 * US, 1 * MS, 5 * MS, 10 * MS,
    50 * MS, 100 * MS, 500 * MS, 1 * S, 5 * S, 10 * S, 60 * S,
};

uint64_t metrics_bound_ns(size_t bucket)
{
    return bounds[bucket];
}

const char *cut_reason_name(enum cut_reason reason)
{
    static const char *const names[CUT_END] = {
        [CUT_NOT] = "none",
#define X(id, name) [CUT_##id] = (name),
        METRICS_CUT_TABLE(X)
#undef X
    };
    return names[reason];
}

size_t metrics_size(void)
{
    return REQUESTS_AT + (route_count() + 1) * METRICS_METHODS * OUTCOMES;
}

size_t metrics_scalar_at(enum metrics_scalar scalar)
{
    return scalar;
}

size_t metrics_cut_at(enum cut_reason reason)
{
    return CUTS_AT + reason;
}

size_t metrics_bucket_at(enum metrics_phase phase, uint64_t ns)
{
    size_t bucket = 0;
    while (bucket < METRICS_BOUNDS && ns > bounds[bucket])
        bucket++;
    return PHASES_AT + phase * PHASE_SIZE + bucket;
}

size_t metrics_sum_at(enum metrics_phase phase)
{
    return PHASES_AT + phase * PHASE_SIZE + METRICS_BOUNDS + 1;
}

static size_t method_index(const char *method)
{
    return strcmp(method, "GET") == 0 ? 0 : strcmp(method, "HEAD") == 0 ? 1 : strcmp(method, "POST") == 0 ? 2 : 3;
}

size_t metrics_request_at(const struct route *route, const char *method, int status, enum problem_code code)
{
    size_t row = route == NULL ? route_count() : route_index(route);
    size_t outcome = status == 304 ? NOT_MODIFIED : (size_t)code;
    return REQUESTS_AT + (row * METRICS_METHODS + method_index(method)) * OUTCOMES + outcome;
}
