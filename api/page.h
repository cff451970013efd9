/* Pages for people: the playground at "/", the API reference at /docs, and the files that they are made of.
 *
 * Browsers are told (Content-Security-Policy) to run and load nothing but what comes from here.
 */
#ifndef API_PAGE_H
#define API_PAGE_H

#include "api/dispatch.h"

route_handler page_index; /* GET /: the playground for who prefers text/html, else the JSON index (server.h) */
route_handler page_docs;  /* GET /docs: Swagger UI; a plain page if the program was built without it */
route_handler page_file;  /* GET /assets/{file} */

#endif
