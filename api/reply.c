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

/* What is sent when there is no memory even to say what was wrong: nothing that has to be made. */
static const char last_resort[] = "{\"error\":\"the server has no memory for this request now: retry later\","
                                  "\"code\":\"out_of_memory\",\"pointer\":\"\"}";

static bool problem_document(struct arena *arena, const struct problem *problem, struct bytes *ret)
{
    cJSON *root = cJSON_CreateObject();
    bool made = cJSON_AddStringToObject(root, "error", problem->detail) != NULL &&
                cJSON_AddStringToObject(root, "code", problem_info(problem->code)->code) != NULL &&
                cJSON_AddStringToObject(root, "pointer", problem->pointer) != NULL;
    return document_print(arena, root, ret) && made;
}

void reply_problem(struct arena *arena, struct reply *ret, const struct problem *problem)
{
    *ret = (struct reply){.op = ret->op, .phases = ret->phases, .problem = problem->code};
    if (!problem_document(arena, problem, &ret->text)) {
        ret->problem = PROBLEM_OUT_OF_MEMORY;
        ret->text = bytes_of(last_resort);
    }
    ret->status = problem_info(ret->problem)->status;
    reply_header(ret, "Content-Type", "application/json");
    if (ret->status == 503)
        reply_header(ret, "Retry-After", "1");
    if (ret->problem == PROBLEM_UNAUTHORIZED)
        reply_header(ret, "WWW-Authenticate", "Bearer realm=\"shaped\"");
    if (ret->problem == PROBLEM_UNSUPPORTED_ENCODING)
        reply_header(ret, "Accept-Encoding", "gzip, deflate");
}
