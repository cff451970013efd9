/* A request to run an operator, in the one form that all codecs decode to and that infer.c works on. */
#ifndef API_CALL_H
#define API_CALL_H

#include <stdbool.h>

#include "api/bytes.h"
#include "api/symbols.h"
#include "ops/op.h"

#define CALL_POINTER_MAX 64

/* One input of the operator, found by its name. */
struct call_input {
    bool given;
    char pointer[CALL_POINTER_MAX]; /* where it stands in the request: "/inputs/1", "/parameters/axes", "/axes" */
    struct tensor tensor;           /* dense; data borrowed from the body or the arena */
    bool names; /* its values may be names or unknown (ops/shape.h); else numbers that look like those are just numbers */
    bool ucs4;                      /* BYTES that came as characters in a .npy: a .npy answer holds characters too */
};

/* How the output was asked for, and what a tensor file can be (JSON text, .npy, TensorProto, raw bytes). */
enum call_form { FORM_JSON, FORM_BINARY, FORM_NPY, FORM_PROTOBUF, FORM_RAW };

struct call {
    const struct op *op;
    struct bytes id; /* raw JSON string token with its quotes, to be echoed byte for byte; len 0: none */
    struct call_input in[OP_MAX_INPUTS]; /* in the operator's order */
    enum call_form form;
    bool files; /* the inputs came as tensor files */
    /* Only the shape of the output is wanted: data may be absent, sizes may be names or unknown. Set before decoding by
     * /shape; decoding sets it where the request's parameters say so. */
    bool dry_run;
    struct symbols symbols;
};

/* Makes *ret a call to which nothing has been given yet. Leaves the sizes and strides alone that no tensor has. */
void call_init(struct call *ret, const struct op *op, bool dry_run);

#endif
