/* How many connections each client address has, over all loops.
 *
 * Any thread may call. Only addresses of IPv4 and IPv6 are counted (an IPv6 client is its /64: it owns the
 * whole of it); unix sockets never are, and loopback only if that is asked for.
 */
#ifndef SRC_ADDRESSES_H
#define SRC_ADDRESSES_H

#include <stdbool.h>

#include <sys/socket.h>

struct addresses;

/* `most` connections an address; 0: any number. NULL when there is no memory. */
struct addresses *addresses_create(unsigned most, bool count_loopback);

/* Nobody may hold a connection. NULL is allowed. */
void addresses_destroy(struct addresses *addresses);

/* Counts one more connection. False, with nothing counted, if that would be more than may be (or there is no
 * memory to count it). */
bool addresses_take(struct addresses *addresses, const struct sockaddr *address);

/* Counts one less: for every addresses_take that was true. */
void addresses_give(struct addresses *addresses, const struct sockaddr *address);

#endif
