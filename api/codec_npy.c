/* .npy files: one array with a header (npy.h) and its elements as numpy has them in memory.
 *
 * Types that numpy lacks are registered with it by the package ml_dtypes, and their files tell only a size: '<V2' can be
 * nothing but its bfloat16 and '<f1' nothing but its float8_e5m2, but the other 8-bit floats and all 4- and 2-bit types,
 * which it keeps one a byte in the low bits, are '<V1'. Those need the type to be told beside the file; files of plain
 * unsigned integers of the same size are then taken too. Answers are '<V1' and '<V2', which numpy can read (it refuses
 * '<f1') and .view(ml_dtypes...) makes whole.
 */
#include "api/codec.h"

#include <stdio.h>

#include "api/npy.h"
#include "api/npy_text.h"
#include "api/output.h"

#define MAX_SIZE_DIGITS 9

/* ---- types ---- */

struct npy_type {
    char kind;     /* numpy's dtype.kind */
    unsigned size; /* numpy's dtype.itemsize */
    enum dtype dtype;
};

/* What numpy itself has, and what ml_dtypes adds unambiguously. */
static const struct npy_type types[] = {
    {'b', 1, DTYPE_BOOL},
    {'i', 1, DTYPE_INT8},      {'i', 2, DTYPE_INT16},       {'i', 4, DTYPE_INT32},  {'i', 8, DTYPE_INT64},
    {'u', 1, DTYPE_UINT8},     {'u', 2, DTYPE_UINT16},      {'u', 4, DTYPE_UINT32}, {'u', 8, DTYPE_UINT64},
    {'f', 2, DTYPE_FP16},      {'f', 4, DTYPE_FP32},        {'f', 8, DTYPE_FP64},
    {'c', 8, DTYPE_COMPLEX64}, {'c', 16, DTYPE_COMPLEX128},
    {'V', 2, DTYPE_BF16},      {'f', 1, DTYPE_FP8_E5M2}, /* ml_dtypes */
};
#define TYPES (sizeof(types) / sizeof(types[0]))

/* What is not a tensor, and how to make it one. */
static const struct {
    const char *kinds;
    const char *advice;
} refusals[] = {
    {"O", "an array of Python objects is stored as a pickle, which is never loaded: give it a type, e.g. "
          "a.astype(str) or a.astype('f8')"},
    {"Mm", "ONNX has no dates and durations: send the numbers, a.view('i8')"},
    {"fc", "ONNX has f2, f4, f8, c8 and c16: convert, e.g. a.astype('f8') or a.astype('c16')"},
    {"V", "it tells only a size: add the type, e.g. ?datatype=FP8_E4M3FN"},
    {"[", "a structured array goes field by field, e.g. a['x']"},
};

/* The types that numpy lacks: those that Expand and Unsqueeze did not begin with. */
#define DTYPES_FOREIGN (DTYPES_26 & ~DTYPES_15)

/* How the elements of one file are stored. */
struct storage {
    enum dtype dtype;
    char order, kind;
    size_t size; /* bytes of an element in the file */
};

/* "<f4" into its parts; the order may be missing, and then means the machine's own. */
static bool split_descr(struct bytes descr, struct storage *ret)
{
    ret->order = '=';
    if (descr.len > 0 && memchr("<>|=", descr.ptr[0], 4) != NULL) {
        ret->order = (char)descr.ptr[0];
        descr = bytes_slice(descr, 1, descr.len - 1);
    }
    if (bytes_equal(descr, "?"))
        descr = bytes_of("b1");
    if (descr.len > 0)
        ret->kind = (char)descr.ptr[0];
    if (descr.len < 2 || descr.len > MAX_SIZE_DIGITS + 1)
        return false;
    for (size_t i = 1; i < descr.len; i++) {
        if (descr.ptr[i] < '0' || descr.ptr[i] > '9')
            return false;
        ret->size = ret->size * 10 + (size_t)(descr.ptr[i] - '0');
    }
    return true;
}

