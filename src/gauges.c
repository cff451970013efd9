#include "src/gauges.h"

#include "src/http.h"
#include "src/log_ring.h"
#include "src/process.h"

static uint64_t now_in(const atomic_uint *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static void read_process(struct metrics_gauges *ret)
{
    struct process_usage usage = process_usage();
    ret->cpu_ns = usage.cpu_ns;
    ret->resident_bytes = usage.resident_bytes;
    ret->virtual_bytes = usage.virtual_bytes;
    ret->open_fds = usage.open_fds;
    ret->max_fds = usage.max_fds;
    ret->process_threads = usage.threads;
}

void gauges_read(const struct service *service, const struct loops *loops, struct metrics_gauges *ret)
{
    struct bufpool_usage memory = bufpool_usage(service->bufpool);
    uint64_t jobs = now_in(&service->pool.inflight), running = now_in(&service->pool.running);
    *ret = (struct metrics_gauges){
        .connections = loops_connections(loops),
        .loops = service->options->loops,
        .start_ms = service->start_ms,
        .draining = service_draining(service),
        .jobs_waiting = jobs > running ? jobs - running : 0,
        .jobs_running = running,
        .jobs_most = service->pool.max_inflight,
        .threads = service->pool.threads,
        .memory_budget = memory.budget,
        .memory_used = memory.used,
        .memory_kept = memory.kept,
        .memory_refused = memory.refused,
        .log_dropped = log_ring_lost(service->log.ring),
        .libmicrohttpd = http_library_version(),
        .libuv = uv_version_string(),
        .triton = service->options->metrics_compat == METRICS_COMPAT_TRITON,
    };
    read_process(ret);
}
