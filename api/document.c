#include "api/document.h"

#include <string.h>

bool document_print(struct arena *arena, cJSON *root, struct bytes *ret)
{
    char *text = root != NULL ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    if (text == NULL)
        return false;
    size_t len = strlen(text);
    uint8_t *copy = arena_alloc(arena, len, 1);
    if (copy != NULL)
        *ret = (struct bytes){.ptr = memcpy(copy, text, len), .len = len};
    cJSON_free(text);
    return copy != NULL;
}
