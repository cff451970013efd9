"""What shaped-conform makes of folders: the requests it sends, and the models and data that it skips or refuses."""
import email
import json
import os
import struct

from fake import (DATA, RIGHT, SHAPE, Answer, Folder, binary, document, failed, floats, json_answer, main, passed,
                  run_against)
from harness import equal, test
from onnx_files import int64s, model, node, number, packed, strings, tensor, write, write_case


# ---- requests ------------------------------------------------------------------------------------------------------

def check_head(request, path, content_type):
    equal(request.path, path)
    assert request.headers["Content-Type"].startswith(content_type), str(request.headers)


@test
def sends_json():
    request = passed(json_answer("FP32", [1, 2, 3, 4]), "json")
    check_head(request, "/v2/models/unsqueeze/versions/13/infer", "application/json")
    equal(json.loads(request.body), {
        "inputs": [{"name": "data", "datatype": "FP32", "shape": [2, 2], "data": [1, 2, 3, 4]},
                   {"name": "axes", "datatype": "INT64", "shape": [1], "data": [0]}],
        "outputs": [{"name": "expanded", "parameters": {"binary_data": False}}]})
    equal(request.headers["Inference-Header-Content-Length"], None)


@test
def sends_binary():
    request = passed(RIGHT, "binary")
    check_head(request, "/v2/models/unsqueeze/versions/13/infer", "application/octet-stream")
    head = int(request.headers["Inference-Header-Content-Length"])
    equal(request.body[head:], DATA + struct.pack("<q", 0))
    equal(json.loads(request.body[:head]), {
        "inputs": [{"name": "data", "datatype": "FP32", "shape": [2, 2], "parameters": {"binary_data_size": 16}},
                   {"name": "axes", "datatype": "INT64", "shape": [1], "parameters": {"binary_data_size": 8}}],
        "outputs": [{"name": "expanded", "parameters": {"binary_data": True}}]})


@test
def sends_protobuf():
    request = passed(Answer(tensor("FP32", SHAPE, DATA)), "protobuf")
    check_head(request, "/v2/models/unsqueeze/versions/13/infer?axes=0", "application/x-protobuf")
    equal(request.headers["Accept"], "application/x-protobuf")
    equal(request.body, tensor("FP32", [2, 2], DATA).replace(packed(1, [2, 2]), number(1, 2) * 2))


def form(request):
    """Name -> (file name, type, content)."""
    whole = b"Content-Type: " + request.headers["Content-Type"].encode() + b"\r\n\r\n" + request.body
    return {part.get_param("name", header="content-disposition"):
            (part.get_filename(), part.get_content_type(), part.get_payload(decode=True))
            for part in email.message_from_bytes(whole).get_payload()}


@test
def sends_multipart():
    request = passed(Answer(tensor("FP32", SHAPE, DATA)), "multipart")
    check_head(request, "/v2/models/unsqueeze/versions/13/infer", "multipart/form-data")
    equal(request.headers["Accept"], "application/x-protobuf")
    parts = form(request)
    equal(list(parts), ["data", "axes"])
    equal(parts["axes"], ("input_1.pb", "application/x-protobuf",
                          int64s([0]).replace(packed(1, [1]), number(1, 1))))


def attribute_case(folder):
    write_case(folder, model([node("Unsqueeze", ["x"], axes=[2, -1])], ["x"], 11), [tensor("FP32", [2, 2], DATA)],
               tensor("FP32", [2, 2, 1, 1], DATA))


@test(rows=[("json", "json", json_answer("FP32", [1, 2, 3, 4], [2, 2, 1, 1])),
            ("binary", "binary", binary("FP32", [2, 2, 1, 1], DATA)),
            ("protobuf", "protobuf", Answer(tensor("FP32", [2, 2, 1, 1], DATA))),
            ("multipart", "multipart", Answer(tensor("FP32", [2, 2, 1, 1], DATA)))])
def sends_an_attribute(codec, answer):
    request = passed(answer, codec, attribute_case)
    path = "/v2/models/unsqueeze/versions/11/infer"
    if codec in ("json", "binary"):
        head = int(request.headers["Inference-Header-Content-Length"] or len(request.body))
        equal(json.loads(request.body[:head])["parameters"], {"axes": "2,-1"})
        equal(request.path, path)
    else:
        equal(request.path, path + "?axes=2,-1")


@test(rows=[("beside graph inputs", ["x"], [tensor("FP32", [2, 2], DATA)]),
            ("that is a graph input too", ["x", "shape"], [tensor("FP32", [2, 2], DATA)]),
            ("for everything", [], [])])
