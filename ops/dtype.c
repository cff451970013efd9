#include "ops/dtype.h"

#include <string.h>

static const struct dtype_info table[] = {
#define X(id, number, onnx, size, of) \
    [DTYPE_##id] = {.name = #id, .onnx_name = (onnx), .bits = (size), .kind = KIND_##of},
    DTYPE_TABLE(X)
#undef X
};

_Static_assert(sizeof(table) / sizeof(table[0]) == DTYPE_END, "the table ends with the last ONNX number");
_Static_assert(DTYPE_END <= 32, "a dtype_set has a bit for every type");

const struct dtype_info *dtype_info(enum dtype type)
{
    return &table[type];
}

static bool is(const char *want, const char *name, size_t len)
{
    return strlen(want) == len && memcmp(want, name, len) == 0;
}

enum dtype dtype_find(const char *name, size_t len)
{
    for (int type = DTYPE_NONE + 1; type < DTYPE_END; type++)
        if (is(table[type].name, name, len) || is(table[type].onnx_name, name, len))
            return (enum dtype)type;
    return DTYPE_NONE;
}

bool dtype_bytes(enum dtype type, int64_t elements, int64_t *ret)
{
    int64_t bits = (int64_t)table[type].bits;
    if (bits >= 8)
        return !__builtin_mul_overflow(elements, bits / 8, ret);
    int64_t per_byte = 8 / bits;
    *ret = elements / per_byte + (elements % per_byte != 0);
    return true;
}
