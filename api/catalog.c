#include "api/catalog.h"

#include <stdint.h>
#include <stdio.h>

bool catalog_newest(const struct op *op)
{
    return op_newest(op->name) == op;
}

/* "8, 13" for the versions of `name`, or with NULL "expand, unsqueeze"; cut when too long. Returns out. */
static const char *list(const char *name, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < op_count() && len < size; i++) {
        const struct op *op = op_at(i);
        const char *comma = len > 0 ? ", " : "";
        if (name == NULL && catalog_newest(op))
            len += (size_t)snprintf(out + len, size - len, "%s%s", comma, op->name);
        if (name != NULL && strcmp(op->name, name) == 0)
            len += (size_t)snprintf(out + len, size - len, "%s%d", comma, op->since);
    }
    return out;
}

/* The newest version whose name equals `name` by `equal`, or NULL. */
static const struct op *find_name(struct bytes name, bool (*equal)(struct bytes, const char *))
{
    for (size_t i = op_count(); i-- > 0;) { /* versions ascend, so the last one is the newest */
        const struct op *op = op_at(i);
        if (equal(name, op->name))
            return op;
    }
    return NULL;
}

static bool refuse_model(struct bytes name, struct problem *err)
{
    char models[128];
    const struct op *meant = find_name(name, bytes_equal_nocase);
    if (meant != NULL)
        return problem_set(err, PROBLEM_UNKNOWN_MODEL, NULL,
                           "there is no model '%.*s': names are case-sensitive, use '%s'", problem_quote(name),
                           (const char *)name.ptr, meant->name);
    return problem_set(err, PROBLEM_UNKNOWN_MODEL, NULL, "there is no model '%.*s': use one of %s", problem_quote(name),
                       (const char *)name.ptr, list(NULL, models, sizeof(models)));
}

/* Decimal without leading zeros; numbers beyond int64 stay at its greatest. */
static bool parse_version(struct bytes text, int64_t *ret)
{
    if (text.len == 0 || (text.len > 1 && text.ptr[0] == '0'))
        return false;
    int64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        int digit = text.ptr[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        value = value > (INT64_MAX - digit) / 10 ? INT64_MAX : value * 10 + digit;
    }
    *ret = value;
    return true;
}

static bool refuse_version(const struct op *newest, struct bytes text, const struct op *in_force,
                           struct problem *err)
{
    char versions[128];
    list(newest->name, versions, sizeof(versions));
    if (in_force == NULL)
        return problem_set(err, PROBLEM_UNKNOWN_VERSION, NULL,
                           "%s has no version %.*s: %s begins at %d, use one of %s", newest->name,
                           problem_quote(text), (const char *)text.ptr, newest->onnx, op_oldest(newest->name)->since,
                           versions);
    return problem_set(
        err, PROBLEM_UNKNOWN_VERSION, NULL,
        "%s has no version %.*s: use %d, which is in force at operator set %.*s (there are %s)", newest->name,
        problem_quote(text), (const char *)text.ptr, in_force->since, problem_quote(text), (const char *)text.ptr, versions);
}

static bool find_version(const struct op *newest, struct bytes text, const struct op **ret,
                         struct problem *err)
{
    char versions[128];
    int64_t number;
    if (!parse_version(text, &number))
        return problem_set(err, PROBLEM_UNKNOWN_VERSION, NULL,
                           "'%.*s' is not a version of %s, a number without leading zeros: use one of %s",
                           problem_quote(text), (const char *)text.ptr, newest->name,
                           list(newest->name, versions, sizeof(versions)));
    const struct op *in_force = op_in_force(newest->name, number);
    if (in_force == NULL || in_force->since != number)
        return refuse_version(newest, text, in_force, err);
    *ret = in_force;
    return true;
}

bool catalog_find(struct bytes name, const struct bytes *version, const struct op **ret, struct problem *err)
{
    const struct op *newest = find_name(name, bytes_equal);
    if (newest == NULL)
        return refuse_model(name, err);
    if (version != NULL)
        return find_version(newest, *version, ret, err);
    *ret = newest;
    return true;
}
