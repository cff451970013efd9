/* Targets and queries: cutting and decoding agree with a plain reading of the same text.
 *
 * Input: operator version, the target. */
#include "api/query.h"
#include "api/target.h"
#include "tests/fuzz/tensors.h"

static int hex(char c)
{
    const char *digits = "0123456789abcdef";
    char lower = c >= 'A' && c <= 'F' ? (char)(c + 32) : c;
    const char *at = c != '\0' ? strchr(digits, lower) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* Decodes percent escapes of text[0 .. len) into out; false if one is broken. */
static bool plain_decode(const char *text, size_t len, char *out, size_t *out_len)
{
    *out_len = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '%') {
            int high = i + 1 < len ? hex(text[i + 1]) : -1, low = i + 2 < len ? hex(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        out[(*out_len)++] = c;
    }
    return true;
}

/* The segments of an origin-form path, put together again. */
static void check_segments(const char *raw, const struct target *target)
{
    const char *p = raw;
    char *out = malloc(strlen(raw) + 1);
    for (size_t i = 0; i < target->count && i < TARGET_MAX_SEGMENTS; i++) {
        size_t len = strcspn(++p, "/?"), got = 0;
        REQUIRE(plain_decode(p, len, out, &got), "a broken escape was taken");
        REQUIRE(got == target->segment[i].len && (got == 0 || memcmp(out, target->segment[i].ptr, got) == 0),
                "segment %zu is wrong", i);
        REQUIRE(memchr(out, '\0', got) == NULL && memchr(out, '/', got) == NULL, "%%00 or %%2F was taken");
        p += len;
    }
    free(out);
}

static void check_target(struct arena *arena, const char *raw)
{
    struct target target;
    struct problem err = {.code = PROBLEM_NONE};
    bool good = target_parse(arena, raw, &target, &err);
    REQUIRE(good == (err.code == PROBLEM_NONE), "a refusal without a reason, or a reason without one");
    REQUIRE(good || err.code == PROBLEM_BAD_TARGET, "refused as %s", problem_info(err.code)->code);
    if (!good)
        return;
    REQUIRE(raw[0] != '\0' && strchr(raw, '#') == NULL, "a target without a path, or with a fragment");
    REQUIRE(target.query == NULL || target.query[-1] == '?', "the query does not follow a '?'");
    if (raw[0] == '/')
        check_segments(raw, &target);
}

/* Whether a list is integers between commas, each without leading zeros; writes them as one text again. */
static void check_lists(struct arena *arena, struct call *call, const struct query *query)
{
    char text[64 + SHAPE_MAX_RANK * 21] = "dims=";
    struct query again;
    struct problem err;
    struct call other = {.op = call->op};
    if (!query->has_dims)
        return;
    for (int i = 0; i < query->dims.rank; i++) {
        size_t len = strlen(text);
        REQUIRE(query->dims.dim[i] >= 0, "a negative size was taken");
        snprintf(text + len, sizeof(text) - len, "%s%lld", i > 0 ? "," : "", (long long)query->dims.dim[i]);
    }
    REQUIRE(query_read(arena, text, &other, &again, &err) && shape_equal(&again.dims, &query->dims), "%s: otherwise", text);
}

static void check_query(struct arena *arena, const struct op *op, const char *text)
{
    struct call call = {.op = op};
    struct query query;
    struct problem err = {.code = PROBLEM_NONE};
    bool good = query_read(arena, text, &call, &query, &err);
    REQUIRE(good == (err.code == PROBLEM_NONE), "a refusal without a reason, or a reason without one");
    if (!good)
        return;
    check_lists(arena, &call, &query);
    for (int i = 0; i < op->inputs; i++)
        if (call.in[i].given)
            check_tensor(&call.in[i].tensor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct feed feed = feed_of(data, size);
    const struct op *op = op_at(feed_below(&feed, op_count()));
    struct bytes rest = feed_rest(&feed);
    char *text = malloc(rest.len + 1);
    if (rest.len > 0)
        memcpy(text, rest.ptr, rest.len);
    text[rest.len] = '\0';
    fuzz_memory_init(&memory);
    check_target(&memory.arena, text);
    const char *question = strchr(text, '?');
    check_query(&memory.arena, op, question != NULL ? question + 1 : text);
    fuzz_memory_release(&memory);
    free(text);
    return 0;
}
