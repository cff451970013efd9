/* What the server says of itself: its name and extensions, its health, and the list of its paths. */
#ifndef API_SERVER_H
#define API_SERVER_H

#include "api/dispatch.h"

route_handler server_index;    /* GET / */
route_handler server_metadata; /* GET /v2 */
route_handler server_live;     /* GET /v2/health/live */
route_handler server_ready; /* GET /v2/health/ready; 503 while draining, so that load balancers turn away */

#endif
