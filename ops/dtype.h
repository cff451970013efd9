/* The ONNX element types: one table, from which the enum, the sets, the names and every message are made.
 *
 * Pure values, no state, usable from any thread. Source of the numbers and names: onnx.proto, TensorProto.DataType;
 * wire names follow the Open Inference Protocol where it has one ("FP32", "BYTES").
 */
#ifndef OPS_DTYPE_H
#define OPS_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype_kind { KIND_BOOL, KIND_UINT, KIND_INT, KIND_FLOAT, KIND_COMPLEX, KIND_STRING };

/*        wire name   ONNX  ONNX enum name    bits  kind
 *
 * Bits are those of one element in memory. A BYTES element is a `struct string` (tensor.h): 16 bytes.
 * 4- and 2-bit elements are packed, low bits first, over the whole tensor.                             */
#define DTYPE_TABLE(X)                                  \
    X(FP32,          1, "FLOAT",           32, FLOAT)   \
    X(UINT8,         2, "UINT8",            8, UINT)    \
    X(INT8,          3, "INT8",             8, INT)     \
    X(UINT16,        4, "UINT16",          16, UINT)    \
    X(INT16,         5, "INT16",           16, INT)     \
    X(INT32,         6, "INT32",           32, INT)     \
    X(INT64,         7, "INT64",           64, INT)     \
    X(BYTES,         8, "STRING",         128, STRING)  \
    X(BOOL,          9, "BOOL",             8, BOOL)    \
    X(FP16,         10, "FLOAT16",         16, FLOAT)   \
    X(FP64,         11, "DOUBLE",          64, FLOAT)   \
    X(UINT32,       12, "UINT32",          32, UINT)    \
    X(UINT64,       13, "UINT64",          64, UINT)    \
    X(COMPLEX64,    14, "COMPLEX64",       64, COMPLEX) \
    X(COMPLEX128,   15, "COMPLEX128",     128, COMPLEX) \
    X(BF16,         16, "BFLOAT16",        16, FLOAT)   \
    X(FP8_E4M3FN,   17, "FLOAT8E4M3FN",     8, FLOAT)   \
    X(FP8_E4M3FNUZ, 18, "FLOAT8E4M3FNUZ",   8, FLOAT)   \
    X(FP8_E5M2,     19, "FLOAT8E5M2",       8, FLOAT)   \
    X(FP8_E5M2FNUZ, 20, "FLOAT8E5M2FNUZ",   8, FLOAT)   \
    X(UINT4,        21, "UINT4",            4, UINT)    \
    X(INT4,         22, "INT4",             4, INT)     \
    X(FP4_E2M1,     23, "FLOAT4E2M1",       4, FLOAT)   \
    X(FP8_E8M0,     24, "FLOAT8E8M0",       8, FLOAT)   \
    X(UINT2,        25, "UINT2",            2, UINT)    \
    X(INT2,         26, "INT2",             2, INT)

/* The value of each is its ONNX number, so DTYPE_FP32 == TensorProto.FLOAT == 1. */
enum dtype {
    DTYPE_NONE = 0,
#define X(id, number, onnx, bits, kind) DTYPE_##id = (number),
    DTYPE_TABLE(X)
#undef X
    DTYPE_END /* one more than the last type */
};

struct dtype_info {
    const char *name;      /* on the wire: "FP32" */
    const char *onnx_name; /* accepted as an alias: "FLOAT" */
    unsigned bits;         /* of one element in memory */
    enum dtype_kind kind;
};

/* A set of types, one bit per ONNX number. */
typedef uint32_t dtype_set;
#define DTYPE_BIT(id) ((dtype_set)1 << DTYPE_##id)

/* The sets in which ONNX has widened T over time (operator schemas, "Type Constraints"). */
#define DTYPES_15                                                                                        \
    (DTYPE_BIT(BOOL) | DTYPE_BIT(UINT8) | DTYPE_BIT(UINT16) | DTYPE_BIT(UINT32) | DTYPE_BIT(UINT64) |    \
     DTYPE_BIT(INT8) | DTYPE_BIT(INT16) | DTYPE_BIT(INT32) | DTYPE_BIT(INT64) | DTYPE_BIT(FP16) |        \
     DTYPE_BIT(FP32) | DTYPE_BIT(FP64) | DTYPE_BIT(BYTES) | DTYPE_BIT(COMPLEX64) | DTYPE_BIT(COMPLEX128))
#define DTYPES_16 (DTYPES_15 | DTYPE_BIT(BF16))
#define DTYPES_22                                                                                        \
    (DTYPES_16 | DTYPE_BIT(FP8_E4M3FN) | DTYPE_BIT(FP8_E4M3FNUZ) | DTYPE_BIT(FP8_E5M2) |                 \
     DTYPE_BIT(FP8_E5M2FNUZ) | DTYPE_BIT(INT4) | DTYPE_BIT(UINT4))
#define DTYPES_23 (DTYPES_22 | DTYPE_BIT(FP4_E2M1))
#define DTYPES_24 (DTYPES_23 | DTYPE_BIT(FP8_E8M0))
#define DTYPES_26 (DTYPES_24 | DTYPE_BIT(INT2) | DTYPE_BIT(UINT2))

static inline bool dtype_in(enum dtype type, dtype_set set)
{
    return (set >> type & 1) != 0;
}

/* The row of a type; never NULL. `type` must be one of the table's, not DTYPE_NONE. */
const struct dtype_info *dtype_info(enum dtype type);

/* The type called `name` (wire name or ONNX enum name, exact case), or DTYPE_NONE. */
enum dtype dtype_find(const char *name, size_t len);

/* Bytes of `elements` elements of `type`, packed: ceil(elements * bits / 8). False on overflow of int64. */
bool dtype_bytes(enum dtype type, int64_t elements, int64_t *ret);

#endif
