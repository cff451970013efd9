/* The server: loops, acceptor, signals, and how it ends.
 *
 * SIGTERM or SIGINT: /v2/health/ready answers 503, what clients have connected is still accepted, then the
 * listening sockets are closed and connections without a request with them; requests that are there are
 * finished and their connections closed. What is not finished after --drain-timeout is cut off. A second
 * signal ends the process at once. SIGHUP: certificate, key and tokens are read anew.
 */
#ifndef SRC_SERVER_H
#define SRC_SERVER_H

#include "src/options.h"

/* Serves until it is told to end; returns the exit status. */
int server_run(const struct options *options);

#endif
