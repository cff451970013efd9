#include "src/loops.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/counters.h"
#include "src/http.h"
#include "src/list.h"
#include "src/loop.h"
#include "src/request.h"

/* How often a draining loop looks whether it is idle. */
#define LOOK_MS 10

enum order { ORDER_DRAIN = 1, ORDER_CUT = 2, ORDER_END = 4 };

/* A socket in a mailbox. */
struct parcel {
    struct list link;
    int fd;
    socklen_t len;
    struct sockaddr_storage address;
};

struct member {
    struct loop loop;
    uv_thread_t thread;
    uv_async_t mail; /* there is something in the mailbox, which is: */
    uv_mutex_t lock; /* for parcels */
    struct list parcels;
    atomic_uint parcel_count;
    atomic_uint orders;
    atomic_bool idle; /* as of the last look, while draining */
    uv_timer_t look;
};

struct loops {
    struct service *service;
    unsigned count;
    struct member member[];
};

/* ---- on the thread of the loop ------------------------------------------------------------------------- */

static void add(struct member *member, int fd, const struct sockaddr *address, socklen_t len)
{
    if (!http_add(member->loop.http, fd, address, len))
        log_write(&member->loop.service->log, LOG_WARNING,
                  "a connection was refused: no memory or no descriptor");
}

static struct list *take_parcel(struct member *member)
{
    uv_mutex_lock(&member->lock);
    struct list *link = list_empty(&member->parcels) ? NULL : member->parcels.next;
    if (link != NULL)
        list_remove(link);
    uv_mutex_unlock(&member->lock);
    return link;
}

static void open_parcels(struct member *member)
{
    for (struct list *link; (link = take_parcel(member)) != NULL;) {
        struct parcel *parcel = list_item(link, struct parcel, link);
        add(member, parcel->fd, (struct sockaddr *)&parcel->address, parcel->len);
        atomic_fetch_sub_explicit(&member->parcel_count, 1, memory_order_release);
        free(parcel);
    }
}

static void on_look(uv_timer_t *look)
{
    struct member *member = look->data;
    bool idle = loop_idle(&member->loop) &&
                atomic_load_explicit(&member->parcel_count, memory_order_acquire) == 0;
    atomic_store_explicit(&member->idle, idle, memory_order_release);
}

static void drain(struct member *member)
{
    http_drain(member->loop.http);
    loop_pump(&member->loop);
    uv_timer_start(&member->look, on_look, 0, LOOK_MS);
}

static void cut(struct member *member)
{
    request_expire(&member->loop, UINT64_MAX);
    http_run(member->loop.http); /* those answers leave before the cut */
    http_cut(member->loop.http);
    loop_pump(&member->loop);
}

static void on_mail(uv_async_t *mail)
{
    struct member *member = mail->data;
    open_parcels(member);
    unsigned orders = atomic_exchange_explicit(&member->orders, 0, memory_order_acquire);
    if ((orders & ORDER_DRAIN) != 0)
        drain(member);
    if ((orders & ORDER_CUT) != 0)
        cut(member);
    if ((orders & ORDER_END) != 0)
        uv_stop(&member->loop.uv);
}

static void run_thread(void *arg)
{
    struct member *member = arg;
    uv_run(&member->loop.uv, UV_RUN_DEFAULT);
}

/* ---- on the main thread -------------------------------------------------------------------------------- */

static void order_all(struct loops *loops, enum order order)
{
    for (unsigned i = 0; i < loops->count; i++) {
        atomic_fetch_or_explicit(&loops->member[i].orders, order, memory_order_release);
        uv_async_send(&loops->member[i].mail);
    }
}

static bool member_init(struct member *member, struct service *service)
{
    if (!loop_init(&member->loop, service))
        return false;
    if (uv_async_init(&member->loop.uv, &member->mail, on_mail) != 0 || uv_mutex_init(&member->lock) != 0) {
        loop_close(&member->loop);
        return false;
    }
    uv_timer_init(&member->loop.uv, &member->look);
    member->mail.data = member->look.data = member;
    list_init(&member->parcels);
    return true;
}

