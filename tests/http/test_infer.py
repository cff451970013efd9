"""Expand and Unsqueeze over HTTP: every version with every type, and the rules of both operators."""
import math

from harness import equal, main, test
from tensors import (INPUTS, NEWEST, TYPES, VERSIONS, binary_call, binary_input, call, check_binary, check_json,
                     check_problem, framed, int64, path, tensor)

PAIRS = [(model, version) for model in VERSIONS for version in VERSIONS[model]]


# ---- types

def permitted(rows):
    return [("%s-%d %s" % (model, version, t.name), model, version, t)
            for model, version in PAIRS for t in TYPES.values() if rows == (t.name in VERSIONS[model][version])]


def three_to(model):
    """Data of shape [3] becomes: (values of the small input, output's shape, how often it is repeated)."""
    return ([2, 3], [2, 3], 2) if model == "expand" else ([0], [1, 3], 1)


@test(rows=permitted(True))
def takes_type(server, model, version, t):
    small, shape, times = three_to(model)
    output = INPUTS[model][2]
    want = t.data * times

    document = call(model, t.name, [3], t.data, small)
    answer = server.request("POST", path(model, version), document)
    reply = check_json(answer, output, t.name, shape, want)
    equal([reply["model_name"], reply["model_version"]], [model, str(version)])

    headers, body = binary_call(model, t.name, [3], t.raw, small, parameters={"binary_data_output": True})
    check_binary(server.request("POST", path(model, version), body, headers), output, t.name, shape, t.raw * times)

    document["parameters"] = {"binary_data_output": True}
    check_binary(server.request("POST", path(model, version), document), output, t.name, shape, t.raw * times)

    headers, body = binary_call(model, t.name, [3], t.raw, small)
    check_json(server.request("POST", path(model, version), body, headers), output, t.name, shape, want)


@test(rows=permitted(False))
def refuses_type(server, model, version, t):
    answer = server.request("POST", path(model, version), call(model, t.name, [3], t.data, three_to(model)[0]))
    check_problem(answer, 400, "unsupported_datatype", "/inputs/0/datatype", [t.name, model])


@test(rows=[(t.onnx, t) for t in TYPES.values()])
def knows_the_onnx_name(server, t):
    answer = server.request("POST", path("unsqueeze"), call("unsqueeze", t.onnx, [3], t.data, [0]))
    check_json(answer, "expanded", t.name, [1, 3], t.data)


@test(rows=[(name, name) for name in ("fp32", "float", "", "FLOAT32", "FP8", "STRING ", "INT128")])
def knows_no_other_name(server, name):
    check_problem(server.request("POST", path("expand"), call("expand", name, [1], [1], [1])),
                  400, "unsupported_datatype", "/inputs/0/datatype")


@test(rows=[(m, m) for m in VERSIONS])
def takes_the_small_input_in_binary(server, model):
    small, shape, times = three_to(model)
    first, second, output = INPUTS[model]
    raw = b"".join(v.to_bytes(8, "little", signed=True) for v in small)
    headers, body = framed({"inputs": [binary_input(second, "INT64", [len(small)], raw),
                                       tensor(first, "INT16", [3], [1, 2, 3])]}, raw)
    check_json(server.request("POST", path(model), body, headers), output, "INT16", shape, [1, 2, 3] * times)


@test(rows=[(m, m) for m in VERSIONS])
def refuses_the_small_input_in_another_type(server, model):
    document = call(model, "FP32", [3], [1, 2, 3], [0])
    document["inputs"][1]["datatype"] = "INT32"
    check_problem(server.request("POST", path(model), document),
                  400, "unsupported_datatype", "/inputs/1/datatype", ["INT64"])


# ---- Expand

EXPAND = [  # title, input's shape, its data, shape, output's shape, its data
    ("[1,2,3,4] to [3,4]", [4], [1, 2, 3, 4], [3, 4], [3, 4], [1, 2, 3, 4] * 3),
    ("a column to [2,3,6]", [3, 1], [1, 2, 3], [2, 3, 6], [2, 3, 6], ([1] * 6 + [2] * 6 + [3] * 6) * 2),
    ("a column to [3,4]", [3, 1], [1, 2, 3], [3, 4], [3, 4], [1] * 4 + [2] * 4 + [3] * 4),
    ("1 keeps a size", [3, 1], [1, 2, 3], [1, 2], [3, 2], [1, 1, 2, 2, 3, 3]),
    ("target of smaller rank", [2, 1, 2], [1, 2, 3, 4], [3, 1], [2, 3, 2], [1, 2] * 3 + [3, 4] * 3),
    ("both sides grow", [2, 1], [1, 2], [1, 3], [2, 3], [1, 1, 1, 2, 2, 2]),
    ("the same shape", [2, 2], [1, 2, 3, 4], [2, 2], [2, 2], [1, 2, 3, 4]),
    ("empty shape", [2], [1, 2], [], [2], [1, 2]),
    ("scalar with empty shape", [], [7], [], [], [7]),
    ("scalar to [2,2]", [], [7], [2, 2], [2, 2], [7] * 4),
    ("1 against 0 is 0", [1], [7], [0], [0], []),
    ("0 against 1 is 0", [0, 3], [], [1, 1], [0, 3], []),
    ("0 stays 0", [0], [], [2, 0], [2, 0], []),
    ("a 0 among huge sizes", [1], [7], [0, 2**62, 2**62], [0, 2**62, 2**62], []),
    ("rank 64", [1], [7], [1] * 64, [1] * 64, [7]),
]


