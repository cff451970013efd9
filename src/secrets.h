/* What is read from files, when the program starts and again at SIGHUP: certificate and private key,
 * and tokens. */
#ifndef SRC_SECRETS_H
#define SRC_SECRETS_H

#include "src/service.h"

/* Reads what service->options names. False, with a log line, if something is not as it should be. */
bool secrets_load(struct service *service);

/* Reads it anew. What is no good now stays as it was, and is logged. On the main thread. */
void secrets_reload(struct service *service);

/* No loop may run. Also after secrets_load has failed, or was not called. */
void secrets_free(struct service *service);

/* For --check-config: whether secrets_load would be content; logs to standard error what it is not. */
bool secrets_check(const struct options *options);

#endif
