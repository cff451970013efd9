#include "src/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG 4096

/* How often, and how far apart, the lock of a folder is asked for. */
#define LOCK_TRIES 100
#define LOCK_NS 10000000

/* The first descriptor that systemd hands over. */
#define INHERITED_FIRST 3

/* ---- names --------------------------------------------------------------------------------------------- */

static void name_unix(const struct sockaddr_un *address, socklen_t len, char *out, size_t size)
{
    size_t before = offsetof(struct sockaddr_un, sun_path);
    size_t room = len > before ? len - before : 0;
    bool abstract = room > 0 && address->sun_path[0] == '\0';
    const char *path = address->sun_path + abstract;
    snprintf(out, size, "unix:%s%.*s", abstract ? "@" : "", (int)room - abstract, path);
}

static void name_tcp(const struct sockaddr *address, socklen_t len, bool tls, char *out, size_t size)
{
    char host[NI_MAXHOST], port[NI_MAXSERV];
    if (getnameinfo(address, len, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    bool six = address->sa_family == AF_INET6;
    snprintf(out, size, "http%s://%s%.200s%s:%s", tls ? "s" : "", six ? "[" : "", host, six ? "]" : "", port);
}

static void name_socket(struct listening *listening, const struct options *options)
{
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof(address);
    snprintf(listening->name, sizeof(listening->name), "a socket of an unknown kind");
    if (getsockname(listening->fd, (struct sockaddr *)&address, &len) != 0)
        return;
    if (address.ss_family == AF_UNIX)
        name_unix((struct sockaddr_un *)&address, len, listening->name, sizeof(listening->name));
    else
        name_tcp((struct sockaddr *)&address, len, options->tls_certificate != NULL, listening->name,
                 sizeof(listening->name));
}

/* ---- TCP ----------------------------------------------------------------------------------------------- */

/* Closes without changing errno; returns -1. */
static int give_up(int fd)
{
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int open_tcp(const struct addrinfo *info)
{
    int fd = socket(info->ai_family, info->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, info->ai_protocol);
    if (fd < 0)
        return -1;
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    return give_up(fd);
}

static bool listen_tcp(const struct endpoint *endpoint, const struct log *log, struct listening *ret)
{
    char port[8];
    snprintf(port, sizeof(port), "%u", (unsigned)endpoint->port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *info;
    int status = getaddrinfo(endpoint->host, port, &hints, &info);
    if (status != 0) {
        log_write(log, LOG_ERROR, "cannot listen on %s: %s", endpoint->host, gai_strerror(status));
        return false;
    }
    ret->fd = open_tcp(info);
    freeaddrinfo(info);
    if (ret->fd < 0)
        log_write(log, LOG_ERROR, "cannot listen on %s port %s: %s", endpoint->host, port, strerror(errno));
    return ret->fd >= 0;
}

/* ---- unix sockets -------------------------------------------------------------------------------------- */

/* Whether somebody listens on it, or at least it cannot be told that nobody does. */
static bool is_in_use(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
                   errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return !refused;
}

/* Until it listens, a new socket looks like one that a dead server has left behind, and of two servers that
 * start at once one would take the other's away. So they do it one after the other, by a lock of the folder,
 * which ends with the descriptor. Where it is not to be had, or somebody keeps it, it has to go without. */
static int lock_folder(const char *path)
{
    char folder[OPTIONS_PATH_MAX];
    size_t len = (size_t)(strrchr(path, '/') - path);
    snprintf(folder, sizeof(folder), "%.*s", len > 0 ? (int)len : 1, path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = LOCK_NS}, NULL);
    return fd;
}

/* Makes room for a new socket; NULL, or why there is none. */
static const char *clear_path(const struct sockaddr_un *address)
{
    struct stat found;
    if (lstat(address->sun_path, &found) != 0)
        return errno == ENOENT ? NULL : strerror(errno);
    if (!S_ISSOCK(found.st_mode))
        return "there is a file that is no socket";
    if (is_in_use(address))
        return "another server listens on it";
    return unlink(address->sun_path) == 0 || errno == ENOENT ? NULL : strerror(errno);
}

static int open_unix(const struct sockaddr_un *address, unsigned mode)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    mode_t before = umask((mode_t)(0777 & ~mode)); /* so that it never has other permissions */
    int bound = bind(fd, (const struct sockaddr *)address, sizeof(*address));
    umask(before);
    if (bound == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    return give_up(fd);
}

static bool listen_unix(const struct endpoint *endpoint, unsigned mode, const struct log *log,
                        struct listening *ret)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", endpoint->path);
    int lock = lock_folder(endpoint->path);
    const char *why = clear_path(&address);
    if (why == NULL) {
        ret->fd = open_unix(&address, mode);
        why = ret->fd < 0 ? strerror(errno) : NULL;
    }
    if (lock >= 0)
        close(lock);
    if (why != NULL) {
        log_write(log, LOG_ERROR, "cannot listen on unix:%s: %s", endpoint->path, why);
        return false;
    }
    struct stat made;
    if (stat(endpoint->path, &made) == 0) {
        snprintf(ret->path, sizeof(ret->path), "%s", endpoint->path);
        ret->device = made.st_dev;
        ret->inode = made.st_ino;
    }
    return true;
}

void listen_unlink(const struct listening *listening)
{
    struct stat found;
    if (listening->path[0] != '\0' && lstat(listening->path, &found) == 0 &&
        found.st_dev == listening->device && found.st_ino == listening->inode)
        unlink(listening->path);
}

bool listen_open(const struct endpoint *endpoint, const struct options *options, const struct log *log,
                 struct listening *ret)
{
    unsigned mode = (unsigned)options->socket_mode;
    *ret = (struct listening){.fd = -1};
    bool local = endpoint->path[0] != '\0';
    bool good = local ? listen_unix(endpoint, mode, log, ret) : listen_tcp(endpoint, log, ret);
    if (good)
        name_socket(ret, options);
    return good;
}

/* ---- sockets of systemd -------------------------------------------------------------------------------- */

/* A variable's whole value as a number, or -1. */
static long variable(const char *name)
{
    const char *text = getenv(name);
    if (text == NULL || *text < '0' || *text > '9')
        return -1;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && *end == '\0' ? value : -1;
}

unsigned listen_inherited(void)
{
    long count = variable("LISTEN_FDS");
    if (variable("LISTEN_PID") != (long)getpid() || count < 0 || count > 1024)
        return 0;
    return (unsigned)count;
}

static bool is_listening_stream(int fd)
{
    int type = 0, accepts = 0;
    socklen_t len = sizeof(int);
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_STREAM &&
           getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &len) == 0 && accepts != 0;
}

bool listen_inherit(unsigned index, const struct options *options, const struct log *log,
                    struct listening *ret)
{
    *ret = (struct listening){.fd = INHERITED_FIRST + (int)index};
    if (!is_listening_stream(ret->fd)) {
        log_write(log, LOG_ERROR, "descriptor %d of LISTEN_FDS is no listening stream socket", ret->fd);
        return false;
    }
    int flags = fcntl(ret->fd, F_GETFL);
    if (flags < 0 || fcntl(ret->fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(ret->fd, F_SETFD, FD_CLOEXEC) != 0) {
        log_write(log, LOG_ERROR, "descriptor %d of LISTEN_FDS: %s", ret->fd, strerror(errno));
        return false;
    }
    name_socket(ret, options);
    return true;
}
