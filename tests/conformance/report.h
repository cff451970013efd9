/* What a run looks like to people and to machines. */
#ifndef TESTS_CONFORMANCE_REPORT_H
#define TESTS_CONFORMANCE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tests/conformance/plan.h"

struct report;

struct report_format {
    const char *name; /* for --format */
    void (*begin)(struct report *report, const struct plan *plan);
    void (*item)(struct report *report, const struct item *item);
    void (*end)(struct report *report, const struct plan *plan);
};

struct report {
    const struct report_format *format;
    FILE *out;
    bool bar;   /* draw the progress on standard error, a terminal */
    bool quiet; /* people: only what failed, and the summary */
    size_t total, finished;
    size_t count[OUTCOMES];
};

const struct report_format *report_find(const char *name);

void report_begin(struct report *report, const struct plan *plan);
void report_item(struct report *report, const struct item *item); /* in the order of the plan */
void report_end(struct report *report, const struct plan *plan);

#endif
