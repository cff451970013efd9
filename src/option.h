/* One option: what kind of value it has, and how its text is read. The table of them is in options.c.
 *
 * The text may come from the command line or from the environment; both are read here, by the same rules.
 */
#ifndef SRC_OPTION_H
#define SRC_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/options.h"

enum option_kind {
    OPTION_COUNT,   /* a number */
    OPTION_BYTES,   /* a number with an optional suffix K, M, G, T (powers of 1024) */
    OPTION_SECONDS, /* a decimal number of seconds, kept in ms */
    OPTION_LEVEL,   /* a log level */
    OPTION_PATH,    /* of a file: a const char *, NULL if not given */
    OPTION_MODE,    /* permissions, octal */
    OPTION_CHOICE,  /* one of the words of `argument` ("off|on"); kept as its position among them */
    OPTION_SET,     /* some of the words of `argument` ("a,b"), or "none"; kept as bits in their order */
    OPTION_LISTEN,  /* addresses, separated by commas; appended to what is there */
};

/* What an option is about; help is printed in this order. */
#define OPTION_GROUPS(X)         \
    X(LISTENING, "Listening")    \
    X(SECURITY, "Security")      \
    X(LIMITS, "Limits")          \
    X(DEADLINES, "Deadlines")    \
    X(PROCESSORS, "Processors")  \
    X(OBSERVATION, "Observation")

enum option_group {
#define X(id, title) OPTION_GROUP_##id,
    OPTION_GROUPS(X)
#undef X
    OPTION_GROUP_COUNT
};

struct option_row {
    enum option_group group;
    bool usual; /* listed by the short help */
    const char *name;
    enum option_kind kind;
    size_t offset;     /* of the member of struct options: uint64_t, if its kind does not say otherwise */
    uint64_t min, max; /* in the member's unit */
    const char *initial; /* NULL: not given */
    const char *argument, *help;
};

/* Reads a value into the row's member. False if it is none, or out of range; the member is then as before,
 * but for lists. */
bool option_read(const struct option_row *row, const char *text, struct options *ret);

/* Prints what would have been right, as the end of a sentence without its full stop. */
void option_print_wanted(const struct option_row *row, FILE *out);

#endif
