#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets into corpus/: valid inputs of each kind, by name.

Files with other names in the corpus were found by an engine, for what they reach or for what was wrong once.
"""
import gzip
import pathlib
import struct
import zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"
# Indexes of operator versions (ops/op.h), which many inputs begin with.
EXPAND_8, EXPAND_13, UNSQUEEZE_1, UNSQUEEZE_11, UNSQUEEZE_13, UNSQUEEZE_21, _, _, UNSQUEEZE_25 = range(9)
TYPES = ("FP32 UINT8 INT8 UINT16 INT16 INT32 INT64 BYTES BOOL FP16 FP64 UINT32 UINT64 COMPLEX64 COMPLEX128 BF16 "
         "FP8_E4M3FN FP8_E4M3FNUZ FP8_E5M2 FP8_E5M2FNUZ UINT4 INT4 FP4_E2M1 FP8_E8M0 UINT2 INT2").split()


def write(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


# ---- tensors as files

def npy(descr, shape, data, order="False"):
    return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode() + data


def framed_npy(descr, shape, data):
    header = npy(descr, shape, b"")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def varint(value):
    out = b""
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """An integer or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor_proto(dtype, dims, *fields):
    return b"".join(field(1, d) for d in dims) + field(2, dtype) + b"".join(fields)


# ---- documents

def document(**members):
    inputs = members.pop("inputs")
    more = "".join(f'"{key}":{value},' for key, value in members.items())
    return "{" + more + '"inputs":[' + ",".join(inputs) + "]}"


def tensor(name, shape, datatype, data):
    return f'{{"name":"{name}","shape":{shape},"datatype":"{datatype}","data":{data}}}'


def blob(name, shape, datatype, size):
    return f'{{"name":"{name}","shape":{shape},"datatype":"{datatype}","parameters":{{"binary_data_size":{size}}}}}'


SHAPE = tensor("shape", "[3]", "INT64", "[2,3,6]")
AXES = tensor("axes", "[2]", "INT64", "[0,-1]")
DOCUMENTS = {
    "expand": (EXPAND_13, document(inputs=[tensor("input", "[3,1]", "FP32", "[1.5,-0.0,1e10]"), SHAPE])),
    "nested": (EXPAND_8, document(inputs=[tensor("input", "[2,2]", "INT32", "[[1,2],[3,4]]"), SHAPE.replace("3,6", "2,2")])),
    "bytes": (UNSQUEEZE_25, document(inputs=[tensor("data", "[2]", "BYTES", '["a\\u00e9\\n","\\ud83d\\ude00"]'), AXES])),
    "bool": (UNSQUEEZE_13, document(inputs=[tensor("data", "[3]", "BOOL", "[true,false,1]"), AXES], id='"x\\u0041"')),
    "complex": (UNSQUEEZE_13, document(inputs=[tensor("data", "[1]", "COMPLEX64", '[1,"NaN"]'), AXES])),
    "special": (UNSQUEEZE_25, document(inputs=[tensor("data", "[3]", "FP8_E5M2", '["Infinity","-Infinity",7]'), AXES])),
    "packed": (UNSQUEEZE_25, document(inputs=[tensor("data", "[5]", "INT4", "[-8,7,0,1,2]"), AXES])),
    "attribute": (UNSQUEEZE_1, document(inputs=[tensor("data", "[2]", "FP64", "[1,2]")], parameters='{"axes":"0, 2"}')),
    "output": (UNSQUEEZE_11, document(inputs=[tensor("data", "[]", "UINT64", "[18446744073709551615]"), AXES],
                                      outputs='[{"name":"expanded","parameters":{"binary_data":true}}]')),
    "dry": (EXPAND_13, document(inputs=['{"name":"input","shape":["batch",null,1],"datatype":"FP32"}',
                                        tensor("shape", "[2]", "INT64", '["batch",null]')], parameters='{"dry_run":true}')),
    "data-first": (EXPAND_13, document(inputs=['{"data":[1,2],"datatype":"INT8","shape":[2],"name":"input"}', SHAPE])),
    "ignored": (EXPAND_13, document(inputs=[tensor("input", "[0,2]", "FP16", "[]"), SHAPE], extra='{"a":[null,{}]}')),
}


