#include "tests/conformance/tensorproto.h"

#include <inttypes.h>
#include <string.h>

#include "tests/conformance/number.h"

static void free_proto(void *proto)
{
    conform__tensor_proto__free_unpacked(proto, NULL);
}

bool tensorproto_unpack(struct arena *arena, struct bytes file, const Conform__TensorProto **ret, struct reason *why)
{
    Conform__TensorProto *proto = conform__tensor_proto__unpack(NULL, file.len, file.ptr);
    if (proto == NULL || !arena_defer(arena, free_proto, proto))
        return because(why, "not a TensorProto");
    *ret = proto;
    return true;
}

struct bytes tensorproto_pack(struct arena *arena, const Conform__TensorProto *proto)
{
    size_t size = conform__tensor_proto__get_packed_size(proto);
    uint8_t *packed = arena_alloc(arena, size, 1);
    conform__tensor_proto__pack(proto, packed);
    return (struct bytes){.ptr = packed, .len = size};
}

/* ---- values in a typed field ----------------------------------------------------------------------------------- */

/* One of the typed fields: how many numbers it has, and the bits of one of them. */
struct field {
    size_t count;
    uint64_t (*get)(const Conform__TensorProto *proto, size_t index);
};

static uint64_t get_float(const Conform__TensorProto *proto, size_t index)
{
    uint32_t bits = 0;
    memcpy(&bits, &proto->float_data[index], sizeof(bits));
    return bits;
}

static uint64_t get_double(const Conform__TensorProto *proto, size_t index)
{
    uint64_t bits = 0;
    memcpy(&bits, &proto->double_data[index], sizeof(bits));
    return bits;
}

static uint64_t get_int32(const Conform__TensorProto *proto, size_t index)
{
    return (uint64_t)(int64_t)proto->int32_data[index];
}

static uint64_t get_int64(const Conform__TensorProto *proto, size_t index)
{
    return (uint64_t)proto->int64_data[index];
}

static uint64_t get_uint64(const Conform__TensorProto *proto, size_t index)
{
    return proto->uint64_data[index];
}

/* The field that onnx.proto assigns to a type of numbers; int32_data has all that have no other. */
static struct field field_of(const Conform__TensorProto *proto, enum dtype part)
{
    switch (part) {
    case DTYPE_FP32:
        return (struct field){proto->n_float_data, get_float};
    case DTYPE_FP64:
        return (struct field){proto->n_double_data, get_double};
    case DTYPE_INT64:
        return (struct field){proto->n_int64_data, get_int64};
    case DTYPE_UINT32:
    case DTYPE_UINT64:
        return (struct field){proto->n_uint64_data, get_uint64};
    default:
        return (struct field){proto->n_int32_data, get_int32};
    }
}

/* A number of the field is one of the tensor, but of 4- and 2-bit types it is a packed byte. */
static bool read_typed(struct arena *arena, const Conform__TensorProto *proto, struct array *ret, struct reason *why)
{
    int parts = 0;
    enum dtype part = number_part(ret->dtype, &parts);
    unsigned bits = dtype_info(part)->bits < 8 ? 8 : dtype_info(part)->bits;
    struct field field = field_of(proto, part);
    uint64_t needed = (uint64_t)ret->bytes / (bits / 8);
    if (field.count != needed)
        return because(why, "%zu numbers where the shape needs %" PRIu64, field.count, needed);
    uint8_t *data = arena_zalloc(arena, (size_t)ret->bytes, 1);
    for (size_t i = 0; i < field.count; i++)
        number_put(data, bits, (int64_t)i, field.get(proto, i));
    ret->data = data;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static bool read_strings(struct arena *arena, const Conform__TensorProto *proto, struct array *ret, struct reason *why)
{
    if ((uint64_t)ret->elements != proto->n_string_data)
        return because(why, "%zu strings where the shape needs %" PRId64, proto->n_string_data, ret->elements);
    struct bytes *strings = arena_alloc(arena, proto->n_string_data, sizeof(strings[0]));
    for (size_t i = 0; i < proto->n_string_data; i++)
        strings[i] = (struct bytes){.ptr = proto->string_data[i].data, .len = proto->string_data[i].len};
    ret->strings = strings;
    return true;
}

bool tensorproto_read(struct arena *arena, const Conform__TensorProto *proto, struct array *ret, struct reason *why)
{
    if (!array_init(ret, proto->data_type, proto->n_dims, proto->dims, why))
        return false;
    if (proto->data_location != 0)
        return because(why, "the data is in another file");
    if (ret->dtype == DTYPE_BYTES)
        return read_strings(arena, proto, ret, why);
    if (!proto->has_raw_data)
        return read_typed(arena, proto, ret, why);
    ret->data = proto->raw_data.data;
    return (uint64_t)ret->bytes == proto->raw_data.len ||
           because(why, "raw_data has %zu bytes, the shape needs %" PRId64, proto->raw_data.len, ret->bytes);
}
