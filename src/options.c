#include "src/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    KIND_COUNT,    /* a number */
    KIND_BYTES,    /* a number with an optional suffix K, M, G, T (powers of 1024) */
    KIND_SECONDS,  /* a decimal number of seconds, kept in ms */
    KIND_LEVEL,    /* a log level */
    KIND_ENDPOINT, /* HOST:PORT */
};

struct row {
    const char *name;
    enum kind kind;
    size_t offset; /* of the member of struct options */
    uint64_t min, max; /* in the member's unit */
    const char *initial;
    const char *argument, *help;
};

#define MEMBER(member) offsetof(struct options, member)
#define K ((uint64_t)1 << 10)
#define M ((uint64_t)1 << 20)
#define T ((uint64_t)1 << 40)
#define DAY_MS ((uint64_t)86400000)

static const struct row rows[] = {
    {"listen", KIND_ENDPOINT, MEMBER(listen), 0, 65535, "127.0.0.1:8000", "HOST:PORT",
     "address; port 0 takes a free one"},
    {"max-request-bytes", KIND_BYTES, MEMBER(max_request_bytes), 1, T, "256M", "SIZE",
     "largest request body"},
    {"max-output-bytes", KIND_BYTES, MEMBER(max_output_bytes), 1, K * T, "4G", "SIZE",
     "largest answer of an operator"},
    {"compress-max", KIND_BYTES, MEMBER(compress_max), 0, K * M, "4M", "SIZE",
     "largest answer that is compressed"},
    {"memory-budget", KIND_BYTES, MEMBER(memory_budget), 0, K * T, "0", "SIZE",
     "for all requests; 0: at most 1G"},
    {"json-depth", KIND_COUNT, MEMBER(json_depth), 1, 10000, "100", "N",
     "nesting of arrays and objects"},
    {"loops", KIND_COUNT, MEMBER(loops), 1, 256, "1", "N",
     "event loops side by side"},
    {"threads", KIND_COUNT, MEMBER(threads), 0, 1024, "0", "N",
     "worker threads; 0: one per processor"},
    {"inline-bytes", KIND_BYTES, MEMBER(inline_bytes), 0, M, "8K", "SIZE",
     "bodies up to this need no worker"},
    {"prefill-cost", KIND_COUNT, MEMBER(prefill_cost), 0, M, "0", "PS",
     "workers fill answers that cost this much a byte"},
    {"request-timeout", KIND_SECONDS, MEMBER(request_timeout), 1, DAY_MS, "30", "SECONDS",
     "wait for a worker's answer"},
    {"max-inflight", KIND_COUNT, MEMBER(max_inflight), 1, M, "1024", "N",
     "most requests that wait for or have a worker"},
    {"drain-timeout", KIND_SECONDS, MEMBER(drain_timeout), 0, DAY_MS, "8", "SECONDS",
     "time to finish after SIGTERM"},
    {"log-level", KIND_LEVEL, MEMBER(log_level), 0, 0, "info", "LEVEL",
     "error, warning, info or debug"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* What getopt_long returns for the options that are not rows. */
enum { OPTION_HELP = 1000, OPTION_VERSION };

/* Digits only: no sign, no white space, no octal. */
static bool read_number(const char **text, uint64_t *ret)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    errno = 0;
    *ret = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

static bool read_bytes(const char *text, uint64_t *ret)
{
    static const char suffixes[] = "KMGT";
    if (!read_number(&text, ret))
        return false;
    if (*text == '\0')
        return true;
    const char *suffix = strchr(suffixes, *text);
    unsigned shift = suffix == NULL ? 0 : 10 * (unsigned)(suffix - suffixes + 1);
    if (suffix == NULL || text[1] != '\0' || *ret > UINT64_MAX >> shift)
        return false;
    *ret <<= shift;
    return true;
}

/* "8", "0.25": at most three decimals, so that the value is exact. */
static bool read_seconds(const char *text, uint64_t *ret)
{
    if (!read_number(&text, ret) || *ret > UINT64_MAX / 1000)
        return false;
    *ret *= 1000;
    if (*text == '.') {
        text++;
        for (uint64_t unit = 100; unit > 0 && *text >= '0' && *text <= '9'; unit /= 10)
            *ret += unit * (uint64_t)(*text++ - '0');
    }
    return *text == '\0';
}

/* The part before the last colon; IPv6 addresses stand in brackets. */
static bool read_host(const char *text, size_t len, char *out)
{
    bool bracketed = len >= 2 && text[0] == '[' && text[len - 1] == ']';
    if (bracketed) {
        text++;
        len -= 2;
    }
    if (len == 0 || len >= OPTIONS_HOST_MAX || (!bracketed && memchr(text, ':', len) != NULL))
        return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

static bool read_endpoint(const char *text, struct endpoint *ret)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL)
        return false;
    const char *end = colon + 1;
    uint64_t port;
    if (!read_number(&end, &port) || *end != '\0' || port > UINT16_MAX)
        return false;
    ret->port = (uint16_t)port;
    return read_host(text, (size_t)(colon - text), ret->host);
}

static bool read_value(const struct row *row, const char *text, struct options *ret)
{
    char *member = (char *)ret + row->offset;
    if (row->kind == KIND_ENDPOINT)
        return read_endpoint(text, (struct endpoint *)(void *)member);
    if (row->kind == KIND_LEVEL)
        return log_level_find(text, (enum log_level *)(void *)member);
    uint64_t value;
    bool good = row->kind == KIND_BYTES     ? read_bytes(text, &value)
                : row->kind == KIND_SECONDS ? read_seconds(text, &value)
                                            : read_number(&text, &value) && *text == '\0';
    if (!good || value < row->min || value > row->max)
        return false;
    *(uint64_t *)(void *)member = value;
    return true;
}

/* What would have been right, for the sentence about a bad value. */
static void print_wanted(const struct row *row, FILE *err)
{
    switch (row->kind) {
    case KIND_COUNT:
        fprintf(err, "give a number from %" PRIu64 " to %" PRIu64, row->min, row->max);
        break;
    case KIND_BYTES:
        fprintf(err, "give a number of bytes from %" PRIu64 " to %" PRIu64 ", also as 64K, 16M, 4G", row->min,
                row->max);
        break;
    case KIND_SECONDS:
        fprintf(err, "give seconds from %g to %g", (double)row->min / 1000, (double)row->max / 1000);
        break;
    case KIND_LEVEL:
        fputs("give error, warning, info or debug", err);
        break;
    case KIND_ENDPOINT:
        fputs("give HOST:PORT, as 127.0.0.1:8000 or [::1]:8000", err);
        break;
    }
}

static enum options_verdict bad_value(const struct row *row, const char *text, FILE *err)
{
    fprintf(err, "shaped: --%s cannot be \"%s\": ", row->name, text);
    print_wanted(row, err);
    fputs(".\n", err);
    return OPTIONS_BAD;
}

static void print_help(FILE *out)
{
    fputs("Usage: shaped [OPTION]...\n"
          "Serves the ONNX operators Expand and Unsqueeze over HTTP.\n\n",
          out);
    for (size_t i = 0; i < ROWS; i++) {
        char flag[40];
        snprintf(flag, sizeof(flag), "--%s %s", rows[i].name, rows[i].argument);
        fprintf(out, "  %-26s %s (%s)\n", flag, rows[i].help, rows[i].initial);
    }
    fputs("  --help                     print this\n"
          "  --version                  print the version\n\n"
          "SIZE may end in K, M, G or T. SIGTERM finishes what is running and ends.\n",
          out);
}

/* Rows first, so that an option's index in the list is its row. */
static void fill_list(struct option list[ROWS + 3])
{
    for (size_t i = 0; i < ROWS; i++)
        list[i] = (struct option){rows[i].name, required_argument, NULL, (int)i};
    list[ROWS] = (struct option){"help", no_argument, NULL, OPTION_HELP};
    list[ROWS + 1] = (struct option){"version", no_argument, NULL, OPTION_VERSION};
    list[ROWS + 2] = (struct option){NULL, 0, NULL, 0};
}

static enum options_verdict handle_option(struct options *ret, int found, char **argv, FILE *out, FILE *err)
{
    switch (found) {
    case OPTION_HELP:
        print_help(out);
        return OPTIONS_DONE;
    case OPTION_VERSION:
        fprintf(out, "shaped %s\n", PACKAGE_VERSION);
        return OPTIONS_DONE;
    case '?':
        if (optopt > 0 && optopt < OPTION_HELP) /* one letter, perhaps of several in one argument */
            fprintf(err, "shaped: there is no option \"-%c\": see --help.\n", optopt);
        else
            fprintf(err, "shaped: there is no option \"%s\": see --help.\n", argv[optind - 1]);
        return OPTIONS_BAD;
    case ':':
        fprintf(err, "shaped: \"%s\" needs a value: see --help.\n", argv[optind - 1]);
        return OPTIONS_BAD;
    default:
        if (!read_value(&rows[found], optarg, ret))
            return bad_value(&rows[found], optarg, err);
        return OPTIONS_RUN;
    }
}

enum options_verdict options_parse(struct options *ret, int argc, char **argv, FILE *out, FILE *err)
{
    *ret = (struct options){0};
    for (size_t i = 0; i < ROWS; i++) {
        if (!read_value(&rows[i], rows[i].initial, ret))
            return bad_value(&rows[i], rows[i].initial, err);
    }
    struct option list[ROWS + 3];
    fill_list(list);
    optind = 0; /* starts anew, also when called twice */
    opterr = 0;
    int found;
    while ((found = getopt_long(argc, argv, "+:", list, NULL)) != -1) {
        enum options_verdict verdict = handle_option(ret, found, argv, out, err);
        if (verdict != OPTIONS_RUN)
            return verdict;
    }
    if (optind < argc) {
        fprintf(err, "shaped: \"%s\" is not an option: see --help.\n", argv[optind]);
        return OPTIONS_BAD;
    }
    return OPTIONS_RUN;
}
