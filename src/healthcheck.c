#include "src/healthcheck.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LIMIT_S 3

/* Longer than the beginning of any answer. */
#define ANSWER_BYTES 64

static const char request[] = "GET /v2/health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "shaped: healthcheck: %s: %s\n", what, why);
    return EXIT_FAILURE;
}

static void on_alarm(int number)
{
    static const char text[] = "shaped: healthcheck: no answer in time\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)written;
    _exit(EXIT_FAILURE);
}

static int connect_any(const struct addrinfo *info)
{
    int error = EADDRNOTAVAIL;
    for (; info != NULL; info = info->ai_next) {
        int fd = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC, info->ai_protocol);
        if (fd >= 0 && connect(fd, info->ai_addr, info->ai_addrlen) == 0)
            return fd;
        error = errno;
        if (fd >= 0)
            close(fd);
    }
    errno = error;
    return -1;
}

static int connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    fail("cannot connect", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The addresses that stand for all of a machine's (0.0.0.0, ::) lead to itself. */
static int connect_tcp(const struct endpoint *endpoint)
{
    char port[8];
    snprintf(port, sizeof(port), "%u", (unsigned)endpoint->port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *info;
    int status = getaddrinfo(endpoint->host, port, &hints, &info);
    if (status != 0) {
        fail(endpoint->host, gai_strerror(status));
        return -1;
    }
    int fd = connect_any(info);
    if (fd < 0)
        fail("cannot connect", strerror(errno));
    freeaddrinfo(info);
    return fd;
}

static int ask(int fd)
{
    char answer[ANSWER_BYTES + 1];
    size_t len = 0;
    if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(request) - 1)
        return fail("cannot ask", strerror(errno));
    while (len < ANSWER_BYTES) {
        ssize_t n = recv(fd, answer + len, ANSWER_BYTES - len, 0);
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    answer[len] = '\0';
    if (strncmp(answer, "HTTP/1.1 200 ", 13) == 0)
        return EXIT_SUCCESS;
    answer[strcspn(answer, "\r\n")] = '\0';
    return fail("not ready", len == 0 ? "no answer" : answer);
}

int healthcheck_run(const struct options *options)
{
    const struct endpoint *endpoint = &options->listen[0];
    bool local = endpoint->path[0] != '\0';
    if (!local && endpoint->port == 0)
        return fail("--listen", "it has port 0, and there is no knowing which one the server has got");
    signal(SIGALRM, on_alarm);
    alarm(LIMIT_S);
    int fd = local ? connect_unix(endpoint->path) : connect_tcp(endpoint);
    if (fd < 0)
        return EXIT_FAILURE;
    int status = ask(fd);
    close(fd);
    return status;
}
