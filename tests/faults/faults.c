/* Calls of the C library that fail on demand: preloaded into the server (LD_PRELOAD) by test_faults.py, which says which.
 *
 * The file named by FAULTS is mapped by both: an array of `struct fault`, in the order of FAULT_TABLE. The `after`-th call
 * from now on fails with `error`, and so do those after it, `times` in all; `calls` counts them. A call of `clock` is moved by
 * `error` seconds while `times` is not 0. Only what the server does with sockets, not what this file does, is touched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FAULT_TABLE(X) X(MEMORY) X(ACCEPT) X(EPOLL_WAIT) X(EPOLL_CTL) X(SEND) X(RECEIVE) X(THREAD) X(CLOCK) X(LOG)

enum fault_id {
#define X(id) id,
    FAULT_TABLE(X)
#undef X
    FAULTS
};

struct fault {
    int64_t after, times, error, calls, failed;
};

static struct fault *faults;

__attribute__((constructor)) static void map_faults(void)
{
    const char *path = getenv("FAULTS");
    int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *at = mmap(NULL, FAULTS * sizeof(struct fault), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    faults = at != MAP_FAILED ? at : NULL;
    close(fd);
}

/* Whether this call is to fail; then errno is set. */
static int fails(enum fault_id id)
{
    struct fault *f = faults != NULL ? &faults[id] : NULL;
    if (f == NULL)
        return 0;
    __atomic_fetch_add(&f->calls, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&f->times, __ATOMIC_RELAXED) <= 0 || __atomic_fetch_sub(&f->after, 1, __ATOMIC_RELAXED) > 1)
        return 0;
    if (__atomic_fetch_sub(&f->times, 1, __ATOMIC_RELAXED) <= 0)
        return 0;
    __atomic_fetch_add(&f->failed, 1, __ATOMIC_RELAXED);
    errno = (int)f->error;
    return 1;
}

/* The next function of this name; found without memory, since malloc is one of them. */
#define NEXT(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))
#define FORWARD(type, name, id, bad, parameters, arguments) \
    type name parameters                                    \
    {                                                       \
        static __typeof__(&name) next;                      \
        if (next == NULL)                                   \
            next = NEXT(name);                              \
        return fails(id) ? (bad) : next arguments;          \
    }

/* ---- memory: glibc's own names under those that are replaced, so that dlsym may allocate ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size)
{
    return fails(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_realloc(block, size);
}

/* ---- sockets ---- */

FORWARD(int, accept4, ACCEPT, -1, (int fd, struct sockaddr *restrict address, socklen_t *restrict len, int flags),
        (fd, address, len, flags))
FORWARD(int, accept, ACCEPT, -1, (int fd, struct sockaddr *restrict address, socklen_t *restrict len), (fd, address, len))
FORWARD(ssize_t, send, SEND, -1, (int fd, const void *bytes, size_t n, int flags), (fd, bytes, n, flags))
FORWARD(ssize_t, sendmsg, SEND, -1, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
FORWARD(ssize_t, recv, RECEIVE, -1, (int fd, void *bytes, size_t n, int flags), (fd, bytes, n, flags))

/* libmicrohttpd's watches only, which it names by pointers. libuv names them by the descriptor; it tries each at once, and
 * ends the process by abort() when the kernel has no memory for one later. */
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    static __typeof__(&epoll_ctl) next;
    if (next == NULL)
        next = NEXT(epoll_ctl);
    bool ours = event != NULL && event->data.u64 > UINT32_MAX;
    return ours && fails(EPOLL_CTL) ? -1 : next(epfd, op, fd, event);
}

FORWARD(int, epoll_wait, EPOLL_WAIT, -1, (int epfd, struct epoll_event *events, int n, int ms), (epfd, events, n, ms))
FORWARD(int, epoll_pwait, EPOLL_WAIT, -1, (int epfd, struct epoll_event *events, int n, int ms, const sigset_t *set),
        (epfd, events, n, ms, set))

/* ---- the rest ---- */

FORWARD(int, pthread_create, THREAD, EAGAIN,
        (pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*run)(void *), void *restrict ctx),
        (thread, attributes, run, ctx))

ssize_t write(int fd, const void *bytes, size_t n)
{
    static __typeof__(&write) next;
    if (next == NULL)
        next = NEXT(write);
    return fd == STDERR_FILENO && fails(LOG) ? -1 : next(fd, bytes, n);
}

/* The wall clock jumps; the monotonic one cannot. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
    static __typeof__(&clock_gettime) next;
    if (next == NULL)
        next = NEXT(clock_gettime);
    int result = next(clock, ret);
    if (faults != NULL && clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE && faults[CLOCK].times != 0)
        ret->tv_sec += faults[CLOCK].error;
    return result;
}