def seed_json():
    texts = {
        "kinds": '{"a": [null, true, false, -0.5e+10, "\\u00e9\\ud83d\\ude00"], "b": {}}',
        "deep": "[[[[[[[[[[[[1]]]]]]]]]]]]",
        "utf8": '["\u00e9\u20ac\U0001f600", "\\"\\\\\\/\\b\\f\\n\\r\\t"]',
        "numbers": "[0,-1,1.5,1e5,12345678901234567890,0.000000000000000000001 , 3]",
        "space": " \t\r\n[ 1 , 2 ] \n",
    }
    for name, text in texts.items():
        write("json", f"seed-{name}", text)


def seed_number():
    texts = ["0", "-0", "1", "-1.5", "1e2", "3.4028235e38", "65504", "0.1", "18446744073709551615", "-128", "255",
             "2.2250738585072011e-308", "4.9e-324", "1.00000000000000011102230246251565404236316680908203125", "448",
             "123456789012345678901234567890", "6.0e-8", "9007199254740993", "1e-400", "1e400"]
    for i, text in enumerate(texts):
        write("number", f"seed-{i:02}", bytes([i % len(TYPES), i % 2]) + text.encode())


def seed_documents():
    for name, (op, text) in DOCUMENTS.items():
        write("codec_json", f"seed-{name}", bytes([op, 0, 0]) + text.encode())
    binary = document(inputs=[blob("input", "[3,1]", "FP32", 12), blob("shape", "[3]", "INT64", 24)])
    write("codec_json", "seed-binary", bytes([EXPAND_13, 0, 36]) + binary.encode() + bytes(12) + struct.pack("<3q", 2, 3, 6))
    text = document(inputs=['{"name":"data","shape":["n",2],"datatype":"INT64"}', AXES])
    write("codec_json", "seed-shape", bytes([UNSQUEEZE_21, 7, 0]) + text.encode())


def seed_binary():
    for i, name in enumerate(TYPES):
        data = struct.pack("<I3sII2s", 3, b"abc", 0, 2, b"de") if name == "BYTES" else bytes(range(48))
        write("codec_binary", f"seed-{name}", bytes([i, 1, 3, 0]) + data)


