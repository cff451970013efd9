/* Reading the head of a request, with a mind to whoever may stand between the client and this server: what
 * two readers could understand differently is refused (request smuggling, RFC 9112 section 11.2).
 */
#include "src/http_private.h"

#include <string.h>
#include <strings.h>

#include <microhttpd.h>

#include "api/ascii.h"
#include "src/trace.h"

/* ---- the headers that mean something ------------------------------------------------------------------- */

enum known {
    KNOWN_AUTHORIZATION,
    KNOWN_CONTENT_LENGTH,
    KNOWN_EXPECT,
    KNOWN_HOST,
    KNOWN_TRANSFER_ENCODING,
    KNOWN_PREFER,
    KNOWN_REQUEST_ID,
    KNOWN_TRACEPARENT,
    KNOWN_API, /* and the API's own from here */
    KNOWN_COUNT = KNOWN_API + API_HEADER_COUNT,
};

static const struct {
    const char *name;
    size_t len;
} known[KNOWN_COUNT] = {
#define ROW(id, name) [id] = {name, sizeof(name) - 1}
    ROW(KNOWN_AUTHORIZATION, "Authorization"),
    ROW(KNOWN_CONTENT_LENGTH, "Content-Length"),
    ROW(KNOWN_EXPECT, "Expect"),
    ROW(KNOWN_HOST, "Host"),
    ROW(KNOWN_TRANSFER_ENCODING, "Transfer-Encoding"),
    ROW(KNOWN_PREFER, "Prefer"),
    ROW(KNOWN_REQUEST_ID, "X-Request-Id"),
    ROW(KNOWN_TRACEPARENT, "traceparent"),
#define X(id, name) ROW(KNOWN_API + API_HEADER_##id, name),
    API_HEADER_TABLE(X)
#undef X
#undef ROW
};

/* Several lines of these are one list (RFC 9110 section 5.3). */
static bool is_list(unsigned header)
{
    return header == KNOWN_EXPECT || header == KNOWN_PREFER || header == KNOWN_API + API_HEADER_ACCEPT ||
           header == KNOWN_API + API_HEADER_ACCEPT_ENCODING ||
           header == KNOWN_API + API_HEADER_IF_NONE_MATCH;
}

/* Of these, which say nothing about the request, the first line counts: no reason to refuse it. */
static bool is_remark(unsigned header)
{
    return header == KNOWN_REQUEST_ID || header == KNOWN_TRACEPARENT;
}

/* Those of which a second line makes the framing or the target doubtful, not just the meaning. */
static bool is_framing(unsigned header)
{
    return header == KNOWN_CONTENT_LENGTH || header == KNOWN_TRANSFER_ENCODING || header == KNOWN_HOST;
}

static unsigned find_known(const char *name, size_t len)
{
    unsigned i = 0;
    while (i < KNOWN_COUNT && (known[i].len != len || strncasecmp(known[i].name, name, len) != 0))
        i++;
    return i;
}

/* ---- walking the lines --------------------------------------------------------------------------------- */

struct walk {
    struct request *request;
    const char *value[KNOWN_COUNT]; /* in the arena */
    const char *end; /* of the line before: where the terminator of its last text stands */
    const char *doubled; /* the name of a header that may stand once and stands twice, or NULL */
    struct problem *err;
    bool good;
};

static bool framing(struct problem *err, const char *text)
{
    return problem_set(err, PROBLEM_BAD_FRAMING, NULL, "%s", text);
}

/* Whether a text that ends at `end` is followed by `next` after `least` to `most` bytes, which are the NULs
 * that stand for what separates them.
 *
 * libmicrohttpd 0.9 takes the first NUL of a line for its end, and appends a folded line's text to the
 * *name* of the header before it, so that "Content-Leng: 5" + " th" becomes a Content-Length. Neither can
 * be seen in the texts it hands out. But it splits the head in place, each line end becoming one NUL (LF)
 * or two (CRLF), so that whatever is missing leaves a gap. From 1.0 on it refuses NUL and joins folded
 * lines properly, and moves texts. */
static bool follows(const char *end, const char *next, int least, int most)
{
#if MHD_VERSION < 0x01000000
    return next >= end + least && next <= end + most;
#else
    (void)end;
    (void)next;
    (void)least;
    (void)most;
    return true;
#endif
}

