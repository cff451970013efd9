#include "src/cpu.h"

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

/* Lowers *count to the quota in the file: "QUOTA PERIOD" in microseconds, or "max PERIOD" for none. */
static void apply_quota(const char *directory, unsigned *count)
{
    char path[PATH_BYTES];
    if (snprintf(path, sizeof(path), "%s/cpu.max", directory) >= (int)sizeof(path))
        return;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    char text[64];
    if (fgets(text, sizeof(text), file) != NULL) {
        char *end = text;
        unsigned long quota = strtoul(text, &end, 10); /* 0 for "max" */
        unsigned long period = strtoul(end, NULL, 10);
        unsigned long limit = period == 0 ? 0 : (quota + period - 1) / period;
        if (limit > 0 && limit < *count)
            *count = (unsigned)limit;
    }
    fclose(file);
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

unsigned cpu_count(const char *root, const char *self)
{
    unsigned count = affinity();
    char line[PATH_BYTES], path[PATH_BYTES];
    const char *group = own_group(self, line) ? line + strlen("0::") : "/";
    if (snprintf(path, sizeof(path), "%s%s", root, group) >= (int)sizeof(path))
        return count;
    /* A limit may be set on any level above. */
    size_t top = strlen(root);
    for (;;) {
        apply_quota(path, &count);
        char *slash = strrchr(path, '/');
        if (slash == NULL || (size_t)(slash - path) < top)
            return count;
        *slash = '\0';
    }
}
