/* The front door of the API: (method, target, headers, body) -> reply. Knows HTTP status numbers and names of headers,
 * but no sockets and no threads.
 *
 * In two steps, because a server wants to refuse before it reads a body: route_resolve looks only at method and target;
 * dispatch runs what it found. Both are pure functions of their arguments and may run on any thread.
 */
#ifndef API_DISPATCH_H
#define API_DISPATCH_H

#include "api/arena.h"
#include "api/bytes.h"
#include "api/problem.h"
#include "api/reply.h"
#include "ops/op.h"

/* The request headers the API looks at. */
#define API_HEADER_TABLE(X)                                             \
    X(ACCEPT, "Accept")                                                 \
    X(ACCEPT_ENCODING, "Accept-Encoding")                               \
    X(CONTENT_ENCODING, "Content-Encoding")                             \
    X(CONTENT_TYPE, "Content-Type")                                     \
    X(IF_NONE_MATCH, "If-None-Match")                                   \
    X(INFERENCE_HEADER_LENGTH, "Inference-Header-Content-Length")

enum api_header {
#define X(id, name) API_HEADER_##id,
    API_HEADER_TABLE(X)
#undef X
    API_HEADER_COUNT
};

/* The name on the wire; ignore case when comparing. */
const char *api_header_name(enum api_header header);

/* Counters of one operator version, summed by the server over its loops. Durations in nanoseconds. */
struct op_stats {
    uint64_t success, success_ns;
    uint64_t fail, fail_ns;
    uint64_t queue_ns;
    uint64_t decode_ns, infer_ns, encode_ns;
    uint64_t last_ms; /* wall clock of the last success, ms since the epoch */
};

struct metrics_gauges;

/* What the API needs to know of the process around it. Constant while the server runs, but for what the calls return. They
 * may be called from any thread. */
struct api_env {
    uint64_t max_request_bytes; /* of a body, also after decompression */
    uint64_t max_output_bytes;  /* of a body that is sent */
    uint64_t compress_max;      /* largest answer that is compressed */
    int json_depth;
    uint64_t (*now)(void *ctx);                                              /* monotonic, nanoseconds */
    bool (*draining)(void *ctx);
    void (*stats)(void *ctx, const struct op *op, struct op_stats *ret);
    void (*metrics)(void *ctx, uint64_t *counts, struct metrics_gauges *ret); /* adds to counts[metrics_size()] */
    void *ctx;
};

struct api_request {
    const char *method;                    /* "GET" */
    const char *target;                    /* raw, origin or absolute form: "/v2/models/expand/infer?x=1" */
    const char *header[API_HEADER_COUNT];  /* value, or NULL when absent */
    struct bytes body;
    uint64_t started;                      /* env->now when it was handed to dispatch */
};

struct route;

/* What a target means. */
struct route_match {
    const struct route *route;
    const struct op *op; /* of the model and version in the path; NULL on routes without one */
    bool head;           /* HEAD: answer as GET, the server leaves out the body */
    struct bytes name;   /* what the first segment in braces is, decoded; borrowed or in the arena */
    const char *query;   /* raw text after '?', or NULL */
};

/* Answers a request: fills *ret, which is zeroed before, with whatever is true now. */
typedef void route_handler(struct arena *arena, const struct api_env *env, const struct route_match *match,
                           const struct api_request *request, struct reply *ret);

/* Finds the route. False with *err (and *allow set for 405: a static or arena text for the Allow header) otherwise. */
bool route_resolve(struct arena *arena, const char *method, const char *target, struct route_match *ret,
                   const char **allow, struct problem *err);

/* Fills *err for a target that leads nowhere; returns false. */
bool route_unknown(const char *target, struct problem *err);

/* The path template of the route ("/v2/models/{model}/infer") for logs and metrics, and its method; static. */
const char *route_template(const struct route *route);
const char *route_method(const struct route *route);

/* What a route is about, for those who let some things be seen by everybody. */
enum route_subject { ROUTE_ABOUT_HEALTH, ROUTE_ABOUT_METRICS, ROUTE_ABOUT_DOCS, ROUTE_ABOUT_OPERATORS };
enum route_subject route_subject(const struct route *route);

/* The rows of the route table in their order; NULL past the last. */
const struct route *route_at(size_t index);
size_t route_count(void);
size_t route_index(const struct route *route);

/* The route takes a request body (others ignore one). */
bool route_has_body(const struct route *route);

/* Runs the route. Always fills *ret; everything in it lives in the arena (and borrows request->body). */
void dispatch(struct arena *arena, const struct api_env *env, const struct route_match *match,
              const struct api_request *request, struct reply *ret);

#endif