def uses_initializers(inputs, files):
    def write_it(folder):
        initializers = [int64s([1, 2, 2], name="shape"), tensor("FP32", [2, 2], DATA, name="x")]
        write_case(folder, model([node("Expand", ["x", "shape"])], inputs, 12, initializers), files,
                   tensor("FP32", SHAPE, DATA))
    answer = Answer(document("FP32", SHAPE, name="output", data=[1, 2, 3, 4]))
    request = passed(answer, "json", write_it)
    equal(request.path, "/v2/models/expand/versions/8/infer")
    equal([i["data"] for i in json.loads(request.body)["inputs"]], [[1, 2, 3, 4], [1, 2, 2]])


@test
def prefers_a_file_to_an_initializer():
    def write_it(folder):
        write_case(folder, model([node("Expand", ["x", "shape"])], ["shape", "x"], 13, [int64s([7], name="shape")]),
                   [int64s([1, 2, 2]), tensor("FP32", [2, 2], DATA)], tensor("FP32", SHAPE, DATA))
    request = passed(Answer(document("FP32", SHAPE, name="output", data=[1, 2, 3, 4])), "json", write_it)
    equal([i["data"] for i in json.loads(request.body)["inputs"]], [[1, 2, 3, 4], [1, 2, 2]])


@test
def does_not_replace_a_broken_file():
    failed(RIGHT, "json", "not a TensorProto", lambda folder: write_case(
        folder, model([node("Expand", ["x", "shape"])], ["x", "shape"], 13, [int64s([1, 2, 2], name="shape")]),
        [tensor("FP32", [2, 2], DATA), b"\xff"], tensor("FP32", SHAPE, DATA)))


@test(rows=[("8 for 9", "Expand", 9, 8), ("8 for 12", "Expand", 12, 8), ("13 for 99", "Expand", 99, 13),
            ("13 for 20", "Unsqueeze", 20, 13), ("21 for 22", "Unsqueeze", 22, 21), ("25 for 26", "Unsqueeze", 26, 25)])
def maps_the_operator_set(op, opset, since):
    def write_it(folder):
        write_case(folder, model([node(op, ["x", "y"])], ["x", "y"], opset, domain="ai.onnx"),
                   [tensor("FP32", [2, 2], DATA), int64s([0])], tensor("FP32", SHAPE, DATA))
    name = "output" if op == "Expand" else "expanded"
    request = passed(Answer(document("FP32", SHAPE, name=name, data=[1, 2, 3, 4])), "json", write_it)
    equal(request.path, "/v2/models/%s/versions/%d/infer" % (op.lower(), since))


# ---- typed fields of files -----------------------------------------------------------------------------------------

def fixed(field, code, *values):
    """Numbers of 4 ("f") or 8 ("d") bytes, each with its field number."""
    key = bytes([field << 3 | (5 if code == "f" else 1)])
    return b"".join(key + struct.pack("<" + code, value) for value in values)


FIELDS = [
    ("float_data, not packed", "FP32", fixed(4, "f", 1.5, -2), floats(1.5, -2)),
    ("double_data, not packed", "FP64", fixed(10, "d", 1.5, -2), struct.pack("<2d", 1.5, -2)),
    ("int64_data", "INT64", packed(7, [-1, 2**62]), struct.pack("<2q", -1, 2**62)),
    ("uint64_data", "UINT64", packed(11, [2**64 - 1, 1]), struct.pack("<2Q", 2**64 - 1, 1)),
    ("uint64_data for UINT32", "UINT32", packed(11, [2**32 - 1, 1]), struct.pack("<2I", 2**32 - 1, 1)),
    ("int32_data for INT8", "INT8", packed(5, [-1, 127]), b"\xff\x7f"),
    ("int32_data for BOOL", "BOOL", packed(5, [1, 0]), b"\1\0"),
    ("int32_data for FP16", "FP16", packed(5, [0x3c00, 0xbc00]), struct.pack("<2e", 1, -1)),
    ("int32_data for INT4", "INT4", packed(5, [0xf1]), b"\xf1"),
    ("float_data for COMPLEX64", "COMPLEX64", fixed(4, "f", 1, 2, 3, 4), floats(1, 2, 3, 4)),
]


@test(rows=FIELDS)
def reads_typed_fields(datatype, fields, content):
    def write_it(folder):
        write_case(folder, model([node("Unsqueeze", ["x", "axes"])], ["x", "axes"], 25),
                   [tensor(datatype, [2], fields=fields), int64s([0])], tensor(datatype, [1, 2], content))
    request = passed(binary(datatype, [1, 2], content), "binary", write_it)
    equal(request.body[int(request.headers["Inference-Header-Content-Length"]):], content + bytes(8))


# ---- what is not run -----------------------------------------------------------------------------------------------

