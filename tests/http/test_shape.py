"""Shape inference without data: POST .../shape, and .../infer with parameters.dry_run."""
import json
import struct

from harness import equal, main, test

ABSENT = object()


def tensor(name, datatype, shape, data=ABSENT):
    value = {"name": name, "datatype": datatype, "shape": shape}
    return value if data is ABSENT else {**value, "data": data}


def expand(datatype, dims, shape, data=ABSENT):
    return "expand", [tensor("input", datatype, dims), tensor("shape", "INT64", shape, data)]


def unsqueeze(datatype, dims, axes_shape, data=ABSENT):
    return "unsqueeze", [tensor("data", datatype, dims), tensor("axes", "INT64", axes_shape, data)]


# (title, (model, inputs), version, datatype, shape, byte_size). Those named "onnx" are the cases of onnx 1.19,
# shape_inference_test.py and data_propagation_test.py.
CASES = [
    ("onnx expand", expand("INT32", [3, 1], [3], [2, 1, 6]), 13, "INT32", [2, 3, 6], 144),
    ("onnx expand scalar input", expand("INT32", [], [2], [4, 8]), 13, "INT32", [4, 8], 128),
    ("onnx expand raw data", expand("INT32", [3, 1], [2], [3, 4]), 13, "INT32", [3, 4], 48),
    ("onnx expand dynamic shape", expand("INT32", [1, 2, None], [3]), 13, "INT32", [None, 2, None], None),
    ("onnx expand symbolic shape", expand("INT32", [1, 2, None], ["unk__0"]), 13, "INT32", None, None),
    ("onnx expand symbolic input", expand("INT32", [3, 1, 2], [3], [1, 4, 2]), 13, "INT32", [3, 4, 2], 96),
    ("onnx expand, version 8", expand("INT32", [3, 1], [3], [2, 1, 6]), 8, "INT32", [2, 3, 6], 144),
    ("onnx unsqueeze regular", unsqueeze("FP32", [3, 2], [4], [0, 1, 3, 5]), 13, "FP32", [1, 1, 3, 1, 2, 1], 24),
    ("onnx unsqueeze unsorted axes", unsqueeze("FP32", [3, 4, 5], [2], [4, 0]), 13, "FP32", [1, 3, 4, 5, 1], 240),
    ("onnx unsqueeze negative axes", unsqueeze("FP32", [3, 4, 5], [2], [0, -1]), 13, "FP32", [1, 3, 4, 5, 1], 240),
    ("onnx unsqueeze scalar", unsqueeze("FP32", [], [], [-1]), 13, "FP32", [1], 4),
    ("names stay", unsqueeze("FP32", ["batch", "total_seq"], [2], [1, 2]), 25, "FP32", ["batch", 1, 1, "total_seq"], None),
    ("a name against itself", expand("FP32", ["n", 1], [2], ["n", 3]), 13, "FP32", ["n", 3], None),
    ("a name against another", expand("FP32", ["n"], [1], ["m"]), 13, "FP32", [None], None),
    ("a name against a number", expand("FP32", ["n"], [1], [7]), 13, "FP32", [7], 28),
    ("a name against 1", expand("FP32", ["n"], [2], [1, 1]), 13, "FP32", [1, "n"], None),
    ("null against 1", expand("FP32", [1], [1], [None]), 13, "FP32", [None], None),
    ("null against a name", expand("FP32", [None], [1], ["n"]), 13, "FP32", [None], None),
    ("a name against 0", expand("FP32", ["n"], [1], [0]), 13, "FP32", [0], 0),
    ("unknown rank", expand("FP32", None, [1], [3]), 13, "FP32", None, None),
    ("unknown rank of data", unsqueeze("FP32", None, [1], [0]), 13, "FP32", None, None),
    ("axes without data", unsqueeze("FP32", [2, 3], [2]), 13, "FP32", None, None),
    ("no axes at all", unsqueeze("FP32", [2, "n"], [0], []), 13, "FP32", [2, "n"], None),
    ("a name that needs escapes", unsqueeze("FP32", ["\u20ac\"\n"], [1], [0]), 13, "FP32", [1, "\u20ac\"\n"], None),
    ("packed type", unsqueeze("INT4", [3], [1], [0]), 21, "INT4", [1, 3], 2),
    ("strings without data", unsqueeze("BYTES", [3], [1], [0]), 13, "BYTES", [1, 3], None),
    ("no strings at all", unsqueeze("BYTES", [0], [1], [0]), 13, "BYTES", [1, 0], 0),
    ("far more than could be sent", expand("FP32", [1], [2], [1 << 30, 1 << 29]), 13, "FP32", [1 << 30, 1 << 29], 1 << 61),
]


