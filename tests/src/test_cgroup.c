#include "src/cgroup.h"

#include <ftw.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/suite.h"

/* A made-up tree of control groups below a scratch folder, of three levels: ROOT, ROOT/a, ROOT/a/b. */
static const char *const levels[] = {"", "/a", "/a/b"};

struct tree {
    const char *self;      /* the process's list of groups, or NULL: no such file */
    const char *values[3]; /* of the limit's file on each level, or NULL: no such file */
};

static const struct {
    const char *what;
    struct tree tree;
    unsigned want; /* 0: as the affinity mask says */
} quotas[] = {
    {"no control groups at all", {NULL, {NULL, NULL, NULL}}, 0},
    {"no limit", {"0::/a/b\n", {NULL, "max 100000\n", "max 100000\n"}}, 0},
    {"one processor", {"0::/a/b\n", {NULL, NULL, "100000 100000\n"}}, 1},
    {"a part of one", {"0::/a/b\n", {NULL, NULL, "1000 100000\n"}}, 1},
    {"rounded up", {"0::/a/b\n", {NULL, NULL, "100001 100000\n"}}, 2},
    {"set on the level above", {"0::/a/b\n", {NULL, "100000 100000\n", "max 100000\n"}}, 1},
    {"set at the top, as a container sees it", {"0::/\n", {"50000 100000\n", NULL, NULL}}, 1},
    {"other hierarchies in the list", {"12:cpu:/x\n0::/a\n", {NULL, "100000 100000\n", "200000 100000\n"}}, 1},
    {"more than there are", {"0::/a\n", {NULL, "100000000 100000\n", NULL}}, 0},
    {"nonsense", {"0::/a\n", {NULL, "nonsense", NULL}}, 0},
    {"a period of nothing", {"0::/a\n", {NULL, "1 0\n", NULL}}, 0},
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static unsigned affinity(void)
{
    cpu_set_t set;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
    return (unsigned)CPU_COUNT(&set);
}

static void make_tree(const char *root, const char *name, const struct tree *tree)
{
    char path[200];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s%s", root, levels[i]);
        ck_assert_int_eq(mkdir(path, 0700), 0);
        snprintf(path, sizeof(path), "%s%s/%s", root, levels[i], name);
        if (tree->values[i] != NULL)
            write_file(path, tree->values[i]);
    }
    snprintf(path, sizeof(path), "%s/self", root);
    if (tree->self != NULL)
        write_file(path, tree->self);
}

static void remove_tree(const char *root, const char *name)
{
    char path[200];
    snprintf(path, sizeof(path), "%s/self", root);
    unlink(path);
    for (int i = 2; i >= 0; i--) {
        snprintf(path, sizeof(path), "%s%s/%s", root, levels[i], name);
        unlink(path);
        snprintf(path, sizeof(path), "%s%s", root, levels[i]);
        rmdir(path);
    }
}

START_TEST(counts_processors)
{
    char root[60], self[100];
    snprintf(root, sizeof(root), "/tmp/shaped-cpu-%ld-%d", (long)getpid(), _i);
    make_tree(root, "cpu.max", &quotas[_i].tree);
    snprintf(self, sizeof(self), "%s/self", root);
    unsigned got = cgroup_processors(root, self);
    remove_tree(root, "cpu.max");
    unsigned most = affinity(), want = quotas[_i].want;
    if (want == 0 || want > most)
        want = most;
    ck_assert_msg(got == want, "%s: %u, not %u", quotas[_i].what, got, want);
}
END_TEST

