"""Writes ONNX test folders (model.onnx, test_data_set_0/input_0.pb ...) byte by byte, with nothing but Python.

Field numbers are those of onnx.proto.
"""
import os
import struct

# Wire name -> (TensorProto.DataType, bits of an element; BYTES has none of its own).
TYPES = {
    "FP32": (1, 32), "UINT8": (2, 8), "INT8": (3, 8), "UINT16": (4, 16), "INT16": (5, 16), "INT32": (6, 32),
    "INT64": (7, 64), "BYTES": (8, 0), "BOOL": (9, 8), "FP16": (10, 16), "FP64": (11, 64), "UINT32": (12, 32),
    "UINT64": (13, 64), "COMPLEX64": (14, 64), "COMPLEX128": (15, 128), "BF16": (16, 16), "FP8_E4M3FN": (17, 8),
    "FP8_E4M3FNUZ": (18, 8), "FP8_E5M2": (19, 8), "FP8_E5M2FNUZ": (20, 8), "UINT4": (21, 4), "INT4": (22, 4),
    "FP4_E2M1": (23, 4), "FP8_E8M0": (24, 8), "UINT2": (25, 2), "INT2": (26, 2),
}


def varint(n):
    n &= (1 << 64) - 1  # negative numbers are written as 64 bits
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def blob(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, numbers):
    return blob(field, b"".join(varint(n) for n in numbers))


def tensor(datatype, dims, raw=None, name="", fields=b""):
    """A TensorProto with raw_data, or with `fields` as they are."""
    out = packed(1, dims) if dims else b""
    out += number(2, TYPES[datatype][0]) + fields
    if name:
        out += blob(8, name)
    return out if raw is None else out + blob(9, raw)


def int64s(values, dims=None, name=""):
    return tensor("INT64", [len(values)] if dims is None else dims, struct.pack("<%dq" % len(values), *values), name)


def strings(values, dims):
    return tensor("BYTES", dims, fields=b"".join(blob(6, value) for value in values))


def node(op, inputs, axes=None, domain=""):
    out = b"".join(blob(1, name) for name in inputs) + blob(2, "out") + blob(4, op)
    if axes is not None:
        out += blob(5, blob(1, "axes") + b"".join(number(8, axis) for axis in axes) + number(20, 7))
    return out + (blob(7, domain) if domain else b"")


def model(nodes, inputs, opset, initializers=(), domain=""):
    """A ModelProto. Every name in `inputs` is an input of the graph, in this order."""
    graph = b"".join(blob(1, n) for n in nodes) + blob(2, "graph")
    graph += b"".join(blob(5, t) for t in initializers) + b"".join(blob(11, blob(1, name)) for name in inputs)
    imported = (blob(1, domain) if domain else b"") + number(2, opset)
    return number(1, 7) + blob(7, graph) + blob(8, imported)


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content)


def write_case(folder, model_file, inputs, output, data_set="test_data_set_0"):
    write(os.path.join(folder, "model.onnx"), model_file)
    for i, content in enumerate(inputs):
        write(os.path.join(folder, data_set, "input_%d.pb" % i), content)
    if output is not None:
        write(os.path.join(folder, data_set, "output_0.pb"), output)


def unsqueeze_case(folder, datatype, dims, raw, axes, out_dims, opset=25):
    """Unsqueeze 13 or newer; the output's bytes are the input's."""
    write_case(folder, model([node("Unsqueeze", ["x", "axes"])], ["x", "axes"], opset),
               [tensor(datatype, dims, raw), int64s(axes)], tensor(datatype, out_dims, raw))
