#include "ops/op.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct op *const registry[] = {
#define X(descriptor) &descriptor,
    OP_TABLE(X)
#undef X
};

size_t op_count(void)
{
    return sizeof(registry) / sizeof(registry[0]);
}

const struct op *op_at(size_t index)
{
    return registry[index];
}

size_t op_index(const struct op *op)
{
    size_t index = 0;
    while (registry[index] != op)
        index++;
    return index;
}

const struct op *op_find(const char *name, int since)
{
    const struct op *op = op_in_force(name, since);
    return op != NULL && op->since == since ? op : NULL;
}

const struct op *op_in_force(const char *name, int64_t version)
{
    const struct op *found = NULL;
    for (size_t i = 0; i < op_count(); i++)
        if (strcmp(registry[i]->name, name) == 0 && registry[i]->since <= version)
            found = registry[i]; /* versions ascend, so the last one is the greatest */
    return found;
}

const struct op *op_newest(const char *name)
{
    return op_in_force(name, INT64_MAX);
}

const struct op *op_oldest(const char *name)
{
    for (size_t i = 0; i < op_count(); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

enum op_code op_refuse(struct op_diag *err, enum op_code code, int input, enum op_part part, int64_t element,
                       const char *format, ...)
{
    va_list args;
    *err = (struct op_diag){.code = code, .input = input, .part = part, .element = element};
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    return code;
}

/* The first version after `op` that permits `type` for input `index`, or NULL. */
static const struct op *first_to_permit(const struct op *op, int index, enum dtype type)
{
    for (size_t i = op_index(op) + 1; i < op_count() && strcmp(registry[i]->name, op->name) == 0; i++)
        if (dtype_in(type, registry[i]->in[index].types))
            return registry[i];
    return NULL;
}

/* Writes the names of the set, as "INT4, UINT4", into out[size]. */
static const char *list_types(dtype_set set, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (int type = DTYPE_NONE + 1; type < DTYPE_END && len < size; type++)
        if (dtype_in((enum dtype)type, set))
            len += (size_t)snprintf(out + len, size - len, "%s%s", len > 0 ? ", " : "",
                                    dtype_info((enum dtype)type)->name);
    return out;
}

static enum op_code check_type(const struct op *op, int index, enum dtype type, struct op_diag *err)
{
    const struct op_input *in = &op->in[index];
    if (dtype_in(type, in->types))
        return OP_OK;
    const char *name = dtype_info(type)->name;
    const struct op *later = first_to_permit(op, index, type);
    if (later != NULL)
        return op_refuse(err, OP_BAD_TYPE, index, OP_PART_DATATYPE, -1,
                         "%s of %s %d cannot have type %s: %s is permitted from %s %d on", in->name, op->onnx,
                         op->since, name, name, op->onnx, later->since);
    char names[sizeof(err->text)];
    return op_refuse(err, OP_BAD_TYPE, index, OP_PART_DATATYPE, -1, "%s of %s %d cannot have type %s: use %s", in->name,
                     op->onnx, op->since, name, list_types(in->types, names, sizeof(names)));
}

/* Sizes that are numbers (unless symbolic), that can be counted, and data for them. */
static enum op_code check_tensor(const struct op *op, int index, const struct tensor *in, bool symbolic,
                                 struct op_diag *err)
{
    const char *name = op->in[index].name;
    int64_t bytes = 0;
    if (!shape_known(&in->shape))
        return symbolic ? OP_OK
                        : op_refuse(err, OP_BAD_SHAPE, index, OP_PART_SHAPE, -1,
                                    "the shape of %s must be known: give every size as a number", name);
    if (!shape_bytes(&in->shape, in->dtype, &bytes))
        return op_refuse(err, OP_BAD_SHAPE, index, OP_PART_SHAPE, -1,
                         "the sizes of %s multiply to more than 2^63-1 bytes: use smaller ones", name);
    if (!symbolic && in->data == NULL && bytes > 0)
        return op_refuse(err, OP_MISSING, index, OP_PART_INPUT, -1, "%s has no data: add it", name);
    return OP_OK;
}

static enum op_code check_input(const struct op *op, const struct op_call *call, int index, struct op_diag *err)
{
    const struct tensor *in = call->in[index];
    if (in == NULL)
        return op_refuse(err, OP_MISSING, index, OP_PART_INPUT, -1, "%s %d needs the input %s: add it", op->onnx,
                         op->since, op->in[index].name);
    enum op_code code = check_type(op, index, in->dtype, err);
    return code != OP_OK ? code : check_tensor(op, index, in, call->symbolic, err);
}

enum op_code op_infer(const struct op *op, const struct op_call *call, struct tensor *ret, struct op_diag *err)
{
    for (int i = 0; i < op->inputs; i++) {
        enum op_code code = check_input(op, call, i, err);
        if (code != OP_OK)
            return code;
    }
    return op->infer(op, call, ret, err);
}