/* From now on this thread, and those that it starts, no longer push aside who is running when they wake (SCHED_BATCH of
 * sched(7)). With more threads than processors a loop was woken by a client's first request and took the processor away
 * before there was a second one: two loops beside a client on two processors then did a fifth less. Whoever has chosen
 * another policy for the process keeps it, and where this is not permitted it is done without. */
static void wake_patiently(void)
{
    const struct sched_param none = {.sched_priority = 0};
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &none);
}

struct loops *loops_create(struct service *service, unsigned count)
{
    struct loops *loops = calloc(1, sizeof(*loops) + count * sizeof(loops->member[0]));
    if (loops == NULL)
        return NULL;
    if (count > 1)
        wake_patiently();
    loops->service = service;
    while (loops->count < count && member_init(&loops->member[loops->count], service))
        loops->count++;
    if (loops->count == count)
        return loops;
    loops_destroy(loops);
    return NULL;
}

void loops_destroy(struct loops *loops)
{
    if (loops == NULL)
        return;
    for (unsigned i = 0; i < loops->count; i++) {
        loop_close(&loops->member[i].loop);
        uv_mutex_destroy(&loops->member[i].lock);
    }
    free(loops);
}

uv_loop_t *loops_main(struct loops *loops)
{
    return &loops->member[0].loop.uv;
}

static unsigned start_threads(struct loops *loops)
{
    unsigned started = 1; /* the main thread's */
    while (started < loops->count &&
           uv_thread_create(&loops->member[started].thread, run_thread, &loops->member[started]) == 0)
        started++;
    return started;
}

bool loops_run(struct loops *loops)
{
    unsigned started = start_threads(loops);
    bool all = started == loops->count;
    if (!all) {
        log_write(&loops->service->log, LOG_ERROR, "cannot start %u loops: no thread to be had", loops->count);
        order_all(loops, ORDER_END);
    }
    uv_run(&loops->member[0].loop.uv, UV_RUN_DEFAULT);
    for (unsigned i = 1; i < started; i++)
        uv_thread_join(&loops->member[i].thread);
    return all;
}

void loops_end(struct loops *loops)
{
    order_all(loops, ORDER_END);
}

static unsigned load(const struct member *member)
{
    return atomic_load_explicit(&member->loop.connections, memory_order_relaxed) +
           atomic_load_explicit(&member->parcel_count, memory_order_relaxed);
}

static void send_parcel(struct member *member, int fd, const struct sockaddr *address, socklen_t len)
{
    struct parcel *parcel = calloc(1, sizeof(*parcel));
    if (parcel == NULL) {
        close(fd);
        return;
    }
    parcel->fd = fd;
    parcel->len = len;
    memcpy(&parcel->address, address, len);
    list_init(&parcel->link);
    atomic_fetch_add_explicit(&member->parcel_count, 1, memory_order_relaxed);
    uv_mutex_lock(&member->lock);
    list_append(&member->parcels, &parcel->link);
    uv_mutex_unlock(&member->lock);
    uv_async_send(&member->mail);
}

void loops_deliver(struct loops *loops, int fd, const struct sockaddr *address, socklen_t len)
{
    struct member *least = &loops->member[0];
    for (unsigned i = 1; i < loops->count; i++)
        if (load(&loops->member[i]) < load(least))
            least = &loops->member[i];
    if (least == &loops->member[0])
        add(least, fd, address, len);
    else
        send_parcel(least, fd, address, len);
}

unsigned loops_connections(const struct loops *loops)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < loops->count; i++)
        sum += load(&loops->member[i]);
    return sum;
}

void loops_count(const struct loops *loops, const struct op *op, struct op_stats *sum)
{
    for (unsigned i = 0; i < loops->count; i++)
        counters_add(loops->member[i].loop.counters, op, sum);
}

void loops_sum(const struct loops *loops, uint64_t *sum)
{
    for (unsigned i = 0; i < loops->count; i++)
        counters_sum(loops->member[i].loop.counters, sum);
}

void loops_drain(struct loops *loops)
{
    order_all(loops, ORDER_DRAIN);
}

void loops_cut(struct loops *loops)
{
    order_all(loops, ORDER_CUT);
}

bool loops_idle(const struct loops *loops)
{
    for (unsigned i = 0; i < loops->count; i++)
        if (!atomic_load_explicit(&loops->member[i].idle, memory_order_acquire))
            return false;
    return true;
}
