#include "api/encoding.h"

#include <zlib.h>

#include "tests/suite.h"

/* ---- names
 * ---------------------------------------------------------------------------------------------------------
 */

static const struct {
    const char *value;
    bool known;
    enum encoding want;
} names[] = {
    {NULL, true, ENCODING_IDENTITY},         {"", true, ENCODING_IDENTITY},
    {"identity", true, ENCODING_IDENTITY},   {"gzip", true, ENCODING_GZIP},
    {"GZIP", true, ENCODING_GZIP},           {" gzip\t", true, ENCODING_GZIP},
    {"x-gzip", true, ENCODING_GZIP},         {"Deflate", true, ENCODING_DEFLATE},
    {"br", false, ENCODING_IDENTITY},        {"gzip, gzip", false, ENCODING_IDENTITY},
    {"gzip gzip", false, ENCODING_IDENTITY}, {"gzi", false, ENCODING_IDENTITY},
    {"gzipp", false, ENCODING_IDENTITY},     {"*", false, ENCODING_IDENTITY},
    {"x-deflate", false, ENCODING_IDENTITY}, {"gzip;q=1", false, ENCODING_IDENTITY},
};

START_TEST(content_encoding)
{
    enum encoding encoding = ENCODING_IDENTITY;
    struct problem problem;
    ck_assert_int_eq(encoding_find(names[_i].value, &encoding, &problem), names[_i].known);
    ck_assert_int_eq(encoding, names[_i].want);
    if (!names[_i].known) {
        ck_assert_int_eq(problem.code, PROBLEM_UNSUPPORTED_ENCODING);
        ck_assert_ptr_nonnull(strstr(problem.detail, names[_i].value));
    }
}
END_TEST

static const struct {
    const char *accept;
    enum encoding want;
} accepted[] = {
    {NULL, ENCODING_IDENTITY},
    {"", ENCODING_IDENTITY},
    {"identity", ENCODING_IDENTITY},
    {"br, zstd", ENCODING_IDENTITY},
    {"gzip", ENCODING_GZIP},
    {"deflate", ENCODING_DEFLATE},
    {"gzip, deflate, br", ENCODING_GZIP},
    {"deflate, gzip", ENCODING_GZIP},
    {"deflate, gzip;q=0.9", ENCODING_DEFLATE},
    {"br;q=1, gzip;q=0.2", ENCODING_GZIP},
    {"gzip;q=0", ENCODING_IDENTITY},
    {"gzip;q=0, deflate;q=0.1", ENCODING_DEFLATE},
    {"gzip;q=0.5, identity;q=0.8", ENCODING_IDENTITY},
    {"gzip;q=0.8, identity;q=0.5", ENCODING_GZIP},
    {"identity, gzip", ENCODING_GZIP},
    {"*", ENCODING_GZIP},
    {"*;q=0", ENCODING_IDENTITY},
    {"gzip;q=0, *", ENCODING_DEFLATE},
    {"identity;q=0.5, *;q=0.3", ENCODING_IDENTITY},
    {"identity;q=0, *;q=0", ENCODING_IDENTITY},
    {"gzip;q=x", ENCODING_IDENTITY},
};

START_TEST(accept_encoding)
{
    ck_assert_int_eq(encoding_accepted(accepted[_i].accept), accepted[_i].want);
}
END_TEST

/* ---- decoding: streams made by Python's gzip and zlib modules
 * ------------------------------------------------------- */

#define TEXT "{\"inputs\":[]}"
#define GZIP                                                                                                 \
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\xca\xcc\x2b\x28\x2d\x29\x56\xb2\x8a\x8e\xad\x05\x00"   \
    "\xa2\x00\xa9\xa6"                                                                                       \
    "\x0d\x00\x00\x00"
