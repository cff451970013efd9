/* Bodies that are pulled: whatever the sizes of the pulls, the bytes are those that the oracle puts together.
 *
 * Input: kind, shapes, sizes of the pulls, and contents. */
#include "api/encoding.h"
#include "api/pieces.h"
#include "api/source.h"
#include "tests/fuzz/oracle.h"
#include "tests/fuzz/outputs.h"

#define MAX_ELEMENTS 4096
#define MAX_EXPECTED ((size_t)1 << 20)

struct expected {
    uint8_t *bytes;
    size_t len;
};

static void append(struct expected *e, const void *bytes, size_t n)
{
    REQUIRE(e->len + n <= MAX_EXPECTED, "the case is too large");
    if (n > 0)
        memcpy(e->bytes + e->len, bytes, n);
    e->len += n;
}

/* Pulls in sizes that change, told by the input and from then on in turn. */
static void check_pulls(struct feed *feed, struct source *source, const struct expected *want)
{
    static const size_t sizes[] = {1, 2, 3, 7, 16, 31, 64, 100, 1000, 4096, 70000};
    uint8_t *out = malloc(70000);
    size_t at = 0, n = 0, got = 0;
    REQUIRE(source->length == want->len, "the length is %llu, not %zu", (unsigned long long)source->length, want->len);
    do {
        n = sizes[feed_below(feed, sizeof(sizes) / sizeof(sizes[0]))];
        if (feed_left(feed) == 0)
            n = n < 7 ? 77 : n;
        got = source_pull(source, out, n);
        REQUIRE(got <= n && got <= want->len - at, "too many bytes");
        REQUIRE(got == n || at + got == want->len, "fewer bytes before the end");
        REQUIRE(got == 0 || memcmp(out, want->bytes + at, got) == 0, "wrong bytes between %zu and %zu", at, at + got);
        at += got;
    } while (got == n);
    REQUIRE(at == want->len && source_pull(source, out, 9) == 0, "the end is at %zu, not %zu", at, want->len);
    free(out);
}

/* The view of `count` numbers 0, 1, ... that Expand makes, or false if it is none or too large. */
static bool feed_view(struct feed *feed, const int64_t *numbers, struct tensor *ret, int64_t *elements)
{
    struct tensor data, list;
    struct op_diag diag;
    struct shape shape, target;
    feed_small_shape(feed, &shape);
    target = shape;
    for (int i = 0; i < target.rank; i++) {
        uint8_t kind = feed_byte(feed);
        shape.dim[i] = kind % 4 == 0 ? 1 : shape.dim[i];
        target.dim[i] = shape.dim[i] == 1 ? kind / 4 % 24 : shape.dim[i];
    }
    tensor_init(&data, DTYPE_INT64, &shape, numbers);
    tensor_init(&list, DTYPE_INT64, &(struct shape){1, {target.rank}}, target.dim);
    return op_infer(op_newest("expand"), &(struct op_call){.in = {&data, &list}}, ret, &diag) == OP_OK &&
           shape_elements(&ret->shape, elements) && *elements <= MAX_ELEMENTS;
}

/* Pieces of lengths 0 to 8 (or of one that is longer), in the order of the view. */
static struct source *feed_pieces(struct feed *feed, struct fuzz_memory *memory, const struct tensor *view,
                                  const int64_t *order, int64_t elements, struct expected *want)
{
    static const uint8_t text[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+";
    uint64_t *offset = arena_alloc(&memory->arena, 257, sizeof(*offset));
    uint8_t *base = arena_alloc(&memory->arena, 256, 64);
    struct pieces *pieces = arena_alloc(&memory->arena, 1, sizeof(*pieces));
    size_t drop = feed_byte(feed) % 2, longest = feed_byte(feed) % 8 == 0 ? 64 : 9;
    offset[0] = 0;
    for (int i = 0; i < 256; i++) {
        size_t len = drop + feed_byte(feed) % (longest - drop);
        memcpy(base + offset[i], text, len);
        base[offset[i]] ^= (uint8_t)i;
        offset[i + 1] = offset[i] + len;
    }
    int64_t count = 0;
    size_t before = want->len;
    for (int64_t i = 0; i < elements; i++) {
        append(want, base + offset[order[i]], (size_t)(offset[order[i] + 1] - offset[order[i]]));
        count = order[i] >= count ? order[i] + 1 : count;
    }
    want->len -= want->len > before ? drop : 0;
    *pieces = (struct pieces){.base = base, .offset = offset, .count = count};
    return source_pieces(&memory->arena, pieces, view, drop);
}

static struct source *feed_source(struct feed *feed, struct fuzz_memory *memory, const int64_t *numbers,
                                  struct expected *want)
{
    struct tensor view;
    int64_t elements = 0;
    uint8_t kind = feed_byte(feed) % 3;
    if (kind == 0) {
        size_t len = feed_below(feed, 300);
        append(want, numbers, len);
        return source_bytes(&memory->arena, (struct bytes){(const uint8_t *)numbers, len});
    }
    if (!feed_view(feed, numbers, &view, &elements))
        return NULL;
    int64_t *order = arena_alloc(&memory->arena, (size_t)elements, sizeof(*order));
    oracle_view(&view, (uint8_t *)order);
    if (kind == 2)
        return feed_pieces(feed, memory, &view, order, elements, want);
    append(want, order, (size_t)elements * sizeof(*order));
    return source_view(&memory->arena, &view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory;
    struct feed feed = feed_of(data, size);
    struct expected want = {.bytes = malloc(MAX_EXPECTED)};
    int64_t numbers[256];
    struct source *parts[3];
    size_t count = 1 + feed_byte(&feed) % 3;
    for (int i = 0; i < 256; i++)
        numbers[i] = i;
    fuzz_memory_init(&memory);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        parts[i] = feed_source(&feed, &memory, numbers, &want);
        good = parts[i] != NULL;
    }
    if (good)
        check_pulls(&feed, count == 1 ? parts[0] : source_concat(&memory.arena, parts, count), &want);
    fuzz_memory_release(&memory);
    free(want.bytes);
    return 0;
}