@test(rows=[row[:1] + (version,) + row[1:] for version in VERSIONS["expand"] for row in EXPAND])
def expand_gives(server, version, shape, data, target, want_shape, want):
    answer = server.request("POST", path("expand", version), call("expand", "INT32", shape, data, target))
    check_json(answer, "output", "INT32", want_shape, want)


@test(rows=[  # title, input's shape, its data, shape, status, code, pointer, words
    ("2 against 3", [2], [1, 2], [3], 400, "invalid_shape", "/inputs/1/data/0", ["2", "3"]),
    ("2 against 0", [2], [1, 2], [0], 400, "invalid_shape", "/inputs/1/data/0", ["2", "0"]),
    ("0 against 2", [0], [], [2], 400, "invalid_shape", "/inputs/1/data/0", ["0", "2"]),
    ("the wrong one of three", [2, 3, 1], [0] * 6, [2, 4, 5], 400, "invalid_shape", "/inputs/1/data/1", ["3", "4"]),
    ("-1", [2], [1, 2], [-1], 400, "invalid_shape", "/inputs/1/data/0", ["-1", "1 "]),
    ("rank 65", [1], [7], [1] * 65, 400, "invalid_shape", "/inputs/1/shape/0", ["64"]),
    ("sizes that overflow", [1], [7], [2**32, 2**32], 413, "output_too_large", "/inputs/1", ["shape"]),
    ("more than the limit", [1], [7], [2**40], 413, "output_too_large", "/inputs/1", ["shape"]),
])
def expand_refuses(server, shape, data, target, status, code, pointer, words):
    answer = server.request("POST", path("expand"), call("expand", "INT8", shape, data, target))
    check_problem(answer, status, code, pointer, words)


@test
def expand_refuses_a_scalar_shape(server):
    document = call("expand", "INT8", [1], [1], [])
    document["inputs"][1] = tensor("shape", "INT64", [], [3])
    check_problem(server.request("POST", path("expand"), document), 400, "invalid_shape", "/inputs/1/shape")


# ---- Unsqueeze

UNSQUEEZE = [  # title, data's shape, axes, output's shape; True: a version with an attribute takes it too
    ("[0,4]", [3, 4, 5], [0, 4], [1, 3, 4, 5, 1], True),
    ("any order", [3, 4], [2, 0], [1, 3, 1, 4], True),
    ("no axes", [2, 3], [], [2, 3], True),
    ("scalar", [], [0], [1], True),
    ("scalar, two axes", [], [1, 0], [1, 1], True),
    ("at the end", [2], [1], [2, 1], True),
    ("a size of 0", [0, 2], [1], [0, 1, 2], True),
    ("to rank 64", [1] * 32, list(range(32)), [1] * 64, True),
    ("negative", [3, 4], [-1], [3, 4, 1], False),
    ("the most negative", [3, 4], [-4, -1], [1, 3, 4, 1], False),
    ("mixed", [3, 4, 5], [-5, 4], [1, 3, 4, 5, 1], False),
]


def numbered(shape):
    return list(range(math.prod(shape)))


@test(rows=[row[:1] + (version,) + row[1:4] for version in VERSIONS["unsqueeze"] for row in UNSQUEEZE
            if version >= 11 or row[4]])
def unsqueeze_gives(server, version, shape, axes, want_shape):
    data = numbered(shape)
    answer = server.request("POST", path("unsqueeze", version), call("unsqueeze", "INT64", shape, data, axes))
    check_json(answer, "expanded", "INT64", want_shape, data)


