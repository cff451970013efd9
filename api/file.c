#include "api/file.h"

#include <stdarg.h>
#include <stdio.h>

#include "api/npy.h"
#include "api/params.h"

typedef bool decode_fn(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                       struct call_input *ret, struct problem *err);

/* How each form of file is called, and read. */
static const struct kind {
    enum call_form form;
    const char *media_type[2];
    const char *ending[2];
    decode_fn *decode;
} kinds[] = {
    {FORM_NPY, {"application/x-npy"}, {".npy"}, codec_npy_decode},
    {FORM_PROTOBUF, {"application/x-protobuf"}, {".pb"}, codec_protobuf_decode},
    {FORM_JSON, {"application/json", "text/plain"}, {".json", ".txt"}, codec_text_decode},
    {FORM_RAW, {NULL}, {".bin", ".raw"}, codec_raw_decode},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool is_one_of(struct bytes type, const char *const names[2])
{
    return (names[0] != NULL && bytes_equal_nocase(type, names[0])) ||
           (names[1] != NULL && bytes_equal_nocase(type, names[1]));
}

static bool ends_in(struct bytes text, const char *ending)
{
    size_t len = ending != NULL ? strlen(ending) : SIZE_MAX;
    return text.len >= len && bytes_equal_nocase(bytes_slice(text, text.len - len, len), ending);
}

enum call_form file_form(const struct file_label *label, struct bytes content)
{
    struct bytes type = params_value(label->content_type);
    for (size_t i = 0; i < KINDS; i++)
        if (is_one_of(type, kinds[i].media_type))
            return kinds[i].form;
    for (size_t i = 0; i < KINDS; i++)
        if (ends_in(label->filename, kinds[i].ending[0]) || ends_in(label->filename, kinds[i].ending[1]))
            return kinds[i].form;
    if (npy_detect(content))
        return FORM_NPY;
    return type.len > 0 || label->filename.len > 0 ? FORM_RAW : FORM_JSON;
}

bool file_refuse(const struct call_input *input, struct problem *err, enum problem_code code, const char *format, ...)
{
    char text[sizeof(err->detail)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return problem_set(err, code, input->pointer, "%s: %s", input->pointer + 1, text);
}

bool file_begin(struct arena *arena, const char *text, struct call *call, struct query *ret, struct problem *err)
{
    call->files = true;
    for (int i = 0; i < call->op->inputs; i++)
        snprintf(call->in[i].pointer, sizeof(call->in[i].pointer), "/%s", call->op->in[i].name);
    return query_read(arena, text, call, ret, err);
}

/* What was told beside the file must be what it says itself. */
static bool check_told(const struct tensor_file *file, const struct call_input *input, struct problem *err)
{
    const struct tensor *tensor = &input->tensor;
    char has[96];
    char told[96];
    if (file->dtype != DTYPE_NONE && file->dtype != tensor->dtype)
        return file_refuse(input, err, PROBLEM_UNSUPPORTED_DATATYPE, "the file holds %s, not %s as ?datatype= says",
                           dtype_info(tensor->dtype)->name, dtype_info(file->dtype)->name);
    if (file->dims != NULL && !shape_equal(file->dims, &tensor->shape))
        return file_refuse(input, err, PROBLEM_INVALID_SHAPE, "the file has the shape %s, not %s as ?dims= says",
                           shape_text(&tensor->shape, has, sizeof(has)), shape_text(file->dims, told, sizeof(told)));
    return true;
}

/* The small inputs of operators are lists of INT64, whatever the file leaves open; the query speaks of the first one. */
static void tell(const struct query *query, int index, enum call_form form, struct tensor_file *file,
                 struct shape *list)
{
    if (index == 0) {
        file->dtype = query->dtype;
        file->dims = query->has_dims ? &query->dims : NULL;
        return;
    }
    if (form == FORM_RAW || form == FORM_JSON)
        file->dtype = DTYPE_INT64;
    if (form == FORM_RAW)
        file->dims = list;
}

bool file_decode(struct arena *arena, const struct codec_limits *limits, enum call_form form, struct bytes content,
                 const struct query *query, int index, struct call *call, struct problem *err)
{
    struct call_input *input = &call->in[index];
    struct tensor_file file = {.content = content, .dry_run = call->dry_run};
    struct shape list = {.rank = 1, .dim = {(int64_t)(content.len / sizeof(int64_t))}};
    if (input->given)
        return file_refuse(input, err, PROBLEM_INVALID_REQUEST, "this input is there twice, as a part or in the query: "
                           "leave one out");
    tell(query, index, form, &file, &list);
    input->given = true;
    if (index == 0)
        call->form = form;
    size_t i = 0;
    while (kinds[i].form != form)
        i++;
    return kinds[i].decode(arena, limits, &file, input, err) && check_told(&file, input, err);
}
