#include "api/reply.h"

#include <assert.h>

#include <cjson/cJSON.h>

#include "api/document.h"

void reply_header(struct reply *reply, const char *name, const char *value)
{
    assert(reply->header_count < REPLY_MAX_HEADERS);
    reply->headers[reply->header_count++] = (struct header){.name = name, .value = value};
}

void reply_text(struct reply *ret, const char *content_type, struct bytes text)
{
    ret->status = 200;
    ret->text = text;
    reply_header(ret, "Content-Type", content_type);
}

static bool problem_document(struct arena *arena, const struct problem *problem, struct bytes *ret)
{
    cJSON *root = cJSON_CreateObject();
    bool made = cJSON_AddStringToObject(root, "error", problem->detail) != NULL &&
                cJSON_AddStringToObject(root, "code", problem_info(problem->code)->code) != NULL &&
                cJSON_AddStringToObject(root, "pointer", problem->pointer) != NULL;
    return document_print(arena, root, ret) && made;
}

static void set_problem(struct reply *ret, enum problem_code code, struct bytes document)
{
    *ret = (struct reply){.op = ret->op, .phases = ret->phases, .problem = code, .text = document};
    ret->status = problem_info(code)->status;
    reply_header(ret, "Content-Type", "application/json");
    if (ret->status == 503)
        reply_header(ret, "Retry-After", "1");
    if (code == PROBLEM_UNAUTHORIZED)
        reply_header(ret, "WWW-Authenticate", "Bearer realm=\"shaped\"");
    if (code == PROBLEM_UNSUPPORTED_ENCODING)
        reply_header(ret, "Accept-Encoding", "gzip, deflate");
}

void reply_no_memory(struct reply *ret)
{
    set_problem(ret, PROBLEM_OUT_OF_MEMORY,
                bytes_of("{\"error\":\"" PROBLEM_MEMORY_DETAIL "\",\"code\":\"out_of_memory\",\"pointer\":\"\"}"));
}

void reply_problem(struct arena *arena, struct reply *ret, const struct problem *problem)
{
    struct bytes document;
    if (problem_document(arena, problem, &document))
        set_problem(ret, problem->code, document);
    else
        reply_no_memory(ret);
}