@test(rows=[  # title, data's shape, axes, pointer's end, words
    ("too large", [3], [2], "/0", ["2", "1"]),
    ("too small", [3], [-3], "/0", ["-3", "-2"]),
    ("twice", [3], [0, 0], "/1", ["0"]),
    ("twice by a negative alias", [3], [0, -3], "/1", ["0", "-3"]),
    ("the third of three", [3], [0, 1, 4], "/2", ["4"]),
    ("the largest number", [3], [2**63 - 1], "/0", []),
    ("the smallest number", [3], [-2**63], "/0", []),
])
def unsqueeze_refuses(server, shape, axes, end, words):
    answer = server.request("POST", path("unsqueeze"), call("unsqueeze", "INT64", shape, numbered(shape), axes))
    check_problem(answer, 400, "invalid_axes", "/inputs/1/data" + end, words)


@test
def unsqueeze_refuses_rank_65(server):
    answer = server.request("POST", path("unsqueeze"), call("unsqueeze", "INT8", [1] * 33, [1], list(range(32))))
    check_problem(answer, 400, "invalid_shape", "/inputs/1/shape/0", ["64"])


@test
def unsqueeze_1_refuses_negative_axes(server):
    answer = server.request("POST", path("unsqueeze", 1), call("unsqueeze", "INT8", [3], [1, 2, 3], [-1]))
    check_problem(answer, 400, "invalid_axes", "/inputs/1/data/0", ["-1", "Unsqueeze 1"])


@test(rows=[("version %d" % v, v) for v in VERSIONS["unsqueeze"]])
def a_scalar_axes_is_one_axis(server, version):
    document = {"inputs": [tensor("data", "INT8", [2], [1, 2]), tensor("axes", "INT64", [], [1])]}
    check_json(server.request("POST", path("unsqueeze", version), document), "expanded", "INT8", [2, 1], [1, 2])


@test(rows=[("%s in version %d" % (title, v), v, axes, want)
            for v in (1, 11)
            for title, axes, want in [("two axes", "0,2", [1, 2, 1]), ("one axis", "1", [2, 1]),
                                      ("a number", 1, [2, 1]), ("none", "", [2])]])
def axes_come_as_a_parameter(server, version, axes, want):
    document = {"parameters": {"axes": axes}, "inputs": [tensor("data", "INT8", [2], [1, 2])]}
    check_json(server.request("POST", path("unsqueeze", version), document), "expanded", "INT8", want, [1, 2])


@test(rows=[  # title, version, parameter, code
    ("junk", 11, "0,x", "invalid_axes"),
    ("a list", 11, [0, 2], "invalid_request"),
    ("twice", 11, "0,0", "invalid_axes"),
    ("out of range", 11, "7", "invalid_axes"),
    ("negative in version 1", 1, "-1", "invalid_axes"),
    ("a fraction", 11, 1.5, "invalid_axes"),
    ("from version 13 on", 13, "0", "invalid_request"),
    ("in the newest version", NEWEST["unsqueeze"], "0", "invalid_request"),
])
def refuses_axes_as_a_parameter(server, version, axes, code):
    document = {"parameters": {"axes": axes}, "inputs": [tensor("data", "INT8", [2], [1, 2])]}
    check_problem(server.request("POST", path("unsqueeze", version), document), 400, code, "/parameters/axes", ["axes"])


@test
def refuses_axes_given_in_both_ways(server):
    document = {"parameters": {"axes": "0"}, "inputs": [tensor("data", "INT8", [2], [1, 2]), int64("axes", [0])]}
    answer = server.request("POST", path("unsqueeze", 11), document)
    equal((answer.status, answer.json()["code"]), (400, "invalid_request"))
    assert answer.json()["pointer"] in ("/parameters/axes", "/inputs/1/name"), answer.json()


# ---- versions

@test(rows=[(m, m) for m in VERSIONS])
def without_a_version_the_newest_answers(server, model):
    answer = server.request("POST", path(model), call(model, "INT8", [1], [1], [0]))
    equal(answer.json()["model_version"], str(NEWEST[model]))


@test(rows=[  # title, model, version as written, words
    ("between two", "unsqueeze", "14", ["13"]),
    ("after the newest", "unsqueeze", "26", ["25"]),
    ("before the first", "expand", "7", ["8"]),
    ("between two of Expand", "expand", "12", ["8"]),
    ("0", "expand", "0", ["8"]),
    ("a leading zero", "expand", "013", []),
    ("a sign", "expand", "+13", []),
    ("no number", "expand", "latest", []),
    ("huge", "expand", "99999999999999999999", ["13"]),
])
def refuses_another_version(server, model, version, words):
    answer = server.request("POST", "/v2/models/%s/versions/%s/infer" % (model, version), b"{}")
    check_problem(answer, 404, "unknown_version", "", words)


main()
