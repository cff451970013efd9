#include "api/symbols.h"

_Static_assert(SYMBOLS_MAX <= DIM_MAX_NAMES, "every name has a number");

enum symbols_code symbols_size(struct symbols *symbols, struct arena *arena, struct bytes name, int64_t *ret)
{
    int i = 0;
    while (i < symbols->count && !(symbols->name[i].len == name.len &&
                                   memcmp(symbols->name[i].ptr, name.ptr, name.len) == 0))
        i++;
    if (i == SYMBOLS_MAX)
        return SYMBOLS_TOO_MANY;
    if (symbols->name == NULL)
        symbols->name = arena_alloc(arena, SYMBOLS_MAX, sizeof(symbols->name[0]));
    if (symbols->name == NULL)
        return SYMBOLS_NO_MEMORY;
    if (i == symbols->count)
        symbols->name[symbols->count++] = name;
    *ret = DIM_NAME(i);
    return SYMBOLS_OK;
}

struct bytes symbols_name(const struct symbols *symbols, int64_t size)
{
    for (int i = 0; i < symbols->count; i++)
        if (size == DIM_NAME(i))
            return symbols->name[i];
    return (struct bytes){.ptr = NULL, .len = 0};
}
