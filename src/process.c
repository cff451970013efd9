#include "src/process.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNKNOWN UINT64_MAX
#define FDS "/proc/self/fd"
#define NS_PER_S ((uint64_t)1000000000)

/* The fields of /proc/self/stat that are wanted, by their numbers in proc(5). */
enum { STAT_UTIME = 14, STAT_STIME = 15, STAT_THREADS = 20, STAT_VSIZE = 23, STAT_RSS = 24, STAT_END };

/* False if there is no such file. The second field, the name, may hold anything, but ends with the last
 * ')'. */
static bool read_stat(uint64_t field[STAT_END])
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    if (file == NULL)
        return false;
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[len] = '\0';
    char *at = strrchr(text, ')');
    for (int i = 3; at != NULL && i < STAT_END; i++) {
        at = strchr(at, ' ');
        if (at != NULL)
            field[i] = strtoull(++at, NULL, 10); /* some are letters or negative, which nobody asks for */
    }
    return at != NULL;
}

/* Since Linux 6.2 the folder's size is their number; before, it is 0, and they are counted one by one. */
static uint64_t count_fds(void)
{
    struct stat folder;
    if (stat(FDS, &folder) == 0 && folder.st_size > 0)
        return (uint64_t)folder.st_size;
    DIR *dir = opendir(FDS);
    if (dir == NULL)
        return UNKNOWN;
    uint64_t count = 0;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count - 3; /* ".", ".." and the one that reads */
}

static uint64_t max_fds(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UNKNOWN;
    return limit.rlim_cur;
}

struct process_usage process_usage(void)
{
    struct process_usage ret = {UNKNOWN, UNKNOWN, UNKNOWN, count_fds(), max_fds(), UNKNOWN};
    uint64_t field[STAT_END] = {0};
    uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK), page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (!read_stat(field) || hz == 0)
        return ret;
    ret.cpu_ns = (field[STAT_UTIME] + field[STAT_STIME]) * (NS_PER_S / hz);
    ret.virtual_bytes = field[STAT_VSIZE];
    ret.resident_bytes = field[STAT_RSS] * page;
    ret.threads = field[STAT_THREADS];
    return ret;
}
