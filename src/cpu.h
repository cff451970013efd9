/* How many processors this process may use. */
#ifndef SRC_CPU_H
#define SRC_CPU_H

/* Processors of the affinity mask, capped by the CPU quota of the control group (rounded up); at least 1.
 * `root` is where the control groups are mounted ("/sys/fs/cgroup"), `self` the list of own groups
 * ("/proc/self/cgroup"). */
unsigned cpu_count(const char *root, const char *self);

#endif
