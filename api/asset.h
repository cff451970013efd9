/* Files that are part of the program and served as they are: the contract, pages. Their bytes are constants, put there
 * when it is built (embed.sh); Makefile.am lists them in ASSETS.
 *
 * An answer has an ETag (RFC 9110, 8.8.3), and who sends it back gets 304 instead of the same bytes. It is sent as gzip to
 * those who take that: compressed once, at build time. Large files are kept as gzip alone, and unpacked for those who do not.
 */
#ifndef API_ASSET_H
#define API_ASSET_H

#include "api/dispatch.h"

struct asset;

/* The file of this name ("openapi.json"), or NULL if the program was built without it. Static. */
const struct asset *asset_find(struct bytes name);

/* Answers with the file: 200, or 304 if the client has it. Only unpacking takes memory; without it, the answer is 503. */
void asset_answer(struct arena *arena, const struct asset *asset, const struct api_request *request,
                  struct reply *ret);

/* Answers with the file whose name is the path of the route: GET /openapi.json, GET /openapi.yaml. */
route_handler asset_route;

#endif
