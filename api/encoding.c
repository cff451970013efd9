#include "api/encoding.h"

#include <limits.h>
#include <strings.h>

#define ZLIB_CONST
#include <zlib.h>

#include "api/negotiate.h"

/* zlib's code for "with a gzip header", added to the window bits. */
#define GZIP_BITS 16

/* Output of the measuring pass, which is thrown away; input of a compression. */
#define WINDOW_SIZE 16384

/* zlib takes windows of 2^9 bytes and more; its "memory level" 8 belongs to the largest, 2^15. */
#define WINDOW_BITS_MIN 9
#define MEM_LEVEL_LESS  (MAX_WBITS - 8)

/* Picoseconds a byte of output, measured with JSON text of floats. */
#define COST_DEFLATE 20000

static const struct {
    const char *name;
    enum encoding encoding;
} codings[] = {
    {"identity", ENCODING_IDENTITY},
    {"gzip", ENCODING_GZIP},
    {"x-gzip", ENCODING_GZIP}, /* RFC 9110, 8.4.1.3: the same */
    {"deflate", ENCODING_DEFLATE},
};

const char *encoding_name(enum encoding encoding)
{
    static const char *const names[] = {"identity", "gzip", "deflate"};
    return names[encoding];
}

bool encoding_find(const char *content_encoding, enum encoding *ret, struct problem *err)
{
    const char *name = content_encoding != NULL ? content_encoding + strspn(content_encoding, " \t") : "";
    size_t len = strcspn(name, " \t");
    if (len == 0) {
        *ret = ENCODING_IDENTITY;
        return true;
    }
    bool single = name[len + strspn(name + len, " \t")] == '\0';
    for (size_t i = 0; single && i < sizeof(codings) / sizeof(codings[0]); i++) {
        if (strlen(codings[i].name) == len && strncasecmp(codings[i].name, name, len) == 0) {
            *ret = codings[i].encoding;
            return true;
        }
    }
    return problem_set(err, PROBLEM_UNSUPPORTED_ENCODING, NULL,
                       "Content-Encoding '%.64s' is not offered: use gzip, deflate, or none", name);
}

static void *zlib_alloc(void *arena, unsigned n, unsigned size)
{
    return arena_alloc(arena, n, size);
}

/* The arena releases everything at once. */
static void zlib_free(void *arena, void *ptr)
{
    (void)arena;
    (void)ptr;
}

/* zlib counts what it may read and write in `unsigned`; tensors may have more. */
static unsigned clamp(size_t n)
{
    return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

struct inflater {
    z_stream stream;
    bool members; /* another may follow: gzip */
    bool ended;   /* the input ended where a member did */
    const uint8_t *end;
};

static bool inflater_init(struct inflater *in, struct arena *arena, enum encoding encoding)
{
    *in = (struct inflater){.members = encoding == ENCODING_GZIP};
    in->stream = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = arena};
    return inflateInit2(&in->stream, in->members ? MAX_WBITS + GZIP_BITS : MAX_WBITS) == Z_OK;
}

static void inflater_start(struct inflater *in, struct bytes body)
{
    inflateReset(&in->stream);
    in->ended = false;
    in->stream.next_in = body.len > 0 ? body.ptr : (const uint8_t *)"";
    in->end = in->stream.next_in + body.len;
}

/* Writes up to n bytes to out; *got tells how many, fewer than n only at the end. */
static int inflater_pull(struct inflater *in, uint8_t *out, size_t n, size_t *got)
{
    z_stream *z = &in->stream;
    *got = 0;
    while (*got < n && !in->ended) {
        z->avail_in = clamp((size_t)(in->end - z->next_in));
        z->avail_out = clamp(n - *got);
        z->next_out = out + *got;
        int code = inflate(z, Z_NO_FLUSH);
        *got = (size_t)(z->next_out - out);
        if (code != Z_OK && code != Z_STREAM_END)
            return code;
        if (code == Z_STREAM_END) {
            in->ended = z->next_in == in->end;
            if (!in->ended && (!in->members || inflateReset(z) != Z_OK))
                return Z_DATA_ERROR;
        }
    }
    return Z_OK;
}

static bool refuse(const struct inflater *in, int code, struct problem *err)
{
    if (code == Z_MEM_ERROR)
        return problem_memory(err);
    const char *why = in->stream.msg != NULL ? in->stream.msg : "other bytes follow its end";
    if (code == Z_BUF_ERROR)
        why = "it ends too early";
    if (code == Z_NEED_DICT)
        why = "it needs a dictionary";
    return problem_set(err, PROBLEM_CORRUPT_ENCODING, NULL,
                       "the body is not %s data as Content-Encoding says: %s",
                       in->members ? "gzip" : "deflate (zlib format)", why);
}

