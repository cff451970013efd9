/* Deadlines of connections: a client must go on at a certain pace, else it is cut off.
 *
 * libmicrohttpd's own timeout knows only inactivity, and one byte now and then is activity. Here what counts
 * is whole: the whole head, enough of a body, enough of an answer taken, the whole exchange. Nothing is done
 * for this while requests run. All connections of a loop stand in one list and are looked at in turn, each
 * every `http->look_ns`, which is a part of the shortest limit; what a look finds is compared with what the
 * one before found. So limits are exceeded by at most that.
 */
#include "src/http_private.h"

#include <sys/ioctl.h>

#include "src/tcp_progress.h"

/* Looks in the time of the shortest limit, and their bounds. */
#define LOOKS 8
#define LOOK_MIN_NS ((uint64_t)25000000)
#define LOOK_MAX_NS ((uint64_t)2500000000)

#define NS_PER_MS ((uint64_t)1000000)

/* ---- what a connection does ---------------------------------------------------------------------------- */

static enum pace_phase request_phase(const struct http_connection *connection)
{
    const struct request *request = connection->request;
    if (connection->answered || connection->suspended)
        return PACE_OURS; /* there is another deadline for what it waits for */
    if (request->call.method == NULL)
        return PACE_HEAD;
    return request_is_reading(request) ? PACE_BODY : PACE_ANSWER;
}

/* Before the request line is complete, libmicrohttpd does not tell of a request. But it has begun if more
 * came than the ones before were. Where their size cannot be known, what had been read at their end counts
 * as theirs. */
void http_pace_forget(struct http_connection *connection)
{
    int unread = 0;
    uint64_t received = tcp_progress(connection->fd).received;
    ioctl(connection->fd, FIONREAD, &unread);
    connection->consumed = received > (unsigned)unread ? received - (unsigned)unread : 0;
}

void http_pace_served(struct http_connection *connection, const struct request *request)
{
    connection->served++;
    if (connection->opaque)
        http_pace_forget(connection);
    else
        connection->consumed += request->head_bytes + request->received;
}

static bool has_begun(const struct http_connection *connection, const struct tcp_progress *tcp)
{
    return tcp->received > connection->consumed;
}

bool http_has_begun(const struct http_connection *connection)
{
    struct tcp_progress tcp = tcp_progress(connection->fd);
    return has_begun(connection, &tcp);
}

/* ---- limits -------------------------------------------------------------------------------------------- */

/* A limit of 0 is none. */
static bool over(uint64_t now, uint64_t since, uint64_t limit_ms)
{
    return limit_ms > 0 && now - since > limit_ms * NS_PER_MS;
}

/* Looks whether `bytes`, a counter, has grown by less than it must in `window` ms; if it has grown enough the
 * next window begins. */
static bool too_slow(struct pace *pace, uint64_t now, uint64_t bytes, uint64_t window, uint64_t rate)
{
    if (!over(now, pace->window, window))
        return false;
    if (bytes - pace->bytes < rate * window / 1000)
        return true;
    pace->window = now;
    pace->bytes = bytes;
    return false;
}

/* A body that announces its length takes that much of the memory budget at once. So it must be on the way to
 * be complete within the time for a whole request, not just move. */
static bool falls_behind(const struct request *request, uint64_t now, const struct options *options)
{
    uint64_t grace = options->receive_stall * NS_PER_MS, spent = now - request->begun;
    if (spent <= grace || options->receive_timeout == 0)
        return false;
    double part = (double)(spent - grace) / ((double)options->receive_timeout * (double)NS_PER_MS);
    return (double)request->received < part * (double)request->announced;
}

static enum cut_reason judge_body(struct http_connection *connection, uint64_t now)
{
    const struct options *options = connection->http->loop->service->options;
    const struct request *request = connection->request;
    if (over(now, request->begun, options->receive_timeout))
        return CUT_RECEIVE_TIMEOUT;
    bool slow = too_slow(&connection->pace, now, request->received, options->receive_stall, options->min_rate) ||
                falls_behind(request, now, options);
    return slow ? CUT_SLOW_BODY : CUT_NOT;
}

/* What the client has taken of its answer. Where only our side of the socket is known, that is what
 * libmicrohttpd has fetched, which goes by blocks. */