#define GZIP_NAMED                                                                                           \
    "\x1f\x8b\x08\x08\x00\xf1\x53\x65\x02\xff\x61\x2e\x6a\x73\x6f\x6e\x00\xab\x56\xca\xcc\x2b\x28\x2d\x29"   \
    "\x56\xb2\x8a"                                                                                           \
    "\x8e\xad\x05\x00\xa2\x00\xa9\xa6\x0d\x00\x00\x00"
/* `{"inp`, nothing, `uts":[]}` */
#define GZIP_MEMBERS                                                                                         \
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\xca\xcc\x2b\x00\x00\xcc\x86\x66\xae\x05\x00\x00\x00"   \
    "\x1f\x8b\x08\x00"                                                                                       \
    "\x00\x00\x00\x00\x02\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x1f\x8b\x08\x00\x00\x00\x00\x00\x02"   \
    "\x03\x2b\x2d\x29"                                                                                       \
    "\x56\xb2\x8a\x8e\xad\x05\x00\xa2\x40\xdc\x71\x08\x00\x00\x00"
#define GZIP_EMPTY "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
#define ZLIB       "\x78\x9c\xab\x56\xca\xcc\x2b\x28\x2d\x29\x56\xb2\x8a\x8e\xad\x05\x00\x22\x03\x04\xd2"
#define ZLIB_EMPTY "\x78\x9c\x03\x00\x00\x00\x00\x01"
#define ZLIB_SMALL_WINDOW                                                                                    \
    "\x18\xd3\xab\x56\xca\xcc\x2b\x28\x2d\x29\x56\xb2\x8a\x8e\xad\x05\x00\x22\x03\x04\xd2"
#define ZLIB_DICTIONARY "\x78\xbb\x09\x1c\x02\xa4\xab\x56\xca\x04\xd3\x4a\x56\xd1\xb1\xb5\x00\x22\x03\x04\xd2"
#define RAW_DEFLATE     "\xab\x56\xca\xcc\x2b\x28\x2d\x29\x56\xb2\x8a\x8e\xad\x05\x00"

#define BYTES(literal)                                                                                       \
    {                                                                                                        \
        (const uint8_t *)(literal), sizeof(literal) - 1                                                      \
    }

static const struct {
    const char *encoding;
    struct bytes body;
    const char *want; /* NULL: corrupt */
} bodies[] = {
    {NULL, BYTES(TEXT), TEXT},
    {"identity", BYTES(GZIP_EMPTY "x"), GZIP_EMPTY}, /* compared up to the first NUL: not touched */
    {"gzip", BYTES(GZIP), TEXT},
    {"X-GZip", BYTES(GZIP), TEXT},
    {"gzip", BYTES(GZIP_NAMED), TEXT},
    {"gzip", BYTES(GZIP_MEMBERS), TEXT},
    {"gzip", BYTES(GZIP GZIP), TEXT TEXT},
    {"gzip", BYTES(GZIP_EMPTY), ""},
    {"deflate", BYTES(ZLIB), TEXT},
    {"deflate", BYTES(ZLIB_EMPTY), ""},
    {"deflate", BYTES(ZLIB_SMALL_WINDOW), TEXT},
    {"gzip", BYTES(""), NULL},
    {"deflate", BYTES(""), NULL},
    {"gzip", BYTES(TEXT), NULL},
    {"deflate", BYTES(TEXT), NULL},
    {"gzip", BYTES(ZLIB), NULL},
    {"deflate", BYTES(GZIP), NULL},
    {"deflate", BYTES(RAW_DEFLATE), NULL},
    {"deflate", BYTES(ZLIB_DICTIONARY), NULL},
    {"gzip", BYTES(GZIP "x"), NULL},
    {"gzip", BYTES(GZIP "\0"), NULL},
    {"gzip", BYTES(GZIP "\x1f"), NULL},
    {"gzip", BYTES(GZIP_EMPTY GZIP_EMPTY "\x1f\x8b\x08"), NULL},
    {"deflate", BYTES(ZLIB "x"), NULL},
    {"deflate", BYTES(ZLIB ZLIB), NULL},
};