static const struct {
    const char *what;
    struct tree tree;
    uint64_t want;
} limits[] = {
    {"no control groups at all", {NULL, {NULL, NULL, NULL}}, UINT64_MAX},
    {"no limit", {"0::/a/b\n", {NULL, "max\n", "max\n"}}, UINT64_MAX},
    {"the own group's", {"0::/a/b\n", {NULL, NULL, "67108864\n"}}, 67108864},
    {"the level above is smaller", {"0::/a/b\n", {NULL, "1000\n", "2000\n"}}, 1000},
    {"the own group is smaller", {"0::/a/b\n", {NULL, "2000\n", "1000\n"}}, 1000},
    {"at the top, as a container sees it", {"0::/\n", {"5000\n", "1000\n", NULL}}, 5000},
    {"nonsense", {"0::/a\n", {NULL, "nonsense", NULL}}, UINT64_MAX},
};

START_TEST(finds_the_memory_limit)
{
    char root[60], self[100];
    snprintf(root, sizeof(root), "/tmp/shaped-memory-%ld-%d", (long)getpid(), _i);
    make_tree(root, "memory.max", &limits[_i].tree);
    snprintf(self, sizeof(self), "%s/self", root);
    uint64_t got = cgroup_memory(root, self);
    remove_tree(root, "memory.max");
    ck_assert_msg(got == limits[_i].want, "%s: %" PRIu64, limits[_i].what, got);
}
END_TEST

/* Version 1: a folder for each controller, the quota in two files. */
static const struct {
    const char *what;
    const char *self, *mount, *path;
    const char *files[2], *values[2];
    unsigned processors; /* 0: as the affinity mask says */
    uint64_t memory;
} version_1[] = {
    {"memory", "4:memory:/a\n0::/\n", "/memory", "/a", {"memory.limit_in_bytes"}, {"67108864\n"}, 0, 67108864},
    {"memory among others", "4:cpu,memory:/a\n", "/memory", "/a", {"memory.limit_in_bytes"}, {"1000\n"}, 0, 1000},
    {"a container's own root", "4:memory:/docker/x\n", "/memory", "", {"memory.limit_in_bytes"}, {"5000\n"}, 0, 5000},
    {"another controller", "4:memoryx:/a\n", "/memory", "/a", {"memory.limit_in_bytes"}, {"1000\n"}, 0, UINT64_MAX},
    {"processors", "3:cpu,cpuacct:/a\n", "/cpu", "/a", {"cpu.cfs_quota_us", "cpu.cfs_period_us"},
     {"50000\n", "100000\n"}, 1, UINT64_MAX},
    {"no quota", "3:cpu,cpuacct:/a\n", "/cpu", "/a", {"cpu.cfs_quota_us", "cpu.cfs_period_us"},
     {"-1\n", "100000\n"}, 0, UINT64_MAX},
};

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

START_TEST(knows_version_1)
{
    char root[60], path[200], self[100];
    snprintf(root, sizeof(root), "/tmp/shaped-v1-%ld-%d", (long)getpid(), _i);
    ck_assert_int_eq(mkdir(root, 0700), 0);
    snprintf(self, sizeof(self), "%s/self", root);
    write_file(self, version_1[_i].self);
    snprintf(path, sizeof(path), "%s%s", root, version_1[_i].mount);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s%s%s", root, version_1[_i].mount, version_1[_i].path);
    mkdir(path, 0700);
    for (int i = 0; i < 2 && version_1[_i].files[i] != NULL; i++) {
        snprintf(path, sizeof(path), "%s%s%s/%s", root, version_1[_i].mount, version_1[_i].path, version_1[_i].files[i]);
        write_file(path, version_1[_i].values[i]);
    }
    unsigned processors = cgroup_processors(root, self);
    uint64_t memory = cgroup_memory(root, self);
    ck_assert_int_eq(nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
    ck_assert_uint_eq(processors, version_1[_i].processors == 0 ? affinity() : version_1[_i].processors);
    ck_assert_uint_eq(memory, version_1[_i].memory);
}
END_TEST

SUITE("cgroup", TEST_ROWS(counts_processors, quotas) TEST_ROWS(finds_the_memory_limit, limits)
      TEST_ROWS(knows_version_1, version_1))
