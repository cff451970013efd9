#include "src/request.h"

#include <assert.h>
#include <stdlib.h>

#include "api/metrics.h"
#include "src/account.h"
#include "src/http.h"

#define SPARE_MAX 256

/* An answer up to this size is one buffer; a larger one is pulled while it is sent. */
#define BUFFER_MAX ((uint64_t)64 << 10)

#define GROW_FROM ((size_t)64 << 10)

/* A request with a body up to this size shares the way to a worker and back with others. */
#define SMALL_JOB_BYTES ((uint64_t)32 << 10)

/* ---- states -------------------------------------------------------------------------------------------- */

#define TO(state) (1u << REQUEST_##state)

static const unsigned edges[REQUEST_STATE_COUNT] = {
    [REQUEST_READING] = TO(QUEUED) | TO(RUNNING) | TO(READY) | TO(DONE),
    [REQUEST_QUEUED] = TO(RUNNING) | TO(READY),
    [REQUEST_RUNNING] = TO(READY) | TO(DONE),
    [REQUEST_READY] = TO(STREAMING) | TO(DONE),
    [REQUEST_STREAMING] = TO(DONE),
};

const char *request_state_name(enum request_state state)
{
    static const char *const names[] = {
#define X(id) [REQUEST_##id] = #id,
        REQUEST_STATES(X)
#undef X
    };
    return names[state];
}

bool request_edge(enum request_state from, enum request_state to)
{
    return (edges[from] & 1u << to) != 0;
}

static void set_state(struct request *request, enum request_state state)
{
    assert(request_edge(request->state, state));
    request->state = state;
}

