#include "tests/conformance/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/conformance/json.h"
#include "tests/conformance/text.h"

/* ---- one item -------------------------------------------------------------------------------------------------- */

/* What an answer that is no success says: its member "error", else how it begins. */
static struct bytes error_text(struct arena *arena, struct bytes body)
{
    struct json in;
    struct bytes key, error = {0};
    json_start(&in, body);
    json_enter(&in, '{');
    while (json_more(&in, '}') && json_key(&in, arena, &key))
        if (!(bytes_equal(key, "error") && json_peek(&in) == '"' ? json_string(&in, arena, &error)
                                                                 : json_skip(&in, arena)))
            break;
    return error.ptr != NULL ? error : body;
}

static bool judge(const struct item *item, const struct test_case *test, const struct response *response,
                  struct arena *arena, struct reason *why)
{
    struct array got;
    if (response->status != 200) {
        struct bytes text = error_text(arena, response->body);
        return because(why, "status %ld: %.*s", response->status, (int)(text.len < 300 ? text.len : 300),
                       (const char *)text.ptr);
    }
    return item->codec->decode(test, arena, response, &got, why) && array_equal(&test->want, &got, why);
}

static enum outcome run_case(const struct item *item, struct http *http, struct arena *arena, struct reason *why)
{
    struct test_case test;
    struct request request;
    struct response response;
    if (!model_case(item->model, item->data_set, arena, &test, why))
        return FAILED;
    if (item->codec->carries != NULL && !item->codec->carries(&test, arena, why))
        return SKIPPED;
    item->codec->encode(&test, arena, &request);
    const char *path = arena_printf(arena, "/v2/models/%s/versions/%d/infer", test.op->name, test.op->since);
    bool good = http_post(http, path, &request, arena, &response, why) && judge(item, &test, &response, arena, why);
    return good ? PASSED : FAILED;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run_item(struct item *item, struct http *http)
{
    struct arena arena;
    double start = now();
    if (item->model == NULL)
        return;
    arena_init(&arena, &memory_or_exit, NULL, 0);
    item->outcome = run_case(item, http, &arena, &item->why);
    item->seconds = now() - start;
    arena_release(&arena);
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

/* An item belongs to the thread that took it until `finished` says otherwise. */
struct crew {
    struct plan *plan;
    const struct target *target;
    pthread_mutex_t lock;
    pthread_cond_t progress;
    size_t next;    /* the first item that nobody has taken */
    bool *finished; /* of each item */
};

static bool take_item(struct crew *crew, size_t *ret)
{
    pthread_mutex_lock(&crew->lock);
    bool any = crew->next < crew->plan->items;
    if (any)
        *ret = crew->next++;
    pthread_mutex_unlock(&crew->lock);
    return any;
}

static void finish_item(struct crew *crew, size_t index)
{
    pthread_mutex_lock(&crew->lock);
    crew->finished[index] = true;
    pthread_cond_signal(&crew->progress);
    pthread_mutex_unlock(&crew->lock);
}

static void await_item(struct crew *crew, size_t index)
{
    pthread_mutex_lock(&crew->lock);
    while (!crew->finished[index])
        pthread_cond_wait(&crew->progress, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

static void *work(void *ctx)
{
    struct crew *crew = ctx;
    struct http *http = http_open(crew->target);
    size_t index = 0;
    while (take_item(crew, &index)) {
        run_item(&crew->plan->item[index], http);
        finish_item(crew, index);
    }
    http_close(http);
    return NULL;
}

/* As many threads as there can be; with none the items are run by the caller. */
static int start_threads(struct crew *crew, pthread_t *thread, int jobs)
{
    int started = 0;
    while (started < jobs && pthread_create(&thread[started], NULL, work, crew) == 0)
        started++;
    if (started == 0)
        work(crew);
    return started;
}

void run_plan(struct plan *plan, const struct target *target, int jobs, void (*done)(void *ctx, const struct item *item),
              void *ctx)
{
    struct crew crew = {.plan = plan, .target = target};
    crew.finished = arena_zalloc(&plan->arena, plan->items, sizeof(bool));
    pthread_t *thread = arena_alloc(&plan->arena, (size_t)jobs, sizeof(thread[0]));
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.progress, NULL);
    int started = start_threads(&crew, thread, jobs);
    for (size_t i = 0; i < plan->items; i++) {
        await_item(&crew, i);
        done(ctx, &plan->item[i]);
    }
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_cond_destroy(&crew.progress);
    pthread_mutex_destroy(&crew.lock);
}
