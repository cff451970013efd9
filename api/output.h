/* An output on its way out: what encoders are given, and what all of them do with it. */
#ifndef API_OUTPUT_H
#define API_OUTPUT_H

#include "api/arena.h"
#include "api/call.h"
#include "api/pieces.h"
#include "api/problem.h"
#include "api/source.h"

struct output {
    struct arena *arena;
    const struct call *call;
    const struct tensor *view;  /* the output, of call->op */
    const struct tensor *input; /* the dense tensor whose elements the view repeats */
    uint64_t max_bytes;         /* that may be sent */
    struct problem *err;
};

/* What a maker of sources has made; *err is filled if that is NULL, for want of memory. */
struct source *output_made(const struct output *output, struct source *source);

/* Refuses the output for its size, blaming the small input if it repeats anything, else the tensor. Returns NULL. */
struct source *output_too_large(const struct output *output);

/* The elements as pieces (source_pieces), unless they exceed the limit. */
struct source *output_pieces(const struct output *output, const struct pieces *pieces, size_t drop);

/* The elements as the binary tensor extension has them, unless they exceed the limit. */
struct source *output_binary(const struct output *output);

/* The sources one after another; NULL if one of them is, or if they exceed the limit together. */
struct source *output_concat(const struct output *output, struct source *const parts[], size_t n);

#endif
