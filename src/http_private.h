/* What the http files share: connections, and the functions of each file. All of it on the loop's thread. */
#ifndef SRC_HTTP_PRIVATE_H
#define SRC_HTTP_PRIVATE_H

#include <stdarg.h>

#include "api/metrics.h"
#include "src/http.h"
#include "src/loop.h"
#include "src/request.h"
#include "src/tls.h"

struct MHD_Connection;
struct MHD_Daemon;
struct MHD_OptionItem;
struct MHD_Response;

/* What a connection may take beside its memory for heads and chunks (--max-header-bytes): the request on it,
 * and what the libraries keep for both. */
#define HTTP_CONNECTION_BYTES (sizeof(struct request) + ((size_t)4 << 10))

/* What a response reads at a time; with half as much a large answer takes a sixth longer. libmicrohttpd takes
 * it from the heap and zeroes it, once per response. */
#define HTTP_BLOCK_BYTES ((size_t)256 << 10)

/* What GnuTLS keeps for a connection. */
#define HTTP_TLS_BYTES ((size_t)32 << 10)

/* The daemons of a loop. */
enum { HTTP_PLAIN, HTTP_TLS, HTTP_DAEMONS };

struct http {
    struct loop *loop;
    struct MHD_Daemon *daemon[HTTP_DAEMONS]; /* the second may be NULL */
    int epoll;                               /* of both, if there are both, else -1 */
    struct MHD_Response *no_memory;          /* the answer when there is no memory to make one */
    struct list connections;
    bool draining;       /* http_drain was called */
    struct list touched; /* may have been left by their client without notice, see http_touched.c */
    struct list paced;   /* all connections, the one to be looked at next first; see http_pace.c */
    uint64_t look_ns;    /* from one such look to the next */
    struct list refused; /* requests whose body is thrown away, the earliest deadline first */
};

/* What a connection is about, as of the last look of http_pace.c, and how it goes on. */
enum pace_phase {
    PACE_NEW,    /* not looked at yet */
    PACE_IDLE,   /* nothing of a request has come */
    PACE_HEAD,
    PACE_BODY,
    PACE_ANSWER,
    PACE_OURS,   /* it waits for this side */
};

struct pace {
    enum pace_phase phase;
    unsigned served; /* the connection's, when the phase began: else one request could pass for the next */
    uint64_t since;  /* ns; when the phase began */
    uint64_t window; /* ns; from when on progress is measured */
    uint64_t bytes;  /* how far it was then: what was read, or what the client had acknowledged */
};

struct http_connection {
    struct http *http;
    struct MHD_Connection *mhd;
    int fd;                      /* libmicrohttpd owns it, and closes it */
    void *session;               /* gnutls_session_t, libmicrohttpd's; NULL: no TLS */
    const struct tls_pair *pair; /* the certificate that it shows, taken from service->tls; NULL: no TLS */
    struct list link, touched, paced;

    struct request *request; /* the one that is read or answered, or NULL */
    const char *target;      /* of that request, where libmicrohttpd has it; not to be read */
    bool chunked;            /* its body comes in chunks */
    uint64_t seen;           /* what had come of that at the last look of http_touched.c */
    unsigned stuck;          /* looks since at which nothing had been read, though there was something to read */
    bool suspended;
    bool settled;  /* libmicrohttpd has been told to call again; see http_upload_end */
    bool block;    /* http_reserve_block has taken memory for the answer out of the budget */
    bool broken;   /* an answer could not be given: it is to be closed */
    bool answered; /* by hand, in the middle of an upload; what comes now is thrown away */
    bool linger;   /* its client may still be sending when it ends: the socket is then kept open for a while */

    /* http_pace.c's. */
    uint64_t look_due; /* ns; when it is to be looked at next */
    struct pace pace;
    unsigned served;   /* requests that are over */
    uint64_t consumed; /* bytes on the wire that belong to these; if more have come, another request has begun */
    bool opaque;       /* those bytes cannot be told from the sizes of the requests: TLS, chunks */
};

/* What the head of a request says about its framing. */
struct http_head {
    bool known; /* false: where the request ends cannot be told; the rest is then zero */
    bool chunked, expects;
    uint64_t length; /* of the body, bytes; 0 if chunked or absent */
    const char *authorization; /* as sent, in the arena, or NULL; not to be logged */
};

