/* Opens listening sockets: TCP, unix sockets, and those that systemd has opened for us.
 *
 * For the start of the program, before loops run: permissions of unix sockets go by the umask of the process.
 */
#ifndef SRC_LISTEN_H
#define SRC_LISTEN_H

#include <stdbool.h>

#include <sys/types.h>

#include "src/log.h"
#include "src/options.h"

/* As it stands in the log: "http://127.0.0.1:8000", "http://[::1]:8000", "unix:/run/shaped.sock". */
#define LISTEN_NAME_MAX 320

struct listening {
    int fd; /* non-blocking */
    char name[LISTEN_NAME_MAX];
    char path[OPTIONS_PATH_MAX]; /* of a unix socket that is ours to remove, or "" */
    dev_t device;                /* and what it was when it was ours */
    ino_t inode;
};

/* Opens what the endpoint says. A unix socket that nobody listens on any more is replaced, one that is in
 * use is not. Of the options it needs the permissions of unix sockets, and whether there is TLS. False,
 * with a log line that says why, if it cannot. */
bool listen_open(const struct endpoint *endpoint, const struct options *options, const struct log *log,
                 struct listening *ret);

/* How many sockets the process was started with, by the protocol of systemd (sd_listen_fds(3)): LISTEN_PID
 * names this process, LISTEN_FDS tells how many there are. */
unsigned listen_inherited(void);

/* Takes over the socket at `index` of these. False, with a log line, if it is not one to accept from. */
bool listen_inherit(unsigned index, const struct options *options, const struct log *log,
                    struct listening *ret);

/* Removes the path of a unix socket, if it is still this one: another server may have taken its place. */
void listen_unlink(const struct listening *listening);

#endif
