/* Header values that are lists or have parameters: qualities stay in their range and do not hang on the case of letters or
 * on blanks, and what is found of parameters lies within the value.
 *
 * Input: a line with a name, then the value. */
#include <ctype.h>

#include "api/encoding.h"
#include "api/negotiate.h"
#include "api/params.h"
#include "tests/fuzz/fuzz.h"

static char *text_of(struct bytes bytes)
{
    char *text = malloc(bytes.len + 1);
    if (bytes.len > 0)
        memcpy(text, bytes.ptr, bytes.len);
    text[bytes.len] = '\0';
    return text;
}

static void check_negotiation(const char *value, const char *name)
{
    int quality = negotiate_quality(value, name);
    REQUIRE(quality >= QUALITY_NONE && quality <= QUALITY_MAX, "quality %d", quality);
    char *upper = text_of(bytes_of(value));
    for (char *p = upper; *p != '\0'; p++)
        *p = (char)toupper((unsigned char)*p);
    REQUIRE(negotiate_quality(upper, name) == quality, "the case of letters matters");
    REQUIRE(bytes_equal_nocase(media_type(upper), name) == bytes_equal_nocase(media_type(value), name),
            "the case of letters matters");
    REQUIRE(encoding_accepted(upper) == encoding_accepted(value), "the case of letters matters");
    free(upper);
}

static void check_params(const char *value, const char *name)
{
    struct bytes header = bytes_of(value), found;
    const uint8_t *end = header.ptr + header.len;
    bool good = params_find(header, name, &found);
    if (good && found.ptr != NULL)
        REQUIRE(found.ptr >= header.ptr && found.len <= (size_t)(end - found.ptr), "a parameter outside of the value");
    struct bytes first = params_value(header);
    REQUIRE(first.len == 0 || memchr(first.ptr, ';', first.len) == NULL, "the value has a ';'");
}

static void check_encoding(const char *value)
{
    enum encoding encoding = ENCODING_IDENTITY;
    struct problem err = {.code = PROBLEM_NONE};
    bool good = encoding_find(value, &encoding, &err);
    REQUIRE(good == (err.code == PROBLEM_NONE), "a refusal without a reason, or a reason without one");
    REQUIRE(good || err.code == PROBLEM_UNSUPPORTED_ENCODING, "refused as %s", problem_info(err.code)->code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct feed feed = feed_of(data, size);
    char *name = text_of(feed_line(&feed));
    char *value = text_of(feed_rest(&feed));
    check_negotiation(value, name);
    check_params(value, name);
    check_encoding(value);
    free(name);
    free(value);
    return 0;
}
