#include "api/call.h"

void call_init(struct call *ret, const struct op *op, bool dry_run)
{
    ret->op = op;
    ret->id = (struct bytes){.ptr = NULL};
    for (struct call_input *in = ret->in; in < ret->in + OP_MAX_INPUTS; in++) {
        in->given = false;
        in->pointer[0] = '\0';
        in->tensor.dtype = DTYPE_NONE;
        in->tensor.shape.rank = 0;
        in->tensor.data = NULL;
        in->names = false;
        in->ucs4 = false;
    }
    ret->form = FORM_JSON;
    ret->files = false;
    ret->dry_run = dry_run;
    ret->symbols = (struct symbols){.count = 0};
}
