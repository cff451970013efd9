/* Finds the models below a folder. */
#ifndef TESTS_CONFORMANCE_WALK_H
#define TESTS_CONFORMANCE_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "api/arena.h"

struct found_model {
    const char *path;      /* ".../model.onnx" */
    size_t data_sets;
    const char **data_set; /* the folders test_data_set_* beside it */
};

/* Calls found for each folder at or below `folder` that has a model.onnx, in the order of names. Symbolic links to
 * folders are not followed, but `folder` may be one. What is handed out lives as long as the arena.
 * False if a folder cannot be read: errno says why, and *where is its path. */
bool walk(const char *folder, struct arena *arena, void (*found)(void *ctx, const struct found_model *model), void *ctx,
          const char **where);

#endif
