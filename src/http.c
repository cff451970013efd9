/* What libmicrohttpd calls, and the daemons that it makes for a loop. */
#include "src/http_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct http *http = cls;
    atomic_uint *count = &http->loop->connections;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
        *context = http_connection_start(http, mhd);
        http_tls_begin(mhd, *context);
        return;
    }
    atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
    if (*context != NULL)
        http_connection_end(*context);
}

/* The first that is heard of a request: its target as it came, before anything is decoded.
 *
 * Next libmicrohttpd would decode the query into a list that nobody reads, and 0.9 hangs if there is no
 * memory for it. So once the target is copied it is shown an empty query; the memory is its own, and about
 * to be written to. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct http *http = cls;
    struct http_connection *connection = http_connection_of(mhd);
    if (connection == NULL)
        return NULL;
    connection->target = target;
    connection->request = request_create(http->loop, target);
    if (connection->request != NULL)
        connection->request->connection = connection;
    char *query = strchr((char *)(uintptr_t)target, '?');
    if (query != NULL)
        query[1] = '\0';
    return connection->request;
}

static enum MHD_Result answer_no_memory(struct http_connection *connection)
{
    if (connection == NULL)
        return MHD_NO;
    counters_bump(connection->http->loop->counters,
                  metrics_request_at(NULL, "", MHD_HTTP_SERVICE_UNAVAILABLE, PROBLEM_OUT_OF_MEMORY), 1);
    connection->linger = true;
    return MHD_queue_response(connection->mhd, MHD_HTTP_SERVICE_UNAVAILABLE, connection->http->no_memory);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                  const char *version, const char *data, size_t *size, void **context)
{
    (void)cls;
    (void)url; /* without the query: request->call.target has all of it */
    struct request *request = *context;
    if (request == NULL)
        return answer_no_memory(http_connection_of(mhd));
    struct http_connection *connection = request->connection;
    bool go_on = true;
    if (request->call.method == NULL) {
        go_on = http_upload_begin(connection, method, version);
    } else if (*size > 0) {
        http_upload_data(connection, data, *size);
        *size = 0;
    } else {
        go_on = http_upload_end(connection);
    }
    http_touch(connection);
    return go_on && !connection->broken ? MHD_YES : MHD_NO;
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **context,
                         enum MHD_RequestTerminationCode code)
{
    (void)cls;
    struct request *request = *context;
    struct http_connection *connection = http_connection_of(mhd);
    *context = NULL;
    if (request == NULL || connection == NULL)
        return;
    connection->request = NULL;
    http_unreserve_block(connection);
    connection->chunked = false;
    connection->settled = false;
    connection->stuck = 0;
    http_pace_served(connection, request);
    if (code == MHD_REQUEST_TERMINATED_WITH_ERROR) /* perhaps with a page of its own */
        connection->linger = true;
    request_release(request, code == MHD_REQUEST_TERMINATED_COMPLETED_OK || connection->answered);
    http_touch(connection);
    if (connection->http->draining && !connection->linger)
        http_close_if_idle(connection);
}

/* libmicrohttpd would decode the path, for a URL that nobody looks at. */
static size_t leave_as_it_is(void *cls, struct MHD_Connection *mhd, char *text)
{
    (void)cls;
    (void)mhd;
    return strlen(text);
}

/* ---- the daemon ---------------------------------------------------------------------------------------- */

static struct MHD_Daemon *start_daemon(struct http *http, unsigned kind, const struct MHD_OptionItem *more)
{
    unsigned flags =
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | kind;
    /* clang-format off */
    return MHD_start_daemon(flags, 0, NULL, NULL, on_request, http,
                            MHD_OPTION_EXTERNAL_LOGGER, http_message, http, /* first */
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            (size_t)http->loop->service->options->max_header_bytes, /* zeroed for every request */
                            MHD_OPTION_CONNECTION_LIMIT, UINT_MAX, /* the acceptor has its own */
#if MHD_VERSION >= 0x01000000
                            MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1, /* else it mends targets and joins lines */
#endif
                            MHD_OPTION_URI_LOG_CALLBACK, on_target, http,
                            MHD_OPTION_UNESCAPE_CALLBACK, leave_as_it_is, NULL,
                            MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
                            MHD_OPTION_ARRAY, more, MHD_OPTION_END);
    /* clang-format on */
}

static bool start_daemons(struct http *http)
{
    static const struct MHD_OptionItem none = {MHD_OPTION_END, 0, NULL};
    http->daemon[HTTP_PLAIN] = start_daemon(http, 0, &none);
    if (http->daemon[HTTP_PLAIN] == NULL)
        return false;
    if (http->loop->service->tls != NULL) {
        struct MHD_OptionItem more[HTTP_TLS_OPTIONS];
        http_tls_options(more);
        http->daemon[HTTP_TLS] = start_daemon(http, MHD_USE_TLS, more);
        if (http->daemon[HTTP_TLS] == NULL)
            return false;
    }
    return http_daemons_join(http);
}

struct http *http_create(struct loop *loop)
{
    struct http *http = calloc(1, sizeof(*http));
    if (http == NULL)
        return NULL;
    http->loop = loop;
    list_init(&http->connections);
    list_init(&http->touched);
    list_init(&http->refused);
    http_pace_init(http);
    http->epoll = -1;
    http->no_memory = http_make_no_memory();
    if (http->no_memory != NULL && start_daemons(http))
        return http;
    http_destroy(http);
    return NULL;
}

void http_destroy(struct http *http)
{
    if (http == NULL)
        return;
    http_daemons_stop(http);
    if (http->no_memory != NULL)
        MHD_destroy_response(http->no_memory);
    free(http);
}