def ask(server, model, version, inputs, how="shape", more=None):
    return server.request("POST", "/v2/models/%s/versions/%d/%s" % (model, version, how),
                          {"inputs": inputs, **(more or {})})


def outputs(response):
    equal(response.status, 200, response.body)
    return response.json()["outputs"]


@test(rows=[(case[0], *case[1:]) for case in CASES])
def infers(server, call, version, datatype, shape, byte_size):
    model, inputs = call
    name = {"expand": "output", "unsqueeze": "expanded"}[model]
    want = [{"name": name, "datatype": datatype, "shape": shape, "byte_size": byte_size}]
    equal(outputs(ask(server, model, version, inputs)), want, "/shape")
    equal(outputs(ask(server, model, version, inputs, "infer", {"parameters": {"dry_run": True}})), want, "dry_run")
    first = {"parameters": {"dry_run": True}, "inputs": inputs}
    equal(outputs(server.request("POST", "/v2/models/%s/versions/%d/infer" % (model, version), first)), want,
          "dry_run, parameters first")
    backwards = [dict(reversed(one.items())) for one in inputs]
    equal(outputs(ask(server, model, version, backwards)), want, "members the other way round")


@test
def names_the_call(server):
    model, inputs = expand("FP32", ["n"], [1], [1])
    got = ask(server, model, 13, inputs, more={"id": "a\u20acb"}).json()
    equal([got["model_name"], got["model_version"], got["id"]], ["expand", "13", "a\u20acb"])
    got = server.request("POST", "/v2/models/expand/shape", {"inputs": inputs}).json()
    equal([got["model_version"], "id" in got], ["13", False])


@test
def data_may_be_there(server):
    inputs = [tensor("data", "BYTES", [2], ["a", "bcd"]), tensor("axes", "INT64", [1], [0])]
    equal(outputs(ask(server, "unsqueeze", 13, inputs))[0]["byte_size"], 12)
    inputs = [tensor("data", "FP32", [2], [1.5, "x"]), tensor("axes", "INT64", [1], [0])]
    equal(ask(server, "unsqueeze", 13, inputs).json()["pointer"], "/inputs/0/data/1")


@test
def attributes(server):
    got = ask(server, "unsqueeze", 11, [tensor("data", "FP32", ["n"])], more={"parameters": {"axes": "0,2"}})
    equal(outputs(got)[0]["shape"], [1, "n", 1])


@test
def does_not_count_as_inference(server):
    def count():
        stats = server.request("GET", "/v2/models/expand/versions/8/stats").json()["model_stats"][0]
        return stats["inference_stats"]["success"]["count"], stats["inference_stats"]["fail"]["count"]
    before = count()
    model, inputs = expand("FP32", ["n"], [1], [1])
    ask(server, model, 8, inputs)
    ask(server, model, 8, [])
    equal(count(), before)


REFUSALS = [
    ("negative size", expand("FP32", [-1], [1], [1]), "invalid_shape", "/inputs/0/shape/0"),
    ("the smallest number", expand("FP32", [-(1 << 63)], [1], [1]), "invalid_shape", "/inputs/0/shape/0"),
    ("negative target", expand("FP32", [1], [1], [-1]), "invalid_shape", "/inputs/1/data/0"),
    ("the smallest number as target", expand("FP32", [1], [1], [-(1 << 63)]), "invalid_shape", "/inputs/1/data/0"),
    ("mismatch", expand("FP32", ["n", 2], [2], [1, 3]), "invalid_shape", "/inputs/1/data/1"),
    ("a size of another kind", expand("FP32", [True], [1], [1]), "invalid_shape", "/inputs/0/shape/0"),
    ("empty name", expand("FP32", [""], [1], [1]), "invalid_shape", "/inputs/0/shape/0"),
    ("fewer values than shape says", expand("FP32", [1], [2], [1]), "invalid_data", "/inputs/1/data"),
    ("more values than shape says", expand("FP32", [1], [1], [1, 2]), "invalid_data", "/inputs/1/data"),
    ("data with names in the shape", ("expand", [tensor("input", "FP32", ["n"], [1.0]),
                                                 tensor("shape", "INT64", [1], [1])]), "invalid_data", "/inputs/0/data"),
    ("axis out of range", unsqueeze("FP32", ["n"], [1], [2]), "invalid_axes", "/inputs/1/data/0"),
    ("an axis that is a name", unsqueeze("FP32", ["n"], [1], ["x"]), "invalid_data", "/inputs/1/data/0"),
    ("an axis that is unknown", unsqueeze("FP32", ["n"], [2], [0, None]), "invalid_data", "/inputs/1/data/1"),
    ("an axis that is no number", unsqueeze("FP32", ["n"], [1], [[0]]), "invalid_data", "/inputs/1/data/0"),
    ("more axes than there can be", unsqueeze("FP32", ["n"], [65], list(range(65))), "invalid_shape", "/inputs/1/shape/0"),
    ("a type not permitted", expand("INT4", ["n"], [1], [2]), "unsupported_datatype", "/inputs/0/datatype"),
    ("too many names", expand("FP32", ["n%d" % i for i in range(64)], [1], ["m"]), "invalid_shape", "/inputs/1/data/0"),
]


