/* Triton's statistics extension: how often each operator version was called and where the time went. The
 * numbers are the server's (api_env); here is their form. */
#ifndef API_STATS_H
#define API_STATS_H

#include "api/dispatch.h"

route_handler stats_all;     /* GET /v2/models/stats: all versions of all models */
route_handler stats_model;   /* GET /v2/models/{model}/stats: all versions of it */
route_handler stats_version; /* GET /v2/models/{model}/versions/{version}/stats */

#endif
