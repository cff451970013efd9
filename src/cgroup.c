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

/* "QUOTA PERIOD" in microseconds, or "max PERIOD" for none: processors, rounded up; 0 for none. */
static uint64_t read_quota(const char *text)
{
    char *end;
    uint64_t quota = strtoull(text, &end, 10); /* 0 for "max" */
    uint64_t period = strtoull(end, NULL, 10);
    return period == 0 ? 0 : quota / period + (quota % period != 0);
}

/* Bytes, or "max": 0 for none. */
static uint64_t read_bytes(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* Lowers *limit to what the file of a group says. */
static void apply(const char *group, const char *file, uint64_t (*read)(const char *text), uint64_t *limit)
{
    char path[PATH_BYTES];
    if (snprintf(path, sizeof(path), "%s/%s", group, file) >= (int)sizeof(path))
        return;
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return;
    char text[64];
    uint64_t value = fgets(text, sizeof(text), stream) == NULL ? 0 : read(text);
    if (value > 0 && value < *limit)
        *limit = value;
    fclose(stream);
}

/* The path of the own group in the unified hierarchy: the line "0::/path". */
static bool own_group(const char *self, char path[PATH_BYTES])
{
    FILE *file = fopen(self, "re");
    if (file == NULL)
        return false;
    bool found = false;
    while (!found && fgets(path, PATH_BYTES, file) != NULL) {
        found = strncmp(path, "0::/", 4) == 0;
        path[strcspn(path, "\n")] = '\0';
    }
    fclose(file);
    return found;
}

/* The smallest value of `file` from the own group up to the root, UINT64_MAX if none has one. */
static uint64_t smallest(const char *root, const char *self, const char *file,
                         uint64_t (*read)(const char *text))
{
    uint64_t limit = UINT64_MAX;
    char line[PATH_BYTES], path[PATH_BYTES];
    const char *group = own_group(self, line) ? line + strlen("0::") : "/";
    if (snprintf(path, sizeof(path), "%s%s", root, group) >= (int)sizeof(path))
        return limit;
    size_t top = strlen(root);
    for (;;) {
        apply(path, file, read, &limit);
        char *slash = strrchr(path, '/');
        if (slash == NULL || (size_t)(slash - path) < top)
            return limit;
        *slash = '\0';
    }
}

unsigned cgroup_processors(const char *root, const char *self)
{
    unsigned mask = affinity();
    uint64_t quota = smallest(root, self, "cpu.max", read_quota);
    return quota < mask ? (unsigned)quota : mask;
}

uint64_t cgroup_memory(const char *root, const char *self)
{
    return smallest(root, self, "memory.max", read_bytes);
}
