/* What the server counts, and its form for Prometheus.
 *
 * All counters are one flat array of numbers, so that a loop can have one of atomics and a reader can add them
 * up without knowing what they mean. The functions here tell where each stands. Its size is bounded by the
 * tables of routes and problems: nothing a client sends becomes a label.
 */
#ifndef API_METRICS_H
#define API_METRICS_H

#include "api/dispatch.h"

/* Counters without labels: name, what it adds up. */
#define METRICS_SCALAR_TABLE(X)                                                                                  \
    X(CONNECTIONS, "shaped_connections_accepted_total", "Connections that were let in.")                         \
    X(BEGUN, "shaped_requests_begun_total", "Requests whose first line was read.")                               \
    X(ENDED, "shaped_requests_ended_total", "Requests that are over, however they ended.")                       \
    X(UNANSWERED, "shaped_requests_unanswered_total",                                                            \
      "Requests without an answer of the API: the client left, was too slow, or sent what is not HTTP.")         \
    X(INCOMPLETE, "shaped_answers_incomplete_total", "Answers that were begun and not taken to their end.")      \
    X(BYTES_IN, "shaped_request_body_bytes_total", "Bytes of request bodies, as received.")                      \
    X(BYTES_OUT, "shaped_response_body_bytes_total", "Bytes of response bodies, as handed to the connection.")

enum metrics_scalar {
#define X(id, name, help) METRICS_##id,
    METRICS_SCALAR_TABLE(X)
#undef X
    METRICS_SCALARS
};

/* Why a connection was cut off, or not let in. A label's value: not to be changed. */
#define METRICS_CUT_TABLE(X)                \
    X(IDLE, "idle_timeout")                 \
    X(SLOW_HEAD, "header_timeout")          \
    X(SLOW_BODY, "slow_body")               \
    X(RECEIVE_TIMEOUT, "receive_timeout")   \
    X(SLOW_READER, "slow_reader")           \
    X(EXCHANGE_TIMEOUT, "exchange_timeout") \
    X(ADDRESS_LIMIT, "address_limit")       \
    X(MEMORY_BUDGET, "memory_budget")       \
    X(DRAIN_TIMEOUT, "drain_timeout")

enum cut_reason {
    CUT_NOT,
#define X(id, name) CUT_##id,
    METRICS_CUT_TABLE(X)
#undef X
    CUT_END
};

const char *cut_reason_name(enum cut_reason reason);

/* Where the time of a request goes; TOTAL from its first line to the last byte of the answer. */
#define METRICS_PHASE_TABLE(X) \
    X(TOTAL, "total")          \
    X(READ, "read")            \
    X(QUEUE, "queue")          \
    X(COMPUTE, "compute")      \
    X(ENCODE, "encode")        \
    X(SEND, "send")

enum metrics_phase {
#define X(id, name) METRICS_PHASE_##id,
    METRICS_PHASE_TABLE(X)
#undef X
    METRICS_PHASES
};

/* Upper bounds of the buckets of durations; one more has none. */
#define METRICS_BOUNDS 14
uint64_t metrics_bound_ns(size_t bucket);

#define METRICS_METHODS 4 /* GET, HEAD, POST, any other */

/* ---- the array ----------------------------------------------------------------------------------------- */

/* How many numbers it has. */
size_t metrics_size(void);

/* Where a counter stands: */
size_t metrics_scalar_at(enum metrics_scalar scalar);
size_t metrics_cut_at(enum cut_reason reason);
size_t metrics_bucket_at(enum metrics_phase phase, uint64_t ns); /* the bucket that this duration is in */
size_t metrics_sum_at(enum metrics_phase phase);                 /* nanoseconds */

/* Requests answered; route NULL: none was found. The status follows from the code, but for 304, which has none. */
size_t metrics_request_at(const struct route *route, const char *method, int status, enum problem_code code);

/* ---- the document -------------------------------------------------------------------------------------- */

/* What is true of the process at a moment. Where a number cannot be known it is METRICS_UNKNOWN and left out. */
#define METRICS_UNKNOWN UINT64_MAX
struct metrics_gauges {
    uint64_t connections, loops;
    uint64_t draining; /* 0 or 1 */
    uint64_t jobs_waiting, jobs_running, jobs_most, threads;
    uint64_t memory_budget, memory_used, memory_kept, memory_refused; /* bytes; the last counts times */
    uint64_t log_dropped;                                             /* counter, lines */
    uint64_t cpu_ns, start_ms;                                        /* of the process: used; since the epoch */
    uint64_t resident_bytes, virtual_bytes, open_fds, max_fds, process_threads;
    const char *libmicrohttpd, *libuv; /* versions */
    bool triton;                       /* Triton's names, too */
};

/* GET /metrics */
route_handler metrics_route;

#endif