/* The type that the file tells by itself, or DTYPE_NONE. */
static enum dtype own_type(const struct storage *storage)
{
    if (storage->kind == 'U' || storage->kind == 'S')
        return storage->size > 0 ? DTYPE_BYTES : DTYPE_NONE;
    if (storage->kind == 'V' && storage->order != '<') /* numpy's own untyped bytes */
        return DTYPE_NONE;
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].kind == storage->kind && types[i].size == storage->size)
            return types[i].dtype;
    return DTYPE_NONE;
}

/* Whether the elements may be the bits of a type that numpy lacks. */
static bool may_carry(const struct storage *storage, enum dtype told)
{
    return told != DTYPE_NONE && dtype_in(told, DTYPES_FOREIGN) &&
           (storage->kind == 'V' || storage->kind == 'u') && storage->size == (dtype_info(told)->bits + 7) / 8;
}

static bool refuse_type(const struct call_input *input, struct bytes descr, const struct storage *storage,
                        struct problem *err)
{
    int len = problem_quote(descr);
    const char *text = (const char *)descr.ptr;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (strchr(refusals[i].kinds, storage->kind) != NULL)
            return file_refuse(input, err, PROBLEM_UNSUPPORTED_DATATYPE, "the .npy descr '%.*s' is no ONNX type: %s", len,
                               text, refusals[i].advice);
    return file_refuse(input, err, PROBLEM_UNSUPPORTED_DATATYPE, "the .npy descr '%.*s' is no ONNX type: it must be one "
                       "such as '<f4', '<i8', '|b1', '<U3'", len, text);
}

static bool find_storage(const struct npy_header *header, const struct tensor_file *file,
                         const struct call_input *input, struct storage *ret, struct problem *err)
{
    *ret = (struct storage){.kind = header->structured ? '[' : '?'};
    if (header->structured || !split_descr(header->descr, ret))
        return refuse_type(input, header->descr, ret, err);
    ret->dtype = may_carry(ret, file->dtype) ? file->dtype : own_type(ret);
    if (ret->dtype == DTYPE_NONE)
        return refuse_type(input, header->descr, ret, err);
    if (ret->kind == 'U' && __builtin_mul_overflow(ret->size, NPY_UCS4, &ret->size))
        return refuse_type(input, header->descr, ret, err);
    return true;
}

/* ---- elements ---- */

struct elements {
    struct arena *arena;
    struct storage storage;
    const uint8_t *data; /* count * storage.size bytes, in the order of the file */
    size_t count;
    const struct call_input *input;
    struct problem *err;
};

/* Bytes that are reversed together in a big-endian file. */
static size_t unit(const struct storage *storage)
{
    if (storage->kind == 'U')
        return NPY_UCS4;
    return storage->kind == 'S' ? 1 : storage->kind == 'c' ? storage->size / 2 : storage->size;
}

static void reverse(const uint8_t *in, size_t size, size_t step, uint8_t *out)
{
    for (size_t at = 0; at < size; at += step)
        for (size_t k = 0; k < step; k++)
            out[at + k] = in[at + step - 1 - k];
}

/* Makes the elements little-endian. */
static bool to_little_endian(struct elements *e)
{
    size_t step = unit(&e->storage);
    size_t size = e->count * e->storage.size;
    if (e->storage.order != '>' || step == 1 || size == 0)
        return true;
    uint8_t *out = arena_alloc(e->arena, size, 1);
    if (out == NULL)
        return problem_memory(e->err);
    reverse(e->data, size, step, out);
    e->data = out;
    return true;
}

/* Makes the elements what they are in memory, for 4- and 2-bit types still one a byte. */
static bool read_elements(struct elements *e)
{
    if (!to_little_endian(e))
        return false;
    if (e->storage.dtype != DTYPE_BYTES)
        return true;
    const struct npy_text form = {.ucs4 = e->storage.kind == 'U', .size = e->storage.size};
    const struct string *strings = npy_text_read(e->arena, form, e->data, e->count, e->input, e->err);
    e->data = (const uint8_t *)strings;
    return strings != NULL;
}