START_TEST(decodes)
{
    struct arena arena;
    struct problem problem;
    struct bytes ret;
    arena_init(&arena, &memory_heap, NULL, 0);
    bool ok = encoding_decode(&arena, bodies[_i].encoding, 1 << 20, bodies[_i].body, &ret, &problem);
    ck_assert_int_eq(ok, bodies[_i].want != NULL);
    if (!ok)
        ck_assert_int_eq(problem.code, PROBLEM_CORRUPT_ENCODING);
    else if (bodies[_i].encoding == NULL || strcmp(bodies[_i].encoding, "identity") == 0)
        ck_assert(ret.ptr == bodies[_i].body.ptr && ret.len == bodies[_i].body.len);
    else
        ck_assert(bytes_equal(ret, bodies[_i].want));
    arena_release(&arena);
}
END_TEST

/* Every prefix of a stream is corrupt, but for those that end with a member; so is every stream with one bit
 * changed in its data or trailer. */
static const struct {
    const char *encoding;
    struct bytes body;
    size_t whole[2]; /* prefixes that are streams of their own */
    size_t header;   /* bytes that may say something else without harm */
    size_t padding;  /* the byte whose upper bits follow the end of the data */
} damaged[] = {
    {"gzip", BYTES(GZIP), {0}, 10, 24},
    {"deflate", BYTES(ZLIB), {0}, 0, 16},
    {"gzip", BYTES(GZIP_MEMBERS), {25, 45}, 10, 0},
};
#define SINGLE 2 /* rows of one member */

START_TEST(truncated)
{
    for (size_t len = 0; len < damaged[_i].body.len; len++) {
        struct arena arena;
        struct problem problem;
        struct bytes ret;
        arena_init(&arena, &memory_heap, NULL, 0);
        bool whole = len != 0 && (len == damaged[_i].whole[0] || len == damaged[_i].whole[1]);
        struct bytes part = bytes_slice(damaged[_i].body, 0, len);
        ck_assert_msg(encoding_decode(&arena, damaged[_i].encoding, 1 << 20, part, &ret, &problem) == whole,
                      "%zu", len);
        if (!whole) {
            ck_assert_int_eq(problem.code, PROBLEM_CORRUPT_ENCODING);
            ck_assert_msg(strstr(problem.detail, "too early") != NULL, "%s", problem.detail);
        }
        arena_release(&arena);
    }
}
END_TEST

START_TEST(flipped)
{
    uint8_t copy[128];
    struct bytes body = damaged[_i].body;
    for (size_t bit = damaged[_i].header * 8; bit < body.len * 8; bit++) {
        if (bit / 8 == damaged[_i].padding)
            continue;
        struct arena arena;
        struct problem problem;
        struct bytes ret;
        arena_init(&arena, &memory_heap, NULL, 0);
        memcpy(copy, body.ptr, body.len);
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        struct bytes bad = {.ptr = copy, .len = body.len};
        ck_assert_msg(!encoding_decode(&arena, damaged[_i].encoding, 1 << 20, bad, &ret, &problem), "bit %zu",
                      bit);
        ck_assert_int_eq(problem.code, PROBLEM_CORRUPT_ENCODING);
        arena_release(&arena);
    }
}
END_TEST

/* The memory that was asked for. */
static void *count_alloc(void *ctx, size_t size)
{
    *(size_t *)ctx += size;
    return malloc(size);
}

static void count_free(void *ctx, void *block, size_t size)
{
    (void)ctx, (void)size;
    free(block);
}

/* zlib's own one-call compression, as a client would. */
static struct bytes zlib_of(size_t len, uint8_t fill, bool vary)
{
    uint8_t *plain = malloc(len);
    for (size_t i = 0; i < len; i++)
        plain[i] = vary ? (uint8_t)(i * i / 7 + i / 1000) : fill;
    uLongf packed_len = compressBound(len);
    uint8_t *packed = malloc(packed_len);
    ck_assert_int_eq(compress2(packed, &packed_len, plain, len, 6), Z_OK);
    free(plain);
    return (struct bytes){.ptr = packed, .len = packed_len};
}

