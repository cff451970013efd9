/* Connections from their start to their end: who may come in, what each takes of the budget, how they are
 * closed. */
#include "src/http_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <microhttpd.h>

/* ---- what libmicrohttpd knows of one ------------------------------------------------------------------- */

static const union MHD_ConnectionInfo *info(struct MHD_Connection *mhd, enum MHD_ConnectionInfoType type)
{
    return MHD_get_connection_info(mhd, type);
}

struct http_connection *http_connection_of(struct MHD_Connection *mhd)
{
    return info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static const struct sockaddr *address_of(struct MHD_Connection *mhd)
{
    return info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

int http_peek(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? -1 : 0;
    return n > 0;
}

/* ---- coming and leaving -------------------------------------------------------------------------------- */

static size_t cost_of(const struct service *service, const void *session)
{
    return (size_t)service->options->max_header_bytes + HTTP_CONNECTION_BYTES + (session != NULL ? HTTP_TLS_BYTES : 0);
}

/* CUT_NOT: it may come in, and is counted. */
static enum cut_reason admit(const struct service *service, struct MHD_Connection *mhd)
{
    if (!addresses_take(service->addresses, address_of(mhd)))
        return CUT_ADDRESS_LIMIT;
    if (bufpool_reserve(service->bufpool, cost_of(service, http_tls_session(mhd))))
        return CUT_NOT;
    addresses_give(service->addresses, address_of(mhd));
    return CUT_MEMORY_BUDGET;
}

static void leave(const struct service *service, const struct http_connection *connection)
{
    bufpool_unreserve(service->bufpool, cost_of(service, connection->session));
    addresses_give(service->addresses, address_of(connection->mhd));
}

struct http_connection *http_connection_start(struct http *http, struct MHD_Connection *mhd)
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

/* libmicrohttpd closes the socket when this returns. If that could destroy the answer, a copy of it stays
 * open. */
static void linger(struct http_connection *connection)
{
    int unread = http_peek(connection->fd);
    if (unread == 0 || (unread < 0 && !connection->linger))
        return;
    int copy = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return;
    shutdown(copy, SHUT_WR);
    lingering_add(&connection->http->loop->lingering, copy);
    loop_watch(connection->http->loop);
}

void http_connection_end(struct http_connection *connection)
{
    if (connection->request != NULL) /* not completed by libmicrohttpd, as in some of its own failures */
        request_release(connection->request, false);
    http_unreserve_block(connection);
    linger(connection);
    list_remove(&connection->link);
    list_remove(&connection->touched);
    list_remove(&connection->paced);
    leave(connection->http->loop->service, connection);
    http_tls_end(connection);
    free(connection);
}

/* ---- being cut off ------------------------------------------------------------------------------------- */

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

/* While draining: a request of which something has come is to be answered (and then the connection
 * closed). The receiving side alone must not be ended: what came after that would be read, and
 * libmicrohttpd, when it then sees the end, forget the answer. */
void http_close_if_idle(struct http_connection *connection)
{
    if (http_peek(connection->fd) > 0 || http_has_begun(connection))
        return;
    if (connection->session != NULL)
        http_tls_send_last(connection, NULL, 0);
    http_abort(connection);
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
            http_close_if_idle(connection);
    }
}

void http_cut(struct http *http)
{
    for (struct list *link = http->connections.next; link != &http->connections; link = link->next) {
        struct http_connection *connection = list_item(link, struct http_connection, link);
        http_cut_connection(connection, CUT_DRAIN_TIMEOUT);
    }
}

/* ---- waiting ------------------------------------------------------------------------------------------- */

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
