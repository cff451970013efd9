/* Ways to put a case on the wire. */
#ifndef TESTS_CONFORMANCE_CODEC_H
#define TESTS_CONFORMANCE_CODEC_H

#include <stdbool.h>

#include "api/arena.h"
#include "tests/conformance/exchange.h"
#include "tests/conformance/model.h"
#include "tests/conformance/reason.h"

struct codec {
    const char *name; /* for --codec */
    /* False with the reason if this form cannot carry the case; NULL: it carries everything. */
    bool (*carries)(const struct test_case *test, struct arena *arena, struct reason *why);
    void (*encode)(const struct test_case *test, struct arena *arena, struct request *ret);
    /* Reads the output from an answer of status 200; it may borrow from the answer and the arena. */
    bool (*decode)(const struct test_case *test, struct arena *arena, const struct response *response,
                   struct array *ret, struct reason *why);
};

#define CODEC_COUNT 4
extern const struct codec codec_json;      /* Open Inference Protocol, values in the document */
extern const struct codec codec_binary;    /* its binary tensor extension */
extern const struct codec codec_protobuf;  /* TensorProto as the body, the small tensor in the query */
extern const struct codec codec_multipart; /* a TensorProto file for each input */

/* The codec at `index` < CODEC_COUNT, in the order above. */
const struct codec *codec_at(int index);
const struct codec *codec_find(const char *name);

#endif
