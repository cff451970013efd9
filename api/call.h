/* A request to run an operator, in the one form that all codecs decode to and that infer.c works on. */
#ifndef API_CALL_H
#define API_CALL_H

#include <stdbool.h>

#include "api/bytes.h"
#include "ops/op.h"

#define CALL_POINTER_MAX 64

/* One input of the operator, found by its name. */
struct call_input {
    bool given;
    char pointer[CALL_POINTER_MAX]; /* where it stands in the request: "/inputs/1", "/parameters/axes" */
    struct tensor tensor;           /* dense; data borrowed from the body or the arena */
};

/* How the output was asked for. */
enum call_form { FORM_JSON, FORM_BINARY };

struct call {
    const struct op *op;
    struct bytes id; /* raw JSON string token with its quotes, to be echoed byte for byte; len 0: none */
    struct call_input in[OP_MAX_INPUTS]; /* in the operator's order */
    enum call_form form;
};

#endif