static bool is_value(const char *text, size_t len)
{
    return ascii_plain(' ', text, len) || ascii_all(ASCII_FIELD, text, len);
}

/* `is_known`: the name is one of the table. */
static bool check_line(struct walk *walk, bool is_known, const char *name, size_t name_len, const char *value,
                       size_t value_len)
{
    if (!follows(walk->end, name, 1, 2))
        return framing(walk->err, "a header line holds a NUL or goes on in a second line: use one line");
    if (!is_known && (name_len == 0 || !ascii_all(ASCII_TOKEN, name, name_len)))
        return framing(walk->err, "the name of a header is not a token (RFC 9110): rename it");
    if (!is_value(value, value_len))
        return framing(walk->err, "the value of a header holds a control character: remove it");
    walk->end = value + value_len;
    return true;
}

/* A copy without the blanks behind the value, which are none of it (RFC 9110 section 5.5) but which
 * libmicrohttpd 0.9 leaves there. What it goes by itself stays as it sees it: to take "chunked " for a coding
 * that it has not taken would be two opinions on where the body ends. */
static const char *copy_value(struct arena *arena, unsigned header, const char *value, size_t len)
{
    while (!is_framing(header) && len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
        len--;
    char *copy = arena_alloc(arena, len + 1, 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, value, len);
    copy[len] = '\0';
    return copy;
}

static bool several(struct problem *err, enum problem_code code, const char *name)
{
    return problem_set(err, code, NULL, "there are several %s headers: send one", name);
}

/* Keeps the value, in memory that outlives the connection's. A header that is doubled without harm to the framing
 * does not end the walk: what stands behind it may harm it. */
static bool keep(struct walk *walk, unsigned header, const char *value, size_t len)
{
    struct arena *arena = &walk->request->arena;
    const char *before = walk->value[header];
    if (before == NULL)
        walk->value[header] = copy_value(arena, header, value, len);
    else if (is_list(header))
        walk->value[header] = arena_printf(arena, "%s, %s", before, value);
    else if (is_framing(header))
        return several(walk->err, PROBLEM_BAD_FRAMING, known[header].name);
    else if (!is_remark(header) && walk->doubled == NULL)
        walk->doubled = known[header].name;
    return walk->value[header] != NULL || problem_memory(walk->err);
}

static enum MHD_Result on_line(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_len,
                               const char *value, size_t value_len)
{
    (void)kind;
    struct walk *walk = cls;
    if (value == NULL)
        value = "";
    unsigned header = find_known(name, name_len);
    walk->good = check_line(walk, header < KNOWN_COUNT, name, name_len, value, value_len) &&
                 (header == KNOWN_COUNT || keep(walk, header, value, value_len));
    return walk->good ? MHD_YES : MHD_NO;
}

/* ---- its size ------------------------------------------------------------------------------------------ */

/* What libmicrohttpd takes from a connection's memory for each header and cookie, beside their text. */
#define ENTRY_BYTES ((size_t)64)

/* Room for the head of an answer, and to read a body, in the same memory. */
#define ANSWER_BYTES ((size_t)1024)

/* libmicrohttpd refuses a head that does not fit into the connection's memory. But if it just fits, there
 * is no room left for the head of an answer, and the connection is closed without one. */
static bool check_size(struct MHD_Connection *mhd, struct request *request, struct problem *err)
{
    const size_t limit = (size_t)request->loop->service->options->max_header_bytes;
    int entries = MHD_get_connection_values(mhd, MHD_HEADER_KIND | MHD_COOKIE_KIND, NULL, NULL);
    request->head_bytes = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size;
    size_t size = request->head_bytes + ENTRY_BYTES * (size_t)entries;
    if (size > limit / 2) { /* rare: now it is worth looking for what is copied */
        const char *cookie = MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Cookie");
        size += cookie == NULL ? 0 : strlen(cookie);
    }
    if (size + ANSWER_BYTES <= limit)
        return true;
    return problem_set(err, PROBLEM_HEAD_TOO_LARGE, NULL,
                       "the request line and the headers take more than %zu bytes, with %zu for each header "
                       "(--max-header-bytes)",
                       limit - ANSWER_BYTES, ENTRY_BYTES);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static bool check_target(const char *target, size_t len, struct problem *err)
{
    if (!ascii_plain('!', target, len) && !ascii_all(ASCII_TARGET, target, len))
        return problem_set(err, PROBLEM_BAD_FRAMING, NULL,
                           "the request target holds a space or a control character: write it as %%XX");
    return len > 0 || framing(err, "the request has no target: write one, as /v2");
}

static bool check_lines(struct walk *walk, const struct http_connection *connection, const char *method,
                        const char *version, size_t target_len)
{
    struct MHD_Connection *mhd = connection->mhd;
    const char *target = connection->target;
    if (!follows(method + strlen(method), target, 1, 1) || !follows(target + target_len, version, 1, 1))
        return framing(walk->err, "the request line holds a NUL or more than single spaces: write it anew");
    walk->end = version + strlen(version);
    walk->good = true;
    MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, on_line, walk);
    if (!walk->good)
        return false;
    if (!follows(walk->end, method + walk->request->head_bytes, 2, 4))
        return framing(walk->err, "a header line holds a NUL or goes on in a second line: use one line");
    return true;
}

/* libmicrohttpd has refused lengths that are not plain decimal numbers. */
static uint64_t number(const char *digits)
{
    uint64_t value = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *digits - '0', &value))
            return UINT64_MAX;
    return value;
}

