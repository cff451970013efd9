#include "src/counters.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "api/metrics.h"

/* struct op_stats, readable while it is written. */
struct op_counters {
    _Atomic uint64_t success, success_ns;
    _Atomic uint64_t fail, fail_ns;
    _Atomic uint64_t queue_ns;
    _Atomic uint64_t decode_ns, infer_ns, encode_ns;
    _Atomic uint64_t last_ms;
};

struct counters {
    _Atomic uint64_t *numbers; /* see api/metrics.h */
    size_t count;
    struct op_counters of[]; /* by op_index */
};

struct counters *counters_create(void)
{
    size_t count = op_count();
    struct counters *counters = calloc(1, sizeof(*counters) + count * sizeof(counters->of[0]));
    if (counters == NULL)
        return NULL;
    counters->count = count;
    counters->numbers = calloc(metrics_size(), sizeof(counters->numbers[0]));
    if (counters->numbers != NULL)
        return counters;
    free(counters);
    return NULL;
}

void counters_destroy(struct counters *counters)
{
    if (counters != NULL)
        free(counters->numbers);
    free(counters);
}

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* One writer, so no locked addition is needed. */
static void add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, get(counter) + n, memory_order_relaxed);
}

void counters_bump(struct counters *counters, size_t at, uint64_t n)
{
    add(&counters->numbers[at], n);
}

void counters_sum(const struct counters *counters, uint64_t *sum)
{
    for (size_t i = 0; i < metrics_size(); i++)
        sum[i] += get(&counters->numbers[i]);
}

void counters_count(struct counters *counters, const struct reply *reply, uint64_t total_ns,
                    uint64_t queue_ns, uint64_t now_ms)
{
    struct op_counters *of = &counters->of[op_index(reply->op)];
    if (reply->status != 200) {
        add(&of->fail, 1);
        add(&of->fail_ns, total_ns);
        return;
    }
    add(&of->success, 1);
    add(&of->success_ns, total_ns);
    add(&of->queue_ns, queue_ns);
    add(&of->decode_ns, reply->phases.decode);
    add(&of->infer_ns, reply->phases.infer);
    add(&of->encode_ns, reply->phases.encode);
    atomic_store_explicit(&of->last_ms, now_ms, memory_order_relaxed);
}

void counters_add(const struct counters *counters, const struct op *op, struct op_stats *sum)
{
    const struct op_counters *of = &counters->of[op_index(op)];
    sum->success += get(&of->success);
    sum->success_ns += get(&of->success_ns);
    sum->fail += get(&of->fail);
    sum->fail_ns += get(&of->fail_ns);
    sum->queue_ns += get(&of->queue_ns);
    sum->decode_ns += get(&of->decode_ns);
    sum->infer_ns += get(&of->infer_ns);
    sum->encode_ns += get(&of->encode_ns);
    uint64_t last = get(&of->last_ms);
    if (last > sum->last_ms)
        sum->last_ms = last;
}