bool request_is_reading(const struct request *request)
{
    return !request->job_out && request->state == REQUEST_READING;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

/* The one that was used last is the most likely to be in the cache. */
static struct request *take_spare(struct loop *loop)
{
    if (list_empty(&loop->spare))
        return malloc(sizeof(struct request));
    struct request *request = list_item(loop->spare.prev, struct request, link);
    list_remove(&request->link);
    loop->spare_count--;
    return request;
}

static void reset(struct request *request, struct loop *loop)
{
    memset(request, 0, offsetof(struct request, stream));
    request->loop = loop;
    list_init(&request->link);
    arena_init(&request->arena, loop->service->memory, request->block, sizeof(request->block));
}

static void recycle(struct request *request)
{
    struct loop *loop = request->loop;
    list_remove(&request->link);
    if (request->body_cap > 0)
        loop->service->memory->free(loop->service->memory->ctx, request->body, request->body_cap);
    arena_release(&request->arena);
    if (loop->spare_count >= SPARE_MAX) {
        free(request);
        return;
    }
    loop->spare_count++;
    list_append(&loop->spare, &request->link);
}

struct request *request_create(struct loop *loop, const char *target)
{
    struct request *request = take_spare(loop);
    if (request == NULL)
        return NULL;
    reset(request, loop);
    request->begun = loop_now();
    request->call.target = arena_text(&request->arena, target);
    if (request->call.target == NULL) {
        recycle(request);
        return NULL;
    }
    counters_bump(loop->counters, metrics_scalar_at(METRICS_BEGUN), 1);
    return request;
}

void request_free_spare(struct loop *loop)
{
    while (!list_empty(&loop->spare))
        free(take_spare(loop));
}

static void finish_if_done(struct request *request)
{
    if (!request->http_done || request->job_out || (request->ahead && stream_busy(&request->stream)))
        return;
    if (request->state != REQUEST_DONE)
        set_state(request, REQUEST_DONE);
    recycle(request);
}

void request_release(struct request *request, bool whole)
{
    account_request(request, whole);
    request->http_done = true;
    request->connection = NULL;
    if (request->ahead)
        stream_stop(&request->stream);
    finish_if_done(request);
}

/* ---- body ---------------------------------------------------------------------------------------------- */

/* A new block with at least `cap` bytes that holds what there is of the body. */
static bool move_body(struct request *request, size_t cap)
{
    const struct memory *memory = request->loop->service->memory;
    uint8_t *body = memory->alloc(memory->ctx, cap);
    if (body == NULL)
        return false;
    if (request->body_len > 0)
        memcpy(body, request->body, request->body_len);
    if (request->body_cap > 0)
        memory->free(memory->ctx, request->body, request->body_cap);
    request->body = body;
    request->body_cap = cap;
    return true;
}

/* Who announces much and sends nothing must not hold much: the whole of an announced body has its memory only when a
 * part of it has come. That part is copied once more. */
#define EARNEST_PART 16

static size_t first_cap(size_t announced)
{
    size_t part = announced / EARNEST_PART;
    if (part < GROW_FROM)
        part = GROW_FROM;
    return part < announced ? part : announced;
}

/* What holds `want` bytes: all that was announced, or twice what there was. */
static size_t next_cap(const struct request *request, size_t want)
{
    size_t cap = request->body_cap < GROW_FROM ? GROW_FROM : request->body_cap * 2;
    if (request->announced > request->body_cap)
        cap = (size_t)request->announced;
    return cap < want ? want : cap;
}

bool request_reserve(struct request *request, uint64_t announced)
{
    if (announced > SIZE_MAX)
        return false;
    request->announced = announced;
    if (announced > REQUEST_SMALL_BODY)
        return move_body(request, first_cap((size_t)announced));
    request->body = arena_alloc(&request->arena, (size_t)announced, 1);
    return request->body != NULL;
}

bool request_append(struct request *request, const void *data, size_t n)
{
    if (n > SIZE_MAX / 2 - request->body_len)
        return false;
    size_t want = request->body_len + n;
    bool fits = request->body != NULL && (request->body_cap == 0 || want <= request->body_cap);
    if (!fits && !move_body(request, next_cap(request, want)))
        return false;
    memcpy(request->body + request->body_len, data, n);
    request->body_len = want;
    return true;
}

void request_refuse(struct request *request, const struct problem *problem)
{
    request->refused = true;
    reply_problem(&request->arena, &request->reply, problem);
}

/* ---- running ------------------------------------------------------------------------------------------- */

/* Turns a small body that is pulled into a buffer, on the thread that has run the request. */
static void fill_buffer(struct request *request)
{
    struct reply *reply = &request->reply;
    if (reply->body == NULL || reply->body->length > BUFFER_MAX)
        return;
    size_t len = (size_t)reply->body->length;
    uint8_t *buffer = arena_alloc(&request->arena, len, 1);
    if (buffer == NULL) {
        struct problem problem;
        problem_memory(&problem);
        reply_problem(&request->arena, reply, &problem);
        return;
    }
    reply->text = (struct bytes){.ptr = buffer, .len = source_pull(reply->body, buffer, len)};
    reply->body = NULL;
}

static void run(struct request *request, uint64_t now)
{
    set_state(request, REQUEST_RUNNING);
    request->call.started = now;
    dispatch(&request->arena, &request->loop->service->env, &request->match, &request->call, &request->reply);
    fill_buffer(request);
}

/* `now`: the reply has been made; of no meaning if it is not an operator's. */
static void count(struct request *request, const struct reply *reply, uint64_t queue_ns, uint64_t now)
{
    if (reply->op == NULL)
        return;
    assert(now >= request->complete);
    request->answered = now;
    counters_count(request->loop->counters, reply, request->answered - request->complete, queue_ns, loop_wall_ms());
}

static void on_stream(struct stream *stream)
{
    struct request *request = stream->context;
    if (request->http_done)
        finish_if_done(request);
    else
        http_resume(request->connection);
}

/* Has workers fill the blocks of a body that would hold up the loop. If there is no memory for blocks, the
 * loop does it. */
static void pull_ahead(struct request *request)
{
    struct service *service = request->loop->service;
    struct source *body = request->reply.body;
    if (body->cost >= service->options->prefill_cost)
        request->ahead = stream_init(&request->stream, &request->arena, body, &service->pool,
                                     &request->loop->uv, on_stream, request);
}

size_t request_read(struct request *request, void *out, size_t n, bool *ended)
{
    size_t got = request->ahead ? stream_read(&request->stream, out, n)
                                : source_pull(request->reply.body, out, n);
    request->sent += got;
    *ended = got == 0 && (!request->ahead || stream_ended(&request->stream));
    return got;
}

/* A body with a source is sent block by block, for which there must be memory. */
static void prepare_body(struct request *request)
{
    if (request->reply.body == NULL)
        return;
    if (http_reserve_block(request->connection)) {
        pull_ahead(request);
        return;
    }
    struct problem problem;
    problem_memory(&problem);
    reply_problem(&request->arena, &request->reply, &problem);
}

static void answer(struct request *request, uint64_t now)
{
    const uint64_t started = request->call.started;
    prepare_body(request);
    set_state(request, REQUEST_READY);
    count(request, &request->reply, started == 0 ? 0 : started - request->complete, now);
    http_answer(request, &request->reply, HTTP_BORROW);
}

static void answer_problem(struct request *request, enum problem_code code, const char *text)
{
    struct problem problem;
    problem_set(&problem, code, NULL, "%s", text);
    request->reply.op = request->match.op;
    reply_problem(&request->arena, &request->reply, &problem);
    answer(request, loop_now());
}

static const char too_late[] =
    "the request took longer than the server waits: send less at once, or retry later";

/* A worker still has the request and all its memory: the client gets an answer that is made elsewhere. */
static void abandon(struct request *request)
{
    uint8_t block[2048];
    struct arena arena;
    arena_init(&arena, &memory_heap, block, sizeof(block));
    struct problem problem;
    problem_set(&problem, PROBLEM_TIMEOUT, NULL, "%s", too_late);
    struct reply reply = {.op = request->match.op};
    reply_problem(&arena, &reply, &problem);
    request->abandoned = true;
    count(request, &reply, 0, loop_now());
    http_answer(request, &reply, HTTP_COPY);
    arena_release(&arena);
}

static void on_job(struct job *job)
{
    run(job_owner(job, struct request, job), loop_now());
}

static void on_back(struct job *job, bool cancelled)
{
    struct request *request = job_owner(job, struct request, job);
    request->job_out = false;
    list_remove(&request->link);
    if (request->abandoned) {
        set_state(request, REQUEST_DONE);
        finish_if_done(request);
    } else if (cancelled) {
        answer_problem(request, PROBLEM_TIMEOUT, too_late);
    } else {
        answer(request, loop_now());
    }
}

/* A small body that is compressed may be a large one. */
static bool is_small(const struct request *request, uint64_t most)
{
    return request->body_len <= most && request->call.header[API_HEADER_CONTENT_ENCODING] == NULL;
}

static bool submit(struct request *request)
{
    struct loop *loop = request->loop;
    if (is_small(request, SMALL_JOB_BYTES))
        return pool_turn_submit(&loop->turn, &request->job);
    return pool_submit(&loop->service->pool, &loop->uv, &request->job);
}

static void queue(struct request *request)
{
    struct loop *loop = request->loop;
    set_state(request, REQUEST_QUEUED);
    request->job.run = on_job;
    request->job.back = on_back;
    if (!submit(request)) {
        answer_problem(request, PROBLEM_OVERLOADED, "the server has as many requests as it can: retry later");
        return;
    }
    request->job_out = true;
    request->deadline = request->complete + loop->service->options->request_timeout * 1000000;
    list_append(&loop->waiting, &request->link);
    loop_watch(loop);
    http_suspend(request->connection);
}

/* What costs less than handing it over, or must be answered even when all workers are busy. */
bool request_runs_here(const struct request *request)
{
    if (!route_has_body(request->match.route))
        return true;
    uint64_t most = request->loop->service->options->inline_bytes;
    return most > 0 && is_small(request, most);
}

void request_execute(struct request *request)
{
    request->complete = loop_now();
    request->call.body = (struct bytes){.ptr = request->body, .len = request->body_len};
    if (!request_runs_here(request)) {
        queue(request);
        return;
    }
    run(request, request->complete);
    answer(request, request->reply.phases.end); /* what the clock was asked last: asking takes its time, too */
}

void request_sending(struct request *request)
{
    if (request->abandoned)
        return;
    if (request->state == REQUEST_READING)
        set_state(request, REQUEST_READY);
    if (request->reply.body != NULL)
        set_state(request, REQUEST_STREAMING);
}

bool request_expire(struct loop *loop, uint64_t now)
{
    while (!list_empty(&loop->waiting)) {
        struct request *request = list_item(loop->waiting.next, struct request, link);
        if (request->deadline > now)
            return true;
        list_remove(&request->link);
        if (!pool_cancel(&request->job))
            abandon(request);
    }
    return false;
}