/* ---- http_daemons.c: after the daemons have been started, and at their end ----------------------------- */

bool http_daemons_join(struct http *http);
void http_daemons_stop(struct http *http);

/* ---- http_connection.c --------------------------------------------------------------------------------- */

/* The connection of a libmicrohttpd's, or NULL for one that is refused. */
struct http_connection *http_connection_of(struct MHD_Connection *mhd);

/* A new connection, which http_connection_end frees; NULL if it is refused: libmicrohttpd will see its
 * end. */
struct http_connection *http_connection_start(struct http *http, struct MHD_Connection *mhd);
void http_connection_end(struct http_connection *connection);

/* 1: there are bytes to read; 0: the client has closed; -1: neither. */
int http_peek(int fd);

/* Makes libmicrohttpd notice that this connection is over. */
void http_abort(struct http_connection *connection);

/* Cuts a connection off and says why in log and metrics. */
void http_cut_connection(struct http_connection *connection, enum cut_reason reason);

/* While draining: closes a connection without a request, unless something of one has come. */
void http_close_if_idle(struct http_connection *connection);

/* ---- http_touched.c ------------------------------------------------------------------------------------ */

/* The connection may have been left. */
void http_touch(struct http_connection *connection);

/* ---- http_head.c --------------------------------------------------------------------------------------- */

/* Checks all lines of the head and takes over what the API looks at. False with *err when it must be
 * refused; *ret is filled in all the same, as far as it can be known. */
bool http_head_read(struct http_connection *connection, struct request *request, const char *method,
                    const char *version, struct http_head *ret, struct problem *err);

/* ---- http_upload.c ------------------------------------------------------------------------------------- */

/* The three kinds of call that libmicrohttpd makes for a request: the head is there, a piece of the body, its end
 * (perhaps several times, until there is an answer). False: the connection must be closed. */
bool http_upload_begin(struct http_connection *connection, const char *method, const char *version);
void http_upload_data(struct http_connection *connection, const void *data, size_t n);
bool http_upload_end(struct http_connection *connection);

/* libmicrohttpd cannot do anything with the head, for this reason: answers by hand. */
void http_upload_fail(struct http_connection *connection, enum problem_code code);

/* There is something to read and libmicrohttpd does not read it. */
void http_upload_stuck(struct http_connection *connection);

/* Looks after refused uploads; true if there are any. */
bool http_upload_expire(struct http *http, uint64_t now);

/* ---- http_answer.c ------------------------------------------------------------------------------------- */

/* Writes a reply without source to the socket itself, past libmicrohttpd, and ends the sending side. Only
 * while libmicrohttpd has not begun to answer. */
void http_answer_by_hand(struct http_connection *connection, const struct reply *reply);

/* Undoes http_reserve_block, if it was called. */
void http_unreserve_block(struct http_connection *connection);

/* The answer when there is no memory to make one, or NULL. */
struct MHD_Response *http_make_no_memory(void);

/* ---- http_pace.c: whether clients are fast enough ------------------------------------------------------ */

/* For a new http, for a new connection. */
void http_pace_init(struct http *http);
void http_pace_add(struct http_connection *connection);

/* A request is over. */
void http_pace_served(struct http_connection *connection, const struct request *request);

/* All that was read so far is over, and no part of a request to come. */
void http_pace_forget(struct http_connection *connection);

/* A connection without a request has read something of the next one, as far as can be known. */
bool http_has_begun(const struct http_connection *connection);

/* ---- http_tls.c ---------------------------------------------------------------------------------------- */

/* What a daemon for TLS needs beside its flag. */
#define HTTP_TLS_OPTIONS 3 /* items */
void http_tls_options(struct MHD_OptionItem *out);

/* The session of a connection that is about to start, or NULL: no TLS. */
void *http_tls_session(struct MHD_Connection *mhd);

/* At the start and the end of every connection; NULL for one that is refused. */
void http_tls_begin(struct MHD_Connection *mhd, struct http_connection *connection);
void http_tls_end(struct http_connection *connection);

/* Writes what the socket takes at once, and says that it was the last. */
void http_tls_send_last(struct http_connection *connection, const void *bytes, size_t len);

/* ---- http_message.c ------------------------------------------------------------------------------------ */

/* libmicrohttpd's logger; cls is the http. */
void http_message(void *cls, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

#endif
