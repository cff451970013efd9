/* Text and bytes that grow while they are written: a standard stream over memory that ends up in an arena. */
#ifndef TESTS_CONFORMANCE_TEXT_H
#define TESTS_CONFORMANCE_TEXT_H

#include <stdio.h>

#include "api/arena.h"
#include "api/bytes.h"

struct text {
    FILE *out; /* write here: fprintf, fwrite, ... */
    char *ptr;
    size_t len;
};

/* Memory of which there is always enough: ends the program when there is not. For arenas, which then never return NULL. */
extern const struct memory memory_or_exit;

void text_open(struct text *text);

/* What was written, terminated (the terminator is not counted); it lives as long as the arena. */
struct bytes text_close(struct text *text, struct arena *arena);

/* Without keeping it. */
void text_discard(struct text *text);

/* The whole of a file. False if it cannot be read; errno says why. */
bool text_of_file(const char *path, struct arena *arena, struct bytes *ret);

#endif
