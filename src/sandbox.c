#include "src/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <seccomp.h>

#define WHOLE 0xffffffffu

/* What may be called: always, or only if `argument`, masked, has a value. Names that this machine does not
 * have are left out: the older ones of x86-64 have no counterpart on aarch64. */
struct allowed {
    const char *name;
    unsigned argument;
    uint32_t mask, value; /* no mask: always */
};

static const struct allowed list[] = {
    /* memory, but none that can be executed */
    {.name = "brk"},
    {.name = "madvise"},
    {.name = "mmap", .argument = 2, .mask = PROT_EXEC, .value = 0},
    {.name = "mprotect", .argument = 2, .mask = PROT_EXEC, .value = 0},
    {.name = "mremap"},
    {.name = "munmap"},
    /* connections that are there, or come */
    {.name = "accept4"},
    {.name = "getpeername"},
    {.name = "getsockname"},
    {.name = "getsockopt"},
    {.name = "recvfrom"},
    {.name = "recvmsg"},
    {.name = "sendmsg"},
    {.name = "sendto"},
    {.name = "setsockopt"},
    {.name = "shutdown"},
    /* descriptors that are there */
    {.name = "close"},
    {.name = "epoll_ctl"},
    {.name = "epoll_pwait"},
    {.name = "epoll_pwait2"},
    {.name = "epoll_wait"},
    {.name = "fcntl"},
    {.name = "ioctl", .argument = 1, .mask = WHOLE, .value = FIONBIO},
    {.name = "ioctl", .argument = 1, .mask = WHOLE, .value = FIONREAD},
    {.name = "poll"},
    {.name = "ppoll"},
    {.name = "read"},
    {.name = "readv"},
    {.name = "write"},
    {.name = "writev"},
    /* files, to be read: certificate, tokens, what the kernel tells in /proc and /sys */
    {.name = "fadvise64"},
    {.name = "fstat"},
    {.name = "getdents64"},
    {.name = "lseek"},
    {.name = "newfstatat"},
    {.name = "openat", .argument = 2, .mask = O_ACCMODE | O_CREAT | O_TRUNC, .value = O_RDONLY},
    {.name = "pread64"},
    {.name = "statx"},
    /* threads, of this process */
    {.name = "clone", .argument = 0, .mask = CLONE_THREAD, .value = CLONE_THREAD}, /* not clone3, see below */
    {.name = "exit"},
    {.name = "exit_group"},
    {.name = "futex"},
    {.name = "membarrier"},
    {.name = "prctl", .argument = 0, .mask = WHOLE, .value = PR_SET_NAME},
    {.name = "rseq"},
    {.name = "sched_getaffinity"},
    {.name = "sched_yield"},
    {.name = "set_robust_list"},
    /* signals, to this process */
    {.name = "restart_syscall"},
    {.name = "rt_sigaction"},
    {.name = "rt_sigprocmask"},
    {.name = "rt_sigreturn"},
    {.name = "sigaltstack"},
    /* questions */
    {.name = "clock_getres"},
    {.name = "clock_gettime"},
    {.name = "clock_nanosleep"},
    {.name = "getegid"},
    {.name = "geteuid"},
    {.name = "getgid"},
    {.name = "getpid"},
    {.name = "getrandom"},
    {.name = "getrusage"},
    {.name = "gettid"},
    {.name = "gettimeofday"},
    {.name = "getuid"},
    {.name = "nanosleep"},
    {.name = "prlimit64", .argument = 2, .mask = WHOLE, .value = 0}, /* asks, does not set */
    {.name = "sysinfo"},
    {.name = "time"},
    {.name = "uname"},
};

/* At the end, of unix sockets. */
static const struct allowed unlinking[] = {
    {.name = "lstat"},
    {.name = "unlink"},
    {.name = "unlinkat"},
};

/* A whole argument has 64 bits: that of prlimit64 is a pointer. */
static int allow(scmp_filter_ctx filter, const struct allowed *allowed)
{
    int number = seccomp_syscall_resolve_name(allowed->name);
    if (number == __NR_SCMP_ERROR)
        return 0;
    if (allowed->mask == 0)
        return seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    uint64_t mask = allowed->mask == WHOLE ? UINT64_MAX : allowed->mask;
    struct scmp_arg_cmp only = SCMP_CMP64(allowed->argument, SCMP_CMP_MASKED_EQ, mask, allowed->value);
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 1, &only);
}

/* abort(3) sends a signal to the own thread. */
static int allow_abort(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp own = {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = (scmp_datum_t)getpid()};
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &own);
}

static int fill(scmp_filter_ctx filter, bool unlinks)
{
    int status = allow_abort(filter);
    for (size_t i = 0; status == 0 && i < sizeof(list) / sizeof(list[0]); i++)
        status = allow(filter, &list[i]);
    for (size_t i = 0; status == 0 && unlinks && i < sizeof(unlinking) / sizeof(unlinking[0]); i++)
        status = allow(filter, &unlinking[i]);
    return status;
}

bool sandbox_offered(void)
{
#ifdef SHAPED_INSTRUMENTED
    return false;
#else
    return true;
#endif
}

/* An optimised filter asks a few questions for each call instead of as many as there are rows. The last
 * attribute: older kernels would otherwise slow the whole process down against speculation. */
static int load(scmp_filter_ctx filter)
{
    int status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (status == 0)
        status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (status == 0)
        status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    return status == 0 ? seccomp_load(filter) : status;
}

/* Releases the filter and tells how it went. */
static bool finish(scmp_filter_ctx filter, int status, const struct log *log)
{
    if (filter != NULL)
        seccomp_release(filter);
    if (status != 0)
        log_write(log, LOG_WARNING, "system calls cannot be restricted here: %s", strerror(-status));
    return status == 0;
}

bool sandbox_prepare(const struct log *log)
{
    if (!sandbox_offered())
        return true;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int status = filter == NULL ? -ENOMEM : 0;
    if (status == 0)
        status = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(io_uring_setup), 0);
    if (status == 0)
        status = load(filter);
    return finish(filter, status, log);
}

/* ENOSYS, since libraries then do without: the C library takes clone for clone3, whose arguments, behind a
 * pointer, no filter can see. */
bool sandbox_enter(bool unlinks, const struct log *log)
{
    if (!sandbox_offered())
        return true;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    int status = filter == NULL ? -ENOMEM : fill(filter, unlinks);
    if (status == 0)
        status = load(filter);
    return finish(filter, status, log);
}
