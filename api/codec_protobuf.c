/* Reading ONNX TensorProto files (.pb), with protobuf-c, whose memory is the arena; tensor.proto says what is read.
 *
 * The values stand in raw_data as they are in memory, or in the typed field of their type, one entry an element, with
 * these exceptions of ONNX's schema: complex numbers take two entries, 4- and 2-bit types are packed into the entries as
 * they are into bytes, and floats narrower than 32 bits are stored as their bits.
 */
#include "api/codec.h"

#include <inttypes.h>
#include <stdio.h>

#include "api/file.h"
#include "api/tensor.pb-c.h"

/* ---- the message ---- */

/* protobuf-c takes up to 80 bytes for a field of two. Packed values and raw_data stay far below this many bytes a byte of
 * the message; below the floor anything goes. */
#define MEMORY_FACTOR 10
#define MEMORY_FLOOR ((size_t)256 << 20)

struct allocator {
    struct arena *arena;
    size_t left;
    bool too_many; /* the limit was hit, not the arena's */
    bool no_memory;
};

static void *allocate(void *ctx, size_t size)
{
    struct allocator *a = ctx;
    a->too_many = a->too_many || size > a->left;
    void *ret = a->too_many ? NULL : arena_alloc(a->arena, size, 1);
    a->left -= ret != NULL ? size : 0;
    a->no_memory = ret == NULL && !a->too_many;
    return ret;
}

static void keep(void *ctx, void *block)
{
    (void)ctx;
    (void)block;
}

static Shaped__TensorProto *unpack(struct arena *arena, struct bytes file, const struct call_input *input,
                                   struct problem *err)
{
    struct allocator a = {.arena = arena, .left = MEMORY_FLOOR};
    a.left = file.len < (SIZE_MAX - MEMORY_FLOOR) / MEMORY_FACTOR ? MEMORY_FLOOR + file.len * MEMORY_FACTOR : SIZE_MAX;
    ProtobufCAllocator allocator = {.alloc = allocate, .free = keep, .allocator_data = &a};
    Shaped__TensorProto *ret = shaped__tensor_proto__unpack(&allocator, file.len, file.ptr);
    if (ret != NULL)
        return ret;
    if (a.no_memory)
        problem_memory(err);
    else if (a.too_many)
        file_refuse(input, err, PROBLEM_INVALID_DATA, "the TensorProto has too many fields for its size: pack repeated "
                    "values, or use raw_data");
    else
        file_refuse(input, err, PROBLEM_INVALID_DATA, "the protobuf message cannot be parsed as a TensorProto: it is cut, "
                    "or something else");
    return NULL;
}

/* ---- the fields that can hold values ---- */

enum field { RAW, FLOAT, INT32, STRINGS, INT64, DOUBLE, UINT64, FIELDS };

static const char *const field_name[FIELDS] = {
    [RAW] = "raw_data",     [FLOAT] = "float_data",   [INT32] = "int32_data",   [STRINGS] = "string_data",
    [INT64] = "int64_data", [DOUBLE] = "double_data", [UINT64] = "uint64_data",
};

/* Where values of this type stand if not in raw_data. */
static enum field field_of(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_FP32:
    case DTYPE_COMPLEX64: return FLOAT;
    case DTYPE_FP64:
    case DTYPE_COMPLEX128: return DOUBLE;
    case DTYPE_UINT32:
    case DTYPE_UINT64: return UINT64;
    case DTYPE_INT64: return INT64;
    case DTYPE_BYTES: return STRINGS;
    default: return INT32;
    }
}

struct values {
    bool given;
    size_t count; /* entries; bytes of raw_data */
    void *entries;
};

static void list_values(const Shaped__TensorProto *m, struct values ret[FIELDS])
{
    ret[RAW] = (struct values){m->has_raw_data != 0, m->raw_data.len, m->raw_data.data};
    ret[FLOAT] = (struct values){m->n_float_data > 0, m->n_float_data, m->float_data};
    ret[INT32] = (struct values){m->n_int32_data > 0, m->n_int32_data, m->int32_data};
    ret[STRINGS] = (struct values){m->n_string_data > 0, m->n_string_data, m->string_data};
    ret[INT64] = (struct values){m->n_int64_data > 0, m->n_int64_data, m->int64_data};
    ret[DOUBLE] = (struct values){m->n_double_data > 0, m->n_double_data, m->double_data};
    ret[UINT64] = (struct values){m->n_uint64_data > 0, m->n_uint64_data, m->uint64_data};
}

