/* The reader of JSON: it takes a text if and only if the grammar does, by every way of reading it; strings become what the
 * grammar makes of them; and no proper beginning of an array or object is a document. */
#include "api/json.h"

#include "tests/fuzz/json_grammar.h"

#define DEPTH 12

static bool walk(struct json *json);

static bool walk_element(struct json *json, size_t index, void *ctx)
{
    size_t *next = ctx;
    REQUIRE(index == (*next)++, "element %zu comes out of turn", index);
    return walk(json);
}

static bool walk_member(struct json *json, struct bytes name, void *ctx)
{
    (void)ctx;
    volatile uint8_t last = name.len > 0 ? name.ptr[name.len - 1] : 0;
    (void)last;
    return walk(json);
}

static bool walk_string(struct json *json)
{
    struct json again = *json;
    struct bytes text, token;
    bool good = json_string(json, &text);
    REQUIRE(json_string_token(&again, &token) == good, "the token of a string is judged otherwise");
    if (!good)
        return false;
    REQUIRE(again.next == json->next, "the token of a string ends elsewhere");
    struct grammar g = {.at = token.ptr, .end = token.ptr + token.len};
    uint8_t *want = malloc(token.len);
    size_t len = 0;
    REQUIRE(grammar_string(&g, want, &len) && g.at == g.end, "a string was taken that is none");
    REQUIRE(text.len == len && memcmp(text.ptr, want, len) == 0, "a string was read wrongly");
    free(want);
    return true;
}

static bool walk_list(struct json *json)
{
    bool more = true;
    if (!json_open(json, '['))
        return false;
    for (bool first = true; more; first = false) {
        if (!json_more(json, ']', first, &more) || (more && !walk(json)))
            return false;
    }
    return true;
}

/* Reads each value by its kind; arrays in one of two ways. */
static bool walk(struct json *json)
{
    size_t next = 0;
    struct decimal number;
    enum json_kind kind = json_peek(json);
    switch (kind) {
    case JSON_NUMBER: return json_number(json, &number);
    case JSON_STRING: return walk_string(json);
    case JSON_ARRAY: return json->depth % 2 == 0 ? json_array(json, walk_element, &next) : walk_list(json);
    case JSON_OBJECT: return json_object(json, walk_member, NULL);
    default: return json_skip(json);
    }
}

static bool reads(struct arena *arena, struct bytes text, bool (*read)(struct json *), struct problem *err)
{
    struct json json;
    *err = (struct problem){.code = PROBLEM_NONE};
    json_init(&json, text, DEPTH, arena, err);
    bool good = read(&json) && json_end(&json);
    REQUIRE(good == (err->code == PROBLEM_NONE), "a refusal without a reason, or a reason without one");
    REQUIRE(json.next >= json.start && json.next <= json.end, "the reader left the text");
    return good;
}

static void check(struct arena *arena, struct bytes text)
{
    struct problem err;
    bool good = grammar_document(text, DEPTH);
    REQUIRE(reads(arena, text, json_skip, &err) == good, "the grammar says %d: %s", good, err.detail);
    bool walked = reads(arena, text, walk, &err);
    /* Members are compared and counted only where they are read. */
    REQUIRE(walked == good || (good && err.code == PROBLEM_INVALID_REQUEST), "the grammar says %d: %s", good, err.detail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    fuzz_memory_init(&memory);
    check(&memory.arena, (struct bytes){data, size});
    if (size > 1) {
        size_t part = data[size / 2] * (size - 1) / 255;
        uint8_t *copy = fuzz_copy(data, part);
        check(&memory.arena, (struct bytes){copy, part});
        free(copy);
    }
    fuzz_memory_release(&memory);
    return 0;
}