def seed_files():
    arrays = {"f4": ("<f4", "(3,)", 12), "i8": ("<i8", "(2, 1)", 16), "big": (">f8", "(2,)", 16), "u": ("<U3", "(2,)", 24),
              "s": ("|S4", "(2,)", 8), "bool": ("|b1", "(4,)", 4), "c": ("<c16", "()", 16), "v": ("|V1", "(5,)", 5),
              "bf16": ("<V2", "(2,)", 4), "empty": ("<f4", "(0, 3)", 0)}
    for name, (descr, shape, size) in arrays.items():
        told = 1 + TYPES.index("INT4") if name == "v" else 0
        data = b"a\0\0\0" * (size // 4) if name in "us" else bytes(range(size))
        write("codec_npy", f"seed-{name}", bytes([told, 1]) + npy(descr, shape, data))
    write("codec_npy", "seed-fortran", bytes([0, 2]) + npy("<i4", "(2, 3)", bytes(range(24)), "True"))
    write("codec_npy", "seed-structured", bytes([0, 3]) + b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n")
    write("codec_npy", "seed-file", bytes([0, 0]) + framed_npy("<f4", "(1,)", bytes(4)))
    messages = {
        "raw": tensor_proto(1, [3, 1], field(9, bytes(12)), field(8, b"input")),
        "float": tensor_proto(1, [2], field(4, struct.pack("<2f", 1, 2))),
        "int32": tensor_proto(22, [3], field(5, varint(0x21) + varint(3))),
        "int64": tensor_proto(7, [2], field(7, varint(2) + varint(1))),
        "double": tensor_proto(15, [1], field(10, struct.pack("<2d", 1, 2))),
        "uint64": tensor_proto(12, [2], field(11, varint(5) + varint(7))),
        "strings": tensor_proto(8, [2], field(6, b"abc"), field(6, b"")),
        "half": tensor_proto(10, [2], field(5, varint(0x3c00) + varint(0xffff))),
        "external": tensor_proto(1, [1], field(13, field(1, b"location") + field(2, b"x")), field(14, 1)),
        "segment": tensor_proto(1, [1], field(3, field(1, 0) + field(2, 1))),
    }
    for name, message in messages.items():
        write("codec_protobuf", f"seed-{name}", message)
    return messages


def multipart(*parts):
    out = b""
    for head, content in parts:
        out += b"--b\r\nContent-Disposition: form-data; " + head.encode() + b"\r\n\r\n" + content + b"\r\n"
    return out + b"--b--\r\n"


def seed_multipart(messages):
    kind = b"multipart/form-data; boundary=b\n"
    npy_part = ("name=input; filename=\"x.npy\"", framed_npy("<f4", "(3, 1)", bytes(12)))
    bodies = {
        "npy": (EXPAND_13, b"\n", multipart(npy_part, ("name=shape", b"[2,3,6]"))),
        "pb": (EXPAND_13, b"\n", multipart(("name=\"input\"; filename=i.pb", messages["raw"]), ("name=shape", b"[3,1]"))),
        "text": (UNSQUEEZE_13, b"datatype=INT8\n", multipart(("name=data", b"[[1,2],[3,4]]"), ("name=axes", b"[0]"))),
        "raw": (UNSQUEEZE_13, b"datatype=INT8&dims=2,2&axes=1\n", multipart(("name=data; filename=a.bin", b"abcd"))),
    }
    for name, (op, query, body) in bodies.items():
        write("codec_multipart", f"seed-{name}", bytes([op]) + kind + query + body)
    quoted = b'multipart/form-data; charset=x; boundary="b"\n'
    write("codec_multipart", "seed-quoted", bytes([EXPAND_8]) + quoted + b"\n" + b"preamble\r\n" + multipart(npy_part) + b"end")


def seed_texts():
    targets = ["/v2/models/expand/infer?datatype=FP32&dims=3,1&shape=2,3,6", "/v2/models/%65xpand/versions/13?axes=-1,0&x",
               "http://host:80/v2/health/live", "/?dims=&datatype=%46P32&shape=", "*", "/a//b/%2e/#f", "/%00", "/%2F%zz"]
    for i, target in enumerate(targets):
        write("query", f"seed-{i}", bytes([i % 9]) + target.encode())
    headers = [("gzip", "gzip;q=0.5, deflate, identity;q=0"), ("application/json", "application/json; charset=utf-8"),
               ("application/x-npy", "text/html, application/*;q=0.8, */*;q=0.1"), ("boundary", 'a/b; boundary="x\\"y"'),
               ("name", 'form-data; name=input; filename="a b.npy"'), ("deflate", "*;q=0"), ("x", " , ;;=,q=1.000;q=2")]
    for i, (name, value) in enumerate(headers):
        write("headers", f"seed-{i}", f"{name}\n{value}")


def seed_encoding():
    text = b"The quick brown fox jumps over the lazy dog. " * 3
    for mode in (0, 2, 4, 6, 8, 10):
        write("encoding", f"seed-{mode}", bytes([mode, 9, 40]) + text)
    write("encoding", "seed-gzip", bytes([3, 1, 0]) + gzip.compress(text, mtime=0))
    write("encoding", "seed-zlib", bytes([1, 99, 0]) + zlib.compress(text))
    write("encoding", "seed-bomb", bytes([3, 99, 0]) + gzip.compress(bytes(100000), mtime=0))


def request(target, body, *headers, method="POST"):
    head = "\n".join([f"{method} {target}", *headers]) + "\n\n"
    return head.encode() + (body if isinstance(body, bytes) else body.encode())


def write_request(name, text):
    write("dispatch", name, text)
    write("memory", name, text)


def seed_dispatch(messages):
    kinds = {EXPAND_8: "expand/versions/8", EXPAND_13: "expand", UNSQUEEZE_1: "unsqueeze/versions/1",
             UNSQUEEZE_11: "unsqueeze/versions/11", UNSQUEEZE_13: "unsqueeze/versions/13", UNSQUEEZE_25: "unsqueeze"}
    for name, (op, text) in DOCUMENTS.items():
        call = "shape" if name == "dry" else "infer"
        write_request(f"seed-{name}", request(f"/v2/models/{kinds[op]}/{call}", text, "Content-Type: application/json"))
    binary = document(inputs=[blob("input", "[3,1]", "FP32", 12), SHAPE], parameters='{"binary_data_output":true}')
    write_request("seed-binary", request("/v2/models/expand/infer", binary.encode() + bytes(12),
                                             "Inference-Header-Content-Length: auto"))
    write_request("seed-npy", request("/v2/models/unsqueeze/infer?axes=0,2", framed_npy("<f4", "(3,)", bytes(12)),
                                          "Content-Type: application/x-npy", "Accept: application/x-npy"))
    write_request("seed-pb", request("/v2/models/expand/infer?shape=2,3,2", messages["raw"],
                                         "Content-Type: application/x-protobuf", "Accept: application/x-protobuf"))
    write_request("seed-raw", request("/v2/models/expand/infer?shape=3,2&datatype=BOOL&dims=3,1", b"abc",
                                          "Content-Type: application/octet-stream", "Accept: application/json"))
    form = multipart(("name=input", b"[1,2]"), ("name=shape", b"[3,2]"))
    write_request("seed-form", request("/v2/models/expand/infer?datatype=INT64", form,
                                           "Content-Type: multipart/form-data; boundary=b", "Accept: */*;q=0.1"))
    large = document(inputs=[tensor("input", "[1]", "INT64", "[7]"), tensor("shape", "[1]", "INT64", "[3000]")])
    write_request("seed-gzip", request("/v2/models/expand/infer", large, "Content-Encoding: gzip", "Compress: gzip",
                                           "Accept-Encoding: gzip;q=1, deflate;q=0.5"))
    write_request("seed-deflate", request("/v2/models/expand/infer", large, "Accept-Encoding: deflate"))
    for i, path in enumerate(["/", "/v2", "/v2/health/live", "/v2/health/ready", "/v2/models", "/v2/models/stats",
                              "/v2/models/expand", "/v2/models/unsqueeze/versions/11", "/v2/models/expand/ready",
                              "/v2/models/unsqueeze/config", "/v2/models/expand/stats", "/v2/models/expand/versions/8/stats",
                              "/v2/repository/index", "/v2/models/Expand", "/v2/models/expand/versions/9", "/nowhere",
                              "/openapi.json", "/openapi.yaml", "/docs", "/metrics"]):
        write_request(f"seed-get-{i:02}", request(path, "", method="GET"))
    write_request("seed-index", request("/v2/repository/index", '{"ready":true}'))
    write_request("seed-load", request("/v2/repository/models/expand/load", ""))
    write_request("seed-method", request("/v2/models/expand/infer", "", method="DELETE"))
    write_request("seed-draining", request("/v2/health/ready", "", "Draining: 1", method="GET"))


def seed_descriptors():
    for i in range(9):
        write("ops", f"seed-{i}", bytes([i, 0, 0, 3, 0, 0, 1, 3, 200, 2, 200, 5, 100, 1, 0, 9, 9, 30, 30]))
    write("ops", "seed-view", bytes([1, 6, 252, 3, 1, 2, 4, 0, 2, 1, 0, 255, 10, 255, 40, 30]))
    for i, name in enumerate(TYPES):
        write("codecs", f"seed-{name}", bytes([i, 2, 2, 3]) + bytes(range(48)))
    for i in range(3):
        write("source", f"seed-{i}", bytes([i, i, 2, 3, 2, 40, 80, 1, 1, 1, 3, 5, 2, 8]) + bytes(range(40)))


def main():
    seed_json()
    seed_number()
    seed_documents()
    seed_binary()
    messages = seed_files()
    seed_multipart(messages)
    seed_texts()
    seed_encoding()
    seed_dispatch(messages)
    seed_descriptors()


main()
