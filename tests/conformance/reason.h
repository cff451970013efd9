/* Why a case failed or was skipped: one line for people. */
#ifndef TESTS_CONFORMANCE_REASON_H
#define TESTS_CONFORMANCE_REASON_H

#include <stdbool.h>

struct reason {
    char text[400]; /* terminated; cut when longer */
};

/* Writes the text and returns false, so that a check can end with `return because(why, ...)`. */
bool because(struct reason *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
