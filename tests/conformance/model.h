/* A model.onnx of one node that the server has, and the cases in its data sets. */
#ifndef TESTS_CONFORMANCE_MODEL_H
#define TESTS_CONFORMANCE_MODEL_H

#include "api/arena.h"
#include "ops/op.h"
#include "tests/conformance/array.h"
#include "tests/conformance/onnx.pb-c.h"
#include "tests/conformance/reason.h"

/* Owns itself; read-only once made, so several threads may read cases of it. */
struct model {
    struct arena arena;
    const struct op *op; /* the version in force at the model's operator set */
    const Conform__GraphProto *graph;
    const char *axes; /* the attribute as "0,2"; NULL if there is none */
};

enum model_kind {
    MODEL_RUNS,
    MODEL_OTHER, /* not a single node of a known operator: to be skipped */
    MODEL_BROKEN /* unreadable */
};

/* *why is set unless it runs; *ret is to be freed with model_free in any case. */
enum model_kind model_read(const char *path, struct model *ret, struct reason *why);
void model_free(struct model *model);

/* One input of a case: what a file or an initializer of the model has. */
struct case_input {
    const char *name; /* on the wire: "input" */
    const Conform__TensorProto *proto;
    struct array array;
};

struct test_case {
    const struct op *op;
    int inputs;
    struct case_input in[OP_MAX_INPUTS];
    const char *axes; /* as in the model */
    struct array want;
};

/* Reads the case of the folder data_set: an input of the node is the file input_K.pb when it is the graph's K-th input
 * and there is that file, else the initializer of its name. The case lives as long as the arena and the model. */
bool model_case(const struct model *model, const char *data_set, struct arena *arena, struct test_case *ret,
                struct reason *why);

#endif
