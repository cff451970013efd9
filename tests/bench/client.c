/* A client that costs little: sends the same request again and again, reads the answers and drops them.
 *
 *   client [-c CONNECTIONS] [-n REQUESTS | -s SECONDS] [-z ZEROS] [-d] PORT FILE
 *
 * FILE holds the request (head and body); -z appends that many zero bytes to its body, which the head's Content-Length
 * must count. Each connection has a thread and is kept; after -n requests each (default 1), or at the end of the answer
 * after which -s is over, it prints one line of JSON:
 *
 *   {"requests":N, "bytes":N of all answers' bodies, "seconds":S, "first_us":median time from the last byte sent to the
 *    first byte of the body, "digest":"FNV-1a of the last answer's body, with -d"}
 *
 * Answers must have status 200 and a Content-Length; one in chunks is taken for one that does not end.
 */
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    BLOCK_BYTES = 256 << 10,
    MAX_SAMPLES = 10000, /* of a connection; later ones are not counted into the median */
    MAX_CONNECTIONS = 256,
};

struct options {
    uint16_t port;
    int connections;
    uint64_t requests;
    double seconds; /* 0: `requests` decides */
    uint64_t zeros;
    bool digest;
    char *request;
    size_t request_bytes;
};

struct connection {
    const struct options *options;
    double begun; /* of all connections, seconds */
    int fd;
    uint64_t requests;
    uint64_t bytes;
    uint64_t digest;
    size_t samples;
    double first[MAX_SAMPLES];
    char block[BLOCK_BYTES];
};

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static void fail_answer(const char *answer)
{
    fprintf(stderr, "unexpected answer: %.500s\n", answer);
    exit(EXIT_FAILURE);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- one request ------------------------------------------------------------------------------------------------ */

static void send_all(struct connection *c, const char *data, size_t size, int flags)
{
    while (size > 0) {
        ssize_t n = send(c->fd, data, size, flags | MSG_NOSIGNAL);
        if (n < 0)
            fail("send");
        data += n;
        size -= (size_t)n;
    }
}

static void send_request(struct connection *c)
{
    const struct options *o = c->options;
    uint64_t left = o->zeros;

    send_all(c, o->request, o->request_bytes, left > 0 ? MSG_MORE : 0);
    if (left > 0)
        memset(c->block, 0, BLOCK_BYTES);
    for (; left > BLOCK_BYTES; left -= BLOCK_BYTES)
        send_all(c, c->block, BLOCK_BYTES, MSG_MORE);
    send_all(c, c->block, (size_t)left, 0);
}

static size_t receive(struct connection *c, size_t at, size_t want)
{
    ssize_t n = recv(c->fd, c->block + at, want, 0);
    if (n == 0)
        errno = ECONNRESET;
    if (n <= 0)
        fail("recv");
    return (size_t)n;
}

/* Takes n bytes of the body, which lie at `at` of the block. */
static void take(struct connection *c, size_t at, size_t n)
{
    c->bytes += n;
    if (!c->options->digest)
        return;
    for (size_t i = at; i < at + n; i++)
        c->digest = (c->digest ^ (unsigned char)c->block[i]) * UINT64_C(0x100000001b3);
}

/* Of an answer whose head ends at `end`. */
static uint64_t body_length(const char *head, const char *end)
{
    const char *length = strcasestr(head, "\r\nContent-Length:");
    const char *chunked = strcasestr(head, "\r\nTransfer-Encoding: chunked");
    if (strncmp(head, "HTTP/1.1 200 ", 13) == 0 && length && length < end)
        return strtoull(length + strlen("\r\nContent-Length:"), NULL, 10);
    if (strncmp(head, "HTTP/1.1 200 ", 13) != 0 || !chunked || chunked > end)
        fail_answer(head);
    return UINT64_MAX;
}

/* Receives the head. Returns the length of the body; *came of it lie at *at in the block. */
static uint64_t receive_head(struct connection *c, size_t *at, size_t *came)
{
    size_t used = 0;
    const char *end = NULL;
    while (!end && used < BLOCK_BYTES - 1) {
        used += receive(c, used, BLOCK_BYTES - 1 - used);
        c->block[used] = '\0';
        end = strstr(c->block, "\r\n\r\n");
    }
    if (!end)
        fail_answer(c->block);
    *at = (size_t)(end - c->block) + 4;
    *came = used - *at;
    return body_length(c->block, end);
}

static void receive_answer(struct connection *c)
{
    double sent = now();
    size_t at, n;
    uint64_t left = receive_head(c, &at, &n);

    c->digest = UINT64_C(0xcbf29ce484222325);
    if (n == 0 && left > 0) {
        at = 0;
        n = receive(c, 0, BLOCK_BYTES);
    }
    if (c->samples < MAX_SAMPLES)
        c->first[c->samples++] = now() - sent;
    take(c, at, n);
    for (left -= n; left > 0; left -= n) {
        n = receive(c, 0, left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES);
        take(c, 0, n);
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static bool enough(const struct connection *c)
{
    const struct options *o = c->options;
    return o->seconds > 0 ? now() - c->begun >= o->seconds : c->requests >= o->requests;
}

static void *run(void *arg)
{
    struct connection *c = arg;
    while (!enough(c)) {
        send_request(c);
        receive_answer(c);
        c->requests++;
    }
    return NULL;
}

static struct connection *connect_to(const struct options *o)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(o->port)};
    struct connection *c = calloc(1, sizeof(*c));
    if (!c)
        fail("calloc");
    c->options = o;
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        fail("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return c;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_first(struct connection *const *all, int n)
{
    size_t count = 0;
    double *first = malloc((size_t)n * sizeof(all[0]->first));
    if (!first)
        fail("malloc");
    for (int i = 0; i < n; i++) {
        memcpy(first + count, all[i]->first, all[i]->samples * sizeof(double));
        count += all[i]->samples;
    }
    qsort(first, count, sizeof(double), by_value);
    double median = count > 0 ? first[count / 2] : 0;
    free(first);
    return median;
}

static void report(struct connection *const *all, int n, double seconds)
{
    uint64_t requests = 0, bytes = 0;
    for (int i = 0; i < n; i++) {
        requests += all[i]->requests;
        bytes += all[i]->bytes;
    }
    printf("{\"requests\":%llu,\"bytes\":%llu,\"seconds\":%.9f,\"first_us\":%.3f,\"digest\":\"%016llx\"}\n",
           (unsigned long long)requests, (unsigned long long)bytes, seconds, median_first(all, n) * 1e6,
           (unsigned long long)all[0]->digest);
}

static void read_file(struct options *o, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        fail(path);
    o->request_bytes = (size_t)ftell(f);
    o->request = malloc(o->request_bytes + 1);
    rewind(f);
    if (!o->request || fread(o->request, 1, o->request_bytes, f) != o->request_bytes)
        fail(path);
    fclose(f);
}

static void parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){.connections = 1, .requests = 1};
    for (int c; (c = getopt(argc, argv, "c:n:s:z:d")) != -1;) {
        switch (c) {
        case 'c': o->connections = (int)strtol(optarg, NULL, 10); break;
        case 'n': o->requests = strtoull(optarg, NULL, 10); break;
        case 's': o->seconds = strtod(optarg, NULL); break;
        case 'z': o->zeros = strtoull(optarg, NULL, 10); break;
        case 'd': o->digest = true; break;
        default: optind = argc;
        }
    }
    if (argc - optind != 2 || o->connections < 1 || o->connections > MAX_CONNECTIONS) {
        fprintf(stderr, "Usage: client [-c CONNECTIONS] [-n REQUESTS | -s SECONDS] [-z ZEROS] [-d] PORT FILE\n");
        exit(EXIT_FAILURE);
    }
    o->port = (uint16_t)strtoul(argv[optind], NULL, 10);
    read_file(o, argv[optind + 1]);
}

int main(int argc, char **argv)
{
    struct options options;
    struct connection *all[MAX_CONNECTIONS];
    pthread_t threads[MAX_CONNECTIONS];

    parse(&options, argc, argv);
    for (int i = 0; i < options.connections; i++)
        all[i] = connect_to(&options);
    double begun = now();
    for (int i = 0; i < options.connections; i++) {
        all[i]->begun = begun;
        errno = pthread_create(&threads[i], NULL, run, all[i]);
        if (errno != 0)
            fail("pthread_create");
    }
    for (int i = 0; i < options.connections; i++)
        pthread_join(threads[i], NULL);
    report(all, options.connections, now() - begun);
    for (int i = 0; i < options.connections; i++) {
        close(all[i]->fd);
        free(all[i]);
    }
    free(options.request);
    return 0;
}
