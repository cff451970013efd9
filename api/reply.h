/* An answer: status, headers, and a body to pull. What dispatch returns and src sends. */
#ifndef API_REPLY_H
#define API_REPLY_H

#include "api/arena.h"
#include "api/problem.h"
#include "api/source.h"

#define REPLY_MAX_HEADERS 12

struct header {
    const char *name;
    const char *value; /* static or in the request's arena */
};

/* Where the time of a request went, in nanoseconds of env->now; 0 for what did not happen. */
struct reply_phases {
    uint64_t decode, infer, encode;
    uint64_t end; /* when the last of them was over */
};

struct reply {
    int status;
    struct header headers[REPLY_MAX_HEADERS]; /* Content-Type among them; never Content-Length or Connection */
    size_t header_count;
    struct source *body; /* in the arena; NULL: the whole body is `text` */
    struct bytes text;   /* static or in the arena */
    bool close;          /* the connection cannot be used after this answer */
    enum problem_code problem; /* of an error, for log and metrics */
    const struct op *op; /* the operator that was called, for statistics; NULL for other routes */
    struct reply_phases phases;
};

/* Adds a header; name and value are borrowed. */
void reply_header(struct reply *reply, const char *name, const char *value);

/* Answers 200 with a text made elsewhere (static or in the arena). */
void reply_text(struct reply *ret, const char *content_type, struct bytes text);

/* Answers 503 for want of memory; all of it is constant. */
void reply_no_memory(struct reply *ret);

/* Answers with an error document and the headers its status asks for (Retry-After, WWW-Authenticate, Accept-Encoding),
 * keeping only ret->op and ret->phases. If there is no memory even for that it is reply_no_memory's. */
void reply_problem(struct arena *arena, struct reply *ret, const struct problem *problem);

#endif