static const struct {
    size_t len;
    uint64_t max;
    bool vary;
    bool fits;
} sizes[] = {
    {1, 1, false, true},
    {2, 1, false, false},
    /* around the window of the first pass */
    {16383, 16383, true, true},
    {16384, 16384, true, true},
    {16384, 16383, true, false},
    {16385, 16385, true, true},
    {16385, 16384, true, false},
    {1000000, 1000000, true, true},
    {1000000, 999999, true, false},
    /* a bomb: a thousandth of its size is sent */
    {50000000, 1 << 20, false, false},
    {50000000, 50000000, false, true},
};

START_TEST(limits)
{
    struct bytes body = zlib_of(sizes[_i].len, 'x', sizes[_i].vary);
    size_t taken = 0;
    const struct memory memory = {.alloc = count_alloc, .free = count_free, .ctx = &taken};
    struct arena arena;
    struct problem problem;
    struct bytes ret;
    arena_init(&arena, &memory, NULL, 0);
    ck_assert_int_eq(encoding_decode(&arena, "deflate", sizes[_i].max, body, &ret, &problem), sizes[_i].fits);
    if (sizes[_i].fits) {
        ck_assert_uint_eq(ret.len, sizes[_i].len);
        for (size_t i = 0; i < ret.len; i++)
            if (ret.ptr[i] != (sizes[_i].vary ? (uint8_t)(i * i / 7 + i / 1000) : 'x'))
                ck_abort_msg("byte %zu", i);
        ck_assert_uint_lt(taken, sizes[_i].len + 100000);
    } else {
        ck_assert_int_eq(problem.code, PROBLEM_REQUEST_TOO_LARGE);
        ck_assert_uint_lt(taken, 100000);
    }
    arena_release(&arena);
    free((void *)(uintptr_t)body.ptr);
}
END_TEST

/* ---- encoding
 * ------------------------------------------------------------------------------------------------------- */

/* Text like a JSON answer: not constant, yet compressible. */
static struct bytes make_text(struct arena *arena, size_t len)
{
    uint8_t *text = arena_alloc(arena, len, 1);
    unsigned state = 1;
    for (size_t i = 0; i < len; i++) {
        state = state * 1103515245u + 12345u;
        text[i] = (uint8_t) "0123456789.,-e[]"[state >> 28];
    }
    return (struct bytes){.ptr = text, .len = len};
}

/* What zlib makes of `packed`; fails the test unless it is one whole stream. */
static struct bytes unpack(struct arena *arena, struct bytes packed, int bits, size_t room)
{
    uint8_t *out = arena_alloc(arena, room, 1);
    z_stream z = {.avail_in = (unsigned)packed.len, .avail_out = (unsigned)room, .next_out = out};
    z.next_in = (uint8_t *)(uintptr_t)packed.ptr;
    ck_assert_int_eq(inflateInit2(&z, bits), Z_OK);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    ck_assert_uint_eq(z.avail_in, 0);
    struct bytes ret = {.ptr = out, .len = room - z.avail_out};
    inflateEnd(&z);
    return ret;
}

/* The whole of a source, pulled in pieces of `piece` bytes. */
static struct bytes drain(struct arena *arena, struct source *source, size_t piece, size_t room)
{
    uint8_t *out = arena_alloc(arena, room + piece, 1);
    size_t len = 0;
    size_t got;
    do {
        ck_assert_uint_le(len, room);
        got = source_pull(source, out + len, piece);
        ck_assert_uint_le(got, piece);
        len += got;
    } while (got == piece);
    ck_assert_uint_eq(source_pull(source, out + len, piece), 0);
    return (struct bytes){.ptr = out, .len = len};
}