@test(rows=[(r[0], *r[1:]) for r in REFUSALS])
def refuses(server, call, code, pointer):
    model, inputs = call
    for response in (ask(server, model, 13, inputs),
                     ask(server, model, 13, inputs, "infer", {"parameters": {"dry_run": True}})):
        equal(response.status, 400, response.body)
        equal([response.json()["code"], response.json()["pointer"]], [code, pointer], response.json()["error"])


OCTETS = {"Content-Type": "application/octet-stream"}


@test(rows=[("as octets", OCTETS, b""), ("without a body", {}, None),
            ("as a form", {"Content-Type": "application/x-www-form-urlencoded"}, b"")])
def raw_bytes_may_be_absent(server, headers, body):
    for target, datatype, shape, size in (
            ("expand/shape?datatype=FP32&dims=3,1&shape=2,3,6", "FP32", [2, 3, 6], 144),
            ("unsqueeze/shape?datatype=INT4&dims=3&axes=0,-1", "INT4", [1, 3, 1], 2),
            ("unsqueeze/shape?datatype=BYTES&dims=&axes=0", "BYTES", [1], None)):
        response = server.request("POST", "/v2/models/" + target, body, headers)
        equal(response.status, 200, response.body)
        equal([outputs(response)[0][name] for name in ("datatype", "shape", "byte_size")], [datatype, shape, size])


@test(rows=[("no sizes", "/shape?datatype=FP32&axes=0", "invalid_request", "dims"),
            ("no type", "/shape?dims=3&axes=0", "malformed_json", "empty"),
            ("some bytes", "/shape?datatype=FP32&dims=3&axes=0", "invalid_data", "12 bytes"),
            ("a real run", "/infer?datatype=FP32&dims=3&axes=0", "invalid_data", "12 bytes")])
def raw_bytes_that_are_not_absent(server, target, code, words):
    body = b"x" if words == "12 bytes" and "shape" in target else b""
    response = server.request("POST", "/v2/models/unsqueeze" + target, body, OCTETS)
    equal((response.status, response.json()["code"]), (400, code), response.body)
    assert words in response.json()["error"], response.body


# Within a dry run the smallest numbers stand for what is not known, and the next ones for names.
@test(rows=[("%d more than the smallest" % n, n - (1 << 63)) for n in (0, 1, 2, 1000, 1024, 1025)])
def numbers_in_bytes_are_no_names(server, number):
    def refused(response, pointer):
        equal(response.status, 400, response.body)
        problem = response.json()
        equal([problem["code"], problem["pointer"]], ["invalid_shape", pointer], problem["error"])
        assert str(number) in problem["error"], problem["error"]
    inputs = [tensor("input", "FP32", ["n", 1]), tensor("shape", "INT64", [1])]
    inputs[1]["parameters"] = {"binary_data_size": 8}
    head = json.dumps({"inputs": inputs}).encode()
    refused(server.request("POST", "/v2/models/expand/shape", head + struct.pack("<q", number),
                           {"Inference-Header-Content-Length": str(len(head))}), "/inputs/1/data/0")
    refused(server.request("POST", "/v2/models/expand/shape?datatype=UINT8&dims=1&shape=2,%d" % number, b"x",
                           {"Content-Type": "application/octet-stream"}), "/shape")


@test(rows=[("name in shape", expand("FP32", ["n"], [1], [1]), "invalid_shape", "/inputs/0/shape/0"),
            ("null in shape", expand("FP32", [None], [1], [1]), "invalid_shape", "/inputs/0/shape/0"),
            ("no data", expand("FP32", [1], [1], [1]), "invalid_request", "/inputs/0")])
def a_real_run_needs_everything(server, call, code, pointer):
    model, inputs = call
    for more in ({}, {"parameters": {"dry_run": False}}):
        response = ask(server, model, 13, inputs, "infer", more)
        equal(response.status, 400)
        equal([response.json()["code"], response.json()["pointer"]], [code, pointer], response.json()["error"])


@test
def dry_run_is_a_boolean(server):
    model, inputs = expand("FP32", [1], [1], [1])
    response = ask(server, model, 13, inputs, "infer", {"parameters": {"dry_run": "yes"}})
    equal(response.status, 400)


main()
