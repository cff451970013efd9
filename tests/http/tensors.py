"""The ONNX types and operators as DESIGN and the ONNX schemas have them, and requests and answers of the protocol.

Nothing here is taken from the program: names, numbers and sets follow onnx.proto and the operator schemas, bytes follow
the formats (IEEE 754, OCP FP8 and MX, bfloat16), little-endian, 4- and 2-bit elements packed low bits first.
"""
import collections
import functools
import json
import math
import struct

from harness import equal

# Three elements of a type: as JSON values (a complex one is two numbers) and as bytes.
Type = collections.namedtuple("Type", "name onnx bits data raw")


def packed(code, *values):
    return struct.pack("<%d%s" % (len(values), code), *values)


def strings(*values):
    """BYTES elements in the binary tensor extension."""
    raw = [v if isinstance(v, bytes) else v.encode("utf-8") for v in values]
    return b"".join(struct.pack("<I", len(r)) + r for r in raw)


def numeric(name, onnx, code, *values):
    return Type(name, onnx, 8 * struct.calcsize("<" + code), list(values), packed(code, *values))


def bits(name, onnx, width, values, raw_hex):
    return Type(name, onnx, width, values, bytes.fromhex(raw_hex))


TYPES = {t.name: t for t in (
    numeric("FP32", "FLOAT", "f", 1.5, -0.0, 2.0 ** -149),
    numeric("UINT8", "UINT8", "B", 0, 255, 7),
    numeric("INT8", "INT8", "b", -128, 127, -1),
    numeric("UINT16", "UINT16", "H", 0, 65535, 258),
    numeric("INT16", "INT16", "h", -32768, 32767, -2),
    numeric("INT32", "INT32", "i", -2**31, 2**31 - 1, 16909060),
    numeric("INT64", "INT64", "q", -2**63, 2**63 - 1, 2**53 + 1),
    Type("BYTES", "STRING", None, ["", "na\u00efve \u20ac", "a\0b"], strings("", "na\u00efve \u20ac", "a\0b")),
    Type("BOOL", "BOOL", 8, [True, False, True], b"\1\0\1"),
    numeric("FP16", "FLOAT16", "e", 1.5, -0.0, 65504.0),
    numeric("FP64", "DOUBLE", "d", 0.1, -0.0, 1.7976931348623157e308),
    numeric("UINT32", "UINT32", "I", 0, 2**32 - 1, 65536),
    numeric("UINT64", "UINT64", "Q", 0, 2**64 - 1, 2**53 + 1),
    Type("COMPLEX64", "COMPLEX64", 64, [1.5, -0.0, 0.25, 2.0, -3.0, 4.0], packed("f", 1.5, -0.0, 0.25, 2.0, -3.0, 4.0)),
    Type("COMPLEX128", "COMPLEX128", 128, [0.1, -0.0, 0.25, 2.0, -3.0, 4.0],
         packed("d", 0.1, -0.0, 0.25, 2.0, -3.0, 4.0)),
    bits("BF16", "BFLOAT16", 16, [1.5, -0.0, 3.3895313892515355e38], "c03f 0080 7f7f"),
    bits("FP8_E4M3FN", "FLOAT8E4M3FN", 8, [1.5, -0.0, 448.0], "3c 80 7e"),
    bits("FP8_E4M3FNUZ", "FLOAT8E4M3FNUZ", 8, [1.5, -2.0, 240.0], "44 c8 7f"),
    bits("FP8_E5M2", "FLOAT8E5M2", 8, [1.5, -0.0, 57344.0], "3e 80 7b"),
    bits("FP8_E5M2FNUZ", "FLOAT8E5M2FNUZ", 8, [1.5, -2.0, 57344.0], "42 c4 7f"),
    bits("UINT4", "UINT4", 4, [15, 0, 9], "0f 09"),
    bits("INT4", "INT4", 4, [-8, 7, -1], "78 0f"),
    bits("FP4_E2M1", "FLOAT4E2M1", 4, [1.5, -0.0, 6.0], "83 07"),
    bits("FP8_E8M0", "FLOAT8E8M0", 8, [1.0, 2.0, 0.5], "7f 80 7e"),
    bits("UINT2", "UINT2", 2, [3, 0, 2], "23"),
    bits("INT2", "INT2", 2, [-2, 1, -1], "36"),
)}

T15 = {"BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP16", "FP32", "FP64",
       "BYTES", "COMPLEX64", "COMPLEX128"}
T16 = T15 | {"BF16"}
T22 = T16 | {"FP8_E4M3FN", "FP8_E4M3FNUZ", "FP8_E5M2", "FP8_E5M2FNUZ", "INT4", "UINT4"}
T23 = T22 | {"FP4_E2M1"}
T24 = T23 | {"FP8_E8M0"}
T26 = T24 | {"INT2", "UINT2"}

# Operator -> since-version -> the types it permits.
VERSIONS = {"expand": {8: T15, 13: T16},
            "unsqueeze": {1: T15, 11: T15, 13: T16, 21: T22, 23: T23, 24: T24, 25: T26}}
