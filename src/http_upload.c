/* Taking requests in: what is refused is refused by its head, and the body of a good one is collected.
 *
 * libmicrohttpd sends an answer given in the first call at once and then closes the connection; one given
 * during the upload it does not take. Many clients cannot read an answer while they are sending. So the body
 * of a refused request is thrown away first, up to a bound, and then the answer is given, which also keeps
 * the connection. Beyond the bound the answer is written by hand.
 */
#include "src/http_private.h"

#include <inttypes.h>

/* How much of a refused body is thrown away before the answer is given. If more is announced, the answer is
 * given at once. */
#define REFUSED_BYTES ((uint64_t)64 << 20)

/* How long the end of a refused body is waited for, and then, how long a client may read an answer given by hand
 * before the connection is cut. One time for both, so that http->refused is in the order of its deadlines. */
#define REFUSED_NS ((uint64_t)5000000000)

static bool over_limit(const struct request *request, uint64_t bytes)
{
    return bytes > request->loop->service->env.max_request_bytes;
}

static bool too_large(const struct request *request, struct problem *err)
{
    const struct service *service = request->loop->service;
    uint64_t limit = service->env.max_request_bytes;
    bool lowered = limit < service->options->max_request_bytes;
    return problem_set(err, PROBLEM_REQUEST_TOO_LARGE, NULL, "the body is larger than %" PRIu64 " bytes, the limit (%s)",
                       limit, lowered ? "by --memory-budget" : "--max-request-bytes");
}

/* The body that is still to come is thrown away from now on. */
static void refuse_upload(struct request *request)
{
    request->deadline = loop_now() + REFUSED_NS;
    list_append(&request->connection->http->refused, &request->link);
    loop_watch(request->loop);
}

/* libmicrohttpd then closes the connection, in which bytes of the body may be left. */
static void answer_at_once(struct request *request)
{
    request->connection->linger = true;
    http_answer(request, &request->reply, HTTP_BORROW);
}

/* Answers now, or has the body thrown away first. False: the connection must be closed. */
static bool refuse(struct request *request, const struct http_head *head, const struct problem *problem,
                   const char *allow)
{
    request_refuse(request, problem);
    if (allow != NULL)
        reply_header(&request->reply, "Allow", allow);
    if (problem->code == PROBLEM_HEAD_TOO_LARGE) {
        http_answer_by_hand(request->connection, &request->reply);
        return false;
    }
    if (!head->known)
        request->reply.close = true;
    bool has_body = head->chunked || head->length > 0;
    if (request->reply.close || (has_body && head->expects) || head->length > REFUSED_BYTES)
        answer_at_once(request);
    else if (has_body)
        refuse_upload(request);
    return true;
}

/* Without a token only what is open to everybody. That goes by the route that was found, so that no spelling
 * of a path makes a difference; and where none was found, it is not told. */
static bool may_enter(const struct request *request, const char *authorization, struct problem *err)
{
    const struct service *service = request->loop->service;
    const struct route *route = request->match.route;
    if (service->tokens == NULL ||
        (route != NULL && (service->options->open >> route_subject(route) & 1) != 0) ||
        tokens_accept(service->tokens, authorization))
        return true;
    return problem_set(err, PROBLEM_UNAUTHORIZED, NULL, "%s: send the header Authorization: Bearer TOKEN",
                       authorization == NULL ? "a token is needed here" : "the token is not a good one");
}

/* Whether there would be memory for the whole of a body now, of which most is taken later. A small one stands in its
 * request. */
static bool might_fit(const struct request *request, uint64_t announced)
{
    struct bufpool *pool = request->loop->service->bufpool;
    if (announced <= REQUEST_SMALL_BODY)
        return true;
    if (announced > SIZE_MAX || !bufpool_reserve(pool, (size_t)announced))
        return false;
    bufpool_unreserve(pool, (size_t)announced);
    return true;
}

