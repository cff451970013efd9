#include "src/acceptor.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Accepted per wake-up, so that a flood of clients leaves time for those who are there. */
#define BATCH 64

#define REST_MS 100

struct listener {
    struct list link;
    struct acceptor *acceptor;
    struct listening listening;
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
    int fd = accept4(listener->listening.fd, (struct sockaddr *)&address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
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

/* ---- adding -------------------------------------------------------------------------------------------- */

void acceptor_init(struct acceptor *acceptor)
{
    list_init(&acceptor->listeners);
    acceptor->resting = false;
    uv_timer_init(acceptor->uv, &acceptor->rest);
    acceptor->rest.data = acceptor;
}

bool acceptor_add(struct acceptor *acceptor, const struct listening *listening)
{
    struct listener *listener = malloc(sizeof(*listener));
    if (listener == NULL || uv_poll_init(acceptor->uv, &listener->poll, listening->fd) != 0) {
        free(listener);
        log_write(acceptor->log, LOG_ERROR, "cannot listen on %s: no memory", listening->name);
        return false;
    }
    listener->acceptor = acceptor;
    listener->listening = *listening;
    listener->poll.data = listener;
    list_append(&acceptor->listeners, &listener->link);
    uv_poll_start(&listener->poll, UV_READABLE, on_readable);
    log_write(acceptor->log, LOG_NOTICE, "listening on %s", listening->name);
    return true;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void acceptor_end(struct acceptor *acceptor)
{
    uv_timer_stop(&acceptor->rest);
    acceptor->resting = true; /* no more rests: what cannot be accepted now never will be */
    while (!list_empty(&acceptor->listeners)) {
        struct listener *listener = listener_of(acceptor->listeners.next);
        listen_unlink(&listener->listening); /* first: who comes by it now would be cut off */
        while (accept_one(listener))
            continue;
        list_remove(&listener->link);
        uv_close((uv_handle_t *)&listener->poll, on_closed);
        close(listener->listening.fd); /* at once: before a client learns that its connection is closed */
    }
}
