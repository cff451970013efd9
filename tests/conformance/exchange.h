/* What goes over HTTP for one case. All of it borrowed from the arena of the case. */
#ifndef TESTS_CONFORMANCE_EXCHANGE_H
#define TESTS_CONFORMANCE_EXCHANGE_H

#include <stdint.h>

#include "api/bytes.h"

#define REQUEST_MAX_PARTS 2

/* A file of a multipart/form-data body. */
struct part {
    const char *name;
    const char *file;
    const char *type;
    struct bytes content;
};

struct request {
    const char *query;  /* "axes=0,2"; NULL: none */
    const char *type;   /* Content-Type; NULL with parts */
    const char *accept; /* NULL: any */
    int64_t head;       /* Inference-Header-Content-Length; -1: without */
    struct bytes body;  /* unless there are parts */
    int parts;
    struct part part[REQUEST_MAX_PARTS];
};

struct response {
    long status;
    int64_t head; /* Inference-Header-Content-Length; -1: there is none, -2: it is no number */
    struct bytes body;
};

#endif
