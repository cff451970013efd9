/* The whole API: a request as a client writes it, answered twice with other sizes of pulls, and once without the memory for
 * one block. Answers are the same; what is JSON is JSON; a refusal is a document with a code; 5xx are only for a server
 * that is draining or has no memory; memory is in proportion to the request.
 *
 * Input: a request as in HTTP/1, but with lines that end in LF. The value "auto" of Inference-Header-Content-Length is the
 * length of the JSON text that the body begins with; a line "Compress: gzip" has the body compressed. */
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
};

static char *take_line(struct request *r, struct feed *feed)
{
    struct bytes line = feed_line(feed);
    char *text = malloc(line.len + 1);
    if (line.len > 0)
        memcpy(text, line.ptr, line.len);
    text[line.len] = '\0';
    r->line[r->lines++] = text;
    return text;
}

static bool is_named(const char *line, const char *name, const char **value)
{
    size_t len = strlen(name);
    if (strncasecmp(line, name, len) != 0 || line[len] != ':')
        return false;
    *value = line + len + 1 + strspn(line + len + 1, " ");
    return true;
}

static void take_header(struct request *r, const char *line)
{
    const char *value = NULL;
    for (int i = 0; i < API_HEADER_COUNT; i++)
        if (is_named(line, api_header_name((enum api_header)i), &value))
            r->api.header[i] = value;
    if (is_named(line, "Draining", &value))
        r->draining = true;
    if (is_named(line, "Compress", &value))
        r->gzip = true;
}

static void read_request(struct request *r, struct feed *feed)
{
    char *space = NULL;
    *r = (struct request){.lines = 0};
    char *line = take_line(r, feed);
    r->api.method = line;
    space = strchr(line, ' ');
    r->api.target = space != NULL ? space + 1 : "";
    if (space != NULL)
        *space = '\0';
    while (r->lines < MAX_LINES && feed_left(feed) > 0) {
        line = take_line(r, feed);
        if (line[0] == '\0')
            break;
        take_header(r, line);
    }
    r->api.body = feed_rest(feed);
}

/* Makes what the input leaves to us: lengths and checksums. */
static uint8_t *finish_request(struct request *r)
{
    const char *length = r->api.header[API_HEADER_INFERENCE_HEADER_LENGTH];
    struct bytes body = r->api.body;
    if (length != NULL && strcmp(length, "auto") == 0) {
        struct grammar g = {.at = body.ptr, .end = body.ptr + body.len, .depth = 20};
        grammar_value(&g);
        snprintf(r->length, sizeof(r->length), "%zu", (size_t)(g.at - body.ptr));
        r->api.header[API_HEADER_INFERENCE_HEADER_LENGTH] = r->length;
    }
    if (r->gzip)
        return deflated(true, false, body, &r->api.body);
    uint8_t *copy = fuzz_copy(body.ptr, body.len);
    r->api.body.ptr = copy;
    return copy;
}

static bool contains(const struct exchange *x, const char *text)
{
    return memmem(x->body, x->len, text, strlen(text)) != NULL;
}

static void check_document(const struct exchange *x)
{
    const char *type = exchange_header(x, "Content-Type");
    if (x->reply.status == 304)
        return;
    REQUIRE(type != NULL, "no Content-Type");
    if (strcmp(type, "application/json") == 0 && exchange_header(x, "Content-Encoding") == NULL)
        REQUIRE(grammar_document((struct bytes){x->body, x->len}, 1000), "not JSON: %.*s", (int)x->len, x->body);
    if (x->reply.status >= 400 && x->reply.problem != PROBLEM_DRAINING) /* /ready has a document of its own */
        REQUIRE(contains(x, "{\"error\":\"") && contains(x, "\"code\":\""), "no problem: %.*s", (int)x->len, x->body);
}

static void check_answer(const struct exchange *x, const struct request *r)
{
    int status = x->reply.status;
    bool refused = status == 400 || status == 404 || status == 405 || status == 413 || status == 415;
    REQUIRE(status == 200 || status == 304 || refused || (status == 503 && r->draining), "status %d: %.*s", status, (int)x->len, x->body);
    bool limited = x->route == NULL || route_has_body(x->route); /* files that are part of the program are not */
    REQUIRE(!limited || x->len <= EXCHANGE_LIMIT + 8192, "an answer over the limit");
    check_document(x);
}

/* A refused block of memory is a 503, and nothing else; how the answer to the same request goes on does not change. */
static void check_without_memory(const struct request *r, size_t blocks, uint8_t choice)
{
    struct exchange x;
    if (blocks == 0)
        return;
    exchange_run(&x, &r->api, r->draining, 1 + choice % blocks, 500);
    REQUIRE(x.reply.status == 503 && contains(&x, "\"code\":\"out_of_memory\""), "without memory: %d %.*s", x.reply.status, (int)x.len, x.body);
    check_document(&x);
    exchange_end(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct feed feed = feed_of(data, size);
    struct request r;
    struct exchange a, b;
    if (size == 0)
        return 0;
    read_request(&r, &feed);
    uint8_t *made = finish_request(&r);
    exchange_run(&a, &r.api, r.draining, 0, 4096);
    check_answer(&a, &r);
    exchange_run(&b, &r.api, r.draining, 0, 1 + data[size / 2] % 40);
    REQUIRE(a.reply.status == b.reply.status && a.len == b.len && memcmp(a.body, b.body, a.len) == 0, "another answer");
    check_without_memory(&r, a.memory.scarce.blocks, data[size / 3]);
    exchange_end(&a);
    exchange_end(&b);
    free(made);
    for (size_t i = 0; i < r.lines; i++)
        free(r.line[i]);
    return 0;
}
