/* Starts the daemon, or does the one thing that it is asked for instead. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/healthcheck.h"
#include "src/options.h"
#include "src/secrets.h"
#include "src/server.h"

int main(int argc, char **argv)
{
    struct options options;
    switch (options_parse(&options, argc, argv, environ, stdout, stderr)) {
    case OPTIONS_RUN:
        return server_run(&options);
    case OPTIONS_CHECK:
        if (!secrets_check(&options))
            return 2;
        puts("The configuration is good.");
        return EXIT_SUCCESS;
    case OPTIONS_HEALTHCHECK:
        return healthcheck_run(&options);
    case OPTIONS_DONE:
        return EXIT_SUCCESS;
    case OPTIONS_BAD:
        break;
    }
    return 2;
}
