/* What a plain blocking loop over one hot block of memory does on this machine's loopback: the peer that answers of any
 * size are measured against.
 *
 * Prints "listening on http://127.0.0.1:PORT" and serves until it is killed, one thread a connection. The target of a
 * request is the size of the answer's body ("POST /268435456"); the request's body, if any, is received into a hot block
 * and dropped. It knows just enough HTTP for client.c and wrk: Content-Length, no chunks, no pipelining.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BLOCK_BYTES = 512 << 10, /* of send() and recv(); from 256 KiB to 1 MiB makes no difference */
    HEAD_BYTES = 32 << 10,
};

struct connection {
    int fd;
    size_t used;                /* of head */
    char head[HEAD_BYTES + 1];  /* of a request, and what came with it of its body; zero-terminated */
    char block[BLOCK_BYTES];    /* received and sent; touched all the time, thus in the cache */
};

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* Receives a whole request head. Returns its length with the blank line, 0 at the end of the connection. */
static size_t receive_head(struct connection *c)
{
    c->used = 0;
    while (c->used < HEAD_BYTES) {
        ssize_t n = recv(c->fd, c->head + c->used, HEAD_BYTES - c->used, 0);
        if (n <= 0)
            return 0;
        c->used += (size_t)n;
        c->head[c->used] = '\0';
        const char *end = strstr(c->head, "\r\n\r\n");
        if (end)
            return (size_t)(end - c->head) + 4;
    }
    return 0;
}

/* The number after `name` in the head, 0 if it is not there. */
static uint64_t number_after(const char *head, const char *name)
{
    const char *found = strcasestr(head, name);
    return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

static bool receive_body(struct connection *c, uint64_t bytes)
{
    while (bytes > 0) {
        size_t want = bytes < BLOCK_BYTES ? (size_t)bytes : BLOCK_BYTES;
        ssize_t n = recv(c->fd, c->block, want, 0);
        if (n <= 0)
            return false;
        bytes -= (uint64_t)n;
    }
    return true;
}

static bool send_all(int fd, const char *data, size_t size, int flags)
{
    while (size > 0) {
        ssize_t n = send(fd, data, size, flags | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_answer(struct connection *c, uint64_t bytes)
{
    char head[128];
    int length = snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %llu\r\n\r\n",
                          (unsigned long long)bytes);
    if (!send_all(c->fd, head, (size_t)length, bytes > 0 ? MSG_MORE : 0))
        return false;
    for (; bytes > BLOCK_BYTES; bytes -= BLOCK_BYTES)
        if (!send_all(c->fd, c->block, BLOCK_BYTES, MSG_MORE))
            return false;
    return send_all(c->fd, c->block, (size_t)bytes, 0);
}

static void *serve(void *arg)
{
    struct connection *c = arg;
    for (;;) {
        size_t head = receive_head(c);
        if (head == 0)
            break;
        uint64_t body = number_after(c->head, "\r\nContent-Length:");
        uint64_t came = c->used - head;
        uint64_t answer = number_after(c->head, " /");
        if (!receive_body(c, body > came ? body - came : 0) || !send_answer(c, answer))
            break;
    }
    close(c->fd);
    free(c);
    return NULL;
}

static void start_thread(int fd)
{
    struct connection *c = calloc(1, sizeof(*c));
    pthread_t thread;
    if (!c)
        fail("calloc");
    c->fd = fd;
    memset(c->block, 'x', sizeof(c->block));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    errno = pthread_create(&thread, NULL, serve, c);
    if (errno != 0)
        fail("pthread_create");
    pthread_detach(thread);
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, SOMAXCONN) != 0
        || getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        fail("listen");
    printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int accepted = accept(fd, NULL, NULL);
        if (accepted < 0)
            fail("accept");
        start_thread(accepted);
    }
}
