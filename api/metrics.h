/* What the server counts, and its form: Prometheus' text. */
#ifndef API_METRICS_H
#define API_METRICS_H

/* Why a connection was cut off, or not let in. A label's value: not to be changed. */
#define METRICS_CUT_TABLE(X)                \
    X(IDLE, "idle_timeout")                 \
    X(SLOW_HEAD, "header_timeout")          \
    X(SLOW_BODY, "slow_body")               \
    X(RECEIVE_TIMEOUT, "receive_timeout")   \
    X(SLOW_READER, "slow_reader")           \
    X(EXCHANGE_TIMEOUT, "exchange_timeout") \
    X(ADDRESS_LIMIT, "address_limit")       \
    X(MEMORY_BUDGET, "memory_budget")       \
    X(DRAIN_TIMEOUT, "drain_timeout")

enum cut_reason {
    CUT_NOT,
#define X(id, name) CUT_##id,
    METRICS_CUT_TABLE(X)
#undef X
    CUT_END
};

const char *cut_reason_name(enum cut_reason reason);

#endif
