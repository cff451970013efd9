#include "src/log_ring.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The thread gathers lines for so long before it writes them, since waking it for each costs more than the
 * line. */
#define GATHER_NS 2000000

/* How often a descriptor that takes nothing now is asked again. */
#define RETRY_MS 100

/* Lines are put into one half while the thread writes the other. */
struct half {
    char *data;
    size_t len;
};

struct log_ring {
    int fd;
    size_t room; /* of a half */
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t filled, emptied;
    struct half half[2];
    unsigned at; /* the half that is filled */
    bool writing, ending;
    uint64_t lost, told; /* lines; those that log_ring_put has told of */
    char data[];
};

/* ---- the thread ---------------------------------------------------------------------------------------- */

/* The bytes that could be written. */
static size_t write_all(int fd, const char *data, size_t len)
{
    size_t done = 0;
    while (done < len) {
        ssize_t n = write(fd, data + done, len - done);
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            poll(&wait, 1, RETRY_MS);
        else if (n == 0 || errno != EINTR)
            break;
    }
    return done;
}

static uint64_t count_lines(const char *data, size_t len)
{
    uint64_t count = 0;
    for (const char *end = data + len; (data = memchr(data, '\n', (size_t)(end - data))) != NULL; data++)
        count++;
    return count;
}

/* Takes the half that was filled; with the lock held, but not while it writes. */
static void write_half(struct log_ring *ring)
{
    struct half *half = &ring->half[ring->at];
    ring->at = 1 - ring->at;
    ring->writing = true;
    pthread_mutex_unlock(&ring->lock);
    size_t done = write_all(ring->fd, half->data, half->len);
    uint64_t lost = count_lines(half->data + done, half->len - done);
    half->len = 0;
    pthread_mutex_lock(&ring->lock);
    ring->writing = false;
    ring->lost += lost;
    pthread_cond_broadcast(&ring->emptied);
}

static void *run(void *arg)
{
    struct log_ring *ring = arg;
    pthread_mutex_lock(&ring->lock);
    while (!ring->ending || ring->half[ring->at].len > 0) {
        if (ring->half[ring->at].len == 0) {
            pthread_cond_wait(&ring->filled, &ring->lock);
            continue;
        }
        if (!ring->ending) {
            pthread_mutex_unlock(&ring->lock);
            nanosleep(&(struct timespec){.tv_nsec = GATHER_NS}, NULL);
            pthread_mutex_lock(&ring->lock);
        }
        write_half(ring);
    }
    pthread_mutex_unlock(&ring->lock);
    return NULL;
}

/* Signals are for others. */
static bool start_thread(struct log_ring *ring)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&ring->thread, NULL, run, ring) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* ---- for everybody ------------------------------------------------------------------------------------- */

static void release(struct log_ring *ring)
{
    pthread_cond_destroy(&ring->filled);
    pthread_cond_destroy(&ring->emptied);
    pthread_mutex_destroy(&ring->lock);
    free(ring);
}

/* A condition that can be waited for by a clock which nobody sets. */
static void init_monotonic(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct log_ring *log_ring_create(int fd, size_t room)
{
    struct log_ring *ring = malloc(sizeof(*ring) + room);
    if (ring == NULL)
        return NULL;
    *ring = (struct log_ring){.fd = fd, .room = room / 2};
    ring->half[0].data = ring->data;
    ring->half[1].data = ring->data + room / 2;
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->filled, NULL);
    init_monotonic(&ring->emptied);
    if (start_thread(ring))
        return ring;
    release(ring);
    return NULL;
}

uint64_t log_ring_put(struct log_ring *ring, const char *line, size_t len)
{
    pthread_mutex_lock(&ring->lock);
    struct half *half = &ring->half[ring->at];
    bool fits = len <= ring->room - half->len;
    if (fits) {
        if (half->len == 0)
            pthread_cond_signal(&ring->filled);
        memcpy(half->data + half->len, line, len);
        half->len += len;
    }
    uint64_t lost = fits ? ring->lost - ring->told : 0; /* told when there is room to say it */
    ring->told += lost;
    ring->lost += !fits;
    pthread_mutex_unlock(&ring->lock);
    return lost;
}

uint64_t log_ring_lost(struct log_ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    uint64_t lost = ring->lost;
    pthread_mutex_unlock(&ring->lock);
    return lost;
}

/* With the lock held; whether it is empty. */
static bool wait_empty(struct log_ring *ring, unsigned ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    int status = 0;
    while (status == 0 && (ring->writing || ring->half[ring->at].len > 0))
        status = pthread_cond_timedwait(&ring->emptied, &ring->lock, &until);
    return status == 0;
}

void log_ring_flush(struct log_ring *ring, unsigned ms)
{
    pthread_mutex_lock(&ring->lock);
    wait_empty(ring, ms);
    pthread_mutex_unlock(&ring->lock);
}

void log_ring_destroy(struct log_ring *ring, unsigned ms)
{
    if (ring == NULL)
        return;
    pthread_mutex_lock(&ring->lock);
    ring->ending = true;
    pthread_cond_signal(&ring->filled);
    bool empty = wait_empty(ring, ms);
    pthread_mutex_unlock(&ring->lock);
    if (!empty)
        return;
    pthread_join(ring->thread, NULL);
    release(ring);
}