/* The first pass: what the body would be, without keeping any of it. */
static bool measure(struct inflater *in, uint64_t max_bytes, uint64_t *ret, struct problem *err)
{
    uint8_t window[WINDOW_SIZE];
    *ret = 0;
    while (!in->ended) {
        size_t got;
        int code = inflater_pull(in, window, sizeof(window), &got);
        *ret += got;
        if (*ret > max_bytes)
            return problem_set(err, PROBLEM_REQUEST_TOO_LARGE, NULL,
                               "the body is larger than the limit of %llu bytes "
                               "after decompression: send less",
                               (unsigned long long)max_bytes);
        if (code != Z_OK)
            return refuse(in, code, err);
    }
    return true;
}

bool encoding_decode(struct arena *arena, const char *content_encoding, uint64_t max_bytes, struct bytes body,
                     struct bytes *ret, struct problem *err)
{
    enum encoding encoding;
    if (!encoding_find(content_encoding, &encoding, err))
        return false;
    if (encoding == ENCODING_IDENTITY) {
        *ret = body;
        return true;
    }
    struct inflater in;
    uint64_t length;
    if (!inflater_init(&in, arena, encoding))
        return problem_memory(err);
    inflater_start(&in, body);
    if (!measure(&in, max_bytes, &length, err))
        return false;
    uint8_t *out = length <= SIZE_MAX ? arena_alloc(arena, (size_t)length, 1) : NULL;
    if (out == NULL)
        return problem_memory(err);
    size_t got;
    inflater_start(&in, body);
    int code = inflater_pull(&in, out, (size_t)length, &got);
    if (code != Z_OK)
        return refuse(&in, code, err);
    *ret = (struct bytes){.ptr = out, .len = got};
    return true;
}

enum encoding encoding_accepted(const char *accept_encoding)
{
    if (accept_encoding == NULL)
        return ENCODING_IDENTITY;
    int gzip = negotiate_quality(accept_encoding, "gzip");
    int deflate = negotiate_quality(accept_encoding, "deflate");
    int identity = negotiate_quality(accept_encoding, "identity");
    /* Identity that is not listed is acceptable, but the least of all. */
    if (gzip > 0 && gzip >= deflate && gzip >= identity)
        return ENCODING_GZIP;
    return deflate > 0 && deflate >= identity ? ENCODING_DEFLATE : ENCODING_IDENTITY;
}

struct deflate_source {
    struct source base;
    struct source *plain;
    z_stream stream;
    bool last; /* all of `plain` is in `input` or gone */
    bool ended;
    uint8_t input[WINDOW_SIZE];
};

static void refill(struct deflate_source *s)
{
    size_t got = source_pull(s->plain, s->input, sizeof(s->input));
    s->last = got < sizeof(s->input);
    s->stream.next_in = s->input;
    s->stream.avail_in = (unsigned)got;
}

static size_t pull_deflate(struct source *self, uint8_t *out, size_t n)
{
    struct deflate_source *s = (struct deflate_source *)self;
    size_t done = 0;
    while (done < n && !s->ended) {
        if (s->stream.avail_in == 0 && !s->last)
            refill(s);
        s->stream.next_out = out + done;
        s->stream.avail_out = clamp(n - done);
        /* Input or room is there at each call, so that it always gets on. */
        s->ended = deflate(&s->stream, s->last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_END;
        done = (size_t)(s->stream.next_out - out);
    }
    return done;
}

/* The smallest window that holds the whole text: a small answer then takes little memory. */
static int window_bits(uint64_t length)
{
    int bits = WINDOW_BITS_MIN;
    while (bits < MAX_WBITS && (uint64_t)1 << bits < length)
        bits++;
    return bits;
}

struct source *source_compressed(struct arena *arena, struct source *plain, enum encoding encoding)
{
    struct deflate_source *ret = arena_alloc(arena, 1, sizeof(*ret));
    if (ret == NULL)
        return NULL;
    ret->base = (struct source){
        .length = SOURCE_LENGTH_UNKNOWN, .cost = plain->cost + COST_DEFLATE, .pull = pull_deflate};
    ret->plain = plain;
    ret->last = ret->ended = false;
    ret->stream = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = arena};
    int bits = window_bits(plain->length);
    int level = bits - MEM_LEVEL_LESS;
    if (encoding == ENCODING_GZIP)
        bits += GZIP_BITS;
    if (deflateInit2(&ret->stream, Z_BEST_SPEED, Z_DEFLATED, bits, level, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    return &ret->base;
}
