#include "src/server.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/acceptor.h"
#include "src/cgroup.h"
#include "src/drain.h"
#include "src/gauges.h"
#include "src/http.h"
#include "src/log_ring.h"
#include "src/loop.h"
#include "src/loops.h"
#include "src/sandbox.h"
#include "src/secrets.h"

/* Descriptors that are not for connections: the log, epoll and event descriptors, sockets that linger. */
#define RESERVED_DESCRIPTORS (rlim_t)320

/* A buffer that nobody has used for one to two of these goes back to the system. */
#define TRIM_MS 5000

/* The budget where none is given: no more than this, and half of what the control group allows, since not
 * everything is counted. */
#define BUDGET_MAX ((uint64_t)1 << 30)

/* What malloc gives back to the system comes back as fresh pages, which cost more than they save: it keeps
 * blocks below this size. */
#define MALLOC_KEEPS (4 << 20)

/* Lines of the log that may wait to be written, and how long they may take when the process ends. */
#define LOG_BYTES ((size_t)512 << 10)
#define LOG_END_MS 1000

/* The exit status for files that are no good, as for options that are not. */
#define BAD_CONFIGURATION 2

#define CGROUP_ROOT "/sys/fs/cgroup"
#define CGROUP_SELF "/proc/self/cgroup"

#define SIGNALS 3

struct server {
    struct service service;
    struct loops *loops;
    struct acceptor acceptor;
    unsigned max_connections;
    uv_signal_t signals[SIGNALS];
    uv_timer_t trim;
    struct drain drain;
};

/* ---- what the API asks of the process ------------------------------------------------------------------ */

static uint64_t env_now(void *ctx)
{
    (void)ctx;
    return loop_now();
}

static bool env_draining(void *ctx)
{
    struct server *server = ctx;
    return service_draining(&server->service);
}

static void env_stats(void *ctx, const struct op *op, struct op_stats *ret)
{
    struct server *server = ctx;
    *ret = (struct op_stats){0};
    loops_count(server->loops, op, ret);
}

static void env_metrics(void *ctx, uint64_t *counts, struct metrics_gauges *ret)
{
    struct server *server = ctx;
    loops_sum(server->loops, counts);
    gauges_read(&server->service, server->loops, ret);
}

static uint64_t memory_budget(const struct options *options)
{
    if (options->memory_budget > 0)
        return options->memory_budget;
    uint64_t half = cgroup_memory(CGROUP_ROOT, CGROUP_SELF) / 2;
    return half < BUDGET_MAX ? half : BUDGET_MAX;
}

/* A body must fit into what large blocks may have of the budget (bufpool.h), seven eighths, beside its
 * connection, also rounded up to a size class, a quarter more. */
static uint64_t max_request(const struct options *options, uint64_t budget)
{
    uint64_t most = budget / 16 * 11;
    return options->max_request_bytes < most ? options->max_request_bytes : most;
}

static bool init_service(struct server *server, const struct options *options)
{
    struct service *service = &server->service;
    uint64_t budget = memory_budget(options);
    service->bufpool = bufpool_create(budget);
    service->addresses = addresses_create((unsigned)options->max_address, options->count_loopback > 0);
    service->log = (struct log){
        .fd = STDERR_FILENO,
        .level = options->log_level,
        .format = (enum log_format)options->log_format,
        .ring = log_ring_create(STDERR_FILENO, LOG_BYTES),
    };
    if (service->bufpool == NULL || service->addresses == NULL || service->log.ring == NULL)
        return false;
    service->options = options;
    service->start_ms = loop_wall_ms();
    service->memory = bufpool_memory(service->bufpool);
    service->env = (struct api_env){
        .max_request_bytes = max_request(options, budget),
        .max_output_bytes = options->max_output_bytes,
        .compress_max = options->compress_max,
        .json_depth = (int)options->json_depth,
        .now = env_now,
        .draining = env_draining,
        .stats = env_stats,
        .metrics = env_metrics,
        .ctx = server,
    };
    unsigned threads = (unsigned)options->threads;
    if (threads == 0)
        threads = cgroup_processors(CGROUP_ROOT, CGROUP_SELF);
    pool_init(&service->pool, threads, (unsigned)options->max_inflight);
    atomic_init(&service->draining, false);
    return true;
}

/* ---- connections --------------------------------------------------------------------------------------- */

/* As many descriptors as the system lets us have; returns how many connections that makes. */
static unsigned raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1024;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= 1000000 + RESERVED_DESCRIPTORS)
        return 1000000;
    return limit.rlim_cur <= 2 * RESERVED_DESCRIPTORS ? (unsigned)limit.rlim_cur / 2
                                                      : (unsigned)(limit.rlim_cur - RESERVED_DESCRIPTORS);
}

static void deliver(void *ctx, int fd, const struct sockaddr *address, socklen_t len)
{
    struct server *server = ctx;
    loops_deliver(server->loops, fd, address, len);
}

