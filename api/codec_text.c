/* JSON text: the value of `data` alone, "[[1,2],[3,4]]". Its type is told beside the file, and its shape is that of its
 * nesting, unless it is told too. */
#include "api/codec.h"

#include "api/codec_json_data.h"
#include "api/file.h"

/* Makes a problem of JSON one of this file. */
static bool refuse_text(const struct call_input *input, struct problem *err)
{
    struct problem inner = *err;
    if (inner.code == PROBLEM_OUT_OF_MEMORY)
        return false;
    return file_refuse(input, err, inner.code, "%s", inner.detail);
}

/* How many elements the list at hand has. */
static bool count_elements(struct json json, int64_t *ret)
{
    bool more = false;
    *ret = 0;
    if (!json_open(&json, '['))
        return false;
    while (json_more(&json, ']', *ret == 0, &more)) {
        if (!more)
            return true;
        if (!json_skip(&json))
            return false;
        ++*ret;
    }
    return false;
}

/* The shape of nested lists, told by the first of each level. `json` is a copy: the value is read again for its data. */
static bool nesting(struct json json, struct shape *ret)
{
    for (ret->rank = 0; json_peek(&json) == JSON_ARRAY; ret->rank++) {
        if (ret->rank == SHAPE_MAX_RANK)
            return problem_set(json.err, PROBLEM_INVALID_SHAPE, NULL, "lists are nested more than %d deep",
                               SHAPE_MAX_RANK);
        if (!count_elements(json, &ret->dim[ret->rank]) || !json_open(&json, '['))
            return false;
    }
    return true;
}

/* A complex number is two numbers of the innermost list. */
static bool find_shape(const struct json *json, const struct tensor_file *file, struct shape *ret)
{
    if (file->dims != NULL) {
        *ret = *file->dims;
        return true;
    }
    if (!nesting(*json, ret))
        return false;
    if (dtype_info(file->dtype)->kind != KIND_COMPLEX || ret->rank == 0)
        return true;
    int64_t *last = &ret->dim[ret->rank - 1];
    if (*last % 2 != 0)
        return problem_set(json->err, PROBLEM_INVALID_DATA, NULL, "complex numbers are pairs re, im, but a list has %lld "
                           "numbers", (long long)*last);
    *last /= 2;
    return true;
}

bool codec_text_decode(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                       struct call_input *ret, struct problem *err)
{
    struct json json;
    struct shape shape;
    int64_t bytes = 0;
    if (file->dtype == DTYPE_NONE)
        return file_refuse(ret, err, PROBLEM_INVALID_REQUEST, "JSON text does not tell its type: add it to the query, e.g. "
                           "?datatype=FP32, or send a .npy or .pb file");
    json_init(&json, file->content, limits->json_depth, arena, err);
    json_space(&json);
    if (json.next == json.end)
        return file_refuse(ret, err, PROBLEM_MALFORMED_JSON, "the text is empty: give the data, such as [1,2]");
    if (!find_shape(&json, file, &shape))
        return refuse_text(ret, err);
    if (!shape_bytes(&shape, file->dtype, &bytes))
        return file_refuse(ret, err, PROBLEM_INVALID_SHAPE, "the size that ?dims= makes is not representable");
    tensor_init(&ret->tensor, file->dtype, &shape, NULL);
    if (!codec_json_data(&json, ret->pointer, &ret->tensor) || !json_end(&json))
        return refuse_text(ret, err);
    return true;
}
