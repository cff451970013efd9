/* Requests over HTTP, by libcurl. A connection is used by one thread. */
#ifndef TESTS_CONFORMANCE_HTTP_H
#define TESTS_CONFORMANCE_HTTP_H

#include <stdbool.h>

#include "api/arena.h"
#include "tests/conformance/exchange.h"
#include "tests/conformance/reason.h"

/* Where the server is; borrowed. */
struct target {
    const char *url;       /* "http://127.0.0.1:8000" */
    const char *unix_path; /* of a socket to use instead of the address in url; NULL: none */
    long timeout;          /* of a request, seconds */
};

struct http;

/* Once in the process, before any thread. */
bool http_init(void);

struct http *http_open(const struct target *target);
void http_close(struct http *http);

/* Posts to the path. False if no answer came. */
bool http_post(struct http *http, const char *path, const struct request *request, struct arena *arena,
               struct response *ret, struct reason *why);

#endif