/* ---- the tensor ---- */

/* Strides of column-major order: the first index varies fastest. */
static void set_fortran_order(struct tensor *tensor)
{
    int64_t stride = 1;
    for (int i = 0; i < tensor->shape.rank; i++) {
        tensor->stride[i] = stride;
        stride *= tensor->shape.dim[i];
    }
}

/* Makes *tensor, which is a view in any order, dense. */
static bool make_dense(struct arena *arena, struct tensor *tensor, struct problem *err)
{
    if (tensor_dense(tensor))
        return true;
    struct copy_plan plan;
    copy_plan_init(&plan, tensor);
    void *out = arena_alloc(arena, (size_t)plan.bytes, 1);
    if (out == NULL)
        return problem_memory(err);
    copy_range(&plan, 0, (size_t)plan.bytes, out);
    tensor_init(tensor, tensor->dtype, &tensor->shape, out);
    return true;
}

/* Makes a tensor of 4- or 2-bit elements from one whose bytes hold one each, whose upper bits do not count. */
static bool pack(struct arena *arena, enum dtype dtype, struct tensor *tensor, size_t count, struct problem *err)
{
    unsigned bits = dtype_info(dtype)->bits;
    if (bits >= 8)
        return true;
    size_t per_byte = 8 / bits;
    const uint8_t *in = tensor->data;
    uint8_t *out = arena_zalloc(arena, count / per_byte + 1, 1);
    if (out == NULL)
        return problem_memory(err);
    for (size_t i = 0; i < count; i++)
        out[i / per_byte] |= (uint8_t)((in[i] & ((1u << bits) - 1)) << (i % per_byte * bits));
    tensor_init(tensor, dtype, &tensor->shape, out);
    return true;
}

/* The number of elements, if the file has exactly as many bytes as that takes. */
static bool check_size(const struct npy_header *header, const struct storage *storage, size_t size,
                       const struct call_input *input, size_t *ret, struct problem *err)
{
    int64_t count = 0;
    int64_t want = 0;
    if (!shape_elements(&header->shape, &count) || __builtin_mul_overflow(count, storage->size, &want))
        return file_refuse(input, err, PROBLEM_INVALID_SHAPE, "the size that the .npy header tells is not representable");
    char shape[96];
    if ((uint64_t)want != size)
        return file_refuse(input, err, PROBLEM_INVALID_DATA, "'shape' %s and 'descr' '%.*s' in the .npy header make %lld "
                           "bytes of data, but %zu follow", shape_text(&header->shape, shape, sizeof(shape)),
                           (int)header->descr.len, (const char *)header->descr.ptr, (long long)want, size);
    *ret = (size_t)count;
    return true;
}

bool codec_npy_decode(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                      struct call_input *ret, struct problem *err)
{
    (void)limits;
    struct npy_header header;
    struct elements e = {.arena = arena, .input = ret, .err = err};
    if (!npy_read_header(file->content, ret, &header, err) || !find_storage(&header, file, ret, &e.storage, err) ||
        !check_size(&header, &e.storage, file->content.len - header.length, ret, &e.count, err))
        return false;
    e.data = file->content.ptr + header.length;
    if (!read_elements(&e))
        return false;
    enum dtype dtype = e.storage.dtype;
    ret->ucs4 = e.storage.kind == 'U';
    tensor_init(&ret->tensor, dtype_info(dtype)->bits < 8 ? DTYPE_UINT8 : dtype, &header.shape, e.data);
    if (header.fortran_order && e.count > 0)
        set_fortran_order(&ret->tensor);
    return make_dense(arena, &ret->tensor, err) && pack(arena, dtype, &ret->tensor, e.count, err);
}

