/* HTTP/1.1 over libmicrohttpd: one daemon per loop, without threads and without a listening socket.
 *
 * http.c is what libmicrohttpd calls; http_connection.c keeps connections, http_touched.c sees when clients
 * have left, http_pace.c that they are not too slow; http_head.c reads heads, http_upload.c takes requests
 * in, http_answer.c sends answers; http_daemons.c runs the daemons, http_tls.c knows the certificate,
 * http_message.c listens to what the library says. They alone know libmicrohttpd. Everything runs on the
 * loop's thread. The daemon works when http_run is called: whenever its descriptor is readable, when its
 * timeout is over, and after an answer was given from outside a run.
 */
#ifndef SRC_HTTP_H
#define SRC_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/socket.h>

#include "api/reply.h"

struct http;
struct http_connection;
struct loop;
struct request;
struct log;

/* Sends the library's panic messages to the log, which must live as long as the process. Once, before the
 * first http. */
void http_process_init(const struct log *log);

/* Of libmicrohttpd. */
const char *http_library_version(void);

/* NULL when there is no memory or no descriptor. */
struct http *http_create(struct loop *loop);

/* No request may be at the pool (an answer to it would have no connection). NULL is allowed. */
void http_destroy(struct http *http);

/* An epoll descriptor. */
int http_descriptor(const struct http *http);

/* Reads, calls, writes: all that can be done without waiting. */
void http_run(struct http *http);

/* Milliseconds after which http_run must be called; false if there is no such time. */
bool http_timeout(struct http *http, uint64_t *ret);

/* Serves a connected, non-blocking socket, which it owns from now on, also when it fails. */
bool http_add(struct http *http, int fd, const struct sockaddr *address, socklen_t len);

/* Looks after connections whose time is up or whose client has left unnoticed; true if it wants to be
 * called again. */
bool http_tick(struct http *http, uint64_t now);

/* Cuts off connections whose client is too slow; true as long as there are connections. Called every now and
 * then as asked for by loop_pace. */
bool http_pace(struct http *http, uint64_t now);

/* Closes connections without a request, after what has arrived, and from now on each when its request is
 * over. */
void http_drain(struct http *http);

/* Cuts all connections off. Those that are suspended end when they are resumed. */
void http_cut(struct http *http);

/* There is no connection. */
bool http_idle(const struct http *http);

/* ---- for request.c ------------------------------------------------------------------------------------- */

/* Stops reading from and writing to a connection until the answer is given. Only from within
 * request_execute. */
void http_suspend(struct http_connection *connection);

/* Goes on with a connection that was suspended; one that is not is left alone. */
void http_resume(struct http_connection *connection);

/* Takes the memory through which a body with a source is sent out of the budget, until HTTP is done with the
 * request. False if there is not as much. */
bool http_reserve_block(struct http_connection *connection);

enum http_bytes {
    HTTP_BORROW, /* the reply lives as long as the request */
    HTTP_COPY,   /* it does not, and has no source */
};

/* Gives the answer. If that fails the connection is closed without one. */
void http_answer(struct request *request, const struct reply *reply, enum http_bytes bytes);

#endif
