/* Gives up what a running server does not need, so that whoever takes it over has little of it: no new
 * privileges (execve(2) grants none), and of the system calls only those of a list. Others fail with ENOSYS:
 * among them are all that open a socket, write to a file, start a program, or look into another process.
 */
#ifndef SRC_SANDBOX_H
#define SRC_SANDBOX_H

#include <stdbool.h>

#include "src/log.h"

/* Before the first event loop: takes away io_uring, with which libuv, from 1.45 on, would otherwise begin. No
 * filter sees the calls that are made through it. False, with a warning in the log, if the system offers no
 * filters; true also where they are left out (sandbox_offered). */
bool sandbox_prepare(const struct log *log);

/* For all threads, those that are there and those to come, without return. After sandbox_prepare, and after
 * everything has been opened; what may still be needed then is to remove unix sockets (`unlinks`). Returns as
 * that does. */
bool sandbox_enter(bool unlinks, const struct log *log);

/* False in builds with sanitizers or gcov, which do things of their own. */
bool sandbox_offered(void);

#endif
