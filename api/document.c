#include "api/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/reply.h"

/* Hands `item` (NULL: there was no memory) over to the tree, or gives it up. */
static cJSON *attach(struct document *document, cJSON *parent, const char *name, cJSON *item)
{
    bool attached = item != NULL;
    if (attached && document->root == NULL)
        document->root = item;
    else if (attached)
        attached =
            name != NULL ? cJSON_AddItemToObjectCS(parent, name, item) : cJSON_AddItemToArray(parent, item);
    if (attached)
        return item;
    document->failed = true;
    cJSON_Delete(item);
    return NULL;
}

cJSON *document_object(struct document *document, cJSON *parent, const char *name)
{
    return attach(document, parent, name, cJSON_CreateObject());
}

cJSON *document_array(struct document *document, cJSON *parent, const char *name)
{
    return attach(document, parent, name, cJSON_CreateArray());
}

void document_text(struct document *document, cJSON *parent, const char *name, const char *text)
{
    attach(document, parent, name, text != NULL ? cJSON_CreateString(text) : NULL);
}

void document_null(struct document *document, cJSON *parent, const char *name)
{
    attach(document, parent, name, cJSON_CreateNull());
}

void document_raw(struct document *document, cJSON *parent, const char *name, const char *json)
{
    attach(document, parent, name, json != NULL ? cJSON_CreateRaw(json) : NULL);
}

void document_bool(struct document *document, cJSON *parent, const char *name, bool value)
{
    attach(document, parent, name, cJSON_CreateBool(value));
}

/* As text, since cJSON's numbers are doubles. */
void document_integer(struct document *document, cJSON *parent, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, value);
    attach(document, parent, name, cJSON_CreateRaw(text));
}

void document_reply(struct document *document, struct arena *arena, struct reply *ret)
{
    struct bytes text;
    struct problem problem;
    if (document_print(arena, document->root, &text) && !document->failed) {
        reply_text(ret, "application/json", text);
        return;
    }
    problem_memory(&problem);
    reply_problem(arena, ret, &problem);
}

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