static bool room(void *ctx)
{
    struct server *server = ctx;
    return loops_connections(server->loops) < server->max_connections;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

static void on_signal(uv_signal_t *handle, int number)
{
    struct server *server = handle->data;
    drain_begin(&server->drain, number);
}

static void on_hangup(uv_signal_t *handle, int number)
{
    (void)number;
    struct server *server = handle->data;
    secrets_reload(&server->service);
}

/* ---- the beginning ------------------------------------------------------------------------------------- */

/* SIGHUP ends a process that does not watch it yet, and one that has read its files but does not watch would miss
 * that they are new: until it is watched, it waits. */
static void hold_hangup(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(how, &set, NULL);
}

static void watch_signals(struct server *server)
{
    static const struct {
        int number;
        uv_signal_cb run;
    } rows[SIGNALS] = {{SIGTERM, on_signal}, {SIGINT, on_signal}, {SIGHUP, on_hangup}};
    for (size_t i = 0; i < SIGNALS; i++) {
        uv_signal_init(loops_main(server->loops), &server->signals[i]);
        server->signals[i].data = server;
        uv_signal_start(&server->signals[i], rows[i].run, rows[i].number);
    }
    hold_hangup(SIG_UNBLOCK);
}

static void on_trim(uv_timer_t *timer)
{
    bufpool_trim(((struct server *)timer->data)->service.bufpool);
}

static void keep_memory(struct server *server)
{
    mallopt(M_MMAP_THRESHOLD, MALLOC_KEEPS);
    mallopt(M_TRIM_THRESHOLD, 2 * MALLOC_KEEPS);
    uv_timer_init(loops_main(server->loops), &server->trim);
    server->trim.data = server;
    uv_timer_start(&server->trim, on_trim, TRIM_MS, TRIM_MS);
}

static bool accept_from(struct server *server, const struct listening *listening)
{
    if (acceptor_add(&server->acceptor, listening))
        return true;
    listen_unlink(listening);
    close(listening->fd);
    return false;
}

/* The default address is for those who have named none, in whatever way. */
static bool listen_all(struct server *server)
{
    const struct options *options = server->service.options;
    const struct log *log = &server->service.log;
    unsigned inherited = listen_inherited();
    unsigned count = inherited > 0 && options->listen_default ? 0 : options->listen_count;
    struct listening opened;
    for (unsigned i = 0; i < inherited; i++)
        if (!listen_inherit(i, options, log, &opened) || !accept_from(server, &opened))
            return false;
    for (unsigned i = 0; i < count; i++)
        if (!listen_open(&options->listen[i], options, log, &opened) || !accept_from(server, &opened))
            return false;
    return true;
}

static bool start(struct server *server)
{
    keep_memory(server);
    server->drain = (struct drain){
        .service = &server->service,
        .loops = server->loops,
        .acceptor = &server->acceptor,
    };
    drain_init(&server->drain);
    server->acceptor = (struct acceptor){
        .uv = loops_main(server->loops),
        .log = &server->service.log,
        .deliver = deliver,
        .room = room,
        .ctx = server,
    };
    acceptor_init(&server->acceptor);
    watch_signals(server);
    if (listen_all(server))
        return true;
    acceptor_end(&server->acceptor);
    return false;
}

static bool has_unix_socket(const struct options *options)
{
    bool has = false;
    for (unsigned i = 0; i < options->listen_count; i++)
        has |= options->listen[i].path[0] != '\0';
    return has;
}

static int run_loops(struct server *server)
{
    bool sandboxed = server->service.options->sandbox > 0 && sandbox_prepare(&server->service.log);
    server->loops = loops_create(&server->service, (unsigned)server->service.options->loops);
    if (server->loops == NULL) {
        log_write(&server->service.log, LOG_ERROR, "cannot start: no memory or no descriptor");
        return EXIT_FAILURE;
    }
    struct pool *pool = &server->service.pool;
    bool good = pool_start(pool, loops_main(server->loops));
    if (!good)
        log_write(&server->service.log, LOG_ERROR, "cannot start %u workers: no thread to be had", pool->threads);
    good = good && start(server);
    if (good && sandboxed)
        sandbox_enter(has_unix_socket(server->service.options), &server->service.log);
    good = good && loops_run(server->loops);
    if (good)
        log_write(&server->service.log, LOG_INFO, "ended");
    loops_destroy(server->loops);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A descriptor of these that is closed would become a connection's, and get what is meant for the log. */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return;
}

int server_run(const struct options *options)
{
    struct server *server = calloc(1, sizeof(*server));
    if (server == NULL)
        return EXIT_FAILURE;
    signal(SIGPIPE, SIG_IGN);
    hold_hangup(SIG_BLOCK);
    keep_standard_descriptors();
    server->max_connections = raise_descriptor_limit();
    if (options->max_connections > 0 && options->max_connections < server->max_connections)
        server->max_connections = (unsigned)options->max_connections;
    int status = EXIT_FAILURE;
    if (init_service(server, options)) {
        http_process_init(&server->service.log);
        status = secrets_load(&server->service) ? run_loops(server) : BAD_CONFIGURATION;
    } else { /* without a log to say it in */
        fputs("shaped: cannot start: no memory, or no thread for the log\n", stderr);
    }
    secrets_free(&server->service);
    bufpool_destroy(server->service.bufpool);
    addresses_destroy(server->service.addresses);
    log_ring_destroy(server->service.log.ring, LOG_END_MS);
    free(server);
    return status;
}
