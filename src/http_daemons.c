/* The daemons of a loop as one: a plain one, and one for TLS if there is a certificate. */
#include "src/http_private.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <microhttpd.h>

static int epoll_of(struct MHD_Daemon *daemon)
{
    return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

static bool join(int epoll, struct MHD_Daemon *daemon)
{
    int fd = epoll_of(daemon);
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool http_daemons_join(struct http *http)
{
    http->epoll = -1;
    if (http->daemon[HTTP_TLS] == NULL)
        return true;
    http->epoll = epoll_create1(EPOLL_CLOEXEC);
    return http->epoll >= 0 && join(http->epoll, http->daemon[HTTP_PLAIN]) &&
           join(http->epoll, http->daemon[HTTP_TLS]);
}

void http_daemons_stop(struct http *http)
{
    for (unsigned i = 0; i < HTTP_DAEMONS; i++)
        if (http->daemon[i] != NULL)
            MHD_stop_daemon(http->daemon[i]);
    if (http->epoll >= 0)
        close(http->epoll);
}

int http_descriptor(const struct http *http)
{
    return http->epoll >= 0 ? http->epoll : epoll_of(http->daemon[HTTP_PLAIN]);
}

void http_run(struct http *http)
{
    for (unsigned i = 0; i < HTTP_DAEMONS; i++)
        if (http->daemon[i] != NULL)
            MHD_run(http->daemon[i]);
}

bool http_timeout(struct http *http, uint64_t *ret)
{
    bool waits = false;
    for (unsigned i = 0; i < HTTP_DAEMONS; i++) {
        MHD_UNSIGNED_LONG_LONG timeout;
        if (http->daemon[i] == NULL || MHD_get_timeout(http->daemon[i], &timeout) != MHD_YES)
            continue;
        *ret = waits && *ret < timeout ? *ret : timeout;
        waits = true;
    }
    return waits;
}

/* A unix socket is as private as its permissions make it: no TLS there. */
bool http_add(struct http *http, int fd, const struct sockaddr *address, socklen_t len)
{
    bool tls = http->daemon[HTTP_TLS] != NULL && address->sa_family != AF_UNIX;
    bool added = MHD_add_connection(http->daemon[tls ? HTTP_TLS : HTTP_PLAIN], fd, address, len) == MHD_YES;
    loop_pump(http->loop);
    return added;
}
