/* multipart/form-data (RFC 7578): a part for each input, cut out of the body where it stands.
 *
 * A delimiter is CRLF, "--" and the boundary (RFC 2046, section 5.1.1); that its rest is not that of a delimiter makes
 * the body malformed rather than the delimiter content, since a boundary must not occur in a part. What comes before the
 * first delimiter and after the last is ignored.
 */
#include "api/codec.h"

#include "api/ascii.h"
#include "api/file.h"
#include "api/params.h"

#define MAX_BOUNDARY 70 /* RFC 2046 */
#define MAX_PART_HEADER ((size_t)4096)

struct parser {
    uint8_t delimiter[4 + MAX_BOUNDARY]; /* with the CRLF before it */
    size_t delimiter_len;
    struct bytes rest; /* what is behind the last delimiter */
    bool last;         /* which was the closing one */
    struct problem *err;
};

struct part {
    struct bytes name;
    struct file_label label;
    struct bytes content;
};

/* ---- delimiters ---- */

/* RFC 2046: digits, letters and a few marks; not ending in a blank. */
static bool boundary_valid(struct bytes boundary)
{
    return boundary.len > 0 && boundary.len <= MAX_BOUNDARY && boundary.ptr[boundary.len - 1] != ' ' &&
           ascii_all(ASCII_BOUNDARY, (const char *)boundary.ptr, boundary.len);
}

static bool set_boundary(struct parser *p, const char *content_type)
{
    struct bytes boundary;
    if (!params_find(bytes_of(content_type), "boundary", &boundary) || !boundary_valid(boundary))
        return problem_set(p->err, PROBLEM_INVALID_HEADER, NULL, "Content-Type must be multipart/form-data with a boundary "
                           "of 1 to 70 letters, digits and '()+_,-./:=?");
    memcpy(p->delimiter, "\r\n--", 4);
    memcpy(p->delimiter + 4, boundary.ptr, boundary.len);
    p->delimiter_len = 4 + boundary.len;
    return true;
}

static bool refuse_delimiter(struct parser *p)
{
    return problem_set(p->err, PROBLEM_INVALID_REQUEST, NULL, "a boundary in the multipart body is followed by something "
                       "else than a line end or --: it must not occur in a part");
}

/* Reads what follows the boundary: "--" at the very end, then blanks and a line end. */
static bool pass_delimiter(struct parser *p, struct bytes rest)
{
    p->last = rest.len >= 2 && memcmp(rest.ptr, "--", 2) == 0;
    size_t at = p->last ? 2 : 0;
    while (at < rest.len && (rest.ptr[at] == ' ' || rest.ptr[at] == '\t'))
        at++;
    bool line = rest.len - at >= 2 && memcmp(rest.ptr + at, "\r\n", 2) == 0;
    if (!line && !(p->last && at == rest.len))
        return refuse_delimiter(p);
    at += line ? 2 : 0;
    p->rest = bytes_slice(rest, at, rest.len - at);
    return true;
}

/* Where in p->rest the next delimiter is, from byte `from` on; its length if there is none. */
static size_t find_delimiter(const struct parser *p, size_t from)
{
    const uint8_t *at = memmem(p->rest.ptr + from, p->rest.len - from, p->delimiter, p->delimiter_len);
    return at != NULL ? (size_t)(at - p->rest.ptr) : p->rest.len;
}

/* The first delimiter may lack its line end. */
static bool find_first(struct parser *p, struct bytes body)
{
    size_t len = p->delimiter_len - 2;
    if (body.len >= len && memcmp(body.ptr, p->delimiter + 2, len) == 0)
        return pass_delimiter(p, bytes_slice(body, len, body.len - len));
    p->rest = body;
    size_t at = find_delimiter(p, 0);
    if (at < body.len)
        return pass_delimiter(p, bytes_slice(body, at + p->delimiter_len, body.len - at - p->delimiter_len));
    return problem_set(p->err, PROBLEM_INVALID_REQUEST, NULL, "the boundary of Content-Type does not occur in the multipart "
                       "body");
}

/* ---- the header of a part ---- */

static bool refuse_header(struct parser *p)
{
    return problem_set(p->err, PROBLEM_INVALID_REQUEST, NULL, "each part needs a header such as Content-Disposition: "
                       "form-data; name=\"data\", at most %zu bytes of lines that end in CRLF, and an empty line",
                       MAX_PART_HEADER);
}

static bool read_disposition(struct parser *p, struct bytes value, struct part *ret)
{
    if (ret->name.ptr == NULL && bytes_equal_nocase(params_value(value), "form-data") && params_find(value, "name", &ret->name) &&
        params_find(value, "filename", &ret->label.filename) && ret->name.ptr != NULL)
        return true;
    return refuse_header(p);
}

/* RFC 7578, section 4.7: deprecated, and of use only where bytes of eight bits cannot be sent. To pass over base64 would be
 * to take its letters for the data. */
