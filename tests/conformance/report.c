#include "tests/conformance/report.h"

#include <string.h>

#define BAR_WIDTH 40

static void write_summary(const struct report *report, const char *prefix)
{
    fprintf(report->out, "%s%zu passed, %zu failed, %zu skipped\n", prefix, report->count[PASSED],
            report->count[FAILED], report->count[SKIPPED]);
}

/* One line, whatever characters are in it. */
static void write_line(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    fputc('\n', out);
}

/* ---- for people ------------------------------------------------------------------------------------------------ */

static void human_begin(struct report *report, const struct plan *plan)
{
    (void)report;
    (void)plan;
}

static void human_item(struct report *report, const struct item *item)
{
    static const char *const words[OUTCOMES] = {"passed ", "FAILED ", "skipped"};
    if (report->quiet && item->outcome != FAILED)
        return;
    fprintf(report->out, "%s  %s", words[item->outcome], item->name);
    fputs(item->outcome == FAILED ? "\n         " : item->outcome == SKIPPED ? ": " : "", report->out);
    write_line(report->out, item->outcome == PASSED ? "" : item->why.text);
}

static void human_end(struct report *report, const struct plan *plan)
{
    (void)plan;
    write_summary(report, "");
}

/* ---- TAP 13 ---------------------------------------------------------------------------------------------------- */

/* A "#" would begin a directive. */
static void write_tap_name(FILE *out, const char *name)
{
    for (; *name != '\0'; name++)
        fprintf(out, *name == '#' ? "\\%c" : "%c", *name);
}

static void tap_begin(struct report *report, const struct plan *plan)
{
    fprintf(report->out, "1..%zu\n", plan->items);
}

static void tap_item(struct report *report, const struct item *item)
{
    fprintf(report->out, "%s %zu - ", item->outcome == FAILED ? "not ok" : "ok", report->finished);
    write_tap_name(report->out, item->name);
    fputs(item->outcome == FAILED ? "\n# " : item->outcome == SKIPPED ? " # SKIP " : "", report->out);
    write_line(report->out, item->outcome == PASSED ? "" : item->why.text);
}

static void tap_end(struct report *report, const struct plan *plan)
{
    (void)plan;
    write_summary(report, "# ");
}

/* ---- JUnit: all at the end, since its first line has the counts ------------------------------------------------ */

static void write_xml(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (strchr("<>&\"", c) != NULL)
            fprintf(out, "&#%d;", c);
        else
            fputc(c < 0x20 ? ' ' : c, out);
    }
}

static void junit_begin(struct report *report, const struct plan *plan)
{
    (void)report;
    (void)plan;
}

static void junit_item(struct report *report, const struct item *item)
{
    (void)report;
    (void)item;
}

static void write_junit_item(FILE *out, const struct item *item)
{
    static const char *const elements[OUTCOMES] = {NULL, "failure", "skipped"};
    fprintf(out, "  <testcase classname=\"%s\" name=\"", item->model != NULL ? item->model->op->name : "model");
    write_xml(out, item->name);
    fprintf(out, "\" time=\"%.6f\"", item->seconds);
    if (item->outcome != PASSED) {
        fprintf(out, "><%s message=\"", elements[item->outcome]);
        write_xml(out, item->why.text);
        fprintf(out, "\"/></testcase>\n");
    } else {
        fprintf(out, "/>\n");
    }
}

static void junit_end(struct report *report, const struct plan *plan)
{
    fprintf(report->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    fprintf(report->out, "<testsuite name=\"shaped-conform\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
            plan->items, report->count[FAILED], report->count[SKIPPED]);
    for (size_t i = 0; i < plan->items; i++)
        write_junit_item(report->out, &plan->item[i]);
    fprintf(report->out, "</testsuite>\n");
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

static const struct report_format formats[] = {
    {"human", human_begin, human_item, human_end},
    {"tap", tap_begin, tap_item, tap_end},
    {"junit", junit_begin, junit_item, junit_end},
};

const struct report_format *report_find(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static void clear_bar(const struct report *report)
{
    if (report->bar)
        fputs("\r\033[K", stderr);
}

static void draw_bar(const struct report *report)
{
    static const char full[] = "########################################";
    int filled = (int)(report->finished * BAR_WIDTH / (report->total > 0 ? report->total : 1));
    if (!report->bar)
        return;
    fprintf(stderr, "[%-*.*s] %zu of %zu, %zu failed", BAR_WIDTH, filled, full, report->finished, report->total,
            report->count[FAILED]);
    fflush(stderr);
}

void report_begin(struct report *report, const struct plan *plan)
{
    report->total = plan->items;
    report->format->begin(report, plan);
    draw_bar(report);
}

/* Standard output is flushed first when both are the same terminal, so that lines and bar do not mix. */
void report_item(struct report *report, const struct item *item)
{
    report->count[item->outcome]++;
    report->finished++;
    clear_bar(report);
    report->format->item(report, item);
    if (report->bar)
        fflush(report->out);
    draw_bar(report);
}

void report_end(struct report *report, const struct plan *plan)
{
    clear_bar(report);
    report->format->end(report, plan);
}
