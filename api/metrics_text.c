/* Prometheus' text format 0.0.4: for each metric its help, its type, and a line for each value. */
#include "api/metrics.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- text ---------------------------------------------------------------------------------------------- */

/* Grows in the arena; remembers whether there was no memory. */
struct text {
    struct arena *arena;
    char *data;
    size_t len, cap;
    bool failed;
};

static bool grow(struct text *text, size_t room)
{
    size_t cap = text->cap == 0 ? (size_t)16 << 10 : text->cap * 2;
    while (cap - text->len <= room)
        cap *= 2;
    char *data = arena_alloc(text->arena, cap, 1);
    if (data == NULL)
        return false;
    if (text->len > 0)
        memcpy(data, text->data, text->len);
    text->data = data;
    text->cap = cap;
    return true;
}

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    if (len < 0 || text->failed || (text->cap - text->len <= (size_t)len && !grow(text, (size_t)len)))
        text->failed = true;
    else
        text->len += (size_t)vsnprintf(text->data + text->len, text->cap - text->len, format, again);
    va_end(args);
    va_end(again);
}

static void begin(struct text *text, const char *name, const char *type, const char *help)
{
    add(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* ---- counters ------------------------------------------------------------------------------------------ */

static void add_scalars(struct text *text, const uint64_t *counts)
{
#define X(id, name, help)                \
    begin(text, name, "counter", help);  \
    add(text, "%s %" PRIu64 "\n", name, counts[metrics_scalar_at(METRICS_##id)]);
    METRICS_SCALAR_TABLE(X)
#undef X
}

static void add_cuts(struct text *text, const uint64_t *counts)
{
    begin(text, "shaped_connections_refused_total", "counter", "Connections cut off or not let in, by reason.");
    for (enum cut_reason reason = CUT_NOT + 1; reason < CUT_END; reason++)
        add(text, "shaped_connections_refused_total{reason=\"%s\"} %" PRIu64 "\n", cut_reason_name(reason),
            counts[metrics_cut_at(reason)]);
}

/* With one outcome; left out as long as there was none. */
static void add_request(struct text *text, const uint64_t *counts, const struct route *route, const char *method,
                        int status, enum problem_code code)
{
    uint64_t count = counts[metrics_request_at(route, method, status, code)];
    if (count == 0)
        return;
    add(text, "shaped_requests_total{route=\"%s\",method=\"%s\",status=\"%d\",code=\"%s\"} %" PRIu64 "\n",
        route == NULL ? "" : route_template(route), method, status,
        code == PROBLEM_NONE ? "" : problem_info(code)->code, count);
}

static void add_requests_of(struct text *text, const uint64_t *counts, const struct route *route, const char *method)
{
    for (enum problem_code code = PROBLEM_NONE; code < PROBLEM_END; code++)
        add_request(text, counts, route, method, problem_info(code)->status, code);
    add_request(text, counts, route, method, 304, PROBLEM_NONE);
}

static void add_requests(struct text *text, const uint64_t *counts)
{
    static const char *const methods[METRICS_METHODS] = {"GET", "HEAD", "POST", "other"};
    begin(text, "shaped_requests_total", "counter",
          "Requests answered, by route (none: empty), method, status and error code (none: empty).");
    for (size_t row = 0; row <= route_count(); row++)
        for (size_t i = 0; i < METRICS_METHODS; i++)
            add_requests_of(text, counts, route_at(row), methods[i]);
}

/* `label` is "" or ends with a comma. */
static void add_histogram(struct text *text, const uint64_t *counts, enum metrics_phase phase, const char *name,
                          const char *label)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < METRICS_BOUNDS; i++) {
        sum += counts[metrics_bucket_at(phase, metrics_bound_ns(i))];
        add(text, "%s_bucket{%sle=\"%g\"} %" PRIu64 "\n", name, label, (double)metrics_bound_ns(i) / 1e9, sum);
    }
    sum += counts[metrics_bucket_at(phase, UINT64_MAX)];
    add(text, "%s_bucket{%sle=\"+Inf\"} %" PRIu64 "\n", name, label, sum);
    int len = *label == '\0' ? 0 : (int)strlen(label) - 1;
    const char *open = len == 0 ? "" : "{", *close = len == 0 ? "" : "}";
    add(text, "%s_sum%s%.*s%s %.9f\n", name, open, len, label, close, (double)counts[metrics_sum_at(phase)] / 1e9);
    add(text, "%s_count%s%.*s%s %" PRIu64 "\n", name, open, len, label, close, sum);
}

static void add_durations(struct text *text, const uint64_t *counts)
{
    static const char *const labels[METRICS_PHASES] = {
#define X(id, name) [METRICS_PHASE_##id] = "phase=\"" name "\",",
        METRICS_PHASE_TABLE(X)
#undef X
    };
    begin(text, "shaped_request_duration_seconds", "histogram",
          "Requests to operators, from their first line to the last byte of the answer.");
    add_histogram(text, counts, METRICS_PHASE_TOTAL, "shaped_request_duration_seconds", "");
    begin(text, "shaped_request_phase_seconds", "histogram", "Where the time of requests to operators went.");
    for (enum metrics_phase phase = METRICS_PHASE_TOTAL + 1; phase < METRICS_PHASES; phase++)
        add_histogram(text, counts, phase, "shaped_request_phase_seconds", labels[phase]);
}

/* ---- gauges -------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *type, *help;
    size_t offset; /* of the member of struct metrics_gauges */
    double unit;   /* divides it */
} gauges[] = {
#define GAUGE(member) offsetof(struct metrics_gauges, member)
    {"shaped_connections", "gauge", "Open connections.", GAUGE(connections), 1},
    {"shaped_event_loops", "gauge", "Event loops.", GAUGE(loops), 1},
    {"shaped_draining", "gauge", "1 after the server was told to end.", GAUGE(draining), 1},
    {"shaped_pool_jobs_waiting", "gauge", "Jobs that wait for a worker.", GAUGE(jobs_waiting), 1},
    {"shaped_pool_jobs_running", "gauge", "Jobs that a worker has.", GAUGE(jobs_running), 1},
    {"shaped_pool_jobs_limit", "gauge", "Most jobs that may wait or run.", GAUGE(jobs_most), 1},
    {"shaped_pool_threads", "gauge", "Worker threads.", GAUGE(threads), 1},
    {"shaped_memory_budget_bytes", "gauge", "Memory that all requests and connections may have.",
     GAUGE(memory_budget), 1},
    {"shaped_memory_used_bytes", "gauge", "Memory in use or reserved, of the budget.", GAUGE(memory_used), 1},
    {"shaped_memory_kept_bytes", "gauge", "Memory kept for reuse, of the budget.", GAUGE(memory_kept), 1},
    {"shaped_memory_refused_total", "counter", "Times that memory was refused because of the budget.",
     GAUGE(memory_refused), 1},
    {"shaped_log_lines_dropped_total", "counter", "Lines that could not be logged in time.", GAUGE(log_dropped), 1},
    {"process_cpu_seconds_total", "counter", "Processor time used, user and system.", GAUGE(cpu_ns), 1e9},
    {"process_start_time_seconds", "gauge", "When the process started, since the epoch.", GAUGE(start_ms), 1e3},
    {"process_resident_memory_bytes", "gauge", "Resident memory.", GAUGE(resident_bytes), 1},
    {"process_virtual_memory_bytes", "gauge", "Virtual memory.", GAUGE(virtual_bytes), 1},
    {"process_open_fds", "gauge", "Open file descriptors.", GAUGE(open_fds), 1},
    {"process_max_fds", "gauge", "Most open file descriptors.", GAUGE(max_fds), 1},
    {"process_threads", "gauge", "Threads.", GAUGE(process_threads), 1},
#undef GAUGE
};

static void add_gauges(struct text *text, const struct metrics_gauges *values)
{
    for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
        uint64_t value = *(const uint64_t *)(const void *)((const char *)values + gauges[i].offset);
        if (value == METRICS_UNKNOWN)
            continue;
        begin(text, gauges[i].name, gauges[i].type, gauges[i].help);
        if (gauges[i].unit > 1)
            add(text, "%s %.3f\n", gauges[i].name, (double)value / gauges[i].unit);
        else
            add(text, "%s %" PRIu64 "\n", gauges[i].name, value);
    }
    begin(text, "shaped_build_info", "gauge", "The version, and those of the libraries in use.");
    add(text, "shaped_build_info{version=\"%s\",libmicrohttpd=\"%s\",libuv=\"%s\"} 1\n", PACKAGE_VERSION,
        values->libmicrohttpd, values->libuv);
}

static void add_in_flight(struct text *text, const uint64_t *counts)
{
    uint64_t begun = counts[metrics_scalar_at(METRICS_BEGUN)], ended = counts[metrics_scalar_at(METRICS_ENDED)];
    begin(text, "shaped_requests_in_flight", "gauge", "Requests that are read, worked on, or answered.");
    add(text, "shaped_requests_in_flight %" PRIu64 "\n", begun > ended ? begun - ended : 0);
}

/* ---- operators ----------------------------------------------------------------------------------------- */

/* A counter of each operator version; both of our own names and of Triton's. */
struct op_row {
    const char *name, *help;
    const char *label; /* a further one, or "" */
    size_t offset;     /* of the member of struct op_stats */
    double unit;       /* divides it */
};

static const struct op_row own_rows[] = {
#define STAT(member) offsetof(struct op_stats, member)
    {"shaped_operator_requests_total", "Requests that reached an operator, by their outcome.",
     ",outcome=\"success\"", STAT(success), 1},
    {"shaped_operator_requests_total", NULL, ",outcome=\"failure\"", STAT(fail), 1},
    {"shaped_operator_seconds_total", "Where the time of successful requests went.", ",step=\"queue\"",
     STAT(queue_ns), 1e9},
    {"shaped_operator_seconds_total", NULL, ",step=\"decode\"", STAT(decode_ns), 1e9},
    {"shaped_operator_seconds_total", NULL, ",step=\"infer\"", STAT(infer_ns), 1e9},
    {"shaped_operator_seconds_total", NULL, ",step=\"encode\"", STAT(encode_ns), 1e9},
};

static const struct op_row triton_rows[] = {
    {"nv_inference_request_success", "Number of successful inference requests", "", STAT(success), 1},
    {"nv_inference_request_failure", "Number of failed inference requests", "", STAT(fail), 1},
    {"nv_inference_count", "Number of inferences performed", "", STAT(success), 1},
    {"nv_inference_exec_count", "Number of model executions performed", "", STAT(success), 1},
    {"nv_inference_request_duration_us", "Cumulative inference request duration in microseconds", "",
     STAT(success_ns), 1e3},
    {"nv_inference_queue_duration_us", "Cumulative inference queuing duration in microseconds", "",
     STAT(queue_ns), 1e3},
    {"nv_inference_compute_input_duration_us", "Cumulative compute input duration in microseconds", "",
     STAT(decode_ns), 1e3},
    {"nv_inference_compute_infer_duration_us", "Cumulative compute inference duration in microseconds", "",
     STAT(infer_ns), 1e3},
    {"nv_inference_compute_output_duration_us", "Cumulative compute output duration in microseconds", "",
     STAT(encode_ns), 1e3},
#undef STAT
};

static void add_op_row(struct text *text, const struct op_row *row, const struct op_stats *stats)
{
    if (row->help != NULL)
        begin(text, row->name, "counter", row->help);
    for (size_t i = 0; i < op_count(); i++) {
        const struct op *op = op_at(i);
        uint64_t value = *(const uint64_t *)(const void *)((const char *)&stats[i] + row->offset);
        add(text, "%s{model=\"%s\",version=\"%d\"%s} ", row->name, op->name, op->since, row->label);
        add(text, row->unit == 1e9 ? "%.9f\n" : "%.0f\n", (double)value / row->unit);
    }
}

static void add_operators(struct text *text, const struct api_env *env, bool triton)
{
    struct op_stats *stats = arena_zalloc(text->arena, op_count(), sizeof(*stats));
    if (stats == NULL) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < op_count(); i++)
        env->stats(env->ctx, op_at(i), &stats[i]);
    for (size_t i = 0; i < sizeof(own_rows) / sizeof(own_rows[0]); i++)
        add_op_row(text, &own_rows[i], stats);
    for (size_t i = 0; triton && i < sizeof(triton_rows) / sizeof(triton_rows[0]); i++)
        add_op_row(text, &triton_rows[i], stats);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

void metrics_route(struct arena *arena, const struct api_env *env, const struct route_match *match,
                   const struct api_request *request, struct reply *ret)
{
    (void)match, (void)request;
    struct text text = {.arena = arena};
    struct metrics_gauges values = {.loops = 0};
    uint64_t *counts = arena_zalloc(arena, metrics_size(), sizeof(*counts));
    struct problem problem;
    if (counts == NULL) {
        problem_memory(&problem);
        reply_problem(arena, ret, &problem);
        return;
    }
    env->metrics(env->ctx, counts, &values);
    add_requests(&text, counts);
    add_durations(&text, counts);
    add_in_flight(&text, counts);
    add_scalars(&text, counts);
    add_cuts(&text, counts);
    add_operators(&text, env, values.triton);
    add_gauges(&text, &values);
    if (text.failed) {
        problem_memory(&problem);
        reply_problem(arena, ret, &problem);
    } else {
        reply_text(ret, "text/plain; version=0.0.4; charset=utf-8",
                   (struct bytes){.ptr = (const uint8_t *)text.data, .len = text.len});
    }
}
