"""The types of ONNX as numpy arrays, and their bytes on the wire.

Types that numpy lacks are those of ml_dtypes, one element a byte; BYTES are arrays of Python objects, which are bytes.
"""
import collections
import math
import struct

import ml_dtypes
import numpy as np

Type = collections.namedtuple("Type", "name number bits dtype")

TYPES = {row[0]: Type(*row) for row in (
    ("FP32", 1, 32, np.dtype("<f4")), ("UINT8", 2, 8, np.dtype("u1")), ("INT8", 3, 8, np.dtype("i1")),
    ("UINT16", 4, 16, np.dtype("<u2")), ("INT16", 5, 16, np.dtype("<i2")), ("INT32", 6, 32, np.dtype("<i4")),
    ("INT64", 7, 64, np.dtype("<i8")), ("BYTES", 8, None, np.dtype(object)), ("BOOL", 9, 8, np.dtype(bool)),
    ("FP16", 10, 16, np.dtype("<f2")), ("FP64", 11, 64, np.dtype("<f8")), ("UINT32", 12, 32, np.dtype("<u4")),
    ("UINT64", 13, 64, np.dtype("<u8")), ("COMPLEX64", 14, 64, np.dtype("<c8")),
    ("COMPLEX128", 15, 128, np.dtype("<c16")), ("BF16", 16, 16, np.dtype(ml_dtypes.bfloat16)),
    ("FP8_E4M3FN", 17, 8, np.dtype(ml_dtypes.float8_e4m3fn)),
    ("FP8_E4M3FNUZ", 18, 8, np.dtype(ml_dtypes.float8_e4m3fnuz)),
    ("FP8_E5M2", 19, 8, np.dtype(ml_dtypes.float8_e5m2)), ("FP8_E5M2FNUZ", 20, 8, np.dtype(ml_dtypes.float8_e5m2fnuz)),
    ("UINT4", 21, 4, np.dtype(ml_dtypes.uint4)), ("INT4", 22, 4, np.dtype(ml_dtypes.int4)),
    ("FP4_E2M1", 23, 4, np.dtype(ml_dtypes.float4_e2m1fn)), ("FP8_E8M0", 24, 8, np.dtype(ml_dtypes.float8_e8m0fnu)),
    ("UINT2", 25, 2, np.dtype(ml_dtypes.uint2)), ("INT2", 26, 2, np.dtype(ml_dtypes.int2)))}
BY_DTYPE = {row.dtype: row for row in TYPES.values()}
BY_NUMBER = {row.number: row for row in TYPES.values()}


def type_of(array):
    """Text counts as BYTES."""
    return TYPES["BYTES"] if array.dtype.kind in "SU" else BY_DTYPE[array.dtype]


def byte_strings(array):
    """The elements of a BYTES array, flat."""
    return [x.encode() if isinstance(x, str) else bytes(x) for x in array.ravel().tolist()]


def objects(values, shape):
    """A BYTES array of these elements."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array.reshape(shape)


def codes(array):
    """The elements as unsigned integers of one byte each; for types of 8 bits or less."""
    return np.ascontiguousarray(array).view(np.uint8).ravel() & ((1 << type_of(array).bits) - 1)


def pack(array):
    """4- and 2-bit elements, low bits first."""
    bits = type_of(array).bits
    per_byte = 8 // bits
    flat = codes(array)
    padded = np.zeros(-(-flat.size // per_byte) * per_byte, np.uint8)
    padded[:flat.size] = flat
    lanes = padded.reshape(-1, per_byte) << (np.arange(per_byte, dtype=np.uint8) * bits)
    return np.bitwise_or.reduce(lanes, axis=1, dtype=np.uint8).tobytes() if flat.size else b""


def unpack(kind, shape, blob):
    per_byte = 8 // kind.bits
    lanes = np.frombuffer(blob, np.uint8)[:, None] >> (np.arange(per_byte, dtype=np.uint8) * kind.bits)
    flat = (lanes & ((1 << kind.bits) - 1)).astype(np.uint8).ravel()
    return flat[:math.prod(shape)].view(kind.dtype).reshape(shape)


def to_raw(array):
    """The bytes of the binary tensor extension."""
    kind = type_of(array)
    if kind.name == "BYTES":
        return b"".join(struct.pack("<I", len(x)) + x for x in byte_strings(array))
    return pack(array) if kind.bits < 8 else np.ascontiguousarray(array).tobytes()


def from_raw(kind, shape, blob):
    """Raises ValueError if the bytes are not just enough."""
    if kind.name == "BYTES":
        return objects(split_strings(blob, math.prod(shape)), shape)
    needed = -(-math.prod(shape) * kind.bits // 8)
    if len(blob) != needed:
        raise ValueError("%d bytes for %s of shape %s, not %d" % (len(blob), kind.name, list(shape), needed))
    return unpack(kind, shape, blob) if kind.bits < 8 else np.frombuffer(blob, kind.dtype).reshape(shape)


def split_strings(blob, count):
    values, at = [], 0
    for _ in range(count):
        end = at + 4 + struct.unpack_from("<I", blob, at)[0]
        values.append(blob[at + 4:end])
        at = end
    if at != len(blob):
        raise ValueError("the lengths of the elements make %d bytes, there are %d" % (at, len(blob)))
    return values


def same(a, b):
    """Type, shape and every bit."""
    return type_of(a) == type_of(b) and a.shape == b.shape and to_raw(a) == to_raw(b)
