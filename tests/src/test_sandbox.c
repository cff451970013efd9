#include "src/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/suite.h"

/* Everything happens in a child, which then stays as it is. It ends with one of these. */
enum { FINE = 0, WRONG = 1, NOT_HERE = 77 };

static int in_child(int (*run)(bool unlinks, int row), bool unlinks, int row)
{
    pid_t child = fork();
    if (child == 0) {
        struct log log = {.fd = STDERR_FILENO, .level = LOG_ERROR};
        if (!sandbox_offered() || !sandbox_prepare(&log) || !sandbox_enter(unlinks, &log))
            _exit(NOT_HERE);
        _exit(run(unlinks, row));
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "the child died by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* Under valgrind its own calls would be denied. */
static bool is_possible(void)
{
    const char *fork_mode = getenv("CK_FORK");
    return fork_mode == NULL || strcmp(fork_mode, "no") != 0;
}

/* ---- what is denied ------------------------------------------------------------------------------------ */

static long open_socket(void) { return socket(AF_INET, SOCK_STREAM, 0); }
static long open_unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static long open_raw_socket(void) { return socket(AF_NETLINK, SOCK_RAW, 0); }
static long do_connect(void)
{
    const struct sockaddr address = {.sa_family = AF_UNSPEC};
    return connect(0, &address, sizeof(address));
}
static long do_listen(void) { return listen(0, 1); }
static long make_file(void) { return open("sandbox-test", O_RDWR | O_CREAT | O_EXCL, 0600); }
static long write_file(void) { return open("/dev/null", O_WRONLY); }
static long change_file(void) { return open("/dev/null", O_RDWR); }
static long cut_file(void) { return open("/dev/null", O_RDONLY | O_TRUNC); }
static long remove_folder(void) { return rmdir("/nonexistent"); }
static long rename_file(void) { return rename("/nonexistent", "/nonexistent2"); }
static long start_program(void)
{
    char *argv[] = {NULL};
    return execve("/nonexistent", argv, argv);
}
static long make_process(void) { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }
static long make_process_by_clone3(void) { return syscall(SYS_clone3, NULL, (size_t)0); }
static long make_namespace(void) { return unshare(CLONE_NEWUSER); }
static long send_signal(void) { return kill(1, 0); }
static long send_signal_to_thread(void) { return syscall(SYS_tgkill, 1, 1, 0); }
static long map_code(void)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? -1 : 0;
}
static long make_code(void)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(at, 4096, PROT_READ | PROT_EXEC);
}
static long look_into_a_process(void) { return syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0); }
static long trace_a_process(void) { return syscall(SYS_ptrace, 16 /* PTRACE_ATTACH */, 1, 0, 0); }
static long use_io_uring(void) { return syscall(SYS_io_uring_setup, 1, NULL); }
static long load_a_filter(void) { return prctl(PR_SET_SECCOMP, 2, NULL); }
static long set_a_limit(void)
{
    const struct rlimit limit = {10, 10};
    return setrlimit(RLIMIT_NOFILE, &limit);
}
static long push_into_a_terminal(void) { return syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, "x"); }
static long change_user(void) { return syscall(SYS_setuid, 0); }

static const struct {
    const char *what;
    long (*call)(void);
} denied[] = {
#define ROW(name) {#name, name}
    ROW(open_socket), ROW(open_unix_socket), ROW(open_raw_socket), ROW(do_connect), ROW(do_listen),
    ROW(make_file), ROW(write_file), ROW(change_file), ROW(cut_file), ROW(remove_folder), ROW(rename_file),
    ROW(start_program), ROW(make_process), ROW(make_process_by_clone3), ROW(make_namespace), ROW(send_signal),
    ROW(send_signal_to_thread), ROW(map_code), ROW(make_code), ROW(look_into_a_process), ROW(trace_a_process),
    ROW(use_io_uring), ROW(load_a_filter), ROW(set_a_limit), ROW(push_into_a_terminal), ROW(change_user),
#undef ROW
};

static int try_denied(bool unlinks, int row)
{
    (void)unlinks;
    errno = 0;
    long result = denied[row].call();
    return result == -1 && errno == ENOSYS ? FINE : WRONG;
}

START_TEST(denies)
{
    if (!is_possible())
        return;
    int status = in_child(try_denied, false, _i);
    ck_assert_msg(status == FINE || status == NOT_HERE, "%s is not denied", denied[_i].what);
}
END_TEST

/* ---- what is allowed ----------------------------------------------------------------------------------- */

static void *run_thread(void *arg)
{
    *(int *)arg = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    return malloc(100000);
}

static int try_thread(bool unlinks, int row)
{
    (void)unlinks;
    (void)row;
    pthread_t thread;
    int seen = -2;
    void *memory;
    if (pthread_create(&thread, NULL, run_thread, &seen) != 0 || pthread_join(thread, &memory) != 0)
        return WRONG;
    free(memory);
    return seen == -1 ? FINE : WRONG; /* there, too, prctl is denied */
}

static int try_reading(bool unlinks, int row)
{
    (void)unlinks;
    (void)row;
    char text[64] = "";
    FILE *file = fopen("/proc/self/status", "re");
    if (file == NULL || fgets(text, sizeof(text), file) == NULL)
        return WRONG;
    fclose(file);
    return strncmp(text, "Name:", 5) == 0 ? FINE : WRONG;
}

static int try_unlinking(bool unlinks, int row)
{
    (void)row;
    errno = 0;
    int want = unlinks ? ENOENT : ENOSYS;
    return unlink("/nonexistent/file") == -1 && errno == want ? FINE : WRONG;
}

START_TEST(allows_threads)
{
    if (is_possible())
        ck_assert_int_ne(in_child(try_thread, false, 0), WRONG);
}
END_TEST

START_TEST(allows_reading)
{
    if (is_possible())
        ck_assert_int_ne(in_child(try_reading, false, 0), WRONG);
}
END_TEST

START_TEST(allows_removing_if_told)
{
    if (is_possible())
        ck_assert_int_ne(in_child(try_unlinking, _i == 1, 0), WRONG);
}
END_TEST

START_TEST(can_still_abort)
{
    if (!is_possible() || !sandbox_offered())
        return;
    pid_t child = fork();
    if (child == 0) {
        struct log log = {.fd = STDERR_FILENO, .level = LOG_ERROR};
        sandbox_enter(false, &log);
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGABRT);
}
END_TEST

SUITE("sandbox", TEST_ROWS(denies, denied) TEST_ONE(allows_threads) TEST_ONE(allows_reading)
                     TEST_TIMES(allows_removing_if_told, 2) TEST_ONE(can_still_abort))
