#include "src/account.h"

#include <string.h>

#include "api/metrics.h"
#include "src/request.h"

/* How much of a path that is no route is logged. */
#define PATH_BYTES 200

struct account_times account_times(const struct request *request, uint64_t now)
{
    struct account_times ret = {
        .total = now - request->begun,
        .read = request->complete - request->begun,
        .send = now - request->answered,
    };
    if (request->abandoned)
        return ret;
    uint64_t started = request->call.started == 0 ? request->answered : request->call.started;
    ret.known = true;
    ret.queue = started - request->complete;
    ret.compute = request->reply.phases.decode + request->reply.phases.infer;
    ret.encode = request->reply.phases.encode;
    return ret;
}

/* ---- counters ------------------------------------------------------------------------------------------ */

static void bump(const struct request *request, size_t at, uint64_t n)
{
    counters_bump(request->loop->counters, at, n);
}

static void observe(const struct request *request, enum metrics_phase phase, uint64_t ns)
{
    bump(request, metrics_bucket_at(phase, ns), 1);
    bump(request, metrics_sum_at(phase), ns);
}

static void count_times(const struct request *request, const struct account_times *times)
{
    observe(request, METRICS_PHASE_TOTAL, times->total);
    observe(request, METRICS_PHASE_READ, times->read);
    observe(request, METRICS_PHASE_SEND, times->send);
    if (!times->known)
        return;
    observe(request, METRICS_PHASE_QUEUE, times->queue);
    observe(request, METRICS_PHASE_COMPUTE, times->compute);
    observe(request, METRICS_PHASE_ENCODE, times->encode);
}

static const char *method_of(const struct request *request)
{
    return request->call.method == NULL ? "" : request->call.method;
}

static void count(const struct request *request, bool whole)
{
    bump(request, metrics_scalar_at(METRICS_ENDED), 1);
    bump(request, metrics_scalar_at(METRICS_BYTES_IN), request->received);
    bump(request, metrics_scalar_at(METRICS_BYTES_OUT), request->sent);
    if (request->status == 0) {
        bump(request, metrics_scalar_at(METRICS_UNANSWERED), 1);
        return;
    }
    bump(request,
         metrics_request_at(request->match.route, method_of(request), request->status, request->problem), 1);
    if (!whole)
        bump(request, metrics_scalar_at(METRICS_INCOMPLETE), 1);
}

/* ---- the log ------------------------------------------------------------------------------------------- */

static void put_text(struct log_line *line, const char *name, const char *text)
{
    if (text != NULL && *text != '\0')
        log_line_text(line, name, text, strlen(text));
}

/* Its route, or its path without the query, which may hold data. */
static void put_target(struct log_line *line, const struct request *request)
{
    const char *path = request->call.target;
    size_t len = strcspn(path, "?");
    put_text(line, "method", method_of(request));
    if (request->match.route != NULL)
        put_text(line, "route", route_template(request->match.route));
    else
        log_line_text(line, "path", path, len < PATH_BYTES ? len : PATH_BYTES);
    if (request->match.op == NULL)
        return;
    put_text(line, "model", request->match.op->name);
    log_line_number(line, "version", (uint64_t)request->match.op->since);
}

static void put_times(struct log_line *line, const struct account_times *times)
{
    log_line_number(line, "read_us", times->read / 1000);
    if (times->known) {
        log_line_number(line, "queue_us", times->queue / 1000);
        log_line_number(line, "compute_us", times->compute / 1000);
        log_line_number(line, "encode_us", times->encode / 1000);
    }
    log_line_number(line, "send_us", times->send / 1000);
}

/* `times` is NULL unless an operator has answered. */
static void write_line(const struct request *request, const struct account_times *times, uint64_t total, bool whole)
{
    const struct log *log = &request->loop->service->log;
    enum log_level level = request->status >= 500 ? LOG_WARNING : LOG_INFO;
    if (!log_enabled(log, level))
        return;
    struct log_line line;
    log_line_begin(&line, log, level, "request");
    put_text(&line, "id", request->id);
    put_target(&line, request);
    log_line_number(&line, "status", (uint64_t)request->status);
    if (request->problem != PROBLEM_NONE)
        put_text(&line, "code", problem_info(request->problem)->code);
    if (!whole && request->status != 0)
        log_line_number(&line, "incomplete", 1);
    log_line_number(&line, "bytes_in", request->received);
    log_line_number(&line, "bytes_out", request->sent);
    log_line_number(&line, "total_us", total / 1000);
    if (times != NULL)
        put_times(&line, times);
    log_line_end(&line, log);
}

/* ---- both ---------------------------------------------------------------------------------------------- */

void account_request(const struct request *request, bool whole)
{
    uint64_t now = loop_now();
    count(request, whole);
    if (request->answered == 0) {
        write_line(request, NULL, now - request->begun, whole);
        return;
    }
    struct account_times times = account_times(request, now);
    count_times(request, &times);
    write_line(request, &times, times.total, whole);
}
