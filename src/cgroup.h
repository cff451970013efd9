/* What the control groups leave this process: a container's limits are set there. Version 2, or version 1
 * with its hierarchies in folders named by controller.
 *
 * `root` is where they are mounted ("/sys/fs/cgroup"), `self` the list of own groups ("/proc/self/cgroup"). A
 * limit may be set on the own group or on any above it; the smallest counts.
 */
#ifndef SRC_CGROUP_H
#define SRC_CGROUP_H

#include <stdint.h>

/* Processors of the affinity mask, capped by the CPU quota (rounded up); at least 1. */
unsigned cgroup_processors(const char *root, const char *self);

/* Bytes of memory, or UINT64_MAX if there is no limit. */
uint64_t cgroup_memory(const char *root, const char *self);

#endif
