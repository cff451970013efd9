#include "tests/conformance/walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_folder(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The folders in a folder, by name, and whether there is a model. */
struct listing {
    size_t count;
    const char **folder;
    bool model;
};

static bool list(const char *folder, struct arena *arena, struct listing *ret)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, visible, alphasort);
    if (count < 0)
        return false;
    *ret = (struct listing){.folder = arena_alloc(arena, (size_t)count, sizeof(ret->folder[0]))};
    for (int i = 0; i < count; i++) {
        const char *path = arena_printf(arena, "%s/%s", folder, entries[i]->d_name);
        if (is_folder(path))
            ret->folder[ret->count++] = path;
        else if (strcmp(entries[i]->d_name, "model.onnx") == 0)
            ret->model = true;
        free(entries[i]);
    }
    free(entries);
    return true;
}

static bool is_data_set(const char *path)
{
    static const char prefix[] = "test_data_set_";
    return strncmp(strrchr(path, '/') + 1, prefix, sizeof(prefix) - 1) == 0;
}

/* Without the slashes at the end, which would double in the paths below it. */
static const char *trimmed(const char *folder, struct arena *arena)
{
    size_t len = strlen(folder);
    while (len > 1 && folder[len - 1] == '/')
        len--;
    return arena_printf(arena, "%.*s", (int)len, folder);
}

static struct found_model model_of(const char *folder, const struct listing *listing, struct arena *arena)
{
    struct found_model model = {.path = arena_printf(arena, "%s/model.onnx", folder)};
    model.data_set = arena_alloc(arena, listing->count, sizeof(model.data_set[0]));
    for (size_t i = 0; i < listing->count; i++)
        if (is_data_set(listing->folder[i]))
            model.data_set[model.data_sets++] = listing->folder[i];
    return model;
}

bool walk(const char *folder, struct arena *arena, void (*found)(void *ctx, const struct found_model *model), void *ctx,
          const char **where)
{
    struct listing listing;
    folder = *where = trimmed(folder, arena);
    if (!list(folder, arena, &listing))
        return false;
    if (listing.model) {
        struct found_model model = model_of(folder, &listing, arena);
        found(ctx, &model);
    }
    for (size_t i = 0; i < listing.count; i++)
        if (!(listing.model && is_data_set(listing.folder[i])) && !walk(listing.folder[i], arena, found, ctx, where))
            return false;
    return true;
}
