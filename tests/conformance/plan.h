/* The plan: every case found, once for every form that was asked for. */
#ifndef TESTS_CONFORMANCE_PLAN_H
#define TESTS_CONFORMANCE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "api/arena.h"
#include "tests/conformance/codec.h"
#include "tests/conformance/model.h"
#include "tests/conformance/reason.h"

enum outcome { PASSED, FAILED, SKIPPED, OUTCOMES };

/* One line of the report. */
struct item {
    const char *name;          /* path of the data set, or of the model if it is not run; with the form if several */
    const struct model *model; /* NULL: the outcome is known without running it */
    const char *data_set;
    const struct codec *codec;
    enum outcome outcome;
    struct reason why; /* unless passed */
    double seconds;
};

/* Owns its items and their models. */
struct plan {
    struct arena arena;
    struct item *item;
    size_t items;
    bool codec[CODEC_COUNT]; /* the forms to use; set before anything is added */
};

void plan_init(struct plan *plan);
void plan_free(struct plan *plan);

/* Adds all below a folder. False if a folder cannot be read, with the reason. */
bool plan_add(struct plan *plan, const char *folder, struct reason *why);

#endif
