/* Requests in fuzz targets, as in HTTP/1 but with lines that end in LF. The value "auto" of Inference-Header-Content-Length
 * is the length of the JSON text that the body begins with; a line "Compress: gzip" has the body compressed, and a line
 * "Draining: 1" the server draining. */
#ifndef TESTS_FUZZ_REQUEST_H
#define TESTS_FUZZ_REQUEST_H

#include <strings.h>

#include "tests/fuzz/deflated.h"
#include "tests/fuzz/exchange.h"

#define MAX_LINES 16

struct request {
    struct api_request api;
    char *line[MAX_LINES];
    size_t lines;
    bool draining, gzip;
    char length[24];
    uint8_t *body; /* in memory of just its size */
};

static inline char *request_line(struct request *r, struct feed *feed)
{
    struct bytes line = feed_line(feed);
    char *text = malloc(line.len + 1);
    if (line.len > 0)
        memcpy(text, line.ptr, line.len);
    text[line.len] = '\0';
    r->line[r->lines++] = text;
    return text;
}

static inline bool request_named(const char *line, const char *name, const char **value)
{
    size_t len = strlen(name);
    if (strncasecmp(line, name, len) != 0 || line[len] != ':')
        return false;
    *value = line + len + 1 + strspn(line + len + 1, " ");
    return true;
}

static inline void request_header(struct request *r, const char *line)
{
    const char *value = NULL;
    for (int i = 0; i < API_HEADER_COUNT; i++)
        if (request_named(line, api_header_name((enum api_header)i), &value))
            r->api.header[i] = value;
    if (request_named(line, "Draining", &value))
        r->draining = true;
    if (request_named(line, "Compress", &value))
        r->gzip = true;
}

static inline void request_text(struct request *r, struct feed *feed)
{
    char *space = NULL;
    *r = (struct request){.lines = 0};
    char *line = request_line(r, feed);
    r->api.method = line;
    space = strchr(line, ' ');
    r->api.target = space != NULL ? space + 1 : "";
    if (space != NULL)
        *space = '\0';
    while (r->lines < MAX_LINES && feed_left(feed) > 0) {
        line = request_line(r, feed);
        if (line[0] == '\0')
            break;
        request_header(r, line);
    }
    r->api.body = feed_rest(feed);
}

/* Makes what the input leaves to us: lengths and checksums. */
static inline void request_body(struct request *r)
{
    const char *length = r->api.header[API_HEADER_INFERENCE_HEADER_LENGTH];
    struct bytes body = r->api.body;
    if (length != NULL && strcmp(length, "auto") == 0) {
        struct grammar g = {.at = body.ptr, .end = body.ptr + body.len, .depth = 20};
        grammar_value(&g);
        snprintf(r->length, sizeof(r->length), "%zu", (size_t)(g.at - body.ptr));
        r->api.header[API_HEADER_INFERENCE_HEADER_LENGTH] = r->length;
    }
    if (r->gzip) {
        r->body = deflated(true, false, body, &r->api.body);
        return;
    }
    r->body = fuzz_copy(body.ptr, body.len);
    r->api.body.ptr = r->body;
}

static inline void request_init(struct request *r, const uint8_t *data, size_t size)
{
    struct feed feed = feed_of(data, size);
    request_text(r, &feed);
    request_body(r);
}

static inline void request_release(struct request *r)
{
    free(r->body);
    for (size_t i = 0; i < r->lines; i++)
        free(r->line[i]);
}

#endif
