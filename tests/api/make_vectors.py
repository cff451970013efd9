#!/usr/bin/env python3
"""Writes vectors_npy.h and vectors_protobuf.h beside itself: tensor files as numpy and onnx write them, what they mean,
and what an answer with the same tensor must be. Needs numpy, ml_dtypes and onnx; the tests need only the headers.

A row is {what, told, dtype, shape, file, data, answer}. `data` is the tensor as the binary tensor extension has it; NULL
where it is the end of the file. `answer` is NULL where it is the file itself.
"""
import io
import os
import struct

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NUMPY = {"?": "BOOL", "i1": "INT8", "i2": "INT16", "i4": "INT32", "i8": "INT64", "u1": "UINT8", "u2": "UINT16",
         "u4": "UINT32", "u8": "UINT64", "f2": "FP16", "f4": "FP32", "f8": "FP64", "c8": "COMPLEX64",
         "c16": "COMPLEX128"}
ML = {"BF16": "bfloat16", "FP8_E4M3FN": "float8_e4m3fn", "FP8_E4M3FNUZ": "float8_e4m3fnuz", "FP8_E5M2": "float8_e5m2",
      "FP8_E5M2FNUZ": "float8_e5m2fnuz", "FP8_E8M0": "float8_e8m0fnu", "FP4_E2M1": "float4_e2m1fn", "INT4": "int4",
      "UINT4": "uint4", "INT2": "int2", "UINT2": "uint2"}
BITS = {"FP4_E2M1": 4, "INT4": 4, "UINT4": 4, "INT2": 2, "UINT2": 2}


# ---- C ---------------------------------------------------------------------------------------------------------------

def literal(data):
    """Bytes as a C string literal; what is printable stays readable."""
    if data is None:
        return "NONE"
    text = "".join(chr(b) if 32 <= b < 127 and b not in b"\"\\?" else "\\%03o" % b for b in data)
    return 'BYTES("%s")' % text


def write(name, rows):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors_%s.h" % name)
    guard = "TESTS_API_VECTORS_%s_H" % name.upper()
    with open(path, "w", encoding="ascii") as out:
        out.write("/* Made by make_vectors.py with numpy %s, ml_dtypes %s, onnx %s. */\n#ifndef %s\n#define %s\n\n"
                  % (np.__version__, ml_dtypes.__version__, onnx.__version__, guard, guard))
        out.write('#include "tests/api/vectors.h"\n\n/* clang-format off */\nstatic const struct vector %s_vectors[] = {\n'
                  % name)
        for what, told, dtype, shape, file, data, answer in rows:
            shape = "{%d, {%s}}" % (len(shape), ", ".join(map(str, shape)) or "0")
            out.write('    {"%s", DTYPE_%s, DTYPE_%s, %s,\n     %s,\n     %s,\n     %s},\n'
                      % (what, told, dtype, shape, literal(file), literal(data), literal(answer)))
        out.write("};\n\n#endif\n")


# ---- tensors -----------------------------------------------------------------------------------------------------------

