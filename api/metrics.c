#include "api/metrics.h"

const char *cut_reason_name(enum cut_reason reason)
{
    static const char *const names[CUT_END] = {
        [CUT_NOT] = "none",
#define X(id, name) [CUT_##id] = (name),
        METRICS_CUT_TABLE(X)
#undef X
    };
    return names[reason];
}
