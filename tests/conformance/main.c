/* shaped-conform: runs ONNX backend test folders against a server of the Open Inference Protocol. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/conformance/report.h"
#include "tests/conformance/run.h"

#define EXIT_USAGE 2

static const char help[] =
    "Usage: shaped-conform [OPTION...] DIR...\n"
    "\n"
    "Runs the ONNX backend tests below each DIR (folders with model.onnx and\n"
    "test_data_set_*) against a server of the Open Inference Protocol. Every model\n"
    "that is a single Expand or Unsqueeze node is run, and its output is compared bit\n"
    "for bit; other models are skipped by name.\n"
    "\n"
    "  --url URL          the server (http://127.0.0.1:8000)\n"
    "  --unix PATH        connect to this unix socket; the URL then names the host\n"
    "  --codec CODEC      how tensors travel; commas between several (binary)\n"
    "         json          values in the JSON document\n"
    "         binary        blobs behind it, the binary tensor extension\n"
    "         protobuf      a TensorProto as the body (shaped only)\n"
    "         multipart     a TensorProto file for each input (shaped only)\n"
    "         all           all of them\n"
    "  --jobs N           requests at the same time (1)\n"
    "  --timeout SECONDS  for a request (60)\n"
    "  --format FORMAT    human, tap or junit (human)\n"
    "  --quiet            human: tell only what failed, and the summary\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 if nothing failed, 1 if something did, 2 for wrong usage.\n";

struct options {
    struct target target;
    bool codec[CODEC_COUNT];
    long jobs;
    const struct report_format *format;
    bool quiet;
};

/* ---- options --------------------------------------------------------------------------------------------------- */

static bool complain(const char *option, const char *value, const char *hint)
{
    fprintf(stderr, "shaped-conform: --%s %s: %s\n", option, value, hint);
    return false;
}

static bool option_number(const char *option, const char *value, long max, long *ret)
{
    char *end = NULL;
    errno = 0;
    *ret = strtol(value, &end, 10);
    if (errno != 0 || end == value || *end != '\0' || *ret < 1 || *ret > max) {
        fprintf(stderr, "shaped-conform: --%s %s: give a number from 1 to %ld\n", option, value, max);
        return false;
    }
    return true;
}

/* A name out of a list; "all" stands for every one. */
static bool add_codec(bool *codec, const char *name, size_t len)
{
    bool known = false;
    for (int i = 0; i < CODEC_COUNT; i++) {
        const char *own = codec_at(i)->name;
        bool meant = (len == 3 && strncmp(name, "all", 3) == 0) || (strlen(own) == len && strncmp(own, name, len) == 0);
        codec[i] = codec[i] || meant;
        known = known || meant;
    }
    return known;
}

static bool option_codec(const char *value, bool *codec)
{
    memset(codec, 0, CODEC_COUNT * sizeof(codec[0]));
    for (const char *name = value; name != NULL;) {
        const char *comma = strchr(name, ',');
        if (!add_codec(codec, name, comma != NULL ? (size_t)(comma - name) : strlen(name)))
            return complain("codec", value, "give json, binary, protobuf, multipart or all");
        name = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

static bool option_format(const char *value, const struct report_format **ret)
{
    const struct report_format *format = report_find(value);
    if (format == NULL)
        return complain("format", value, "give human, tap or junit");
    *ret = format;
    return true;
}

/* A slash at the end would double before the path. */
static bool option_url(char *value, const char **ret)
{
    size_t len = strlen(value);
    while (len > 0 && value[len - 1] == '/')
        value[--len] = '\0';
    *ret = value;
    return len > 0 || complain("url", value, "give an address such as http://127.0.0.1:8000");
}

enum { OPT_URL = 1, OPT_UNIX, OPT_CODEC, OPT_JOBS, OPT_TIMEOUT, OPT_FORMAT, OPT_QUIET, OPT_HELP, OPT_VERSION };

static const struct option names[] = {
    {"url", required_argument, NULL, OPT_URL},         {"unix", required_argument, NULL, OPT_UNIX},
    {"codec", required_argument, NULL, OPT_CODEC},     {"jobs", required_argument, NULL, OPT_JOBS},
    {"timeout", required_argument, NULL, OPT_TIMEOUT}, {"format", required_argument, NULL, OPT_FORMAT},
    {"quiet", no_argument, NULL, OPT_QUIET},           {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},       {0},
};

static bool set_option(struct options *options, int option, char *value)
{
    switch (option) {
    case OPT_URL:
        return option_url(value, &options->target.url);
    case OPT_UNIX:
        options->target.unix_path = value;
        return true;
    case OPT_CODEC:
        return option_codec(value, options->codec);
    case OPT_JOBS:
        return option_number("jobs", value, 256, &options->jobs);
    case OPT_TIMEOUT:
        return option_number("timeout", value, 86400, &options->target.timeout);
    case OPT_FORMAT:
        return option_format(value, &options->format);
    case OPT_QUIET:
        options->quiet = true;
        return true;
    case OPT_HELP:
        fputs(help, stdout);
        exit(EXIT_SUCCESS);
    case OPT_VERSION:
        puts("shaped-conform " PACKAGE_VERSION);
        exit(EXIT_SUCCESS);
    default: /* getopt has complained */
        return false;
    }
}

static bool read_options(int argc, char **argv, struct options *options)
{
    *options = (struct options){
        .target = {.url = "http://127.0.0.1:8000", .timeout = 60},
        .jobs = 1,
        .format = report_find("human"),
    };
    option_codec("binary", options->codec);
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;)
        if (!set_option(options, option, optarg))
            return false;
    if (optind == argc)
        fputs("shaped-conform: no folder is given\n", stderr);
    return optind < argc;
}

/* ---- the run --------------------------------------------------------------------------------------------------- */

static bool make_plan(struct plan *plan, const struct options *options, char **folders)
{
    struct reason why;
    memcpy(plan->codec, options->codec, sizeof(plan->codec));
    for (; *folders != NULL; folders++)
        if (!plan_add(plan, *folders, &why)) {
            fprintf(stderr, "shaped-conform: %s\n", why.text);
            return false;
        }
    if (plan->items == 0)
        fputs("shaped-conform: there is no model.onnx in these folders\n", stderr);
    return plan->items > 0;
}

static void done(void *ctx, const struct item *item)
{
    report_item(ctx, item);
}

static int run(struct plan *plan, const struct options *options)
{
    struct report report = {
        .format = options->format,
        .out = stdout,
        .bar = isatty(STDERR_FILENO) == 1,
        .quiet = options->quiet,
    };
    report_begin(&report, plan);
    run_plan(plan, &options->target, (int)options->jobs, done, &report);
    report_end(&report, plan);
    if (fflush(stdout) != 0) {
        perror("shaped-conform: standard output");
        return EXIT_FAILURE;
    }
    return report.count[FAILED] == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct options options;
    struct plan plan;
    if (!read_options(argc, argv, &options)) {
        fputs("Try shaped-conform --help.\n", stderr);
        return EXIT_USAGE;
    }
    if (!http_init()) {
        fputs("shaped-conform: libcurl cannot start\n", stderr);
        return EXIT_FAILURE;
    }
    plan_init(&plan);
    int status = make_plan(&plan, &options, argv + optind) ? run(&plan, &options) : EXIT_USAGE;
    plan_free(&plan);
    return status;
}
