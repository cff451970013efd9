#include "src/option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Digits only: no sign, no white space, no octal. */
static bool read_number(const char **text, uint64_t *ret)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    errno = 0;
    *ret = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

static bool read_count(const char *text, uint64_t *ret)
{
    return read_number(&text, ret) && *text == '\0';
}

static bool read_bytes(const char *text, uint64_t *ret)
{
    static const char suffixes[] = "KMGT";
    if (!read_number(&text, ret))
        return false;
    if (*text == '\0')
        return true;
    const char *suffix = strchr(suffixes, *text);
    unsigned shift = suffix == NULL ? 0 : 10 * (unsigned)(suffix - suffixes + 1);
    if (suffix == NULL || text[1] != '\0' || *ret > UINT64_MAX >> shift)
        return false;
    *ret <<= shift;
    return true;
}

/* "8", "0.25": at most three decimals, so that the value is exact. */
static bool read_seconds(const char *text, uint64_t *ret)
{
    if (!read_number(&text, ret) || *ret > UINT64_MAX / 1000 - 1)
        return false;
    *ret *= 1000;
    if (*text == '.') {
        text++;
        for (uint64_t unit = 100; unit > 0 && *text >= '0' && *text <= '9'; unit /= 10)
            *ret += unit * (uint64_t)(*text++ - '0');
    }
    return *text == '\0';
}

static bool read_mode(const char *text, uint64_t *ret)
{
    size_t len = strspn(text, "01234567");
    if (len == 0 || len > 4 || text[len] != '\0')
        return false;
    *ret = strtoull(text, NULL, 8);
    return true;
}

/* ---- words --------------------------------------------------------------------------------------------- */

static bool read_choice(const char *choices, const char *text, uint64_t *ret)
{
    uint64_t position = 0;
    for (const char *word = choices;; position++) {
        size_t len = strcspn(word, "|");
        if (strlen(text) == len && memcmp(text, word, len) == 0) {
            *ret = position;
            return true;
        }
        if (word[len] == '\0')
            return false;
        word += len + 1;
    }
}

/* The position of a word in a list with commas, or -1. */
static int find_word(const char *list, const char *word, size_t len)
{
    for (int position = 0;; position++) {
        size_t one = strcspn(list, ",");
        if (one == len && memcmp(list, word, len) == 0)
            return position;
        if (list[one] == '\0')
            return -1;
        list += one + 1;
    }
}

static bool read_set(const char *words, const char *text, uint64_t *ret)
{
    uint64_t set = 0;
    bool none = strcmp(text, "none") == 0;
    while (!none) {
        size_t len = strcspn(text, ",");
        int position = find_word(words, text, len);
        if (position < 0)
            return false;
        set |= (uint64_t)1 << position;
        if (text[len] == '\0')
            break;
        text += len + 1;
    }
    *ret = set;
    return true;
}

/* ---- addresses ----------------------------------------------------------------------------------------- */

/* The part before the last colon; IPv6 addresses stand in brackets. */
static bool read_host(const char *text, size_t len, char *out)
{
    bool bracketed = len >= 2 && text[0] == '[' && text[len - 1] == ']';
    if (bracketed) {
        text++;
        len -= 2;
    }
    if (len == 0 || len >= OPTIONS_HOST_MAX || (!bracketed && memchr(text, ':', len) != NULL))
        return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

#define UNIX_PREFIX "unix:"

static bool read_path(const char *text, struct endpoint *ret)
{
    size_t len = strlen(text);
    if (text[0] != '/' || len >= sizeof(ret->path))
        return false;
    memcpy(ret->path, text, len + 1);
    return true;
}

static bool read_endpoint(const char *text, struct endpoint *ret)
{
    *ret = (struct endpoint){.port = 0};
    if (strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0)
        return read_path(text + strlen(UNIX_PREFIX), ret);
    const char *colon = strrchr(text, ':');
    uint64_t port;
    if (colon == NULL || !read_count(colon + 1, &port) || port > UINT16_MAX)
        return false;
    ret->port = (uint16_t)port;
    return read_host(text, (size_t)(colon - text), ret->host);
}

static bool read_endpoints(const char *text, struct options *ret)
{
    for (;;) {
        char one[OPTIONS_HOST_MAX + sizeof("[]:65535")];
        size_t len = strcspn(text, ",");
        if (len >= sizeof(one) || ret->listen_count == OPTIONS_LISTEN_MAX)
            return false;
        memcpy(one, text, len);
        one[len] = '\0';
        if (!read_endpoint(one, &ret->listen[ret->listen_count]))
            return false;
        ret->listen_count++;
        if (text[len] == '\0')
            return true;
        text += len + 1;
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static bool read_uint(const struct option_row *row, const char *text, uint64_t *ret)
{
    switch (row->kind) {
    case OPTION_COUNT:
        return read_count(text, ret);
    case OPTION_BYTES:
        return read_bytes(text, ret);
    case OPTION_SECONDS:
        return read_seconds(text, ret);
    case OPTION_MODE:
        return read_mode(text, ret);
    case OPTION_SET:
        return read_set(row->argument, text, ret);
    default:
        return read_choice(row->argument, text, ret);
    }
}

bool option_read(const struct option_row *row, const char *text, struct options *ret)
{
    void *member = (char *)ret + row->offset;
    if (row->kind == OPTION_LISTEN)
        return read_endpoints(text, ret);
    if (row->kind == OPTION_PATH) {
        *(const char **)member = text;
        return *text != '\0';
    }
    if (row->kind == OPTION_LEVEL)
        return log_level_find(text, member);
    uint64_t value;
    if (!read_uint(row, text, &value))
        return false;
    bool word = row->kind == OPTION_CHOICE || row->kind == OPTION_SET;
    if (!word && (value < row->min || value > row->max))
        return false;
    *(uint64_t *)member = value;
    return true;
}

void option_print_wanted(const struct option_row *row, FILE *out)
{
    switch (row->kind) {
    case OPTION_COUNT:
        fprintf(out, "give a number from %" PRIu64 " to %" PRIu64, row->min, row->max);
        break;
    case OPTION_BYTES:
        fprintf(out, "give a number of bytes from %" PRIu64 " to %" PRIu64 ", also as 64K, 16M, 4G", row->min,
                row->max);
        break;
    case OPTION_SECONDS:
        fprintf(out, "give seconds from %g to %g", (double)row->min / 1000, (double)row->max / 1000);
        break;
    case OPTION_LEVEL:
        fputs("give error, warning, info or debug", out);
        break;
    case OPTION_PATH:
        fputs("give the name of a file", out);
        break;
    case OPTION_MODE:
        fprintf(out, "give permissions in octal, from %" PRIo64 " to %" PRIo64, row->min, row->max);
        break;
    case OPTION_CHOICE:
        fprintf(out, "give one of %s", row->argument);
        break;
    case OPTION_SET:
        fprintf(out, "give some of %s, or none", row->argument);
        break;
    case OPTION_LISTEN:
        fprintf(out,
                "give HOST:PORT (127.0.0.1:8000, [::1]:8000) or unix:/PATH of at most %d bytes, "
                "at most %d in all",
                OPTIONS_PATH_MAX - 1, OPTIONS_LISTEN_MAX);
        break;
    }
}
