/* Lines on their way to a descriptor: written by a thread of its own, so that nobody who logs ever waits for
 * a disk, a terminal or a pipe. What does not fit into the room there is gets lost, and is counted; so does
 * what cannot be written (a full disk, a pipe without a reader).
 *
 * Any thread may put lines in. They come out in the order in which they were put in.
 */
#ifndef SRC_LOG_RING_H
#define SRC_LOG_RING_H

#include <stddef.h>
#include <stdint.h>

struct log_ring;

/* Room for `room` bytes; starts the thread. NULL when there is no memory or no thread. */
struct log_ring *log_ring_create(int fd, size_t room);

/* Puts in a line, newline included, or loses it. Returns how many were lost since this was last asked. */
uint64_t log_ring_put(struct log_ring *ring, const char *line, size_t len);

/* Lines lost so far. */
uint64_t log_ring_lost(struct log_ring *ring);

/* Waits until all is written, at most so long. */
void log_ring_flush(struct log_ring *ring, unsigned ms);

/* Ends it with all that is in it; if that is not possible in so long, the thread and its memory are left
 * to the end of the process. NULL is allowed. */
void log_ring_destroy(struct log_ring *ring, unsigned ms);

#endif