/* The one field that is filled; if none is, the one that could be. */
static bool find_values(const struct values values[FIELDS], const struct call_input *input, enum field *ret,
                        struct problem *err)
{
    enum dtype dtype = input->tensor.dtype;
    int found = FIELDS;
    for (int f = 0; f < FIELDS; f++) {
        if (values[f].given && found != FIELDS)
            return file_refuse(input, err, PROBLEM_INVALID_DATA, "the TensorProto has values in %s and in %s: use one",
                               field_name[found], field_name[f]);
        if (values[f].given)
            found = f;
    }
    *ret = found != FIELDS ? (enum field)found : dtype == DTYPE_BYTES ? STRINGS : RAW;
    if (*ret == field_of(dtype) || (*ret == RAW && dtype != DTYPE_BYTES))
        return true;
    return file_refuse(input, err, PROBLEM_INVALID_DATA, "the TensorProto has values in %s, where %s cannot be: use %s",
                       field_name[*ret], dtype_info(dtype)->name, field_name[field_of(dtype)]);
}

/* ---- shape and type ---- */

static bool read_shape(const Shaped__TensorProto *m, const struct call_input *input, struct shape *ret,
                       struct problem *err)
{
    if (m->n_dims > SHAPE_MAX_RANK)
        return file_refuse(input, err, PROBLEM_INVALID_SHAPE, "the TensorProto has %zu dims, but at most %d are possible",
                           m->n_dims, SHAPE_MAX_RANK);
    ret->rank = (int)m->n_dims;
    for (int i = 0; i < ret->rank; i++) {
        ret->dim[i] = m->dims[i];
        if (ret->dim[i] < 0)
            return file_refuse(input, err, PROBLEM_INVALID_SHAPE, "dims of the TensorProto has the negative size %" PRId64
                               " at %d", ret->dim[i], i);
    }
    return true;
}

static bool check_offered(const Shaped__TensorProto *m, const struct call_input *input, struct problem *err)
{
    if (m->data_location != 0 || m->n_external_data > 0)
        return file_refuse(input, err, PROBLEM_NOT_OFFERED, "the TensorProto has its values in another file (external "
                           "data): put them into raw_data");
    if (m->has_segment)
        return file_refuse(input, err, PROBLEM_NOT_OFFERED, "the TensorProto is a segment: send the tensor whole");
    if (m->data_type <= DTYPE_NONE || m->data_type >= DTYPE_END)
        return file_refuse(input, err, PROBLEM_UNSUPPORTED_DATATYPE, "data_type %" PRId32 " of the TensorProto is not among "
                           "the types offered (1 to %d)", m->data_type, DTYPE_END - 1);
    return true;
}

/* ---- values ---- */

struct integers {
    int64_t low, high;
};

/* What an entry wider than the element may hold: numbers must fit the type, bits may come sign-extended. */
static struct integers range_of(enum dtype dtype)
{
    const struct dtype_info *info = dtype_info(dtype);
    int64_t end = (int64_t)1 << (info->bits < 8 ? 8 : info->bits);
    if (info->kind == KIND_BOOL)
        return (struct integers){0, 1};
    if (info->bits < 8 || info->kind == KIND_FLOAT)
        return (struct integers){-end / 2, end - 1};
    return info->kind == KIND_INT ? (struct integers){-end / 2, end / 2 - 1} : (struct integers){0, end - 1};
}

/* The i-th of entries of 4 signed or 8 unsigned bytes. Those beyond int64 are beyond every range too. */
static int64_t entry(const void *entries, size_t width, size_t i)
{
    int32_t narrow = 0;
    uint64_t wide = 0;
    if (width == sizeof(narrow)) {
        memcpy(&narrow, (const uint8_t *)entries + i * width, width);
        return narrow;
    }
    memcpy(&wide, (const uint8_t *)entries + i * width, width);
    return wide > INT64_MAX ? INT64_MAX : (int64_t)wide;
}