static bool accept_head(struct request *request, const struct http_head *head, const char **allow,
                        struct problem *err)
{
    const struct api_request *call = &request->call;
    bool found = route_resolve(&request->arena, call->method, call->target, &request->match, allow, err);
    if (!may_enter(request, head->authorization, err)) {
        *allow = NULL;
        return false;
    }
    if (!found)
        return false;
    if (over_limit(request, head->length))
        return too_large(request, err);
    request->announced = head->length;
    if (head->length == 0 || !route_has_body(request->match.route))
        return true;
    return (might_fit(request, head->length) && request_reserve(request, head->length)) || problem_memory(err);
}

bool http_upload_begin(struct http_connection *connection, const char *method, const char *version)
{
    struct request *request = connection->request;
    struct http_head head;
    struct problem problem;
    const char *allow = NULL;
    bool good = http_head_read(connection, request, method, version, &head, &problem);
    connection->chunked = head.chunked;
    connection->opaque |= head.chunked;
    if (!good)
        return refuse(request, &head, &problem, NULL);
    if (!accept_head(request, &head, &allow, &problem))
        return refuse(request, &head, &problem, allow);
    return true;
}

void http_upload_fail(struct http_connection *connection, enum problem_code code)
{
    struct request *request = connection->request;
    struct problem problem;
    if (code == PROBLEM_REQUEST_TOO_LARGE)
        too_large(request, &problem);
    else if (code == PROBLEM_BAD_FRAMING)
        problem_set(&problem, code, NULL, "the Content-Length is not a plain decimal number");
    else
        problem_set(&problem, code, NULL, "the headers are too large: send fewer cookies");
    request_refuse(request, &problem);
    http_answer_by_hand(connection, &request->reply);
}

/* The answer cannot wait for the end of the upload. */
static void give_up(struct request *request)
{
    struct http_connection *connection = request->connection;
    http_answer_by_hand(connection, &request->reply);
    request->deadline = loop_now() + REFUSED_NS;
    list_remove(&request->link);
    list_append(&connection->http->refused, &request->link);
}

void http_upload_stuck(struct http_connection *connection)
{
    struct request *request = connection->request;
    struct problem problem;
    problem_set(&problem, PROBLEM_BAD_FRAMING, NULL, "a chunk's size line is too long: leave out extensions");
    if (!request->refused) {
        request_refuse(request, &problem);
        refuse_upload(request);
    }
    if (!connection->answered)
        give_up(request);
    http_abort(connection); /* and not at leisure: it costs processor time */
}

static void throw_away(struct request *request, size_t n)
{
    request->thrown_away += n;
    if (request->thrown_away > REFUSED_BYTES && !request->connection->answered)
        give_up(request);
}

/* A body that the route does not ask for is only counted. */
static bool take(struct request *request, const void *data, size_t n, struct problem *err)
{
    if (over_limit(request, request->received))
        return too_large(request, err);
    if (!route_has_body(request->match.route) || request_append(request, data, n))
        return true;
    return problem_memory(err);
}

void http_upload_data(struct http_connection *connection, const void *data, size_t n)
{
    struct request *request = connection->request;
    struct problem problem;
    request->received += n;
    if (request->refused) {
        throw_away(request, n);
    } else if (!take(request, data, n, &problem)) {
        request_refuse(request, &problem);
        refuse_upload(request);
    }
}

/* A connection that is suspended in the call right after a read is read from once more when it is resumed, and
 * if the client has closed its side by then, libmicrohttpd drops the answer. When nothing comes of that call it
 * makes another, after which it does not read. True the first time. */
static bool must_settle(struct http_connection *connection)
{
    bool first = !connection->settled;
    connection->settled = true;
    return first;
}

bool http_upload_end(struct http_connection *connection)
{
    struct request *request = connection->request;
    if (connection->answered || !request_is_reading(request)) /* or its answer could not be given */
        return false;
    if (!request->refused) {
        if (request_runs_here(request) || !must_settle(connection))
            request_execute(request);
        return true;
    }
    list_remove(&request->link);
    http_answer(request, &request->reply, HTTP_BORROW);
    return true;
}

bool http_upload_expire(struct http *http, uint64_t now)
{
    while (!list_empty(&http->refused)) {
        struct request *request = list_item(http->refused.next, struct request, link);
        if (request->deadline > now)
            return true;
        if (!request->connection->answered) {
            give_up(request);
        } else {
            list_remove(&request->link);
            http_abort(request->connection);
        }
    }
    return false;
}
