/* Names of sizes ("batch") in a dry run, numbered as ops/shape.h wants them. A value in the request's arena; {0} is
 * empty. */
#ifndef API_SYMBOLS_H
#define API_SYMBOLS_H

#include "api/arena.h"
#include "api/bytes.h"
#include "ops/shape.h"

#define SYMBOLS_MAX 64 /* different names in one request; at most DIM_MAX_NAMES */
#define SYMBOLS_MAX_BYTES 256

struct symbols {
    struct bytes *name; /* SYMBOLS_MAX of them, borrowed from the request */
    int count;
};

enum symbols_code { SYMBOLS_OK, SYMBOLS_TOO_MANY, SYMBOLS_NO_MEMORY };

/* The size that stands for `name`, the same for the same name. */
enum symbols_code symbols_size(struct symbols *symbols, struct arena *arena, struct bytes name, int64_t *ret);

/* The name that a size stands for; .ptr is NULL if it stands for none. */
struct bytes symbols_name(const struct symbols *symbols, int64_t size);

#endif
