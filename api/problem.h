/* What is wrong with a request: a stable code, one sentence that says what to change, and the member it is about.
 *
 * The only place where HTTP status numbers of errors stand. A problem is a value: no allocation, copied freely.
 */
#ifndef API_PROBLEM_H
#define API_PROBLEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/bytes.h"
#include "ops/op.h"

/*    id                     status  code (stable, part of the contract)   when */
#define PROBLEM_TABLE(X)                                                                                         \
    X(MALFORMED_JSON,           400, "malformed_json",        "the text is not JSON (RFC 8259)")                 \
    X(INVALID_REQUEST,          400, "invalid_request",       "a member is missing, doubled, or of a wrong kind") \
    X(UNKNOWN_NAME,             400, "unknown_name",          "no such input, output or member of a closed set") \
    X(UNSUPPORTED_DATATYPE,     400, "unsupported_datatype",  "a type unknown, or not permitted in this version") \
    X(INVALID_SHAPE,            400, "invalid_shape",         "a rank or size that is not possible here")        \
    X(INVALID_DATA,             400, "invalid_data",          "data do not fit shape or type")                   \
    X(INVALID_AXES,             400, "invalid_axes",          "an axis out of range or given twice")             \
    X(NOT_OFFERED,              400, "not_offered",           "a feature of the protocol that is not offered")   \
    X(INVALID_HEADER,           400, "invalid_header",        "a header value that cannot be used")              \
    X(BAD_FRAMING,              400, "bad_framing",           "the HTTP message is ambiguous; connection closed") \
    X(BAD_TARGET,               400, "bad_target",            "the request target cannot be decoded")            \
    X(CORRUPT_ENCODING,         400, "corrupt_encoding",      "the compressed body is broken")                   \
    X(UNAUTHORIZED,             401, "unauthorized",          "a token is needed, and there is no good one")     \
    X(UNKNOWN_PATH,             404, "unknown_path",          "no such path")                                    \
    X(UNKNOWN_MODEL,            404, "unknown_model",         "no such operator")                                \
    X(UNKNOWN_VERSION,          404, "unknown_version",       "no such operator version")                        \
    X(METHOD_NOT_ALLOWED,       405, "method_not_allowed",    "the path has other methods, see Allow")           \
    X(REQUEST_TOO_LARGE,        413, "request_too_large",     "the body exceeds the limit")                      \
    X(OUTPUT_TOO_LARGE,         413, "output_too_large",      "the output would exceed the limit")               \
    X(UNSUPPORTED_ENCODING,     415, "unsupported_encoding",  "a Content-Encoding that is not offered")          \
    X(HEAD_TOO_LARGE,           431, "head_too_large",        "request line and headers exceed the limit")       \
    X(OUT_OF_MEMORY,            503, "out_of_memory",         "no memory for this request now; retry")           \
    X(OVERLOADED,               503, "overloaded",            "too many requests at once; retry")                \
    X(DRAINING,                 503, "draining",              "the server is shutting down; use another one")    \
    X(TIMEOUT,                  503, "timeout",               "the request took longer than the deadline")       \
    X(INTERNAL,                 500, "internal",              "a bug; please report it")

enum problem_code {
    PROBLEM_NONE = 0,
#define X(id, status, word, when) PROBLEM_##id,
    PROBLEM_TABLE(X)
#undef X
    PROBLEM_END
};

struct problem {
    enum problem_code code;
    char detail[384];  /* one sentence, valid UTF-8, terminated */
    char pointer[192]; /* JSON pointer (RFC 6901) into the request document; for tensor files "/" and the name of the part
                          or parameter; or "" */
};

struct problem_info {
    int status;
    const char *code;
    const char *when;
};

/* The row of a code; never NULL. */
const struct problem_info *problem_info(enum problem_code code);

/* Fills *ret and returns false, so that a check can end with `return problem_set(...)`. pointer may be NULL. Bytes of the
 * formatted text that are not printable UTF-8 (it may quote the client) are replaced by '?', and text that is too long
 * is cut with "...". */
bool problem_set(struct problem *ret, enum problem_code code, const char *pointer, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));
bool problem_vset(struct problem *ret, enum problem_code code, const char *pointer, const char *format, va_list args)
    __attribute__((cold, format(printf, 4, 0)));

/* How many bytes of a text of the client a message quotes, for "%.*s". */
static inline int problem_quote(struct bytes text)
{
    return text.len < 64 ? (int)text.len : 64;
}

/* The sentence of PROBLEM_OUT_OF_MEMORY. */
#define PROBLEM_MEMORY_DETAIL                                           \
    "the server has no memory for this request now: retry later, or send less at once, in binary rather than JSON"

/* PROBLEM_OUT_OF_MEMORY with that sentence; returns false. */
bool problem_memory(struct problem *ret) __attribute__((cold));

/* Translates what an operator refused. `pointers` holds, per input of the operator, the JSON pointer of that input in
 * the request ("/inputs/1"); OP_OVERFLOW becomes OUTPUT_TOO_LARGE. Returns false. */
bool problem_from_op(struct problem *ret, const struct op_diag *diag, const char *const pointers[OP_MAX_INPUTS])
    __attribute__((cold));

#endif
