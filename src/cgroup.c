#include "src/cgroup.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

static unsigned affinity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : (unsigned)count;
}

/* "QUOTA PERIOD" in microseconds, QUOTA "max" or -1 for none: processors, rounded up; 0 for none. */
static uint64_t read_quota(const char *text)
{
    char *end;
    uint64_t quota = strtoull(text, &end, 10); /* 0 for "max", very much for -1 */
    uint64_t period = strtoull(end, NULL, 10);
    return period == 0 ? 0 : quota / period + (quota % period != 0);
}

/* Bytes, or "max": 0 for none. */
static uint64_t read_bytes(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* Where a limit stands in one version. */
struct place {
    const char *controller; /* in the list of own groups; "" for version 2 */
    const char *mount;      /* below the root */
    const char *files[2];   /* of a group, read as one line; the second may be NULL */
    uint64_t (*read)(const char *text);
};

static const struct place processor_places[] = {
    {"", "", {"cpu.max", NULL}, read_quota},
    {"cpu", "/cpu", {"cpu.cfs_quota_us", "cpu.cfs_period_us"}, read_quota},
};

static const struct place memory_places[] = {
    {"", "", {"memory.max", NULL}, read_bytes},
    {"memory", "/memory", {"memory.limit_in_bytes", NULL}, read_bytes},
};

/* Appends the first line of a file and a blank. False if there is no such file. */
static bool append_line(const char *group, const char *name, char *text, size_t size)
{
    char path[PATH_BYTES];
    if (snprintf(path, sizeof(path), "%s/%s", group, name) >= (int)sizeof(path))
        return false;
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return false;
    char line[64] = "";
    bool read = fgets(line, sizeof(line), stream) != NULL;
    fclose(stream);
    size_t len = strlen(text);
    snprintf(text + len, size - len, "%.*s ", (int)strcspn(line, "\n"), line);
    return read;
}

/* Lowers *limit to what a group says. */
static void apply(const char *group, const struct place *place, uint64_t *limit)
{
    char text[2 * 64 + 2] = "";
    if (!append_line(group, place->files[0], text, sizeof(text)) ||
        (place->files[1] != NULL && !append_line(group, place->files[1], text, sizeof(text))))
        return;
    uint64_t value = place->read(text);
    if (value > 0 && value < *limit)
        *limit = value;
}

/* Whether "memory" is in "cpu,memory". */
static bool lists(const char *list, size_t len, const char *controller)
{
    size_t want = strlen(controller);
    for (const char *at = list, *end = list + len; at <= end;) {
        size_t n = strcspn(at, ",:");
        if (n == want && memcmp(at, controller, n) == 0)
            return true;
        at += n + 1;
    }
    return false;
}

/* The path of the own group: that of the line "ID:CONTROLLERS:/path" with the controller. */
static bool own_group(const char *self, const char *controller, char path[PATH_BYTES])
{
    FILE *file = fopen(self, "re");
    if (file == NULL)
        return false;
    char line[PATH_BYTES];
    bool found = false;
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        const char *list = strchr(line, ':');
        const char *group = list == NULL ? NULL : strchr(list + 1, ':');
        found = group != NULL && lists(list + 1, (size_t)(group - list - 1), controller);
        if (found)
            snprintf(path, PATH_BYTES, "%.*s", (int)strcspn(group + 1, "\n"), group + 1);
    }
    fclose(file);
    return found;
}

/* Lowers *limit by the own group and those above it. A container may see its own group as the root, and
 * its path as the host has it, which then is not there. */
static void climb(const char *root, const char *self, const struct place *place, uint64_t *limit)
{
    char group[PATH_BYTES], path[2 * PATH_BYTES];
    if (!own_group(self, place->controller, group))
        snprintf(group, sizeof(group), "/");
    if (snprintf(path, sizeof(path), "%s%s%s", root, place->mount, group) >= PATH_BYTES)
        return;
    size_t top = strlen(root) + strlen(place->mount);
    for (;;) {
        apply(path, place, limit);
        char *slash = strrchr(path, '/');
        if (slash == NULL || (size_t)(slash - path) < top)
            return;
        *slash = '\0';
    }
}

/* The smallest value in either version, UINT64_MAX if there is none. */
static uint64_t smallest(const char *root, const char *self, const struct place places[2])
{
    uint64_t limit = UINT64_MAX;
    climb(root, self, &places[0], &limit);
    climb(root, self, &places[1], &limit);
    return limit;
}

unsigned cgroup_processors(const char *root, const char *self)
{
    unsigned mask = affinity();
    uint64_t quota = smallest(root, self, processor_places);
    return quota < mask ? (unsigned)quota : mask;
}

uint64_t cgroup_memory(const char *root, const char *self)
{
    return smallest(root, self, memory_places);
}