static bool check_coding(struct parser *p, struct bytes value)
{
    struct bytes coding = params_value(value);
    if (bytes_equal_nocase(coding, "binary") || bytes_equal_nocase(coding, "8bit") || bytes_equal_nocase(coding, "7bit"))
        return true;
    return problem_set(p->err, PROBLEM_NOT_OFFERED, NULL, "the Content-Transfer-Encoding '%.*s' of a part is not offered: "
                       "send the bytes as they are (curl: without encoder=)", problem_quote(coding),
                       (const char *)coding.ptr);
}

/* The lines that matter; others are ignored, as RFC 7578 says. */
static bool read_line(struct parser *p, struct bytes line, struct part *ret)
{
    const uint8_t *colon = line.len > 0 ? memchr(line.ptr, ':', line.len) : NULL;
    if (colon == NULL || line.ptr[0] == ' ' || line.ptr[0] == '\t')
        return refuse_header(p);
    struct bytes name = bytes_slice(line, 0, (size_t)(colon - line.ptr));
    struct bytes value = bytes_slice(line, name.len + 1, line.len - name.len - 1);
    if (bytes_equal_nocase(name, "Content-Disposition"))
        return read_disposition(p, value, ret);
    if (bytes_equal_nocase(name, "Content-Transfer-Encoding"))
        return check_coding(p, value);
    if (bytes_equal_nocase(name, "Content-Type"))
        ret->label.content_type = value;
    return true;
}

/* Reads the header that p->rest begins with; *ret_len is its length with the empty line. */
static bool read_header(struct parser *p, struct part *ret, size_t *ret_len)
{
    size_t room = p->rest.len < MAX_PART_HEADER ? p->rest.len : MAX_PART_HEADER;
    *ret = (struct part){.name = {.ptr = NULL}};
    for (size_t at = 0; at < room;) {
        const uint8_t *start = p->rest.ptr + at;
        const uint8_t *end = memmem(start, room - at, "\r\n", 2);
        if (end == NULL)
            break;
        struct bytes line = {.ptr = start, .len = (size_t)(end - start)};
        at += line.len + 2;
        *ret_len = at;
        if (line.len == 0)
            return ret->name.ptr != NULL || refuse_header(p);
        if (!read_line(p, line, ret))
            return false;
    }
    return refuse_header(p);
}

/* ---- parts ---- */

/* The next part, and the delimiter behind it. */
static bool next_part(struct parser *p, struct part *ret)
{
    size_t header = 0;
    if (!read_header(p, ret, &header))
        return false;
    /* Without content the empty line may be the line end that belongs to the delimiter. */
    size_t at = find_delimiter(p, header - 2);
    if (at == p->rest.len)
        return problem_set(p->err, PROBLEM_INVALID_REQUEST, NULL, "the multipart body ends within the part \"%.*s\": its "
                           "last boundary, which ends in --, is missing", problem_quote(ret->name),
                           (const char *)ret->name.ptr);
    ret->content = bytes_slice(p->rest, header, at > header ? at - header : 0);
    size_t past = at + p->delimiter_len;
    return pass_delimiter(p, bytes_slice(p->rest, past, p->rest.len - past));
}

/* The JSON pointer to a member of that name (RFC 6901: "~0" is a '~', "~1" a '/'). */
static void point_at(struct bytes name, char *out, size_t size)
{
    size_t len = 0, end = (size_t)problem_quote(name);
    out[len++] = '/';
    for (size_t i = 0; i < end && len + 3 < size; i++) {
        char c = (char)name.ptr[i];
        if (c == '~' || c == '/') {
            out[len++] = '~';
            c = c == '~' ? (char)'0' : (char)'1';
        }
        out[len++] = c;
    }
    out[len] = '\0';
}

static bool find_input(const struct op *op, struct bytes name, int *ret, struct problem *err)
{
    for (int i = 0; i < op->inputs; i++) {
        *ret = i;
        if (bytes_equal(name, op->in[i].name))
            return true;
    }
    char pointer[160];
    point_at(name, pointer, sizeof(pointer));
    return problem_set(err, PROBLEM_UNKNOWN_NAME, pointer, "%s has no input \"%.*s\": name the parts %s and %s", op->name,
                       problem_quote(name), (const char *)name.ptr, op->in[0].name, op->in[op->inputs - 1].name);
}

bool codec_multipart_decode(struct arena *arena, const struct codec_limits *limits, const char *content_type,
                            struct bytes body, const struct query *query, struct call *ret, struct problem *err)
{
    struct parser parser = {.err = err};
    if (!set_boundary(&parser, content_type) || !find_first(&parser, body))
        return false;
    while (!parser.last) {
        struct part part;
        int index = 0;
        if (!next_part(&parser, &part) || !find_input(ret->op, part.name, &index, err) ||
            !file_decode(arena, limits, file_form(&part.label, part.content), part.content, query, index, ret, err))
            return false;
    }
    return true;
}
