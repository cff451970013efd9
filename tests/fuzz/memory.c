/* A request whose every allocation is refused once, in turn: each time the answer is a 503 that is a whole document, or the
 * same without that memory, nothing is left behind, and the same request is answered as before afterwards.
 *
 * Input: a request, see request.h. */
#include "tests/fuzz/request.h"

#define MAX_ALLOCATIONS 300 /* for the time that it takes */

static bool contains(const struct exchange *x, const char *text)
{
    return memmem(x->body, x->len, text, strlen(text)) != NULL;
}

static void check_503(const struct exchange *x, size_t allocation)
{
    REQUIRE(x->reply.status == 503, "without allocation %zu: %d %.*s", allocation, x->reply.status, (int)x->len, x->body);
    REQUIRE(grammar_document((struct bytes){x->body, x->len}, 3) && contains(x, "\"code\":\"out_of_memory\""),
            "without allocation %zu: %.*s", allocation, (int)x->len, x->body);
    REQUIRE(exchange_header(x, "Retry-After") != NULL, "no Retry-After");
}

static void check_refused(const struct request *r, const struct exchange *whole, size_t allocation)
{
    struct exchange x;
    exchange_run(&x, &r->api, r->draining, allocation, 4096);
    REQUIRE(x.memory.scarce.blocks >= allocation, "allocation %zu was not asked for again", allocation);
    if (!exchange_same(&x, whole))
        check_503(&x, allocation);
    exchange_end(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct request r;
    struct exchange first, last;
    request_init(&r, data, size);
    exchange_run(&first, &r.api, r.draining, 0, 4096);
    for (size_t i = 1; i <= first.memory.scarce.blocks && i <= MAX_ALLOCATIONS; i++)
        check_refused(&r, &first, i);
    exchange_run(&last, &r.api, r.draining, 0, 4096);
    REQUIRE(exchange_same(&first, &last), "another answer afterwards");
    exchange_end(&first);
    exchange_end(&last);
    request_release(&r);
    return 0;
}
