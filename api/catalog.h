/* The operators under the names that clients use: models and versions in a URL. Both sides of a lookup are
 * here, what is found and what a refusal says, and all of it comes from the registry (ops/op.h). */
#ifndef API_CATALOG_H
#define API_CATALOG_H

#include "api/bytes.h"
#include "api/problem.h"

/* The descriptor of model `name`: its newest version, or with `version` (decimal, as in the URL) exactly that
 * since-version. Refuses with UNKNOWN_MODEL or UNKNOWN_VERSION, and says what there is. */
bool catalog_find(struct bytes name, const struct bytes *version, const struct op **ret, struct problem *err);

/* True for one version of each operator: a walk over op_at that stops here sees each model once. */
bool catalog_newest(const struct op *op);

#endif
