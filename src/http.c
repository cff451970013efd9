#include "src/http_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

/* Looks, a tick of the loop apart (0.3 s in all), after which a connection that has bytes and does not read them is
 * given up. */
#define STUCK_LOOKS 15

/* ---- connections --------------------------------------------------------------------------------------- */

static const union MHD_ConnectionInfo *info(struct MHD_Connection *mhd, enum MHD_ConnectionInfoType type)
{
    return MHD_get_connection_info(mhd, type);
}

static struct http_connection *connection_of(struct MHD_Connection *mhd)
{
    return info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static const struct sockaddr *address_of(struct MHD_Connection *mhd)
{
    return info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

static size_t cost_of(const void *session)
{
    return HTTP_CONNECTION_BYTES + (session != NULL ? HTTP_TLS_BYTES : 0);
}

/* CUT_NOT: it may come in, and is counted. */
static enum cut_reason admit(const struct service *service, struct MHD_Connection *mhd)
{
    if (!addresses_take(service->addresses, address_of(mhd)))
        return CUT_ADDRESS_LIMIT;
    if (bufpool_reserve(service->bufpool, cost_of(http_tls_session(mhd))))
        return CUT_NOT;
    addresses_give(service->addresses, address_of(mhd));
    return CUT_MEMORY_BUDGET;
}

static void leave(const struct service *service, const struct http_connection *connection)
{
    bufpool_unreserve(service->bufpool, cost_of(connection->session));
    addresses_give(service->addresses, address_of(connection->mhd));
}

static void *connection_start(struct http *http, struct MHD_Connection *mhd)
{
    int fd = info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    struct http_connection *connection = calloc(1, sizeof(*connection));
    enum cut_reason reason = connection == NULL ? CUT_MEMORY_BUDGET : admit(http->loop->service, mhd);
    if (reason != CUT_NOT) {
        log_write(&http->loop->service->log, LOG_DEBUG, "a connection was refused: %s",
                  cut_reason_name(reason));
        counters_bump(http->loop->counters, metrics_cut_at(reason), 1);
        free(connection);
        shutdown(fd, SHUT_RDWR);
        return NULL;
    }
    connection->http = http;
    connection->mhd = mhd;
    connection->fd = fd;
    connection->opaque = http_tls_session(mhd) != NULL;
    list_append(&http->connections, &connection->link);
    list_init(&connection->touched);
    counters_bump(http->loop->counters, metrics_scalar_at(METRICS_CONNECTIONS), 1);
    http_pace_add(connection);
    http_touch(connection);
    return connection;
}

/* 1: there are bytes to read; 0: the client has closed; -1: neither. */
static int peek(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? -1 : 0;
    return n > 0;
}

/* libmicrohttpd closes the socket when this returns. If that could destroy the answer, a copy of it stays
 * open. */
static void connection_linger(struct http_connection *connection)
{
    int unread = peek(connection->fd);
    if (unread == 0 || (unread < 0 && !connection->linger))
        return;
    int copy = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return;
    shutdown(copy, SHUT_WR);
    lingering_add(&connection->http->loop->lingering, copy);
    loop_watch(connection->http->loop);
}

static void connection_end(struct http_connection *connection)
{
    if (connection->request != NULL) /* not completed by libmicrohttpd, as in some of its own failures */
        request_release(connection->request, false);
    http_unreserve_block(connection);
    connection_linger(connection);
    list_remove(&connection->link);
    list_remove(&connection->touched);
    list_remove(&connection->paced);
    leave(connection->http->loop->service, connection);
    http_tls_end(connection);
    free(connection);
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct http *http = cls;
    atomic_uint *count = &http->loop->connections;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
        *context = connection_start(http, mhd);
        http_tls_begin(mhd, *context);
        return;
    }
    atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
    if (*context != NULL)
        connection_end(*context);
}

void http_abort(struct http_connection *connection)
{
    shutdown(connection->fd, SHUT_RDWR);
}

void http_cut_connection(struct http_connection *connection, enum cut_reason reason)
{
    log_write(&connection->http->loop->service->log, LOG_DEBUG, "a connection was cut off: %s",
              cut_reason_name(reason));
    counters_bump(connection->http->loop->counters, metrics_cut_at(reason), 1);
    http_abort(connection);
}

/* libmicrohttpd has its sockets in edge-triggered mode and forgets that one is readable when a read came
 * short. When the last bytes and the client's FIN arrive together it therefore never learns of the FIN,
 * and would keep the connection until the inactivity timeout. So connections on which something happened
 * are looked at once afterwards. */
void http_touch(struct http_connection *connection)
{
    if (!list_empty(&connection->touched))
        return;
    list_append(&connection->http->touched, &connection->touched);
    loop_watch(connection->http->loop);
}

/* While draining: a request of which something has come is to be answered (and then the connection closed). The
 * receiving side alone must not be ended: what came after that would be read, and libmicrohttpd, when it then
 * sees the end, forget the answer. */
static void close_if_idle(struct http_connection *connection)
{
    if (peek(connection->fd) > 0 || http_has_begun(connection))
        return;
    if (connection->session != NULL)
        http_tls_send_last(connection, NULL, 0);
    http_abort(connection);
}

/* A client may close its side and still wait for its answer: only one that is being read is over. */
static bool is_reading(const struct http_connection *connection)
{
    const struct request *request = connection->request;
    return request == NULL || (!connection->suspended && request->state == REQUEST_READING);
}

/* libmicrohttpd 0.9 can run out of memory for a line of a chunked body. It then neither reads nor refuses,
 * but asks to be run in a circle, until the inactivity timeout. */
static void check_stuck(struct http_connection *connection)
{
    const struct request *request = connection->request;
    if (request == NULL || !connection->chunked || request->state != REQUEST_READING)
        return;
    connection->stuck = request->received == connection->seen ? connection->stuck + 1 : 0;
    connection->seen = request->received;
    if (connection->stuck >= STUCK_LOOKS)
        http_upload_stuck(connection);
}

static void look_at(struct http_connection *connection)
{
    if (connection->suspended)
        return;
    int unread = peek(connection->fd);
    if (unread == 0 && is_reading(connection)) {
        http_abort(connection);
    } else if (unread > 0) {
        check_stuck(connection);
        http_touch(connection); /* the FIN may stand behind the bytes */
    }
}

bool http_tick(struct http *http, uint64_t now)
{
    struct list touched;
    list_move(&touched, &http->touched);
    while (!list_empty(&touched)) {
        struct http_connection *connection = list_item(touched.next, struct http_connection, touched);
        list_remove(&connection->touched);
        look_at(connection);
    }
    return http_upload_expire(http, now) || !list_empty(&http->touched);
}

/* ---- requests ------------------------------------------------------------------------------------------ */

/* The first that is heard of a request: its target as it came, before anything is decoded.
 *
 * Next libmicrohttpd would decode the query into a list that nobody reads, and 0.9 hangs if there is no
 * memory for it. So once the target is copied it is shown an empty query; the memory is its own, and about
 * to be written to. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct http *http = cls;
    struct http_connection *connection = connection_of(mhd);
    if (connection == NULL)
        return NULL;
    connection->target = target;
    connection->request = request_create(http->loop, target);
    if (connection->request != NULL)
        connection->request->connection = connection;
    char *query = strchr((char *)(uintptr_t)target, '?');
    if (query != NULL)
        query[1] = '\0';
    return connection->request;
}

static enum MHD_Result answer_no_memory(struct http_connection *connection)
{
    if (connection == NULL)
        return MHD_NO;
    counters_bump(connection->http->loop->counters, metrics_request_at(NULL, "", PROBLEM_OUT_OF_MEMORY), 1);
    connection->linger = true;
    return MHD_queue_response(connection->mhd, MHD_HTTP_SERVICE_UNAVAILABLE, connection->http->no_memory);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                  const char *version, const char *data, size_t *size, void **context)
{
    (void)cls;
    (void)url; /* decoded already: of no use for routing */
    struct request *request = *context;
    if (request == NULL)
        return answer_no_memory(connection_of(mhd));
    struct http_connection *connection = request->connection;
    bool go_on;
    if (request->call.method == NULL) {
        go_on = http_upload_begin(connection, method, version);
    } else if (*size > 0) {
        go_on = http_upload_data(connection, data, *size);
        *size = 0;
    } else {
        go_on = http_upload_end(connection);
    }
    http_touch(connection);
    return go_on && !connection->broken ? MHD_YES : MHD_NO;
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **context,
                         enum MHD_RequestTerminationCode code)
{
    (void)cls;
    struct request *request = *context;
    struct http_connection *connection = connection_of(mhd);
    *context = NULL;
    if (request == NULL || connection == NULL)
        return;
    connection->request = NULL;
    http_unreserve_block(connection);
    connection->chunked = false;
    connection->stuck = 0;
    http_pace_served(connection, request);
    if (code == MHD_REQUEST_TERMINATED_WITH_ERROR) /* perhaps with a page of its own */
        connection->linger = true;
    request_release(request, code == MHD_REQUEST_TERMINATED_COMPLETED_OK || connection->answered);
    http_touch(connection);
    if (connection->http->draining && !connection->linger)
        close_if_idle(connection);
}

