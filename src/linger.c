#include "src/linger.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINGER_NS ((uint64_t)5000000000)

/* A flood of refused clients must not take all descriptors: beyond this many, the oldest has to go. */
#define LINGER_MAX 256

/* Reads per wake-up, so that a client that floods leaves time for others. */
#define READS 16

struct lingerer {
    struct list link;
    struct lingering *set;
    uint64_t deadline;
    int fd;
    uv_poll_t poll;
};

static void on_closed(uv_handle_t *handle)
{
    struct lingerer *lingerer = handle->data;
    close(lingerer->fd);
    free(lingerer);
}

static void end(struct lingerer *lingerer)
{
    list_remove(&lingerer->link);
    lingerer->set->count--;
    uv_close((uv_handle_t *)&lingerer->poll, on_closed);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    struct lingerer *lingerer = poll->data;
    char waste[16384];
    ssize_t n = 1;
    for (int i = 0; i < READS && n > 0; i++)
        n = recv(lingerer->fd, waste, sizeof(waste), MSG_DONTWAIT | MSG_TRUNC); /* not even copied */
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        end(lingerer);
}

void lingering_init(struct lingering *lingering, uv_loop_t *uv)
{
    lingering->uv = uv;
    lingering->count = 0;
    list_init(&lingering->sockets);
}

static struct lingerer *oldest(struct lingering *lingering)
{
    return list_item(lingering->sockets.next, struct lingerer, link);
}

void lingering_add(struct lingering *lingering, int fd)
{
    struct lingerer *lingerer = malloc(sizeof(*lingerer));
    if (lingerer == NULL || uv_poll_init(lingering->uv, &lingerer->poll, fd) != 0) {
        free(lingerer);
        close(fd);
        return;
    }
    if (lingering->count >= LINGER_MAX)
        end(oldest(lingering));
    lingerer->set = lingering;
    lingerer->fd = fd;
    lingerer->deadline = uv_hrtime() + LINGER_NS;
    lingerer->poll.data = lingerer;
    list_append(&lingering->sockets, &lingerer->link);
    lingering->count++;
    uv_poll_start(&lingerer->poll, UV_READABLE, on_readable);
}

bool lingering_expire(struct lingering *lingering, uint64_t now)
{
    while (!lingering_empty(lingering) && oldest(lingering)->deadline <= now)
        end(oldest(lingering));
    return !lingering_empty(lingering);
}

bool lingering_empty(const struct lingering *lingering)
{
    return list_empty(&lingering->sockets);
}

void lingering_end(struct lingering *lingering)
{
    while (!lingering_empty(lingering))
        end(oldest(lingering));
}
