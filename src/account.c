#include "src/account.h"

#include <inttypes.h>

#include "api/metrics.h"
#include "src/request.h"

static void bump(const struct request *request, size_t at, uint64_t n)
{
    counters_bump(request->loop->counters, at, n);
}

static void observe(const struct request *request, enum metrics_phase phase, uint64_t ns)
{
    bump(request, metrics_bucket_at(phase, ns), 1);
    bump(request, metrics_sum_at(phase), ns);
}

/* Of a request to an operator. */
static void count_phases(const struct request *request, uint64_t now)
{
    observe(request, METRICS_PHASE_TOTAL, now - request->begun);
    observe(request, METRICS_PHASE_READ, request->complete - request->begun);
    observe(request, METRICS_PHASE_SEND, now - request->answered);
    if (request->abandoned)
        return; /* a worker has the rest */
    const struct reply_phases *phases = &request->reply.phases;
    uint64_t started = request->started == 0 ? request->answered : request->started;
    observe(request, METRICS_PHASE_QUEUE, started - request->complete);
    observe(request, METRICS_PHASE_COMPUTE, phases->decode + phases->infer);
    observe(request, METRICS_PHASE_ENCODE, phases->encode);
}

static void count(const struct request *request, uint64_t now, bool whole)
{
    bump(request, metrics_scalar_at(METRICS_ENDED), 1);
    bump(request, metrics_scalar_at(METRICS_BYTES_IN), request->received);
    bump(request, metrics_scalar_at(METRICS_BYTES_OUT), request->sent);
    if (request->answered > 0)
        count_phases(request, now);
    if (request->status == 0) {
        bump(request, metrics_scalar_at(METRICS_UNANSWERED), 1);
        return;
    }
    const char *method = request->call.method == NULL ? "" : request->call.method;
    bump(request, metrics_request_at(request->match.route, method, request->problem), 1);
    if (!whole)
        bump(request, metrics_scalar_at(METRICS_INCOMPLETE), 1);
}

static void log_access(const struct request *request, uint64_t now)
{
    const struct log *log = &request->loop->service->log;
    if (!log_enabled(log, LOG_DEBUG))
        return;
    const char *method = request->call.method == NULL ? "-" : request->call.method;
    log_write(log, LOG_DEBUG, "%s %s %d, %" PRIu64 " bytes in, %" PRIu64 " us", method, request->call.target,
              request->status, request->received, (now - request->begun) / 1000);
}

void account_request(const struct request *request, bool whole)
{
    uint64_t now = loop_now();
    count(request, now, whole);
    log_access(request, now);
}
