/* An answer: status, headers, and a body to pull. What dispatch returns and src sends. */
#ifndef API_REPLY_H
#define API_REPLY_H

#include "api/arena.h"
#include "api/problem.h"
#include "api/source.h"

#define REPLY_MAX_HEADERS 8

struct header {
    const char *name;
    const char *value; /* static or in the request's arena */
};

/* Where the time of a request went, in nanoseconds of env->now; 0 for what did not happen. */
struct reply_phases {
    uint64_t decode, infer, encode;
};

struct reply {
    int status;
    struct header headers[REPLY_MAX_HEADERS]; /* Content-Type among them; never Content-Length or Connection */
    size_t header_count;
    struct source *body; /* in the arena; NULL: none */
    bool close;          /* the connection cannot be used after this answer */
    enum problem_code problem; /* of an error, for log and metrics */
    const struct op *op; /* the operator that was called, for statistics; NULL for other routes */
    struct reply_phases phases;
};

/* False if there is no room; name and value are borrowed. */
void reply_header(struct reply *reply, const char *name, const char *value);

/* Answers 200 with a text made elsewhere (static or in the arena). */
void reply_text(struct arena *arena, struct reply *ret, const char *content_type, struct bytes text);

/* Answers with an error document. Needs no memory beyond a small part of the arena; if even that is refused, the body is
 * a constant. */
void reply_problem(struct arena *arena, struct reply *ret, const struct problem *problem);

#endif