static enum cut_reason judge_answer(struct http_connection *connection, uint64_t now,
                                    const struct tcp_progress *tcp)
{
    const struct options *options = connection->http->loop->service->options;
    if (over(now, connection->request->begun, options->exchange_timeout))
        return CUT_EXCHANGE_TIMEOUT;
    uint64_t window = options->send_stall;
    if (!tcp->known && window > 0 && options->min_rate > 0 && HTTP_BLOCK_BYTES * 1000 / options->min_rate > window)
        window = HTTP_BLOCK_BYTES * 1000 / options->min_rate;
    uint64_t bytes = tcp->known ? tcp->acked : connection->request->sent;
    if (tcp->known && !tcp->pending) { /* it has all: it waits for us */
        connection->pace.window = now;
        connection->pace.bytes = bytes;
    }
    return too_slow(&connection->pace, now, bytes, window, options->min_rate) ? CUT_SLOW_READER : CUT_NOT;
}

static enum cut_reason judge(struct http_connection *connection, uint64_t now, const struct tcp_progress *tcp)
{
    const struct options *options = connection->http->loop->service->options;
    switch (connection->pace.phase) {
    case PACE_IDLE:
        return over(now, connection->pace.since, options->idle_timeout) ? CUT_IDLE : CUT_NOT;
    case PACE_HEAD:
        return over(now, connection->pace.since, options->header_timeout) ? CUT_SLOW_HEAD : CUT_NOT;
    case PACE_BODY:
        return judge_body(connection, now);
    case PACE_ANSWER:
        return judge_answer(connection, now, tcp);
    case PACE_NEW:
    case PACE_OURS:
        break;
    }
    return CUT_NOT;
}

/* ---- looking ------------------------------------------------------------------------------------------- */

static uint64_t counter_of(const struct http_connection *connection, enum pace_phase phase,
                           const struct tcp_progress *tcp)
{
    if (phase == PACE_BODY)
        return connection->request->received;
    if (phase == PACE_ANSWER)
        return tcp->known ? tcp->acked : connection->request->sent;
    return tcp->received;
}

/* A head is as old as the connection if it was there at the first look, or as its request line; else it is
 * counted from the look that has found it. */
static void enter(struct http_connection *connection, enum pace_phase phase, uint64_t now,
                  const struct tcp_progress *tcp)
{
    struct pace *pace = &connection->pace;
    uint64_t since = pace->phase == PACE_NEW && connection->served == 0 ? pace->since : now;
    if (phase == PACE_HEAD && connection->request != NULL && connection->request->begun < since)
        since = connection->request->begun;
    *pace = (struct pace){
        .phase = phase,
        .served = connection->served,
        .since = since,
        .window = now,
        .bytes = counter_of(connection, phase, tcp),
    };
}

static void look(struct http_connection *connection, uint64_t now)
{
    struct tcp_progress tcp = tcp_progress(connection->fd);
    enum pace_phase phase = connection->request != NULL          ? request_phase(connection)
                            : has_begun(connection, &tcp) ? PACE_HEAD
                                                          : PACE_IDLE;
    if (phase != connection->pace.phase || connection->served != connection->pace.served)
        enter(connection, phase, now, &tcp);
    enum cut_reason reason = judge(connection, now, &tcp);
    if (reason != CUT_NOT)
        http_cut_connection(connection, reason);
}

void http_pace_init(struct http *http)
{
    const struct options *options = http->loop->service->options;
    const uint64_t limits[] = {options->header_timeout, options->idle_timeout, options->receive_stall,
                               options->send_stall, options->receive_timeout, options->exchange_timeout};
    http->look_ns = LOOK_MAX_NS;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        uint64_t part = limits[i] * NS_PER_MS / LOOKS;
        if (part > 0 && part < http->look_ns)
            http->look_ns = part < LOOK_MIN_NS ? LOOK_MIN_NS : part;
    }
    list_init(&http->paced);
}

void http_pace_add(struct http_connection *connection)
{
    struct http *http = connection->http;
    connection->pace = (struct pace){.phase = PACE_NEW, .since = loop_now()};
    connection->look_due = connection->pace.since + http->look_ns;
    list_append(&http->paced, &connection->paced);
    loop_pace(http->loop, http->look_ns / NS_PER_MS / 2);
}

bool http_pace(struct http *http, uint64_t now)
{
    while (!list_empty(&http->paced)) {
        struct http_connection *connection = list_item(http->paced.next, struct http_connection, paced);
        if (connection->look_due > now)
            return true;
        connection->look_due = now + http->look_ns;
        list_remove(&connection->paced);
        list_append(&http->paced, &connection->paced);
        look(connection, now);
    }
    return false;
}
