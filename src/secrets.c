#include "src/secrets.h"

#include <unistd.h>

bool secrets_load(struct service *service)
{
    const struct options *options = service->options;
    if (options->tls_certificate == NULL)
        return true;
    service->tls = tls_create(options->tls_certificate, options->tls_key, &service->log);
    return service->tls != NULL;
}

void secrets_reload(struct service *service)
{
    if (service->tls == NULL)
        log_write(&service->log, LOG_INFO, "SIGHUP: there is nothing to read anew");
    else
        tls_reload(service->tls);
}

void secrets_free(struct service *service)
{
    tls_destroy(service->tls);
    service->tls = NULL;
}

bool secrets_check(const struct options *options)
{
    struct service service = {.options = options, .log = {.fd = STDERR_FILENO, .level = LOG_WARNING}};
    bool good = secrets_load(&service);
    secrets_free(&service);
    return good;
}
