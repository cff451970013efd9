/* A request from its first line to the end of its answer.
 *
 * One owner at a time: the loop's thread, but from QUEUED until the job is back the pool, which then also
 * owns the arena and the reply. Handing the job over and back is the only synchronisation. A request is
 * recycled when HTTP is done with it and no job of it is out.
 *
 * A long or costly body is pulled ahead by the pool, block by block (stream.h), while HTTP sends it.
 *
 * A suspended connection neither times out nor notices that its client left, so a request at the pool has a
 * deadline of its own: then the client gets a 503, while the request waits for its job to come back.
 *
 * All functions are called on the loop's thread.
 */
#ifndef SRC_REQUEST_H
#define SRC_REQUEST_H

#include "api/dispatch.h"
#include "src/list.h"
#include "src/loop.h"
#include "src/stream.h"

/*   state       owner           leaves when */
#define REQUEST_STATES(X)                                                                        \
    X(READING)   /* loop          the body is complete, it is refused, or the client is gone */  \
    X(QUEUED)    /* the pool      a worker takes it, or it is cancelled */                       \
    X(RUNNING)   /* a worker      dispatch has returned (for small requests on the loop) */      \
    X(READY)     /* loop          the response has been handed to HTTP */                        \
    X(STREAMING) /* loop          HTTP has sent it, or the client is gone */                     \
    X(DONE)      /* loop          (the end) */

enum request_state {
#define X(id) REQUEST_##id,
    REQUEST_STATES(X)
#undef X
    REQUEST_STATE_COUNT
};

const char *request_state_name(enum request_state state);

/* Whether a request may go from one state to the other. */
bool request_edge(enum request_state from, enum request_state to);

/* Room for a small request and all that its answer takes: no allocation then. */
#define REQUEST_BLOCK_BYTES ((size_t)16 << 10)

/* An announced body up to this size is kept there. */
#define REQUEST_SMALL_BODY (REQUEST_BLOCK_BYTES / 2)

struct http_connection;

struct request {
    enum request_state state; /* changed by request.c alone */
    struct loop *loop;
    struct http_connection *connection;
    struct arena arena;
    struct route_match match;
    struct api_request call; /* every text in it is the arena's */
    struct reply reply;

    /* The loop's, at any time. */
    struct list link;     /* loop->waiting, http's list of refused uploads, or loop->spare */
    uint64_t deadline;    /* of what it waits for in that list */
    bool refused;         /* `reply` stands already, what comes of the body is thrown away */
    uint64_t head_bytes;  /* of its lines, as they came */
    uint64_t announced;   /* of the body, bytes; 0 if unknown */
    uint64_t received;    /* of the body, bytes */
    uint64_t thrown_away; /* of these, since it is refused */
    bool job_out;         /* with the pool */
    bool abandoned;       /* its client has been answered; the job that is out comes back for nothing */
    bool http_done;       /* HTTP has forgotten it */
    int status;           /* as sent, 0 if nothing was */
    enum problem_code problem; /* in that answer */
    uint64_t sent;        /* of the answer's body, handed to HTTP; bytes */

    uint8_t *body; /* owned if body_cap > 0, else the arena's */
    size_t body_len, body_cap;

    const char *id; /* as the client calls it, the arena's; or NULL */
    bool timing;    /* the client wants to know where the time went */

    /* ns; 0: not yet. First line read, body read, answer of an operator made (that of a small one may still have to be
     * pulled, which counts as sending); dispatch called is call.started. */
    uint64_t begun, complete, answered;
    struct job job;
    bool ahead; /* workers fill the blocks of the answer, by `stream` */
    /* From here on a new request is not zeroed. */
    struct stream stream;
    uint8_t block[REQUEST_BLOCK_BYTES]; /* the arena's first */
};

/* A new one in READING; the target is copied. NULL when there is no memory. */
struct request *request_create(struct loop *loop, const char *target);

/* Makes room for an announced body, or the beginning of a large one. False when there is no memory. */
bool request_reserve(struct request *request, uint64_t announced);

/* Appends to the body, growing it as needed. False when there is no memory. */
bool request_append(struct request *request, const void *data, size_t n);

/* Makes `reply` the answer to a problem; the body is not needed any more. */
void request_refuse(struct request *request, const struct problem *problem) __attribute__((cold));

/* It is being read, or waits for request_execute. While a job is out `state` must not be looked at: it may be a
 * worker that changes it, also of a request that is abandoned. */
bool request_is_reading(const struct request *request);

/* Whether request_execute answers before it returns; else it suspends the connection. */
bool request_runs_here(const struct request *request);

/* The request is complete and was not refused: runs it here or at the pool, and answers (http_answer). */
void request_execute(struct request *request);

/* The next bytes of reply.body, at most n. 0: at the end if *ended, else there are none yet, and HTTP will be
 * told by http_resume. */
size_t request_read(struct request *request, void *out, size_t n, bool *ended);

/* Moves a refused or executed request on, when its response is handed to HTTP. */
void request_sending(struct request *request);

/* HTTP is done with it, whatever has become of it; `whole`: its answer was sent to the end. */
void request_release(struct request *request, bool whole);

/* Answers what has waited too long for the pool; true if there is still something waiting. `now` as
 * loop_now. */
bool request_expire(struct loop *loop, uint64_t now);

/* Frees what is kept for reuse. */
void request_free_spare(struct loop *loop);

#endif
