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

#include <gnutls/gnutls.h>

#include "src/tokens.h"

#define LIMIT_S 3

/* Longer than the beginning of any answer. */
#define ANSWER_BYTES 64

#define REQUEST "GET /v2/health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"

static bool fail(const char *what, const char *why)
{
    fprintf(stderr, "shaped: healthcheck: %s: %s\n", what, why);
    return false;
}

static void on_alarm(int number)
{
    static const char text[] = "shaped: healthcheck: no answer in time\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)written;
    _exit(EXIT_FAILURE);
}

/* ---- connecting ---------------------------------------------------------------------------------------- */

/* A connected socket, or -1 with errno. */
static int connect_one(int family, int protocol, const struct sockaddr *address, socklen_t len)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, protocol);
    if (fd < 0 || connect(fd, address, len) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    return connect_one(AF_UNIX, 0, (struct sockaddr *)&address, sizeof(address));
}

/* The addresses that stand for all of a machine's (0.0.0.0, ::) lead to itself. */
static int connect_tcp(const struct endpoint *endpoint)
{
    char port[8];
    snprintf(port, sizeof(port), "%u", (unsigned)endpoint->port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int status = getaddrinfo(endpoint->host, port, &hints, &found);
    if (status != 0) {
        fail(endpoint->host, gai_strerror(status));
        errno = EADDRNOTAVAIL;
        return -1;
    }
    int fd = -1;
    for (const struct addrinfo *info = found; info != NULL && fd < 0; info = info->ai_next)
        fd = connect_one(info->ai_family, info->ai_protocol, info->ai_addr, info->ai_addrlen);
    freeaddrinfo(found);
    return fd;
}

/* ---- asking -------------------------------------------------------------------------------------------- */

/* The server, with TLS if there is a session. */
struct peer {
    int fd;
    gnutls_session_t session;
    gnutls_certificate_credentials_t credentials;
};

/* Whose certificate it is does not matter: the question is whether there is an answer, and nothing secret is
 * in it. */
static bool begin_tls(struct peer *peer)
{
    int status = gnutls_certificate_allocate_credentials(&peer->credentials);
    if (status >= 0)
        status = gnutls_init(&peer->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL);
    if (status >= 0)
        status = gnutls_set_default_priority(peer->session);
    if (status >= 0)
        status = gnutls_credentials_set(peer->session, GNUTLS_CRD_CERTIFICATE, peer->credentials);
    if (status >= 0) {
        gnutls_transport_set_int(peer->session, peer->fd);
        do {
            status = gnutls_handshake(peer->session);
        } while (status < 0 && !gnutls_error_is_fatal(status));
    }
    return status >= 0 || fail("no TLS", gnutls_strerror(status));
}

static ssize_t peer_send(struct peer *peer, const char *bytes, size_t len)
{
    return peer->session != NULL ? gnutls_record_send(peer->session, bytes, len)
                                 : send(peer->fd, bytes, len, MSG_NOSIGNAL);
}

static ssize_t peer_receive(struct peer *peer, char *out, size_t room)
{
    if (peer->session == NULL)
        return recv(peer->fd, out, room, 0);
    ssize_t n;
    do {
        n = gnutls_record_recv(peer->session, out, room);
    } while (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED);
    return n;
}

static void end_peer(struct peer *peer)
{
    if (peer->session != NULL)
        gnutls_deinit(peer->session);
    if (peer->credentials != NULL)
        gnutls_certificate_free_credentials(peer->credentials);
    close(peer->fd);
}

/* With a token, if there are any: health may be closed, too. */
static bool send_request(struct peer *peer, const char *token_file)
{
    char token[TOKENS_LENGTH_MAX + 1], text[sizeof(REQUEST) + sizeof(token) + 64];
    bool has = token_file != NULL && tokens_first(token_file, token, sizeof(token));
    int len = snprintf(text, sizeof(text), REQUEST "%s%s%s\r\n", has ? "Authorization: Bearer " : "",
                       has ? token : "", has ? "\r\n" : "");
    return peer_send(peer, text, (size_t)len) == len;
}

static bool ask(struct peer *peer, const char *token_file)
{
    char answer[ANSWER_BYTES + 1];
    size_t len = 0;
    if (!send_request(peer, token_file))
        return fail("cannot ask", "the server does not listen");
    while (len < ANSWER_BYTES) {
        ssize_t n = peer_receive(peer, answer + len, ANSWER_BYTES - len);
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    answer[len] = '\0';
    if (strncmp(answer, "HTTP/1.1 200 ", 13) == 0)
        return true;
    answer[strcspn(answer, "\r\n")] = '\0';
    return fail("not ready", len == 0 ? "no answer" : answer);
}

int healthcheck_run(const struct options *options)
{
    const struct endpoint *endpoint = &options->listen[0];
    bool local = endpoint->path[0] != '\0';
    if (!local && endpoint->port == 0) {
        fail("--listen", "it has port 0, and there is no knowing which one the server has got");
        return EXIT_FAILURE;
    }
    signal(SIGALRM, on_alarm);
    alarm(LIMIT_S);
    struct peer peer = {.fd = local ? connect_unix(endpoint->path) : connect_tcp(endpoint)};
    if (peer.fd < 0) {
        fail("cannot connect", strerror(errno));
        return EXIT_FAILURE;
    }
    bool tls = options->tls_certificate != NULL && !local;
    bool good = (!tls || begin_tls(&peer)) && ask(&peer, options->token_file);
    end_peer(&peer);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