/* ---- the daemon ---------------------------------------------------------------------------------------- */

static struct MHD_Daemon *start_daemon(struct http *http, unsigned kind, const struct MHD_OptionItem *more)
{
    unsigned flags =
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | kind;
    /* clang-format off */
    return MHD_start_daemon(flags, 0, NULL, NULL, on_request, http,
                            MHD_OPTION_EXTERNAL_LOGGER, http_message, http, /* first */
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, HTTP_POOL_BYTES,
                            MHD_OPTION_CONNECTION_LIMIT, UINT_MAX, /* the acceptor has its own */
#if MHD_VERSION >= 0x01000000
                            MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1, /* else it mends targets and joins lines */
#endif
                            MHD_OPTION_URI_LOG_CALLBACK, on_target, http,
                            MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
                            MHD_OPTION_ARRAY, more, MHD_OPTION_END);
    /* clang-format on */
}

static bool start_daemons(struct http *http)
{
    static const struct MHD_OptionItem none = {MHD_OPTION_END, 0, NULL};
    http->daemon[HTTP_PLAIN] = start_daemon(http, 0, &none);
    if (http->daemon[HTTP_PLAIN] == NULL)
        return false;
    if (http->loop->service->tls != NULL) {
        struct MHD_OptionItem more[HTTP_TLS_OPTIONS];
        http_tls_options(more);
        http->daemon[HTTP_TLS] = start_daemon(http, MHD_USE_TLS, more);
        if (http->daemon[HTTP_TLS] == NULL)
            return false;
    }
    return http_daemons_join(http);
}