NEWEST = {"expand": 13, "unsqueeze": 25}
INPUTS = {"expand": ("input", "shape", "output"), "unsqueeze": ("data", "axes", "expanded")}


# ---- values

# Exponent bits, mantissa bits, bias; how many of the largest codes are not finite.
FORMATS = {"BF16": (8, 7, 127, 128), "FP8_E4M3FN": (4, 3, 7, 1), "FP8_E4M3FNUZ": (4, 3, 8, 0), "FP8_E5M2": (5, 2, 15, 4),
           "FP8_E5M2FNUZ": (5, 2, 16, 0), "FP8_E8M0": (8, 0, 127, 1), "FP4_E2M1": (2, 1, 1, 0)}
STRUCTS = {"FP16": "<e", "FP32": "<f", "COMPLEX64": "<f", "FP64": "<d", "COMPLEX128": "<d"}


@functools.lru_cache(maxsize=None)
def magnitudes(datatype):
    """The finite values of a small type that are not negative, ascending."""
    exponents, mantissas, bias, not_finite = FORMATS[datatype]
    one = 1 << mantissas
    values = []
    for code in range((1 << exponents + mantissas) - not_finite):
        exponent, mantissa = divmod(code, one)
        normal = exponent > 0 or datatype == "FP8_E8M0"
        values.append(math.ldexp(mantissa + (one if normal else 0), (exponent if normal else 1) - bias - mantissas))
    return values


def rounded(datatype, value):
    """The value of the type that a JSON value stands for: two numbers may be one in it. For floats, text tells -0.0."""
    if datatype in STRUCTS and not isinstance(value, str):
        return repr(struct.unpack(STRUCTS[datatype], struct.pack(STRUCTS[datatype], value))[0])
    if datatype in FORMATS and not isinstance(value, str):
        return repr(math.copysign(min(magnitudes(datatype), key=lambda m: abs(m - abs(value))), value))
    return value


# ---- requests

def path(model, version=None, action="infer"):
    return "/v2/models/%s%s/%s" % (model, "" if version is None else "/versions/%d" % version, action)


def tensor(name, datatype, shape, data, **members):
    return dict({"name": name, "datatype": datatype, "shape": shape, "data": data}, **members)


def int64(name, values):
    return tensor(name, "INT64", [len(values)], values)


def call(model, datatype, shape, data, small, **members):
    """The JSON document of a call: T's tensor and the values of `shape` or `axes`."""
    first, second, _ = INPUTS[model]
    return dict({"inputs": [tensor(first, datatype, shape, data), int64(second, small)]}, **members)


def binary_input(name, datatype, shape, raw, **parameters):
    return {"name": name, "datatype": datatype, "shape": shape,
            "parameters": dict(parameters, binary_data_size=len(raw))}


def framed(document, *blobs):
    """(headers, body) of a request with binary inputs."""
    head = json.dumps(document).encode()
    return ([("Inference-Header-Content-Length", str(len(head))), ("Content-Type", "application/octet-stream")],
            head + b"".join(blobs))


def binary_call(model, datatype, shape, raw, small, **members):
    """(headers, body) of a call with T's tensor in binary."""
    first, second, _ = INPUTS[model]
    return framed(dict({"inputs": [binary_input(first, datatype, shape, raw), int64(second, small)]}, **members), raw)


# ---- answers

def only_output(response):
    """(document, output, raw bytes or None) of a successful infer answer, which must be well formed."""
    equal(response.status, 200, "%r" % response)
    length = response.get("Inference-Header-Content-Length")
    if length is None:
        document, rest = response.json(), None
    else:
        equal(response.get("Content-Type"), "application/octet-stream")
        document, rest = json.loads(response.body[:int(length)]), response.body[int(length):]
    equal(len(document["outputs"]), 1)
    output = document["outputs"][0]
    if rest is None:
        assert "parameters" not in output, output
    else:
        assert "data" not in output, output
        equal(output["parameters"], {"binary_data_size": len(rest)})
    return document, output, rest


def check_json(response, name, datatype, shape, data):
    document, output, raw = only_output(response)
    equal(raw, None)
    equal(sorted(output), ["data", "datatype", "name", "shape"])
    equal((output["name"], output["datatype"], output["shape"]), (name, datatype, shape))
    equal([rounded(datatype, x) for x in output["data"]], [rounded(datatype, x) for x in data])
    return document


def check_binary(response, name, datatype, shape, raw):
    document, output, rest = only_output(response)
    equal((output["name"], output["datatype"], output["shape"]), (name, datatype, shape))
    equal(rest, raw)
    return document


def check_problem(response, status, code, pointer, words=()):
    """An error document: exactly its three members, the sentence naming each of `words`."""
    equal(response.status, status, "%r" % response)
    problem = response.json()
    equal(sorted(problem), ["code", "error", "pointer"])
    equal((problem["code"], problem["pointer"]), (code, pointer), problem["error"])
    sentence = problem["error"]
    assert 10 < len(sentence) < 400 and "\n" not in sentence, sentence
    for word in words:
        assert word.lower() in sentence.lower(), "%r does not name %r" % (sentence, word)