static const size_t lengths[] = {0, 1, 511, 512, 513, 1024, 5000, 16383, 16384, 16385, 32768, 65536, 300000};
static const size_t pieces[] = {1, 7, 1000, 16384, 1 << 20};
#define PIECES (sizeof(pieces) / sizeof(pieces[0]))

START_TEST(compresses)
{
    static const enum encoding encodings[] = {ENCODING_GZIP, ENCODING_DEFLATE};
    static const int bits[] = {MAX_WBITS + 16, MAX_WBITS};
    size_t len = lengths[_i / 2];
    for (size_t p = 0; p < PIECES; p++) {
        struct arena arena;
        arena_init(&arena, &memory_heap, NULL, 0);
        struct bytes text = make_text(&arena, len);
        struct source *source = source_compressed(&arena, source_bytes(&arena, text), encodings[_i % 2]);
        ck_assert(source->length == SOURCE_LENGTH_UNKNOWN);
        ck_assert_uint_gt(source->cost, source_bytes(&arena, text)->cost);
        struct bytes packed = drain(&arena, source, pieces[p], len + 1000);
        struct bytes plain = unpack(&arena, packed, bits[_i % 2], len + 1);
        ck_assert(plain.len == len && memcmp(plain.ptr, text.ptr, len) == 0);
        if (len >= ENCODING_MIN_BYTES)
            ck_assert_uint_lt(packed.len, len * 2 / 3);
        arena_release(&arena);
    }
}
END_TEST

START_TEST(encoding_names)
{
    ck_assert_str_eq(encoding_name(ENCODING_IDENTITY), "identity");
    ck_assert_str_eq(encoding_name(ENCODING_GZIP), "gzip");
    ck_assert_str_eq(encoding_name(ENCODING_DEFLATE), "deflate");
}
END_TEST

/* ---- memory
 * ---------------------------------------------------------------------------------------------------------
 */

static void *rationed_alloc(void *ctx, size_t size)
{
    int *left = ctx;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

/* With the k-th allocation refused, for all k: a problem that says so, never a crash or a part. */
START_TEST(decode_without_memory)
{
    bool ok = false;
    int k = 0;
    for (; !ok; k++) {
        int left = k;
        const struct memory memory = {.alloc = rationed_alloc, .free = count_free, .ctx = &left};
        struct arena arena;
        struct problem problem;
        struct bytes ret;
        arena_init(&arena, &memory, NULL, 0);
        struct bytes body = BYTES(GZIP);
        ok = encoding_decode(&arena, "gzip", 1 << 20, body, &ret, &problem);
        ck_assert(ok || problem.code == PROBLEM_OUT_OF_MEMORY);
        arena_release(&arena);
    }
    ck_assert_int_gt(k, 1);
}
END_TEST

START_TEST(compress_without_memory)
{
    struct source *source = NULL;
    int k = 0;
    for (; source == NULL; k++) {
        static const uint8_t text[2000];
        int left = k;
        const struct memory memory = {.alloc = rationed_alloc, .free = count_free, .ctx = &left};
        uint8_t first[256]; /* the plain source fits in here */
        struct arena arena;
        arena_init(&arena, &memory, first, sizeof(first));
        struct source *plain = source_bytes(&arena, (struct bytes){.ptr = text, .len = sizeof(text)});
        source = source_compressed(&arena, plain, ENCODING_GZIP);
        arena_release(&arena);
    }
    ck_assert_int_gt(k, 1);
}
END_TEST

SUITE("encoding",
      TEST_ROWS(content_encoding, names) TEST_ROWS(accept_encoding, accepted) TEST_ROWS(decodes, bodies)
          TEST_ROWS(truncated, damaged) TEST_TIMES(flipped, SINGLE) TEST_ROWS(limits, sizes)
              TEST_TIMES(compresses, 2 * ROWS(lengths)) TEST_ONE(encoding_names)
                  TEST_ONE(decode_without_memory) TEST_ONE(compress_without_memory))
