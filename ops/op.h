/* Operators: one const descriptor per operator version, a registry, and the one call that may refuse.
 *
 * To add an operator: write ops/NAME.c with its descriptors, list them in OP_TABLE below, name the file in Makefile.am,
 * add tests/ops/test_NAME.c. Metadata, contract and error messages follow from the descriptor.
 *
 * Nothing here allocates, logs or knows of HTTP; all of it is usable from any thread.
 */
#ifndef OPS_OP_H
#define OPS_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/tensor.h"

#define OP_MAX_INPUTS 2

/* One input, in ONNX's order. */
struct op_input {
    const char *name; /* as in the ONNX schema: "data", "axes" */
    dtype_set types;  /* the permitted types in this version */
    bool attribute;   /* this version of ONNX has it as an attribute, given as `parameters` or as an input */
    bool sizes;       /* its values are sizes, which in shape inference may be names or unknown */
};

/* Why op_infer refused. */
enum op_code {
    OP_OK,
    OP_BAD_TYPE,     /* a type that this version does not permit */
    OP_MISSING,      /* a required input, or its data, is absent */
    OP_BAD_RANK,     /* an input of the wrong rank, or a result over SHAPE_MAX_RANK */
    OP_BAD_SHAPE,    /* a negative or incompatible size in `shape`; an input's own shape that is no shape */
    OP_BAD_AXES,     /* an axis out of range or given twice */
    OP_OVERFLOW,     /* the size of the output is not representable */
};

/* The member of an input that is at fault. */
enum op_part { OP_PART_INPUT, OP_PART_DATATYPE, OP_PART_SHAPE, OP_PART_DATA };

/* What was wrong and with what: enough for the caller to point at the member of its own request. */
struct op_diag {
    enum op_code code;
    int input;         /* index into op->in */
    enum op_part part; /* of that input */
    int64_t element;   /* flat index into the input's data or shape when part says so, else -1 */
    char text[256];    /* one sentence that says what to change; ASCII, terminated */
};

/* What an operator is called with. Inputs that are absent are NULL. */
struct op_call {
    const struct tensor *in[OP_MAX_INPUTS];
    bool symbolic; /* shape inference: sizes, and the data of inputs of sizes, may be names or unknown (shape.h), and
                      data may be absent; the result may then be not fully known */
};

struct op {
    const char *name; /* model name on the wire, lower case: "expand" */
    const char *onnx; /* as in ONNX: "Expand" */
    int since;        /* since-version, ONNX operator set */
    const char *output;
    int inputs;
    struct op_input in[OP_MAX_INPUTS];
    /* Rules of this operator beyond types and arity, which op_infer has checked before. */
    enum op_code (*infer)(const struct op *op, const struct op_call *call, struct tensor *ret, struct op_diag *err);
};

/* Validates the call and makes *ret the output as a view of the inputs' bytes. On refusal returns the code, fills *err,
 * and leaves *ret alone. Costs O(rank) whatever the size of the tensors. */
enum op_code op_infer(const struct op *op, const struct op_call *call, struct tensor *ret, struct op_diag *err);

/* Fills *err and returns its code; for operators' own checks. */
enum op_code op_refuse(struct op_diag *err, enum op_code code, int input, enum op_part part, int64_t element,
                       const char *format, ...) __attribute__((cold, format(printf, 6, 7)));

/* The registry: one line per descriptor, names in alphabetical order, versions ascending. Each is defined in the file of
 * its operator. */
#define OP_TABLE(X)      \
    X(op_expand_8)       \
    X(op_expand_13)      \
    X(op_unsqueeze_1)    \
    X(op_unsqueeze_11)   \
    X(op_unsqueeze_13)   \
    X(op_unsqueeze_21)   \
    X(op_unsqueeze_23)   \
    X(op_unsqueeze_24)   \
    X(op_unsqueeze_25)

#define X(descriptor) extern const struct op descriptor;
OP_TABLE(X)
#undef X

size_t op_count(void);
const struct op *op_at(size_t index);
size_t op_index(const struct op *op); /* the inverse of op_at */

/* The descriptor of `name` whose since-version is exactly `since`, or NULL. */
const struct op *op_find(const char *name, int since);

/* The one in force at operator set `version`: the greatest since-version <= it, or NULL before the first. */
const struct op *op_in_force(const char *name, int64_t version);

/* The newest and the oldest of a name, or NULL if there is no such operator. */
const struct op *op_newest(const char *name);
const struct op *op_oldest(const char *name);

#endif