/* May be empty. RFC 9112 section 3.2: a server must refuse another. */
static bool is_host(const char *text)
{
    text += ascii_span(ASCII_HOST, text);
    while (*text == ' ' || *text == '\t')
        text++;
    return *text == '\0';
}

static bool check_framing(const struct walk *walk, const char *version, struct http_head *ret)
{
    const char *length = walk->value[KNOWN_CONTENT_LENGTH];
    const char *coding = walk->value[KNOWN_TRANSFER_ENCODING];
    bool old = strcmp(version, "HTTP/1.0") == 0;
    if (length != NULL && coding != NULL)
        return framing(walk->err, "there are both Content-Length and Transfer-Encoding: send one of them");
    if (coding != NULL && old)
        return framing(walk->err, "HTTP/1.0 has no Transfer-Encoding: send Content-Length, or use HTTP/1.1");
    if (coding != NULL && strcasecmp(coding, "chunked") != 0)
        return framing(walk->err, "the Transfer-Encoding is not offered: send \"chunked\" alone");
    if (walk->value[KNOWN_HOST] == NULL && !old)
        return framing(walk->err, "the Host header is missing: HTTP/1.1 requires it");
    if (walk->value[KNOWN_HOST] != NULL && !is_host(walk->value[KNOWN_HOST]))
        return framing(walk->err, "the Host header is no host name or address, with or without a port: correct it");
    *ret = (struct http_head){
        .known = true,
        .chunked = coding != NULL,
        .expects = walk->value[KNOWN_EXPECT] != NULL,
        .authorization = walk->value[KNOWN_AUTHORIZATION],
        .length = length == NULL ? 0 : number(length),
    };
    return true;
}

/* False when there is no memory. */
static bool read_trace(const struct walk *walk, struct request *request, struct problem *err)
{
    size_t len;
    const char *id = trace_id(walk->value[KNOWN_REQUEST_ID], walk->value[KNOWN_TRACEPARENT], &len);
    request->timing = trace_wants_timing(walk->value[KNOWN_PREFER]);
    if (id != NULL)
        request->id = arena_printf(&request->arena, "%.*s", (int)len, id);
    return id == NULL || request->id != NULL || problem_memory(err);
}

bool http_head_read(struct http_connection *connection, struct request *request, const char *method,
                    const char *version, struct http_head *ret, struct problem *err)
{
    struct walk walk = {.request = request, .err = err};
    *ret = (struct http_head){.known = false};
    request->call.method = arena_text(&request->arena, method);
    if (request->call.method == NULL) {
        request->call.method = "";
        return problem_memory(err);
    }
    const size_t target_len = strlen(request->call.target);
    if (!check_size(connection->mhd, request, err) || !check_target(request->call.target, target_len, err) ||
        !check_lines(&walk, connection, method, version, target_len) || !check_framing(&walk, version, ret) ||
        !read_trace(&walk, request, err))
        return false;
    if (walk.doubled != NULL)
        return several(err, PROBLEM_INVALID_HEADER, walk.doubled);
    for (unsigned i = 0; i < API_HEADER_COUNT; i++)
        request->call.header[i] = walk.value[KNOWN_API + i];
    return true;
}