/* ---- answers ---- */

/* How the elements of an answer are stored. */
static bool choose_storage(const struct output *output, struct storage *ret)
{
    const struct tensor *input = output->input;
    const struct call_input *origin = &output->call->in[0];
    *ret = (struct storage){.dtype = input->dtype, .order = '<', .kind = 'V', .size = 1};
    if (input->dtype == DTYPE_BYTES) {
        struct npy_text form = {.ucs4 = origin->ucs4};
        bool measured = npy_text_measure(input, origin->pointer, &form, output->err);
        ret->kind = form.ucs4 ? 'U' : 'S';
        ret->order = form.ucs4 ? '<' : '|';
        ret->size = form.size;
        return measured;
    }
    if (dtype_info(input->dtype)->bits <= 8 && dtype_in(input->dtype, DTYPES_FOREIGN))
        return true;
    size_t i = 0;
    while (types[i].dtype != input->dtype)
        i++;
    ret->order = types[i].size == 1 ? '|' : '<';
    ret->kind = types[i].kind;
    ret->size = types[i].size;
    return true;
}

static struct source *header_source(const struct output *output, const struct storage *storage)
{
    char *text = arena_alloc(output->arena, NPY_MAX_HEADER, 1);
    if (text == NULL)
        return output_made(output, NULL);
    char descr[32];
    size_t size = storage->kind == 'U' ? storage->size / NPY_UCS4 : storage->size;
    snprintf(descr, sizeof(descr), "%c%c%zu", storage->order, storage->kind, size);
    const struct bytes header = {(const uint8_t *)text, npy_write_header(descr, &output->view->shape, text)};
    return output_made(output, source_bytes(output->arena, header));
}

/* A view with one element a byte of a dense tensor whose elements are packed. */
static bool unpack(struct arena *arena, const struct tensor *packed, struct tensor *ret)
{
    int64_t count = 0;
    unsigned bits = dtype_info(packed->dtype)->bits;
    unsigned per_byte = 8 / bits;
    shape_elements(&packed->shape, &count);
    uint8_t *out = arena_alloc(arena, (size_t)count, 1);
    if (out == NULL)
        return false;
    const uint8_t *in = packed->data;
    for (size_t i = 0; i < (size_t)count; i++)
        out[i] = (uint8_t)(in[i / per_byte] >> (i % per_byte * bits)) & (uint8_t)((1u << bits) - 1);
    tensor_init(ret, DTYPE_UINT8, &packed->shape, out);
    return true;
}

static struct source *text_source(const struct output *output, const struct storage *storage)
{
    struct pieces pieces;
    const struct npy_text form = {.ucs4 = storage->kind == 'U', .size = storage->size};
    if (!npy_text_pieces(output->arena, form, output->input, &pieces))
        return output_made(output, NULL);
    return output_pieces(output, &pieces, 0);
}

static struct source *data_source(const struct output *output, const struct storage *storage)
{
    struct tensor unpacked;
    int64_t count = 0;
    uint64_t length = 0;
    if (!shape_elements(&output->view->shape, &count) ||
        __builtin_mul_overflow((uint64_t)count, storage->size, &length) || length > output->max_bytes)
        return output_too_large(output);
    if (storage->dtype == DTYPE_BYTES)
        return text_source(output, storage);
    if (dtype_info(storage->dtype)->bits >= 8)
        return output_binary(output);
    bool unpacks = unpack(output->arena, output->view, &unpacked);
    return output_made(output, unpacks ? source_view(output->arena, &unpacked) : NULL);
}

struct source *codec_npy_encode(const struct output *output)
{
    struct storage storage;
    if (!choose_storage(output, &storage))
        return NULL;
    struct source *data = data_source(output, &storage);
    if (data == NULL)
        return NULL;
    struct source *const parts[] = {header_source(output, &storage), data};
    return output_concat(output, parts, sizeof(parts) / sizeof(parts[0]));
}
