/* Starts the daemon. */
#include <stdlib.h>

#include "src/options.h"
#include "src/server.h"

int main(int argc, char **argv)
{
    struct options options;
    switch (options_parse(&options, argc, argv, stdout, stderr)) {
    case OPTIONS_DONE:
        return EXIT_SUCCESS;
    case OPTIONS_BAD:
        return 2;
    case OPTIONS_RUN:
        break;
    }
    return server_run(&options);
}
