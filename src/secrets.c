#include "src/secrets.h"

#include <unistd.h>

bool secrets_load(struct service *service)
{
    const struct options *options = service->options;
    if (options->tls_certificate != NULL) {
        service->tls = tls_create(options->tls_certificate, options->tls_key, &service->log);
        if (service->tls == NULL)
            return false;
    }
    if (options->token_file != NULL) {
        service->tokens = tokens_create(options->token_file, &service->log);
        if (service->tokens == NULL)
            return false;
    }
    return true;
}

void secrets_reload(struct service *service)
{
    if (service->tls != NULL)
        tls_reload(service->tls);
    if (service->tokens != NULL)
        tokens_reload(service->tokens);
    if (service->tls == NULL && service->tokens == NULL)
        log_write(&service->log, LOG_INFO, "SIGHUP: there is nothing to read anew");
}

void secrets_free(struct service *service)
{
    tls_destroy(service->tls);
    tokens_destroy(service->tokens);
    service->tls = NULL;
    service->tokens = NULL;
}

bool secrets_check(const struct options *options)
{
    struct service service = {.options = options, .log = {.fd = STDERR_FILENO, .level = LOG_WARNING}};
    bool good = secrets_load(&service);
    secrets_free(&service);
    return good;
}
