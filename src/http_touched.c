/* Connections that clients may have left without libmicrohttpd noticing, or that it does not get on with. */
#include "src/http_private.h"

/* Looks, a tick of the loop apart (0.3 s in all), after which a connection that has bytes and does not
 * read them is given up. */
#define STUCK_LOOKS 15

/* libmicrohttpd has its sockets in edge-triggered mode and forgets that one is readable when a read came
 * short. When the last bytes and the client's FIN arrive together it therefore never learns of the FIN,
 * and would keep the connection until the inactivity timeout. So connections on which something happened
 * are looked at once afterwards. */
void http_touch(struct http_connection *connection)
{
    if (!list_empty(&connection->touched))
        return;
    list_append(&connection->http->touched, &connection->touched);
    loop_watch(connection->http->loop);
}

/* A client may close its side and still wait for its answer: only what is not read to its end is over. */
static bool is_reading(const struct http_connection *connection)
{
    const struct request *request = connection->request;
    return request == NULL || (!connection->settled && request_is_reading(request));
}

/* libmicrohttpd 0.9 can run out of memory for a line of a chunked body. It then neither reads nor refuses,
 * but asks to be run in a circle, until the inactivity timeout. */
static void check_stuck(struct http_connection *connection)
{
    const struct request *request = connection->request;
    if (request == NULL || !connection->chunked || !request_is_reading(request))
        return;
    connection->stuck = request->received == connection->seen ? connection->stuck + 1 : 0;
    connection->seen = request->received;
    if (connection->stuck >= STUCK_LOOKS)
        http_upload_stuck(connection);
}

static void look_at(struct http_connection *connection)
{
    if (connection->suspended)
        return;
    int unread = http_peek(connection->fd);
    if (unread == 0 && is_reading(connection)) {
        http_abort(connection);
    } else if (unread > 0) {
        check_stuck(connection);
        http_touch(connection); /* the FIN may stand behind the bytes */
    }
}

bool http_tick(struct http *http, uint64_t now)
{
    struct list touched;
    list_move(&touched, &http->touched);
    while (!list_empty(&touched)) {
        struct http_connection *connection = list_item(touched.next, struct http_connection, touched);
        list_remove(&connection->touched);
        look_at(connection);
    }
    return http_upload_expire(http, now) || !list_empty(&http->touched);
}