struct http *http_create(struct loop *loop)
{
    struct http *http = calloc(1, sizeof(*http));
    if (http == NULL)
        return NULL;
    http->loop = loop;
    list_init(&http->connections);
    list_init(&http->touched);
    list_init(&http->refused);
    http_pace_init(http);
    http->epoll = -1;
    http->no_memory = http_make_no_memory();
    if (http->no_memory != NULL && start_daemons(http))
        return http;
    http_destroy(http);
    return NULL;
}

void http_destroy(struct http *http)
{
    if (http == NULL)
        return;
    http_daemons_stop(http);
    if (http->no_memory != NULL)
        MHD_destroy_response(http->no_memory);
    free(http);
}

bool http_idle(const struct http *http)
{
    return list_empty(&http->connections);
}

void http_drain(struct http *http)
{
    http->draining = true;
    for (struct list *link = http->connections.next; link != &http->connections; link = link->next) {
        struct http_connection *connection = list_item(link, struct http_connection, link);
        if (connection->request == NULL)
            close_if_idle(connection);
    }
}

void http_cut(struct http *http)
{
    for (struct list *link = http->connections.next; link != &http->connections; link = link->next) {
        struct http_connection *connection = list_item(link, struct http_connection, link);
        http_cut_connection(connection, CUT_DRAIN_TIMEOUT);
    }
}

void http_suspend(struct http_connection *connection)
{
    connection->suspended = true;
    MHD_suspend_connection(connection->mhd);
}

void http_resume(struct http_connection *connection)
{
    if (!connection->suspended)
        return;
    connection->suspended = false;
    MHD_resume_connection(connection->mhd);
    loop_pump(connection->http->loop);
}
