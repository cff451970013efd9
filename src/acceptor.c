#include "src/acceptor.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BACKLOG 4096

/* Accepted per wake-up, so that a flood of clients leaves time for those who are there. */
#define BATCH 64

#define REST_MS 100

struct listener {
    struct list link;
    struct acceptor *acceptor;
    int fd;
    uv_poll_t poll;
};

#define EACH_LISTENER(acceptor, link) \
    for (struct list *link = (acceptor)->listeners.next; link != &(acceptor)->listeners; link = link->next)

static void on_readable(uv_poll_t *poll, int status, int events);

static struct listener *listener_of(struct list *link)
{
    return list_item(link, struct listener, link);
}

/* ---- accepting ----------------------------------------------------------------------------------------- */

static void on_rested(uv_timer_t *timer)
{
    struct acceptor *acceptor = timer->data;
    acceptor->resting = false;
    EACH_LISTENER(acceptor, link)
        uv_poll_start(&listener_of(link)->poll, UV_READABLE, on_readable);
}

static void rest(struct acceptor *acceptor)
{
    if (acceptor->resting)
        return;
    acceptor->resting = true;
    EACH_LISTENER(acceptor, link)
        uv_poll_stop(&listener_of(link)->poll);
    uv_timer_start(&acceptor->rest, on_rested, REST_MS, 0);
}

/* False if there is nothing more to accept now. */
static bool accept_one(struct listener *listener)
{
    struct acceptor *acceptor = listener->acceptor;
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    int fd = accept4(listener->fd, (struct sockaddr *)&address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        acceptor->deliver(acceptor->ctx, fd, (struct sockaddr *)&address, len);
        return true;
    }
    if (errno == ECONNABORTED || errno == EINTR)
        return true;
    if (errno != EAGAIN) {
        log_write(acceptor->log, LOG_WARNING, "cannot accept for a moment: %s", uv_strerror(-errno));
        rest(acceptor);
    }
    return false;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    struct listener *listener = poll->data;
    struct acceptor *acceptor = listener->acceptor;
    for (int i = 0; i < BATCH; i++) {
        if (!acceptor->room(acceptor->ctx)) {
            rest(acceptor);
            return;
        }
        if (!accept_one(listener))
            return;
    }
}

/* ---- listening ----------------------------------------------------------------------------------------- */

static int open_socket(const struct addrinfo *info)
{
    int fd = socket(info->ai_family, info->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, info->ai_protocol);
    if (fd < 0)
        return -1;
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void log_address(const struct log *log, int fd)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    char host[NI_MAXHOST], port[NI_MAXSERV];
    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0 ||
        getnameinfo((struct sockaddr *)&address, len, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    bool six = address.ss_family == AF_INET6;
    log_write(log, LOG_NOTICE, "listening on http://%s%s%s:%s", six ? "[" : "", host, six ? "]" : "", port);
}

static bool add_listener(struct acceptor *acceptor, int fd)
{
    struct listener *listener = malloc(sizeof(*listener));
    if (listener == NULL || uv_poll_init(acceptor->uv, &listener->poll, fd) != 0) {
        free(listener);
        return false;
    }
    listener->acceptor = acceptor;
    listener->fd = fd;
    listener->poll.data = listener;
    list_append(&acceptor->listeners, &listener->link);
    uv_poll_start(&listener->poll, UV_READABLE, on_readable);
    return true;
}

void acceptor_init(struct acceptor *acceptor)
{
    list_init(&acceptor->listeners);
    acceptor->resting = false;
    uv_timer_init(acceptor->uv, &acceptor->rest);
    acceptor->rest.data = acceptor;
}

bool acceptor_listen(struct acceptor *acceptor, const struct endpoint *endpoint)
{
    char port[8];
    snprintf(port, sizeof(port), "%u", (unsigned)endpoint->port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *info;
    int status = getaddrinfo(endpoint->host, port, &hints, &info);
    if (status != 0) {
        log_write(acceptor->log, LOG_ERROR, "cannot listen on %s: %s", endpoint->host, gai_strerror(status));
        return false;
    }
    int fd = open_socket(info);
    freeaddrinfo(info);
    if (fd < 0 || !add_listener(acceptor, fd)) {
        log_write(acceptor->log, LOG_ERROR, "cannot listen on %s port %s: %s", endpoint->host, port,
                  uv_strerror(fd < 0 ? -errno : UV_ENOMEM));
        if (fd >= 0)
            close(fd);
        return false;
    }
    log_address(acceptor->log, fd);
    return true;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    struct listener *listener = handle->data;
    close(listener->fd);
    free(listener);
}

void acceptor_end(struct acceptor *acceptor)
{
    uv_timer_stop(&acceptor->rest);
    acceptor->resting = true; /* no more rests: what cannot be accepted now never will be */
    while (!list_empty(&acceptor->listeners)) {
        struct listener *listener = listener_of(acceptor->listeners.next);
        while (accept_one(listener))
            continue;
        list_remove(&listener->link);
        uv_close((uv_handle_t *)&listener->poll, on_closed);
    }
}