EXPAND = node("Expand", ["x", "s"])
SKIPS = [
    ("two nodes", model([EXPAND, EXPAND], ["x", "s"], 13), "2 nodes"),
    ("no node", model([], [], 13), "0 nodes"),
    ("another operator", model([node("Add", ["x", "s"])], ["x", "s"], 13), "the node is Add"),
    ("another domain", model([node("Expand", ["x", "s"], domain="com.example")], ["x", "s"], 13), "the node is Expand"),
    ("before the operator", model([EXPAND], ["x", "s"], 7), "operator set 7 has no Expand"),
]


@test(rows=SKIPS)
def skips_by_name(content, why):
    with Folder() as folder:
        write_case(folder, content, [], None)
        os.makedirs(os.path.join(folder, "test_data_set_0"), exist_ok=True)
        run, requests = run_against(RIGHT, folder)
    assert run.status == 0 and run.lines[-1] == "0 passed, 0 failed, 1 skipped" and not requests, run
    equal(run.lines[0], "skipped  %s/model.onnx: %s" % (folder, why))


@test
def skips_a_model_without_data():
    with Folder() as folder:
        write(os.path.join(folder, "model.onnx"), model([EXPAND], ["x", "s"], 13))
        run, _ = run_against(RIGHT, folder)
    assert run.status == 0 and "test_data_set_" in run.lines[0] and "0 failed, 1 skipped" in run.out, run


@test(rows=[("no ModelProto", b"\xff\xff\xff", "not a ModelProto"), ("no graph", number(1, 7), "without a graph")])
def fails_for_a_broken_model(content, why):
    failed(RIGHT, "binary", why, lambda folder: write_case(folder, content, [], None))


GOOD = [tensor("FP32", [2, 2], DATA), int64s([0])]
BROKEN = [
    ("no output", GOOD, None, "output_0.pb: No such file"),
    ("no input", GOOD[:1], GOOD[0], "input_1.pb: No such file"),
    ("no TensorProto", [b"\xff", GOOD[1]], GOOD[0], "not a TensorProto"),
    ("raw_data too long", [tensor("FP32", [2], DATA), GOOD[1]], GOOD[0], "raw_data has 16 bytes, the shape needs 8"),
    ("fewer numbers", [tensor("FP32", [2], fields=fixed(4, "f", 1)), GOOD[1]], GOOD[0], "1 numbers where the shape needs 2"),
    ("fewer strings", [strings([b"a"], [2]), GOOD[1]], GOOD[0], "1 strings where the shape needs 2"),
    ("a negative size", [tensor("FP32", [-1], DATA), GOOD[1]], GOOD[0], "is no shape"),
    ("a rank of 65", [tensor("FP32", [1] * 65, DATA), GOOD[1]], GOOD[0], "rank 65 is above 64"),
    ("data elsewhere", [tensor("FP32", [4], DATA, fields=number(14, 1)), GOOD[1]], GOOD[0], "in another file"),
]


@test(rows=BROKEN)
def fails_for_broken_data(inputs, output, why):
    failed(RIGHT, "binary", why, lambda folder: write_case(
        folder, model([node("Unsqueeze", ["x", "axes"])], ["x", "axes"], 13), inputs, output))


@test(rows=[("a NaN with a payload in JSON", "json", tensor("FP32", [1], b"\1\0\xc0\x7f"), "JSON cannot carry the bits 7fc00001"),
            ("a bool of 2 in JSON", "json", tensor("BOOL", [1], b"\2"), "JSON cannot carry the bits 2"),
            ("bytes in JSON", "json", strings([b"\xff"], [1]), "JSON cannot carry element 0, which is not UTF-8")])
def skips_what_a_codec_cannot_carry(codec, data, why):
    with Folder() as folder:
        write_case(folder, model([node("Unsqueeze", ["x", "axes"])], ["x", "axes"], 13), [data, int64s([0])], data)
        run, requests = run_against(RIGHT, "--codec", codec, folder)
    assert run.status == 0 and not requests, run
    equal(run.lines, ["skipped  %s/test_data_set_0: %s" % (folder, run.lines[0].split(": ", 1)[1]),
                      "0 passed, 0 failed, 1 skipped"])
    assert why in run.lines[0], run


@test
def skips_a_query_that_cannot_be():
    with Folder() as folder:
        write_case(folder, model([node("Unsqueeze", ["x", "axes"])], ["x", "axes"], 13),
                   [GOOD[0], int64s([0], dims=[])], tensor("FP32", SHAPE, DATA))
        run, requests = run_against(Answer(tensor("FP32", SHAPE, DATA)), "--codec", "protobuf,multipart", folder)
    equal(run.lines[-1], "1 passed, 0 failed, 1 skipped")
    assert "the query can carry axes only as INT64 of rank 1" in run.out, run
    equal(len(requests), 1)


if __name__ == "__main__":
    main()
