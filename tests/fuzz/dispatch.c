/* The whole API: a request as a client writes it, answered twice with other sizes of pulls, and once without the memory for
 * one block. Answers are the same; what is JSON is JSON; a refusal is a document with a code; 5xx are only for a server
 * that is draining or has no memory.
 *
 * Input: a request, see request.h. */
#include "tests/fuzz/request.h"

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

/* A refused block of memory is a 503, or done without. */
static void check_without_memory(const struct request *r, const struct exchange *whole, uint8_t choice)
{
    struct exchange x;
    size_t blocks = whole->memory.scarce.blocks;
    if (blocks == 0)
        return;
    exchange_run(&x, &r->api, r->draining, 1 + choice % blocks, 500);
    REQUIRE(exchange_same(&x, whole) || (x.reply.status == 503 && contains(&x, "\"code\":\"out_of_memory\"")),
            "without memory: %d %.*s", x.reply.status, (int)x.len, x.body);
    check_document(&x);
    exchange_end(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct request r;
    struct exchange a, b;
    if (size == 0)
        return 0;
    request_init(&r, data, size);
    exchange_run(&a, &r.api, r.draining, 0, 4096);
    check_answer(&a, &r);
    exchange_run(&b, &r.api, r.draining, 0, 1 + data[size / 2] % 40);
    REQUIRE(exchange_same(&a, &b), "another answer");
    check_without_memory(&r, &a, data[size / 3]);
    exchange_end(&a);
    exchange_end(&b);
    request_release(&r);
    return 0;
}
