/* What the process is told: one table (options.c) of options with their kind, range, default and help.
 *
 * Each is a flag (--log-level debug) and a variable of the environment (SHAPED_LOG_LEVEL=debug); the flag
 * counts more. To add an option: a member here, a row there. Values are checked when they are read; what
 * options_parse returns is complete and in range; its texts are those of argv and env.
 */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/log.h"

#define OPTIONS_HOST_MAX   256
#define OPTIONS_PATH_MAX   108 /* as the address of a unix socket has it */
#define OPTIONS_LISTEN_MAX 16

/* Where to listen. */
struct endpoint {
    char host[OPTIONS_HOST_MAX]; /* name or address, IPv6 without its brackets */
    uint16_t port;               /* 0: any free one */
    char path[OPTIONS_PATH_MAX]; /* of a unix socket, absolute; else "" */
};

/* Whose names /metrics has beside its own; the order is that of the words of the option. */
enum metrics_compat { METRICS_COMPAT_NONE, METRICS_COMPAT_TRITON };

struct options {
    struct endpoint listen[OPTIONS_LISTEN_MAX];
    unsigned listen_count;
    bool listen_default;        /* nobody has named an address */
    uint64_t socket_mode;       /* permissions of unix sockets */
    const char *tls_certificate, *tls_key; /* both, or none */
    const char *token_file;
    uint64_t sandbox; /* 0: off */
    uint64_t open; /* without a token: bits by enum route_subject */
    uint64_t max_request_bytes;
    uint64_t max_output_bytes;
    uint64_t compress_max; /* bytes */
    uint64_t max_header_bytes;
    uint64_t json_depth;
    uint64_t memory_budget; /* bytes; 0: by the machine */
    uint64_t loops;
    uint64_t threads;      /* 0: as many as there are processors to use */
    uint64_t inline_bytes; /* requests with at most this much body are answered on the loop; 0: none */
    uint64_t prefill_cost; /* ps a byte from which on workers fill the blocks of an answer (source.h) */
    uint64_t request_timeout; /* ms */
    /* How long clients may take, ms; 0: any time. See http_pace.c. */
    uint64_t header_timeout, idle_timeout;
    uint64_t receive_stall, send_stall, min_rate; /* min_rate: bytes a second */
    uint64_t receive_timeout, exchange_timeout;
    uint64_t max_connections; /* 0: as many as there are descriptors */
    uint64_t max_address;     /* connections of one address; 0: any number */
    uint64_t count_loopback;  /* whether clients on this machine are under that limit, too */
    uint64_t max_inflight;    /* requests at the worker pool, waiting or running */
    uint64_t drain_delay;   /* ms */
    uint64_t drain_timeout;   /* ms */
    uint64_t metrics_compat;  /* enum metrics_compat */
    enum log_level log_level;
    uint64_t log_format; /* enum log_format */
};

enum options_verdict {
    OPTIONS_RUN,
    OPTIONS_CHECK,       /* only check what they say */
    OPTIONS_HEALTHCHECK, /* only ask the server that runs with them */
    OPTIONS_DONE,        /* asked for help or version, which has been printed */
    OPTIONS_BAD,         /* the sentence that says why has been printed; exit status 2 */
};

/* `env` as environ. A variable SHAPED_* that is no option is as bad as such a flag: a limit or a lock that
 * is misspelt must not be missing unnoticed. Not reentrant, as getopt_long is not: for the start of the
 * program. */
enum options_verdict options_parse(struct options *ret, int argc, char **argv, char **env, FILE *out,
                                   FILE *err);

#endif
