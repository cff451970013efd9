/* The walk is a sequence of runs, each a block of adjacent pieces repeated some times in a row: `[3,1] -> [2,3,6]` is
 * six runs of one piece six times, `[4] -> [3,4]` one run of four pieces three times. Only the place in the current run
 * has to be kept between two pulls. */
#include "api/pieces.h"

#include <string.h>

/* Measured by tests/bench: short runs cost more than copies, far less than printing. */
#define COST_PIECES 400

/* Once this much repeats of a block have been written, they are copied as a whole. */
#define TILE ((size_t)64 << 10)

struct run {
    const uint8_t *block;
    size_t len;
    uint64_t times;
};

struct pieces_source {
    struct source base;
    uint64_t left; /* bytes to come */
    struct pieces pieces;
    int outer;                      /* leading dimensions of the layout that number the runs */
    int64_t block_elements;         /* pieces in a block */
    uint64_t times;                 /* repeats of a block in a run */
    int64_t index[SHAPE_MAX_RANK];  /* of the current run */
    int64_t element;                /* first element of its block */
    uint64_t done;                  /* bytes of the current run already written */
    struct layout layout;
};

bool pieces_length(const struct pieces *pieces, const struct tensor *view, uint64_t *ret)
{
    int64_t elements = 0;
    *ret = 0;
    if (!shape_elements(&view->shape, &elements))
        return false;
    if (elements == 0)
        return true;
    uint64_t once = pieces->offset[pieces->count] - pieces->offset[0];
    uint64_t repeats = (uint64_t)(elements / pieces->count);
    return !__builtin_mul_overflow(once, repeats, ret) && *ret <= INT64_MAX;
}

/* Makes the trailing dimensions part of a run: a dense one is the block, a repeated one above it the times. */
static void find_runs(struct pieces_source *s)
{
    const struct layout *l = &s->layout;
    s->outer = l->rank;
    s->block_elements = 1;
    s->times = 1;
    if (s->outer > 0 && l->stride[s->outer - 1] == 1)
        s->block_elements = l->dim[--s->outer];
    if (s->outer > 0 && l->stride[s->outer - 1] == 0)
        s->times = (uint64_t)l->dim[--s->outer];
}

static struct run current_run(const struct pieces_source *s)
{
    uint64_t from = s->pieces.offset[s->element];
    uint64_t to = s->pieces.offset[s->element + s->block_elements];
    return (struct run){.block = s->pieces.base + from, .len = (size_t)(to - from), .times = s->times};
}

static void next_run(struct pieces_source *s)
{
    s->done = 0;
    for (int d = s->outer - 1; d >= 0; d--) {
        s->element += s->layout.stride[d];
        if (++s->index[d] < s->layout.dim[d])
            return;
        s->element -= s->layout.stride[d] * s->layout.dim[d];
        s->index[d] = 0;
    }
}

/* n bytes of a block repeated without end, from byte `phase` of it on: written once, then doubled from what is there. */
static void repeat(uint8_t *out, size_t n, const uint8_t *block, size_t len, size_t phase)
{
    size_t head = len - phase < n ? len - phase : n;
    memcpy(out, block + phase, head);
    out += head;
    n -= head;
    if (n == 0)
        return;
    size_t have = len < n ? len : n;
    memcpy(out, block, have);
    while (have < n) {
        size_t whole = have <= TILE ? have : TILE / len * len;
        if (whole == 0)
            whole = len;
        size_t step = whole < n - have ? whole : n - have;
        memcpy(out + have, out, step);
        have += step;
    }
}

static size_t pull_pieces(struct source *self, uint8_t *out, size_t n)
{
    struct pieces_source *s = (struct pieces_source *)self;
    size_t want = s->left < n ? (size_t)s->left : n;
    for (size_t done = 0; done < want;) {
        struct run run = current_run(s);
        uint64_t rest = run.times * run.len - s->done;
        size_t take = rest < want - done ? (size_t)rest : want - done;
        if (take > 0)
            repeat(out + done, take, run.block, run.len, (size_t)(s->done % run.len));
        done += take;
        s->done += take;
        if (take == rest)
            next_run(s);
    }
    s->left -= want;
    return want;
}

struct source *source_pieces(struct arena *arena, const struct pieces *pieces, const struct tensor *view, size_t drop)
{
    uint64_t length = 0;
    struct pieces_source *ret = arena_zalloc(arena, 1, sizeof(*ret));
    if (ret == NULL || !pieces_length(pieces, view, &length))
        return NULL;
    if (length > 0)
        length -= drop;
    ret->base = (struct source){.length = length, .cost = COST_PIECES, .pull = pull_pieces};
    ret->left = length;
    ret->pieces = *pieces;
    layout_init(&ret->layout, view);
    if (ret->layout.elements > 0)
        find_runs(ret);
    return &ret->base;
}
