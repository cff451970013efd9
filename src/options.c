#include "src/options.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "api/json.h"
#include "src/option.h"

#define MEMBER(member) offsetof(struct options, member)
#define K ((uint64_t)1 << 10)
#define M ((uint64_t)1 << 20)
#define T ((uint64_t)1 << 40)
#define DAY_MS ((uint64_t)86400000)
#define DOCUMENT_DEPTH 4 /* {"inputs":[{"data":[ */

#define LISTENING   OPTION_GROUP_LISTENING
#define SECURITY    OPTION_GROUP_SECURITY
#define LIMITS      OPTION_GROUP_LIMITS
#define DEADLINES   OPTION_GROUP_DEADLINES
#define PROCESSORS  OPTION_GROUP_PROCESSORS
#define OBSERVATION OPTION_GROUP_OBSERVATION

/* Group after group; in the second column, whether the short help lists it (which must fit on a screen). */
static const struct option_row rows[] = {
    {LISTENING, true, "listen", OPTION_LISTEN, MEMBER(listen), 0, 0, "127.0.0.1:8000", "ADDRESS",
     "HOST:PORT or unix:/PATH"},
    {LISTENING, false, "socket-mode", OPTION_MODE, MEMBER(socket_mode), 0, 0777, "660", "MODE",
     "permissions of unix sockets"},
    {SECURITY, true, "tls-certificate", OPTION_PATH, MEMBER(tls_certificate), 0, 0, NULL, "FILE",
     "TLS on TCP, with this chain; PEM"},
    {SECURITY, true, "tls-key", OPTION_PATH, MEMBER(tls_key), 0, 0, NULL, "FILE",
     "its private key; PEM"},
    {SECURITY, true, "token-file", OPTION_PATH, MEMBER(token_file), 0, 0, NULL, "FILE",
     "who has a token of these may enter"},
    {SECURITY, false, "open", OPTION_SET, MEMBER(open), 0, 0, "health", "health,metrics,docs",
     "what needs no token, or none"},
    {SECURITY, false, "sandbox", OPTION_CHOICE, MEMBER(sandbox), 0, 0, "on", "off|on",
     "deny system calls that are not needed"},
    {LIMITS, true, "max-request-bytes", OPTION_BYTES, MEMBER(max_request_bytes), 1, T, "256M", "SIZE",
     "largest request body"},
    {LIMITS, true, "max-output-bytes", OPTION_BYTES, MEMBER(max_output_bytes), 1, K * T, "4G", "SIZE",
     "largest answer of an operator"},
    {LIMITS, false, "compress-max", OPTION_BYTES, MEMBER(compress_max), 0, K * T, "4M", "SIZE",
     "largest answer that is compressed"},
    {LIMITS, true, "memory-budget", OPTION_BYTES, MEMBER(memory_budget), 0, K * T, "0", "SIZE",
     "for all requests; 0: at most 1G"},
    {LIMITS, false, "max-header-bytes", OPTION_BYTES, MEMBER(max_header_bytes), 4 * K, M, "32K", "SIZE",
     "largest request line and headers"},
    {LIMITS, false, "json-depth", OPTION_COUNT, MEMBER(json_depth), DOCUMENT_DEPTH, JSON_MAX_DEPTH, "100", "N",
     "nesting of arrays and objects"},
    {LIMITS, false, "max-inflight", OPTION_COUNT, MEMBER(max_inflight), 1, M, "1024", "N",
     "most requests that wait for or have a worker"},
    {LIMITS, false, "max-connections", OPTION_COUNT, MEMBER(max_connections), 0, M, "0", "N",
     "most connections; 0: as descriptors allow"},
    {LIMITS, false, "max-address-connections", OPTION_COUNT, MEMBER(max_address), 0, M, "1024", "N",
     "most of one address; 0: any number"},
    {LIMITS, false, "count-loopback", OPTION_CHOICE, MEMBER(count_loopback), 0, 0, "off", "off|on",
     "also of clients on this machine"},
    {DEADLINES, false, "header-timeout", OPTION_SECONDS, MEMBER(header_timeout), 0, DAY_MS, "10", "SECONDS",
     "for a whole head; 0: any time"},
    {DEADLINES, false, "idle-timeout", OPTION_SECONDS, MEMBER(idle_timeout), 0, DAY_MS, "60", "SECONDS",
     "wait for the next request; 0: any time"},
    {DEADLINES, false, "min-rate", OPTION_BYTES, MEMBER(min_rate), 0, K * M, "1K", "SIZE",
     "least bytes a second, in and out"},
    {DEADLINES, false, "receive-stall", OPTION_SECONDS, MEMBER(receive_stall), 0, DAY_MS, "10", "SECONDS",
     "a body may be slower; 0: any time"},
    {DEADLINES, false, "send-stall", OPTION_SECONDS, MEMBER(send_stall), 0, DAY_MS, "30", "SECONDS",
     "a reader may be slower; 0: any time"},
    {DEADLINES, false, "receive-timeout", OPTION_SECONDS, MEMBER(receive_timeout), 0, DAY_MS, "300", "SECONDS",
     "for a whole request; 0: any time"},
    {DEADLINES, false, "exchange-timeout", OPTION_SECONDS, MEMBER(exchange_timeout), 0, DAY_MS, "3600", "SECONDS",
     "for it and its answer; 0: any time"},
    {DEADLINES, false, "request-timeout", OPTION_SECONDS, MEMBER(request_timeout), 1, DAY_MS, "30", "SECONDS",
     "wait for a worker's answer"},
    {DEADLINES, false, "drain-delay", OPTION_SECONDS, MEMBER(drain_delay), 0, DAY_MS, "0.25", "SECONDS",
     "still open after SIGTERM"},
    {DEADLINES, true, "drain-timeout", OPTION_SECONDS, MEMBER(drain_timeout), 0, DAY_MS, "8", "SECONDS",
     "time to finish after SIGTERM"},
    {PROCESSORS, false, "loops", OPTION_COUNT, MEMBER(loops), 1, 256, "1", "N",
     "event loops side by side"},
    {PROCESSORS, true, "threads", OPTION_COUNT, MEMBER(threads), 0, 1024, "0", "N",
     "worker threads; 0: one per processor"},
    {PROCESSORS, false, "inline-bytes", OPTION_BYTES, MEMBER(inline_bytes), 0, M, "8K", "SIZE",
     "bodies up to this need no worker"},
    {PROCESSORS, false, "prefill-cost", OPTION_COUNT, MEMBER(prefill_cost), 0, M, "1000", "PS",
     "workers fill what costs this much a byte"},
    {OBSERVATION, false, "metrics-compat", OPTION_CHOICE, MEMBER(metrics_compat), 0, 0, "none", "none|triton",
     "further names in /metrics"},
    {OBSERVATION, false, "log-format", OPTION_CHOICE, MEMBER(log_format), 0, 0, "text", "text|json",
     "form of a line"},
    {OBSERVATION, true, "log-level", OPTION_LEVEL, MEMBER(log_level), 0, 0, "info", "LEVEL",
     "error, warning, info or debug"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* What is asked of the program other than to serve. */
static const struct action {
    const char *name;
    enum options_verdict verdict;
    const char *help;
} actions[] = {
    {"check-config", OPTIONS_CHECK, "check the options and what they name, and end"},
    {"healthcheck", OPTIONS_HEALTHCHECK, "ask the server at --listen if it is ready: exit 0"},
    {"help", OPTIONS_DONE, "print this; --help=all: all options"},
    {"version", OPTIONS_DONE, "print the version"},
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

/* What getopt_long returns for the actions: this and their position. Rows are returned as their position. */
#define ACTION_BASE 1000

/* ---- help ---------------------------------------------------------------------------------------------- */

static void print_row(const struct option_row *row, FILE *out)
{
    char flag[64];
    snprintf(flag, sizeof(flag), "--%s %s", row->name, row->argument);
    fprintf(out, "  %-26s %s (%s)\n", flag, row->help, row->initial != NULL ? row->initial : "none");
}

static void print_groups(FILE *out)
{
    static const char *const titles[] = {
#define X(id, title) [OPTION_GROUP_##id] = (title),
        OPTION_GROUPS(X)
#undef X
    };
    for (size_t i = 0; i < ROWS; i++) {
        if (i == 0 || rows[i].group != rows[i - 1].group)
            fprintf(out, "%s\n", titles[rows[i].group]);
        print_row(&rows[i], out);
    }
}

static void print_help(bool all, FILE *out)
{
    fputs("Usage: shaped [OPTION]...\n"
          "Serves the ONNX operators Expand and Unsqueeze over HTTP.\n\n",
          out);
    if (all)
        print_groups(out);
    for (size_t i = 0; i < ROWS && !all; i++)
        if (rows[i].usual)
            print_row(&rows[i], out);
    fputs("\n", out);
    for (size_t i = 0; i < ACTIONS; i++)
        fprintf(out, "  --%-24s %s\n", actions[i].name, actions[i].help);
    fputs("\nSIZE may end in K, M, G or T. Each option may be a variable of the environment,\n"
          "as SHAPED_LOG_LEVEL=debug; the command line counts more.\n"
          "SIGTERM finishes what is running and ends.\n",
          out);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Where values come from. */
struct source {
    struct options *options;
    FILE *err;
    bool listed; /* it has named an address: those of a source before it do not count */
};

/* `label` is the option as it is written there. */
static bool take(struct source *source, const struct option_row *row, const char *label, const char *text)
{
    if (row->kind == OPTION_LISTEN && !source->listed) {
        source->listed = true;
        source->options->listen_count = 0;
        source->options->listen_default = false;
    }
    if (option_read(row, text, source->options))
        return true;
    fprintf(source->err, "shaped: %s cannot be \"%s\": ", label, text);
    option_print_wanted(row, source->err);
    fputs(".\n", source->err);
    return false;
}

static bool take_defaults(struct options *ret, FILE *err)
{
    struct source source = {.options = ret, .err = err};
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].initial != NULL && !take(&source, &rows[i], rows[i].name, rows[i].initial))
            return false;
    ret->listen_default = true;
    return true;
}

/* ---- the environment ----------------------------------------------------------------------------------- */

#define PREFIX "SHAPED_"

/* "LOG_LEVEL" is "log-level". */
static bool is_variable_of(const char *variable, const char *name)
{
    for (; *name != '\0'; name++, variable++) {
        int c = *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : '_';
        if (*variable != c)
            return false;
    }
    return *variable == '\0';
}

static bool has(const char *text, size_t len, const char *part)
{
    return memmem(text, len, part, strlen(part)) != NULL;
}

/* Kubernetes describes the Services of a namespace to its containers. One that is called "shaped" makes
 * SHAPED_SERVICE_HOST, SHAPED_SERVICE_PORT_HTTP, SHAPED_PORT_8000_TCP and more of the kind; no option is
 * called so. SHAPED_PORT is then an address, while a number in it is somebody's who wants to say where to
 * listen. */
static bool is_of_a_service(const char *variable, size_t len)
{
    static const char end[] = "_PORT";
    const char *value = variable[len] == '=' ? variable + len + 1 : "";
    if (has(variable, len, "_SERVICE_HOST") || has(variable, len, "_SERVICE_PORT") || has(variable, len, "_PORT_"))
        return true;
    return len > strlen(end) && memcmp(variable + len - strlen(end), end, strlen(end)) == 0 &&
           strstr(value, "://") != NULL;
}

static bool take_variable(struct source *source, const char *entry)
{
    char label[64]; /* cut if it is longer than any option */
    size_t len = strcspn(entry, "=");
    snprintf(label, sizeof(label), "%.*s", (int)len, entry);
    for (size_t i = 0; i < ROWS && len < sizeof(label); i++)
        if (is_variable_of(label + strlen(PREFIX), rows[i].name))
            return take(source, &rows[i], label, entry[len] == '=' ? entry + len + 1 : "");
    if (is_of_a_service(entry, len))
        return true;
    fprintf(source->err, "shaped: the variable %s is no option: see --help=all, or unset it.\n", label);
    return false;
}

static bool take_environment(struct options *ret, char **env, FILE *err)
{
    struct source source = {.options = ret, .err = err};
    for (; *env != NULL; env++)
        if (strncmp(*env, PREFIX, strlen(PREFIX)) == 0 && !take_variable(&source, *env))
            return false;
    return true;
}

/* ---- the command line ---------------------------------------------------------------------------------- */

static void fill_list(struct option list[ROWS + ACTIONS + 1])
{
    for (size_t i = 0; i < ROWS; i++)
        list[i] = (struct option){rows[i].name, required_argument, NULL, (int)i};
    for (size_t i = 0; i < ACTIONS; i++) {
        int argument = strcmp(actions[i].name, "help") == 0 ? optional_argument : no_argument;
        list[ROWS + i] = (struct option){actions[i].name, argument, NULL, ACTION_BASE + (int)i};
    }
    list[ROWS + ACTIONS] = (struct option){NULL, 0, NULL, 0};
}

static enum options_verdict refuse(int found, char **argv, FILE *err)
{
    if (found == ':')
        fprintf(err, "shaped: \"%s\" needs a value: see --help.\n", argv[optind - 1]);
    else if (optopt > 0 && optopt < ACTION_BASE) /* one letter, perhaps of several in one argument */
        fprintf(err, "shaped: there is no option \"-%c\": see --help.\n", optopt);
    else
        fprintf(err, "shaped: there is no option \"%s\": see --help.\n", argv[optind - 1]);
    return OPTIONS_BAD;
}

static enum options_verdict take_flag(struct source *source, int found, char **argv)
{
    if (found == '?' || found == ':')
        return refuse(found, argv, source->err);
    if (found >= ACTION_BASE)
        return actions[found - ACTION_BASE].verdict;
    char label[64];
    snprintf(label, sizeof(label), "--%s", rows[found].name);
    return take(source, &rows[found], label, optarg) ? OPTIONS_RUN : OPTIONS_BAD;
}

static void begin_arguments(struct option list[ROWS + ACTIONS + 1])
{
    fill_list(list);
    optind = 0; /* starts anew, also when called twice */
    opterr = 0;
}

static enum options_verdict take_arguments(struct options *ret, int argc, char **argv, FILE *err)
{
    struct source source = {.options = ret, .err = err};
    struct option list[ROWS + ACTIONS + 1];
    enum options_verdict verdict = OPTIONS_RUN;
    begin_arguments(list);
    int found;
    while ((found = getopt_long(argc, argv, "+:", list, NULL)) != -1) {
        enum options_verdict one = take_flag(&source, found, argv);
        if (one == OPTIONS_BAD)
            return one;
        verdict = one == OPTIONS_RUN ? verdict : one;
    }
    if (optind < argc) {
        fprintf(err, "shaped: \"%s\" is not an option: see --help.\n", argv[optind]);
        return OPTIONS_BAD;
    }
    return verdict;
}

/* ---- questions ----------------------------------------------------------------------------------------- */

static enum options_verdict tell(const struct action *action, FILE *out, FILE *err)
{
    if (strcmp(action->name, "version") == 0) {
        fprintf(out, "shaped %s\n", PACKAGE_VERSION);
        return OPTIONS_DONE;
    }
    bool all = optarg != NULL && strcmp(optarg, "all") == 0;
    if (optarg != NULL && !all) {
        fprintf(err, "shaped: there is no option \"--help=%s\": there are --help and --help=all.\n", optarg);
        return OPTIONS_BAD;
    }
    print_help(all, out);
    return OPTIONS_DONE;
}

/* OPTIONS_RUN if nothing is asked. */
static enum options_verdict answer(int argc, char **argv, FILE *out, FILE *err)
{
    struct option list[ROWS + ACTIONS + 1];
    begin_arguments(list);
    int found;
    while ((found = getopt_long(argc, argv, "+:", list, NULL)) != -1 && found != '?' && found != ':')
        if (found >= ACTION_BASE && actions[found - ACTION_BASE].verdict == OPTIONS_DONE)
            return tell(&actions[found - ACTION_BASE], out, err);
    return OPTIONS_RUN;
}

/* With less, a server would listen and have no memory for those who come. */
#define BUDGET_HEADS 32

/* What no option can tell by itself. */
static enum options_verdict check_together(const struct options *options, enum options_verdict verdict, FILE *err)
{
    const char *wrong = NULL;
    if ((options->tls_certificate == NULL) != (options->tls_key == NULL))
        wrong = "--tls-certificate and --tls-key go together: give both, or none";
    else if (options->drain_timeout > 0 && options->drain_delay >= options->drain_timeout)
        wrong = "--drain-delay is a part of --drain-timeout: give less, or nothing can finish";
    else if (options->memory_budget > 0 && options->memory_budget / BUDGET_HEADS < options->max_header_bytes)
        wrong = "--memory-budget must be 0 or at least 32 times --max-header-bytes, which each connection holds";
    if (wrong == NULL)
        return verdict;
    fprintf(err, "shaped: %s.\n", wrong);
    return OPTIONS_BAD;
}

enum options_verdict options_parse(struct options *ret, int argc, char **argv, char **env, FILE *out, FILE *err)
{
    *ret = (struct options){0};
    enum options_verdict verdict = answer(argc, argv, out, err); /* first: who is told of a mistake asks for help */
    if (verdict != OPTIONS_RUN)
        return verdict;
    if (!take_defaults(ret, err) || !take_environment(ret, env, err))
        return OPTIONS_BAD;
    verdict = take_arguments(ret, argc, argv, err);
    if (verdict == OPTIONS_BAD)
        return verdict;
    return check_together(ret, verdict, err);
}
