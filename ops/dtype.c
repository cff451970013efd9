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

/* Every name that a type has. */
static const struct {
    const char *text;
    size_t len;
    enum dtype type;
} names[] = {
#define NAME(text, id) {(text), sizeof(text) - 1, DTYPE_##id}
#define X(id, number, onnx, bits, kind) NAME(#id, id), NAME(onnx, id),
    DTYPE_TABLE(X)
#undef X
#undef NAME
};

enum dtype dtype_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].len == len && names[i].text[0] == name[0] && memcmp(names[i].text, name, len) == 0)
            return names[i].type;
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
