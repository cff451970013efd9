/* Triton's model repository, as far as it makes sense when the models are built in: the index, and a refusal
 * to load. */
#ifndef API_REPOSITORY_H
#define API_REPOSITORY_H

#include "api/dispatch.h"

route_handler repository_index; /* GET, POST /v2/repository/index */
route_handler repository_fixed; /* POST /v2/repository/models/{model}/load, unload */

#endif
