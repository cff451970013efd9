#include "src/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/suite.h"

/* A made-up tree of control groups below a scratch folder, of three levels: ROOT, ROOT/a, ROOT/a/b. */
static const char *const levels[] = {"", "/a", "/a/b"};

static const struct {
    const char *what;
    const char *self;      /* the process's list of groups, or NULL: no such file */
    const char *quotas[3]; /* cpu.max of each level, or NULL */
    unsigned want;         /* 0: as the affinity mask says */
} rows[] = {
    {"no control groups at all", NULL, {NULL, NULL, NULL}, 0},
    {"no limit", "0::/a/b\n", {NULL, "max 100000\n", "max 100000\n"}, 0},
    {"one processor", "0::/a/b\n", {NULL, NULL, "100000 100000\n"}, 1},
    {"a part of one", "0::/a/b\n", {NULL, NULL, "1000 100000\n"}, 1},
    {"rounded up", "0::/a/b\n", {NULL, NULL, "100001 100000\n"}, 2},
    {"set on the level above", "0::/a/b\n", {NULL, "100000 100000\n", "max 100000\n"}, 1},
    {"set at the top, as a container sees it", "0::/\n", {"50000 100000\n", NULL, NULL}, 1},
    {"other hierarchies in the list", "12:cpu:/x\n0::/a\n", {NULL, "100000 100000\n", "200000 100000\n"}, 1},
    {"more than there are", "0::/a\n", {NULL, "100000000 100000\n", NULL}, 0},
    {"nonsense", "0::/a\n", {NULL, "nonsense", NULL}, 0},
    {"a period of nothing", "0::/a\n", {NULL, "1 0\n", NULL}, 0},
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

static void make_tree(const char *root, int row)
{
    char path[200];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s%s", root, levels[i]);
        if (i > 0)
            ck_assert_int_eq(mkdir(path, 0700), 0);
        snprintf(path, sizeof(path), "%s%s/cpu.max", root, levels[i]);
        if (rows[row].quotas[i] != NULL)
            write_file(path, rows[row].quotas[i]);
    }
    snprintf(path, sizeof(path), "%s/self", root);
    if (rows[row].self != NULL)
        write_file(path, rows[row].self);
}

static void remove_tree(const char *root)
{
    char path[200];
    for (int i = 2; i >= 0; i--) {
        snprintf(path, sizeof(path), "%s%s/cpu.max", root, levels[i]);
        unlink(path);
        snprintf(path, sizeof(path), "%s/self", root);
        unlink(path);
        snprintf(path, sizeof(path), "%s%s", root, levels[i]);
        rmdir(path);
    }
}

START_TEST(counts_processors)
{
    char root[60], self[100];
    snprintf(root, sizeof(root), "/tmp/shaped-cpu-%ld-%d", (long)getpid(), _i);
    ck_assert_int_eq(mkdir(root, 0700), 0);
    make_tree(root, _i);
    snprintf(self, sizeof(self), "%s/self", root);
    unsigned got = cpu_count(root, self);
    remove_tree(root);
    unsigned most = affinity(), want = rows[_i].want;
    if (want == 0 || want > most)
        want = most;
    ck_assert_msg(got == want, "%s: %u, not %u", rows[_i].what, got, want);
}
END_TEST

SUITE("cpu", TEST_ROWS(counts_processors, rows))