/* Shortens entries to the width of their elements, where they stand. */
static bool narrow(enum field field, enum dtype dtype, const struct values *values, const struct call_input *input,
                   struct problem *err)
{
    size_t from = field == INT32 ? sizeof(int32_t) : sizeof(uint64_t);
    size_t to = (dtype_info(dtype)->bits + 7) / 8;
    if (to >= from)
        return true;
    const struct integers range = range_of(dtype);
    for (size_t i = 0; i < values->count; i++) {
        int64_t value = entry(values->entries, from, i);
        if (value < range.low || value > range.high)
            return file_refuse(input, err, PROBLEM_INVALID_DATA, "%s[%zu] of the TensorProto does not fit %s: it must be "
                               "%" PRId64 " to %" PRId64, field_name[field], i, dtype_info(dtype)->name, range.low,
                               range.high);
        memcpy((uint8_t *)values->entries + i * to, &value, to);
    }
    return true;
}

static bool take_strings(struct arena *arena, const struct values *values, const void **ret, struct problem *err)
{
    const ProtobufCBinaryData *in = values->entries;
    struct string *out = arena_alloc(arena, values->count, sizeof(*out));
    if (out == NULL)
        return problem_memory(err);
    for (size_t i = 0; i < values->count; i++)
        out[i] = (struct string){.ptr = (const char *)in[i].data, .len = in[i].len};
    *ret = out;
    return true;
}

/* How many entries of `field` (bytes of raw_data) the elements take. */
static int64_t entries_wanted(enum field field, enum dtype dtype, int64_t elements)
{
    int64_t bytes = 0;
    dtype_bytes(dtype, elements, &bytes);
    if (field == RAW || dtype_info(dtype)->bits < 8)
        return bytes;
    return dtype_info(dtype)->kind == KIND_COMPLEX ? 2 * elements : elements;
}

static bool check_count(enum field field, const struct values *values, const struct tensor *tensor,
                        const struct call_input *input, struct problem *err)
{
    int64_t elements = 0;
    int64_t bytes = 0;
    if (!shape_elements(&tensor->shape, &elements) || !shape_bytes(&tensor->shape, tensor->dtype, &bytes))
        return file_refuse(input, err, PROBLEM_INVALID_SHAPE, "the size that dims of the TensorProto make is not "
                           "representable");
    char shape[96];
    int64_t wanted = entries_wanted(field, tensor->dtype, elements);
    if ((uint64_t)wanted != values->count)
        return file_refuse(input, err, PROBLEM_INVALID_DATA, "%s of shape %s takes %" PRId64 " %s of %s, but the "
                           "TensorProto has %zu", dtype_info(tensor->dtype)->name,
                           shape_text(&tensor->shape, shape, sizeof(shape)), wanted, field == RAW ? "bytes" : "entries",
                           field_name[field], values->count);
    return true;
}

static bool take_values(struct arena *arena, const Shaped__TensorProto *m, struct call_input *ret, struct problem *err)
{
    struct values values[FIELDS];
    enum field field = RAW;
    enum dtype dtype = ret->tensor.dtype;
    list_values(m, values);
    if (!find_values(values, ret, &field, err) || !check_count(field, &values[field], &ret->tensor, ret, err))
        return false;
    if (field == STRINGS)
        return take_strings(arena, &values[field], &ret->tensor.data, err);
    /* protobuf-c has no memory for nothing, but a tensor without data is one whose values are not known. */
    ret->tensor.data = values[field].count > 0 ? values[field].entries : "";
    return (field != INT32 && field != UINT64) || narrow(field, dtype, &values[field], ret, err);
}

bool codec_protobuf_decode(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                           struct call_input *ret, struct problem *err)
{
    (void)limits;
    struct shape shape;
    Shaped__TensorProto *m = unpack(arena, file->content, ret, err);
    if (m == NULL || !check_offered(m, ret, err) || !read_shape(m, ret, &shape, err))
        return false;
    tensor_init(&ret->tensor, (enum dtype)m->data_type, &shape, NULL);
    return take_values(arena, m, ret, err);
}
