/* The account of a request at its end: what is counted of it, and its line in the log. */
#ifndef SRC_ACCOUNT_H
#define SRC_ACCOUNT_H

#include <stdbool.h>

struct request;

/* Once for each request, when HTTP is done with it. `whole`: its answer was sent to the end. */
void account_request(const struct request *request, bool whole);

#endif
