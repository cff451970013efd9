#include "src/tokens.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

/* Shorter ones could be guessed. */
#define SHORT 16

#define DIGEST_BYTES 32 /* of SHA-256 */

struct set {
    size_t count, room;
    uint8_t (*digest)[DIGEST_BYTES];
};

struct tokens {
    const char *path;
    const struct log *log;
    pthread_mutex_t lock; /* for: */
    struct set set;
};

/* ---- lines --------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The length of the token that begins here: b64token of RFC 6750, section 2.1. */
static size_t token_length(const char *text)
{
    static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/";
    size_t len = strspn(text, chars);
    return len == 0 ? 0 : len + strspn(text + len, "=");
}

enum line { LINE_TOKEN, LINE_EMPTY, LINE_BAD };

static enum line read_line(const char *line, const char **token, size_t *len)
{
    while (is_blank(*line))
        line++;
    *token = line;
    *len = token_length(line);
    const char *rest = line + *len;
    bool apart = *len == 0 || is_blank(*rest) || *rest == '\0';
    while (is_blank(*rest))
        rest++;
    if (!apart || (*rest != '\0' && *rest != '#'))
        return LINE_BAD;
    return *len == 0 ? LINE_EMPTY : LINE_TOKEN;
}

/* ---- sets ---------------------------------------------------------------------------------------------- */

static bool digest_of(const char *token, size_t len, uint8_t out[DIGEST_BYTES])
{
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, token, len, out) >= 0;
}

static bool set_add(struct set *set, const char *token, size_t len)
{
    if (set->count == set->room) {
        size_t room = set->room == 0 ? 8 : 2 * set->room;
        void *grown = realloc(set->digest, room * sizeof(set->digest[0]));
        if (grown == NULL)
            return false;
        set->digest = grown;
        set->room = room;
    }
    return digest_of(token, len, set->digest[set->count++]);
}

/* `whole`: it has not been cut. */
static bool add_line(const struct tokens *tokens, struct set *set, const char *line, bool whole, unsigned number)
{
    const char *token;
    size_t len;
    enum line kind = whole ? read_line(line, &token, &len) : LINE_BAD;
    if (kind == LINE_EMPTY)
        return true;
    if (kind == LINE_BAD) {
        log_write(tokens->log, LOG_ERROR,
                  "line %u of %s is no token: give one a line, of A-Z a-z 0-9 - . _ ~ + / and = at its end",
                  number, tokens->path);
        return false;
    }
    if (len < SHORT)
        log_write(tokens->log, LOG_WARNING, "the token in line %u of %s is short: it could be guessed", number,
                  tokens->path);
    return set_add(set, token, len);
}

static bool read_lines(const struct tokens *tokens, FILE *file, struct set *ret)
{
    char line[TOKENS_LENGTH_MAX + 3];
    bool good = true;
    unsigned number = 0;
    while (good && fgets(line, sizeof(line), file) != NULL) {
        bool whole = strchr(line, '\n') != NULL || feof(file); /* not too long, and no NUL in it */
        good = add_line(tokens, ret, line, whole, ++number);
    }
    explicit_bzero(line, sizeof(line));
    return good;
}

/* False with a log line. *ret is to be freed in any case. */
static bool read_file(const struct tokens *tokens, struct set *ret)
{
    *ret = (struct set){0};
    FILE *file = fopen(tokens->path, "re");
    if (file == NULL) {
        log_write(tokens->log, LOG_ERROR, "cannot read %s: %s", tokens->path, strerror(errno));
        return false;
    }
    char buffer[BUFSIZ]; /* ours, to be wiped */
    setvbuf(file, buffer, _IOFBF, sizeof(buffer));
    bool good = read_lines(tokens, file, ret);
    bool read = ferror(file) == 0;
    fclose(file);
    explicit_bzero(buffer, sizeof(buffer));
    if (good && (!read || ret->count == 0))
        log_write(tokens->log, LOG_ERROR, read ? "there is no token in %s" : "cannot read %s", tokens->path);
    return good && read && ret->count > 0;
}

/* ---- the set in force ---------------------------------------------------------------------------------- */

static bool has(const struct set *set, const uint8_t digest[DIGEST_BYTES])
{
    unsigned same = 0;
    for (size_t i = 0; i < set->count; i++)
        same |= gnutls_memcmp(set->digest[i], digest, DIGEST_BYTES) == 0;
    return same != 0;
}

bool tokens_accept(struct tokens *tokens, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    uint8_t digest[DIGEST_BYTES];
    if (authorization == NULL || strncasecmp(authorization, scheme, strlen(scheme)) != 0)
        return false;
    const char *token = authorization + strlen(scheme);
    token += strspn(token, " ");
    if (!digest_of(token, strlen(token), digest))
        return false;
    pthread_mutex_lock(&tokens->lock);
    bool found = has(&tokens->set, digest);
    pthread_mutex_unlock(&tokens->lock);
    return found;
}

static void exchange(struct tokens *tokens, struct set *set)
{
    pthread_mutex_lock(&tokens->lock);
    struct set old = tokens->set;
    tokens->set = *set;
    pthread_mutex_unlock(&tokens->lock);
    *set = old;
}

/* Keeps the old ones if the new are no good. */
static bool load(struct tokens *tokens)
{
    struct set set;
    bool good = read_file(tokens, &set);
    if (good) {
        log_write(tokens->log, LOG_INFO, "%zu tokens in %s", set.count, tokens->path);
        exchange(tokens, &set);
    }
    free(set.digest);
    return good;
}

void tokens_reload(struct tokens *tokens)
{
    if (!load(tokens))
        log_write(tokens->log, LOG_ERROR, "the tokens that were in use stay in use");
}

struct tokens *tokens_create(const char *path, const struct log *log)
{
    struct tokens *tokens = calloc(1, sizeof(*tokens));
    if (tokens == NULL)
        return NULL;
    tokens->path = path;
    tokens->log = log;
    pthread_mutex_init(&tokens->lock, NULL);
    if (load(tokens))
        return tokens;
    tokens_destroy(tokens);
    return NULL;
}

void tokens_destroy(struct tokens *tokens)
{
    if (tokens == NULL)
        return;
    free(tokens->set.digest);
    pthread_mutex_destroy(&tokens->lock);
    free(tokens);
}

bool tokens_first(const char *path, char *out, size_t size)
{
    char line[TOKENS_LENGTH_MAX + 3];
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        const char *token;
        size_t len;
        found = read_line(line, &token, &len) == LINE_TOKEN && len < size;
        if (found)
            snprintf(out, size, "%.*s", (int)len, token);
    }
    if (file != NULL)
        fclose(file);
    return found;
}
