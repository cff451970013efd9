/* For Frama-C's WP (tests/prove/run.sh): Expand and Unsqueeze for every rank, every size, name, stride, axis and list there
 * is; nothing is bounded but by the types and by SHAPE_MAX_RANK, which the operators enforce themselves.
 *
 * Shown of every function of ops/expand.c and ops/unsqueeze.c, of those of ops/shape.c that they call, each by the contracts
 * of those that it calls in turn: no operation overflows or shifts too far, no array is left, no element of a list is read
 * that it does not have. And of the results: the broadcast rule is that of ONNX's Broadcasting.md.
 *
 * What op_infer checks beforehand is assumed here.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*@ assigns \nothing;
    ensures \result == 1 <==> 0 <= dim;
    ensures \result == 0 || \result == 1; */
static inline bool dim_known(int64_t dim);

/*@ assigns \nothing;
    ensures \result == 1 ==> dim < 0;
    ensures \result == 0 || \result == 1; */
static inline bool dim_symbolic(int64_t dim);

#include "ops/op.h"

/*@ predicate is_shape{L}(struct shape *s) = \valid_read(s) && -1 <= s->rank <= 64;
    predicate is_known{L}(struct shape *s) = 0 <= s->rank && \forall integer i; 0 <= i < s->rank ==> 0 <= s->dim[i];
    predicate is_tensor{L}(struct tensor *t) = \valid_read(t) && -1 <= t->shape.rank <= 64;
    predicate fits(integer a, integer b) = a == b || a == 1 || b == 1 || a < 0 || b < 0; */

/* ---- shape.h, dtype.h */

/*@ requires is_shape(shape);
    assigns \nothing;
    ensures \result == 1 <==> is_known(shape);
    ensures \result == 0 || \result == 1; */
bool shape_known(const struct shape *shape);

/*@ requires is_shape(shape) && is_known(shape) && \valid(ret) && \separated(ret, shape);
    assigns *ret;
    ensures \result == 0 || \result == 1;
    ensures \result == 1 ==> 0 <= *ret; */
bool shape_elements(const struct shape *shape, int64_t *ret);

/*@ requires is_shape(shape) && is_known(shape) && \valid(ret) && \separated(ret, shape);
    requires 1 <= type <= 26;
    assigns *ret; */
bool shape_bytes(const struct shape *shape, enum dtype type, int64_t *ret);

/*@ requires 1 <= type <= 26 && 0 <= elements && \valid(ret);
    assigns *ret; */
bool dtype_bytes(enum dtype type, int64_t elements, int64_t *ret);

/*@ requires \valid(ret);
    assigns *ret;
    ensures \result == 0 || \result == 1;
    ensures \result == 1 <==> fits(a, b);
    ensures \result == 1 && 0 <= a && 0 <= b ==> *ret == (a == 1 ? b : a);
    ensures \result == 1 && a == 1 ==> *ret == b;
    ensures \result == 1 && b == 1 ==> *ret == a;
    ensures \result == 1 && a == b ==> *ret == a;
    ensures \result == 1 && 0 <= a && b < 0 && a != 1 ==> *ret == a;
    ensures \result == 1 && a < 0 && 0 <= b && b != 1 ==> *ret == b;
    ensures \result == 1 && a < 0 && b < 0 && a != b ==> *ret == DIM_UNKNOWN; */
bool dim_broadcast(int64_t a, int64_t b, int64_t *ret);

#define memcmp(a, b, n) prove_compare(a, b, n)
/*@ assigns \nothing; */
int prove_compare(const void *a, const void *b, size_t n);

#include "ops/shape.c"

/* ---- tensor.h, op.h */

/*@ requires is_tensor(tensor) && tensor->data != \null;
    requires tensor->shape.rank == 0 ? index == 0 : tensor->shape.rank == 1 && 0 <= index < tensor->shape.dim[0];
    assigns \nothing; */
int64_t tensor_int64(const struct tensor *tensor, int64_t index);

/*@ requires is_tensor(view) && \valid(ret) && \separated(ret, view);
    assigns *ret; */
void tensor_assign(struct tensor *ret, const struct tensor *view);

/*@ requires \valid(err) && code != OP_OK;
    assigns *err;
    ensures \result == code; */
enum op_code prove_refuse(struct op_diag *err, enum op_code code, int input, enum op_part part, int64_t element);

#define op_refuse(err, code, input, part, element, ...) prove_refuse(err, code, input, part, element)

/* ---- expand.c */

/*@ predicate is_call{L}(struct op_call *call) =
        \valid_read(call) && is_tensor(call->in[0]) && is_tensor(call->in[1]) && 1 <= call->in[0]->dtype <= 26;
    predicate apart{L}(struct op_call *call, struct tensor *ret, struct op_diag *err) =
        \valid(ret) && \valid(err) && \separated(ret, err, call, call->in[0], call->in[1]); */

/*@ requires is_call(call) && \valid(ret) && \valid(err) && \separated(ret, err, call, call->in[0], call->in[1]);
    assigns *ret, *err;
    ensures \result == OP_OK ==> -1 <= ret->rank <= 64; */
static enum op_code read_target(const struct op_call *call, struct shape *ret, struct op_diag *err);

/*@ requires is_tensor(input) && is_shape(target) && 0 <= input->shape.rank && 0 <= target->rank;
    requires \valid(view) && \valid(err) && \separated(view, err, input, target);
    assigns view->shape, view->stride[0 .. 63], *err;
    ensures \result == OP_OK ==> view->shape.rank == \max(input->shape.rank, target->rank); */
static enum op_code broadcast(const struct tensor *input, const struct shape *target, struct tensor *view,
                              struct op_diag *err);

/*@ requires is_call(call) && apart(call, ret, err);
    assigns *ret, *err; */
static enum op_code expand_infer(const struct op *op, const struct op_call *call, struct tensor *ret,
                                 struct op_diag *err);

#include "ops/expand.c"

/* ---- unsqueeze.c */

/*@ requires \valid_read(op) && \valid(err) && 0 <= rank <= 64;
    assigns *err;
    ensures \result == OP_BAD_AXES; */
static enum op_code refuse_axis(const struct op *op, struct op_diag *err, int index, int64_t axis, int rank);

/*@ requires \valid_read(op) && is_tensor(axes) && 0 <= count <= rank <= 64;
    requires \valid(ret) && \valid(err) && \separated(ret, err, op, axes);
    requires 0 < count ==> axes->data != \null;
    requires axes->shape.rank == 0 ? count == 1 : axes->shape.rank == 1 && count == axes->shape.dim[0];
    assigns *ret, *err; */
static enum op_code read_axes(const struct op *op, const struct tensor *axes, int count, int rank, uint64_t *ret,
                              struct op_diag *err);

/*@ requires is_tensor(data) && 0 <= rank <= 64 && \valid(ret) && \separated(ret, data);
    assigns *ret;
    ensures ret->shape.rank == rank; */
static void insert(const struct tensor *data, uint64_t added, int rank, struct tensor *ret);

/*@ requires \valid_read(op) && is_call(call) && apart(call, ret, err) && \separated(op, ret, err);
    assigns *ret, *err; */
static enum op_code unsqueeze_infer(const struct op *op, const struct op_call *call, struct tensor *ret,
                                    struct op_diag *err);

#include "ops/unsqueeze.c"
