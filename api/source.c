#include "api/source.h"

#include <string.h>

/* Picoseconds a byte, as measured by tests/bench. Short rows cost hardly more than what memory gives. */
#define COST_COPY 100

static size_t at_most(uint64_t left, size_t n)
{
    return left < n ? (size_t)left : n;
}

struct bytes_source {
    struct source base;
    struct bytes rest;
};

static size_t pull_bytes(struct source *self, uint8_t *out, size_t n)
{
    struct bytes_source *s = (struct bytes_source *)self;
    size_t take = at_most(s->rest.len, n);
    if (take > 0)
        memcpy(out, s->rest.ptr, take);
    s->rest = bytes_slice(s->rest, take, s->rest.len - take);
    return take;
}

struct source *source_bytes(struct arena *arena, struct bytes bytes)
{
    struct bytes_source *ret = arena_alloc(arena, 1, sizeof(*ret));
    if (ret == NULL)
        return NULL;
    *ret = (struct bytes_source){.base = {.length = bytes.len, .cost = COST_COPY, .pull = pull_bytes}, .rest = bytes};
    return &ret->base;
}

struct view_source {
    struct source base;
    uint64_t pos;
    struct copy_plan plan;
};

static size_t pull_view(struct source *self, uint8_t *out, size_t n)
{
    struct view_source *s = (struct view_source *)self;
    size_t take = at_most(s->plan.bytes - s->pos, n);
    copy_range(&s->plan, s->pos, take, out);
    s->pos += take;
    return take;
}

struct source *source_view(struct arena *arena, const struct tensor *view)
{
    struct view_source *ret = arena_alloc(arena, 1, sizeof(*ret));
    if (ret == NULL)
        return NULL;
    copy_plan_init(&ret->plan, view);
    ret->base = (struct source){.length = ret->plan.bytes, .cost = COST_COPY, .pull = pull_view};
    ret->pos = 0;
    return &ret->base;
}

struct concat_source {
    struct source base;
    size_t at, count;
    struct source *part[];
};

static size_t pull_concat(struct source *self, uint8_t *out, size_t n)
{
    struct concat_source *s = (struct concat_source *)self;
    size_t done = 0;
    while (done < n && s->at < s->count) {
        done += source_pull(s->part[s->at], out + done, n - done);
        if (done < n)
            s->at++;
    }
    return done;
}

struct source *source_concat(struct arena *arena, struct source *const parts[], size_t n)
{
    struct concat_source *ret = arena_alloc(arena, 1, sizeof(*ret) + n * sizeof(parts[0]));
    if (ret == NULL)
        return NULL;
    *ret = (struct concat_source){.base = {.length = 0, .pull = pull_concat}, .count = n};
    for (size_t i = 0; i < n; i++) {
        ret->part[i] = parts[i];
        if (parts[i]->cost > ret->base.cost)
            ret->base.cost = parts[i]->cost;
        bool unknown = ret->base.length == SOURCE_LENGTH_UNKNOWN || parts[i]->length == SOURCE_LENGTH_UNKNOWN;
        ret->base.length = unknown ? SOURCE_LENGTH_UNKNOWN : ret->base.length + parts[i]->length;
    }
    return &ret->base;
}
