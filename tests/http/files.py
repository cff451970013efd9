"""Tensor files, written and read by hand as their formats are defined: .npy (numpy.lib.format), TensorProto (onnx.proto,
protobuf encoding), multipart/form-data (RFC 7578)."""
import re
import struct

from harness import equal
from tensors import TYPES

NPY, PROTOBUF, RAW, JSON = "application/x-npy", "application/x-protobuf", "application/octet-stream", "application/json"

# numpy's dtype.str. Types that it lacks are only a size; 4- and 2-bit ones have a byte each.
DESCR = {"BOOL": "|b1", "INT8": "|i1", "INT16": "<i2", "INT32": "<i4", "INT64": "<i8", "UINT8": "|u1", "UINT16": "<u2",
         "UINT32": "<u4", "UINT64": "<u8", "FP16": "<f2", "FP32": "<f4", "FP64": "<f8", "COMPLEX64": "<c8",
         "COMPLEX128": "<c16", "BF16": "<V2"}
NUMBER = {name: number for number, name in enumerate(
    "FP32 UINT8 INT8 UINT16 INT16 INT32 INT64 BYTES BOOL FP16 FP64 UINT32 UINT64 COMPLEX64 COMPLEX128 BF16 FP8_E4M3FN "
    "FP8_E4M3FNUZ FP8_E5M2 FP8_E5M2FNUZ UINT4 INT4 FP4_E2M1 FP8_E8M0 UINT2 INT2".split(), start=1)}


# ---- .npy

def npy(descr, shape, data, fortran=False):
    sizes = "".join("%d," % n for n in shape)
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (descr, fortran, sizes)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data


def read_npy(content):
    """(descr, shape, data) of a file as the service writes them."""
    equal(content[:8], b"\x93NUMPY\1\0")
    length, = struct.unpack("<H", content[8:10])
    equal((10 + length) % 64, 0)
    head = content[10:10 + length].decode()
    found = re.fullmatch(r"\{'descr': '([^']+)', 'fortran_order': False, 'shape': \((.*)\), \} *\n", head)
    assert found, head
    return found.group(1), [int(n) for n in found.group(2).split(",") if n], content[10 + length:]


def split_strings(raw):
    """Elements of the binary tensor extension."""
    out = []
    while raw:
        length, = struct.unpack("<I", raw[:4])
        out.append(raw[4:4 + length])
        raw = raw[4 + length:]
    return out


def npy_form(datatype, raw):
    """(descr, data) for the bytes that the binary tensor extension has: what numpy and ml_dtypes have in memory."""
    if datatype == "BYTES":
        parts = split_strings(raw)
        width = max([1] + [len(p) for p in parts])
        return "|S%d" % width, b"".join(p.ljust(width, b"\0") for p in parts)
    bits = TYPES[datatype].bits
    if bits >= 8:
        return DESCR.get(datatype, "<V1"), raw
    return "<V1", bytes(byte >> shift & (1 << bits) - 1 for byte in raw for shift in range(0, 8, bits))


# ---- TensorProto

def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def protobuf(datatype, shape, raw, name=None):
    out = b"".join(b"\x08" + varint(n) for n in shape) + b"\x10" + varint(NUMBER[datatype])
    strings = b"".join(field(6, s) for s in split_strings(raw)) if datatype == "BYTES" else b""
    named = field(8, name.encode()) if name else b""
    return out + strings + named + (b"" if datatype == "BYTES" else field(9, raw))


# ---- requests and answers

def file(form, datatype, shape, raw):
    """(content, query) of a tensor as a file of that media type."""
    if form == NPY:
        descr, data = npy_form(datatype, raw)
        bits = TYPES[datatype].bits
        if bits is not None and bits < 8:  # without the bits that fill up the last byte
            data = data[:elements(shape)]
        return npy(descr, shape, data), "" if descr[1] != "V" else "datatype=%s" % datatype
    if form == PROTOBUF:
        return protobuf(datatype, shape, raw, "any name"), ""
    return raw, "datatype=%s&dims=%s" % (datatype, ",".join(map(str, shape)))


def elements(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def check_file(response, form, name, datatype, shape, raw):
    """A successful answer in that form."""
    equal(response.status, 200, "%r" % response)
    equal(response.get("Content-Type"), form)
    if form == NPY:
        descr, data = npy_form(datatype, raw)
        bits = TYPES[datatype].bits
        if bits is not None and bits < 8:
            data = data[:elements(shape)]
        equal(read_npy(response.body), (descr, shape, data))
    elif form == PROTOBUF:
        equal(response.body, protobuf(datatype, shape, raw, name))
    else:
        equal(response.get("Tensor-Shape"), "[%s]" % ",".join(map(str, shape)))
        equal(response.get("Tensor-Datatype"), datatype)
        equal(response.body, raw)


def multipart(*parts, boundary="b-0123"):
    """(headers, body); a part is (name, content) or (name, content, filename, content type or None)."""
    body = b""
    for name, content, *rest in parts:
        filename, media = rest if rest else (None, None)
        body += b"--%s\r\nContent-Disposition: form-data; name=\"%s\"" % (boundary.encode(), name.encode())
        if filename is not None:
            body += b"; filename=\"%s\"" % filename.encode()
        if media is not None:
            body += b"\r\nContent-Type: %s" % media.encode()
        body += b"\r\n\r\n" + content + b"\r\n"
    return {"Content-Type": "multipart/form-data; boundary=" + boundary}, body + b"--%s--\r\n" % boundary.encode()