def patterns(width, n):
    """n elements of `width` bytes, all different and asymmetric."""
    return bytes((17 * i + 3 * (i // width) + 1) % 251 for i in range(width * n))


def strings(array):
    parts = [s.encode() if isinstance(s, str) else s for s in array.ravel().tolist()]
    return b"".join(struct.pack("<I", len(s)) + s for s in parts)


def packed(array, bits):
    values = array.view("u1").ravel().tolist()
    out = bytearray((len(values) * bits + 7) // 8)
    for i, value in enumerate(values):
        out[i * bits // 8] |= (value & ((1 << bits) - 1)) << (i * bits % 8)
    return bytes(out)


# ---- .npy ---------------------------------------------------------------------------------------------------------------

def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def with_dict(text, data):
    """A file whose header numpy reads, but does not write like this."""
    head = text + b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + data


def npy_rows():
    for descr, dtype in NUMPY.items():
        a = np.frombuffer(patterns(np.dtype(descr).itemsize, 6), descr).reshape(2, 3)
        if descr == "?":
            a = np.array([[True, False, False], [True, True, False]])
        data, answer = a.tobytes(), npy(a)
        yield dtype, "NONE", dtype, a.shape, answer, None, None
        big = a.astype(a.dtype.newbyteorder(">"))
        if a.itemsize > 1:
            assert np.array_equal(big.byteswap().view(a.dtype).view("u1"), a.view("u1"))
            yield dtype + " big-endian", "NONE", dtype, a.shape, npy(big), data, answer
        fortran = np.asfortranarray(big)
        yield dtype + " Fortran order", "NONE", dtype, a.shape, npy(fortran), data, answer
    a = np.arange(24, dtype="<i2").reshape(2, 3, 4)
    yield ("version 3.0, Fortran order, rank 3", "NONE", "INT16", a.shape, npy(np.asfortranarray(a), (3, 0)),
           a.tobytes(), npy(a))
    a = np.float64(2.5)
    yield "scalar, version 2.0", "NONE", "FP64", (), npy(np.asarray(a), (2, 0)), a.tobytes(), npy(np.asarray(a))
    a = np.zeros((0, 3), "<f4")
    yield "no elements", "NONE", "FP32", a.shape, npy(a), None, None
    a = np.array([7], "<i8")
    yield ("keys in another order", "NONE", "INT64", a.shape,
           with_dict(b'{"shape":(1L,),"fortran_order":False,"descr":"i8"}', a.tobytes()), a.tobytes(), npy(a))
    yield from npy_text_rows()
    yield from npy_ml_rows()


def npy_text_rows():
    for what, a in (("U", np.array([["a", "\u20acuro", ""], ["x\0y", "\U0001f600", "\xe9"]])),
                    ("S", np.array([[b"a", b"\xff\xfe", b""], [b"x\0y", b"four", b"5"]])),
                    ("U of nothing", np.array([""])), ("S of nothing", np.array([b""]))):
        yield what, "NONE", "BYTES", a.shape, npy(a), strings(a), None
    a = np.array([["a", "\u20acuro"], ["", "bc"]])
    yield ("U big-endian, Fortran order", "NONE", "BYTES", a.shape, npy(np.asfortranarray(a.astype(">U4"))),
           strings(a), npy(a))
    a = np.array([b"a", b"bc"], "S7")
    yield "S wider than it need be", "NONE", "BYTES", a.shape, npy(a), strings(a), npy(a.astype("S2"))


def npy_ml_rows():
    for dtype, name in ML.items():
        raw = np.frombuffer(patterns(2 if dtype == "BF16" else 1, 6), "u1")
        bits = BITS.get(dtype, 8)
        a = (raw & ((1 << bits) - 1)).view(getattr(ml_dtypes, name)).reshape(2, 3)
        data = packed(a, bits) if bits < 8 else a.tobytes()
        answer = npy(a).replace(b"'<f1'", b"'<V1'")  # numpy cannot read its own '<f1'
        yield name, dtype, dtype, a.shape, npy(a), data, answer
        yield name + " Fortran order", dtype, dtype, a.shape, npy(np.asfortranarray(a)), data, answer
        plain = a.view("u%d" % a.itemsize)
        yield name + " as unsigned integers", dtype, dtype, a.shape, npy(plain), data, answer
        if dtype in ("BF16", "FP8_E5M2"):
            yield name + " by itself", "NONE", dtype, a.shape, npy(a), data, answer
    a = np.array([0xfe, 0x12], "u1")  # the upper bits do not count
    yield ("int4 with upper bits", "INT4", "INT4", (2,), npy(a), b"\x2e",
           npy(np.array([0xe, 2], "u1").view(ml_dtypes.int4)))


# ---- TensorProto ----------------------------------------------------------------------------------------------------------

TYPED = {"FLOAT": ("float_data", "<f4"), "COMPLEX64": ("float_data", "<f4"), "DOUBLE": ("double_data", "<f8"),
         "COMPLEX128": ("double_data", "<f8"), "INT64": ("int64_data", "<i8"), "UINT64": ("uint64_data", "<u8"),
         "UINT32": ("uint64_data", "<u4"), "INT32": ("int32_data", "<i4"), "INT16": ("int32_data", "<i2"),
         "INT8": ("int32_data", "<i1"), "UINT16": ("int32_data", "<u2"), "FLOAT16": ("int32_data", "<u2"),
         "BFLOAT16": ("int32_data", "<u2")}
WIRE_NAME = {"FLOAT": "FP32", "DOUBLE": "FP64", "STRING": "BYTES", "FLOAT16": "FP16", "BFLOAT16": "BF16",
             "FLOAT8E4M3FN": "FP8_E4M3FN", "FLOAT8E4M3FNUZ": "FP8_E4M3FNUZ", "FLOAT8E5M2": "FP8_E5M2",
             "FLOAT8E5M2FNUZ": "FP8_E5M2FNUZ", "FLOAT4E2M1": "FP4_E2M1", "FLOAT8E8M0": "FP8_E8M0"}


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def unpacked(message, field, values):
    """The same message with one field an entry, as writers without [packed = true] have it, and dims packed."""
    dims = b"".join(varint(d) for d in message.dims)
    out = b"\x0a" + varint(len(dims)) + dims + b"\x10" + varint(message.data_type)
    number = {"float_data": 4, "int32_data": 5, "int64_data": 7, "double_data": 10, "uint64_data": 11}[field]
    for value in values:
        if field == "float_data":
            out += varint(number << 3 | 5) + struct.pack("<f", value)
        elif field == "double_data":
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        else:
            out += varint(number << 3) + varint(value)
    return out


def protobuf_rows():
    for onnx_name, number in TensorProto.DataType.items():
        if onnx_name in ("UNDEFINED", "STRING") or number > TensorProto.INT2:
            continue
        dtype = WIRE_NAME.get(onnx_name, onnx_name)
        np_type = helper.tensor_dtype_to_np_dtype(number)
        raw = np.frombuffer(patterns(np_type.itemsize, 10), "u1")
        bits = BITS.get(dtype, 8)
        a = (raw & (1 if onnx_name == "BOOL" else (1 << bits) - 1)).view(np_type).reshape(2, 5)
        message = numpy_helper.from_array(a, "output")
        data, answer = message.raw_data, message.SerializeToString()
        assert message.data_type == number
        yield onnx_name + " raw_data", "NONE", dtype, a.shape, answer, data, None
        field, view = TYPED.get(onnx_name, ("int32_data", "u1"))
        values = np.frombuffer(data, view).tolist()
        message.ClearField("raw_data")
        getattr(message, field).extend(values)
        assert numpy_helper.to_array(message).tobytes() == a.tobytes()
        yield "%s %s" % (onnx_name, field), "NONE", dtype, a.shape, message.SerializeToString(), data, answer
        other = unpacked(message, field, values)
        assert numpy_helper.to_array(TensorProto.FromString(other)).tobytes() == a.tobytes()
        yield "%s %s, not packed" % (onnx_name, field), "NONE", dtype, a.shape, other, data, answer
    yield from protobuf_special_rows()


def protobuf_special_rows():
    a = np.array([[b"a", b"", b"\xff\0"], [b"x" * 200, b"four", b"5\0"]], object)
    message = helper.make_tensor("output", TensorProto.STRING, [0], [])  # which would cut NULs at the end
    message.ClearField("dims")
    message.dims.extend(a.shape)
    message.string_data.extend(a.ravel().tolist())
    yield "STRING", "NONE", "BYTES", a.shape, message.SerializeToString(), strings(a), None
    message = helper.make_tensor("output", TensorProto.STRING, [0], [])
    yield "STRING, no elements", "NONE", "BYTES", (0,), message.SerializeToString(), b"", None
    message = numpy_helper.from_array(np.float32(1.5), "output")
    yield "scalar", "NONE", "FP32", (), message.SerializeToString(), message.raw_data, None
    message = helper.make_tensor("", TensorProto.INT64, [2, 0], [])
    answer = numpy_helper.from_array(np.zeros((2, 0), "<i8"), "output").SerializeToString()
    yield "no elements, no field", "NONE", "INT64", (2, 0), message.SerializeToString(), b"", answer
    message = helper.make_tensor("x", TensorProto.INT8, [2], [-1, -128])
    message.doc_string = "unknown fields are passed over"
    answer = numpy_helper.from_array(np.array([-1, -128], "i1"), "output").SerializeToString()
    yield "negative, with doc_string", "NONE", "INT8", (2,), message.SerializeToString(), b"\xff\x80", answer


write("npy", npy_rows())
write("protobuf", protobuf_rows())
