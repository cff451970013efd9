/* Giving answers: a reply becomes a response of libmicrohttpd, or bytes on the socket. */
#include "src/http_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sys/socket.h>

#include <microhttpd.h>

#include "src/account.h"

/* Called when the socket takes more. Returning 0 without suspending would be asked again in a circle. */
static ssize_t on_read(void *cls, uint64_t position, char *out, size_t room)
{
    (void)position; /* always the next byte */
    struct request *request = cls;
    bool ended;
    size_t n = request_read(request, out, room, &ended);
    if (n == 0 && !ended)
        http_suspend(request->connection);
    /* libmicrohttpd does not ask beyond a length it knows. */
    return ended ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)n;
}

bool http_reserve_block(struct http_connection *connection)
{
    connection->block = bufpool_reserve(connection->http->loop->service->bufpool, HTTP_BLOCK_BYTES);
    return connection->block;
}

void http_unreserve_block(struct http_connection *connection)
{
    if (connection->block)
        bufpool_unreserve(connection->http->loop->service->bufpool, HTTP_BLOCK_BYTES);
    connection->block = false;
}

static struct MHD_Response *response_of_text(struct bytes text, enum MHD_ResponseMemoryMode mode)
{
    void *ptr = (void *)(uintptr_t)text.ptr; /* it is not written to */
    return MHD_create_response_from_buffer(text.len, ptr, mode);
}

static struct MHD_Response *make_response(struct request *request, const struct reply *reply,
                                          enum http_bytes bytes)
{
    if (reply->body != NULL) {
        uint64_t length = reply->body->length;
        if (length == SOURCE_LENGTH_UNKNOWN)
            length = MHD_SIZE_UNKNOWN;
        return MHD_create_response_from_callback(length, HTTP_BLOCK_BYTES, on_read, request, NULL);
    }
    return response_of_text(reply->text, bytes == HTTP_COPY ? MHD_RESPMEM_MUST_COPY : MHD_RESPMEM_PERSISTENT);
}

/* Server-Timing of an operator's answer, in milliseconds. */
static bool add_timing(struct MHD_Response *response, const struct request *request)
{
    char text[160];
    struct account_times times = account_times(request, loop_now());
    int len = snprintf(text, sizeof(text), "total;dur=%.3f, read;dur=%.3f", (double)times.total / 1e6,
                       (double)times.read / 1e6);
    if (times.known)
        snprintf(text + len, sizeof(text) - (size_t)len, ", queue;dur=%.3f, compute;dur=%.3f, encode;dur=%.3f",
                 (double)times.queue / 1e6, (double)times.compute / 1e6, (double)times.encode / 1e6);
    return MHD_add_response_header(response, "Server-Timing", text) == MHD_YES &&
           MHD_add_response_header(response, "Preference-Applied", "server-timing") == MHD_YES;
}

/* What the client wants to have said about its request, whatever the answer. */
static bool add_remarks(struct MHD_Response *response, const struct request *request)
{
    if (request->id != NULL && MHD_add_response_header(response, "X-Request-Id", request->id) != MHD_YES)
        return false;
    return !request->timing || request->answered == 0 || add_timing(response, request);
}

static bool add_headers(struct MHD_Response *response, const struct reply *reply, bool close)
{
    for (size_t i = 0; i < reply->header_count; i++) {
        if (MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value) != MHD_YES)
            return false;
    }
    return !close || MHD_add_response_header(response, "Connection", "close") == MHD_YES;
}

/* Where memory is short, what the connection holds is given back too. */
static bool is_last(const struct request *request, const struct reply *reply)
{
    return reply->close || reply->problem == PROBLEM_OUT_OF_MEMORY || service_draining(request->loop->service);
}

void http_answer(struct request *request, const struct reply *reply, enum http_bytes bytes)
{
    struct http_connection *connection = request->connection;
    bool close = is_last(request, reply);
    struct MHD_Response *response = make_response(request, reply, bytes);
    bool queued = response != NULL && add_headers(response, reply, close) && add_remarks(response, request) &&
                  MHD_queue_response(connection->mhd, (unsigned)reply->status, response) == MHD_YES;
    if (response != NULL)
        MHD_destroy_response(response);
    if (queued) {
        request->status = reply->status;
        request->problem = reply->problem;
        if (reply->body == NULL && !request->match.head)
            request->sent = reply->text.len;
        request_sending(request);
    } else {
        connection->broken = true;
        http_abort(connection);
    }
    http_resume(connection);
}

struct MHD_Response *http_make_no_memory(void)
{
    struct reply reply = {.op = NULL};
    reply_no_memory(&reply);
    struct MHD_Response *response = response_of_text(reply.text, MHD_RESPMEM_PERSISTENT);
    if (response != NULL && add_headers(response, &reply, true))
        return response;
    if (response != NULL)
        MHD_destroy_response(response);
    return NULL;
}

/* ---- past libmicrohttpd -------------------------------------------------------------------------------- */

/* Appends to out[size] at *len; what does not fit is left out, and *len is then size. */
static void append(char *out, size_t size, size_t *len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void append(char *out, size_t size, size_t *len, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out + *len, size - *len, format, args);
    va_end(args);
    *len = n < 0 || (size_t)n >= size - *len ? size : *len + (size_t)n;
}

static size_t write_head(char *out, size_t size, const struct request *request, const struct reply *reply)
{
    size_t len = 0;
    char date[40];
    struct tm utc;
    time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &utc);
    append(out, size, &len, "HTTP/1.1 %d %s\r\nDate: %s\r\nConnection: close\r\nContent-Length: %zu\r\n",
           reply->status, MHD_get_reason_phrase_for((unsigned)reply->status), date, reply->text.len);
    for (size_t i = 0; i < reply->header_count && len < size; i++)
        append(out, size, &len, "%s: %s\r\n", reply->headers[i].name, reply->headers[i].value);
    if (len < size && request->id != NULL)
        append(out, size, &len, "X-Request-Id: %s\r\n", request->id);
    if (len < size)
        append(out, size, &len, "\r\n");
    return len;
}

/* Without waiting: of this request nothing but "100 Continue" has been written, so these few bytes have room in the
 * socket, unless the client has left earlier answers unread. */
static void send_last(struct http_connection *connection, const char *bytes, size_t len)
{
    if (connection->session != NULL) {
        http_tls_send_last(connection, bytes, len);
    } else {
        ssize_t sent = send(connection->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)sent;
    }
}

void http_answer_by_hand(struct http_connection *connection, const struct reply *reply)
{
    char bytes[4096];
    size_t len = write_head(bytes, sizeof(bytes), connection->request, reply);
    const char *method = connection->request->call.method; /* NULL when that is not known yet */
    size_t body = method != NULL && strcmp(method, "HEAD") == 0 ? 0 : reply->text.len;
    if (len + body <= sizeof(bytes)) {
        memcpy(bytes + len, reply->text.ptr, body);
        len += body;
        send_last(connection, bytes, len);
    }
    shutdown(connection->fd, SHUT_WR);
    connection->request->status = reply->status;
    connection->request->problem = reply->problem;
    connection->answered = true;
    connection->linger = true;
}
