"""Everything but infer: health, metadata, config, statistics, index; and how paths and methods are matched."""
import gzip
import json

from harness import equal, main, test
from tensors import INPUTS, NEWEST, T15, T16, T26, VERSIONS, call, check_json, check_problem, path

MODELS = [(m, m) for m in VERSIONS]
EVERY_VERSION = [("%s %d" % (m, v), m, v) for m in VERSIONS for v in VERSIONS[m]]


def get(server, target):
    answer = server.request("GET", target)
    equal(answer.status, 200, "%r" % answer)
    return answer.json()


# ---- the server

@test(rows=[("live", "/v2/health/live", b'{"live":true}'), ("ready", "/v2/health/ready", b'{"live":true,"ready":true}')])
def health(server, target, body):
    answer = server.request("GET", target)
    equal((answer.status, answer.get("Content-Type"), answer.body), (200, "application/json", body))


@test
def server_metadata(server):
    metadata = get(server, "/v2")
    equal(metadata["name"], "shaped")
    assert isinstance(metadata["version"], str)
    equal(metadata["extensions"], ["binary_tensor_data", "model_configuration", "statistics", "onnx_datatypes"])


@test
def the_index_lists_the_api(server):
    assert "/v2/models" in json.dumps(get(server, "/"))


@test
def models(server):
    equal(get(server, "/v2/models"), {"models": ["expand", "unsqueeze"]})


# ---- a model

def any_shape(name, datatype):
    return {"name": name, "datatype": datatype, "shape": [-1]}


def check_metadata(metadata, model, version):
    first, second, output = INPUTS[model]
    properties = metadata.pop("properties")
    equal(metadata, {"name": model, "versions": [str(v) for v in VERSIONS[model]], "platform": "shaped_onnx",
                     "inputs": [any_shape(first, "FP32"), any_shape(second, "INT64")],
                     "outputs": [any_shape(output, "FP32")]})
    assert all(isinstance(v, str) for v in properties.values()), properties
    equal((properties["domain"], properties["since_version"]), ("ai.onnx", str(version)))
    equal(set(properties["types"].split(",")), VERSIONS[model][version])
    older = [v for v in VERSIONS[model] if v < version]
    added = VERSIONS[model][version] - VERSIONS[model][older[-1]] if older else set()
    equal(set(filter(None, properties["types_added"].split(","))), added)


@test
def the_sets_of_types_are_those_of_onnx(server):
    equal([len(T15), len(T16), len(T26)], [15, 16, 26])
    equal([len(types) for types in VERSIONS["unsqueeze"].values()], [15, 15, 16, 22, 23, 24, 26])


@test(rows=EVERY_VERSION)
def metadata_of(server, model, version):
    check_metadata(get(server, "/v2/models/%s/versions/%d" % (model, version)), model, version)


@test(rows=MODELS)
def metadata_without_a_version(server, model):
    check_metadata(get(server, "/v2/models/" + model), model, NEWEST[model])


@test(rows=EVERY_VERSION)
def ready_and_config_of(server, model, version):
    first, second, output = INPUTS[model]
    base = "/v2/models/%s/versions/%d" % (model, version)
    equal(get(server, base + "/ready"), {"name": model, "ready": True})
    config = get(server, base + "/config")
    equal((config["name"], config["platform"], config["max_batch_size"]), (model, "shaped_onnx", 0))
    equal([(i["name"], i["data_type"], i["dims"], i["optional"]) for i in config["input"]],
          [(first, "TYPE_FP32", [-1], False), (second, "TYPE_INT64", [-1], model == "unsqueeze" and version <= 11)])
    equal([(o["name"], o["data_type"], o["dims"]) for o in config["output"]], [(output, "TYPE_FP32", [-1])])


@test(rows=MODELS)
def ready_and_config_without_a_version(server, model):
    equal(get(server, "/v2/models/%s/ready" % model), {"name": model, "ready": True})
    equal(get(server, "/v2/models/%s/config" % model)["name"], model)


# ---- statistics

def statistics(server, target):
    return {(s["name"], s["version"]): s for s in get(server, target)["model_stats"]}


@test
def statistics_count_successes_and_failures(server):
    before = statistics(server, "/v2/models/expand/versions/13/stats")[("expand", "13")]
    for _ in range(3):
        equal(server.request("POST", path("expand", 13), call("expand", "INT8", [1], [1], [2])).status, 200)
    for _ in range(2):
        equal(server.request("POST", path("expand", 13), call("expand", "INT8", [2], [1, 1], [3])).status, 400)
    equal(server.request("POST", path("expand", 8), call("expand", "INT8", [1], [1], [2])).status, 200)
    after = statistics(server, "/v2/models/expand/versions/13/stats")[("expand", "13")]
    equal(after["inference_count"] - before["inference_count"], 3)
    equal(after["execution_count"] - before["execution_count"], 3)
    for name, count in (("success", 3), ("fail", 2)):
        old, new = before["inference_stats"][name], after["inference_stats"][name]
        equal(new["count"] - old["count"], count, name)
        assert new["ns"] > old["ns"], (old, new)
    equal(sorted(after["inference_stats"]), ["cache_hit", "cache_miss", "compute_infer", "compute_input",
                                             "compute_output", "fail", "queue", "success"])
    assert after["last_inference"] > 1600000000000, after["last_inference"]
    equal(after["batch_stats"], [])


@test
def statistics_of_all_of_a_model_and_of_a_version(server):
    everything = [(m, str(v)) for m in VERSIONS for v in VERSIONS[m]]
    equal(list(statistics(server, "/v2/models/stats")), everything)
    equal(list(statistics(server, "/v2/models/unsqueeze/stats")), everything[2:])
    equal(list(statistics(server, "/v2/models/unsqueeze/versions/21/stats")), [("unsqueeze", "21")])


# ---- repository

@test(rows=[("GET", "GET", None), ("POST", "POST", b"{}"), ("POST, ready ones", "POST", b'{"ready":true}'),
            ("POST, nothing", "POST", b"")])
def repository_index(server, method, body):
    answer = server.request(method, "/v2/repository/index", body)
    equal((answer.status, answer.json()), (200, [
        {"name": m, "version": str(v), "state": "READY", "reason": ""} for m in VERSIONS for v in VERSIONS[m]]))


@test(rows=[("load", "load"), ("unload", "unload")])
def models_are_built_in(server, action):
    answer = server.request("POST", "/v2/repository/models/expand/" + action, b"{}")
    check_problem(answer, 400, "not_offered", "", ["built in"])


# ---- files that are part of the program

FILES = [("JSON", "/openapi.json", "application/json"), ("YAML", "/openapi.yaml", "application/yaml")]


@test(rows=FILES)
def file_is_there(server, target, media_type):
    answer = server.request("GET", target)
    equal((answer.status, answer.get("Content-Type"), answer.get("Content-Encoding")), (200, media_type, None))
    equal((answer.get("Cache-Control"), answer.get("Vary")), ("no-cache", "Accept-Encoding"))
    assert b"openapi" in answer.body, answer


@test(rows=FILES)
def file_comes_as_gzip(server, target, _):
    plain = server.request("GET", target)
    small = server.request("GET", target, headers={"Accept-Encoding": "deflate, gzip"})
    equal((small.get("Content-Encoding"), gzip.decompress(small.body)), ("gzip", plain.body))
    equal((small.get("Content-Type"), small.get("Vary")), (plain.get("Content-Type"), "Accept-Encoding"))
    assert small.get("ETag") != plain.get("ETag"), "the same tag for other bytes"
    for refused in ("deflate", "gzip;q=0", "br"):
        equal(server.request("GET", target, headers={"Accept-Encoding": refused}).body, plain.body, refused)


@test(rows=FILES)
def file_is_sent_once(server, target, _):
    with server.connect() as connection:
        tag = connection.request("GET", target).get("ETag")
        for has in (tag, "W/" + tag, '"a", %s , "b"' % tag, "*", " * "):
            answer = connection.request("GET", target, {"If-None-Match": has})
            equal((answer.status, answer.body, answer.get("ETag"), answer.get("Content-Type")), (304, b"", tag, None), has)
            assert answer.get("Content-Length") not in (None, "0"), "no other length than that of the file may be told"
        for other in ('"a"', tag.strip('"'), tag[:-2] + '"', "", '"a", *'):
            equal(connection.request("GET", target, {"If-None-Match": other}).status, 200, other)
        two_lines = [("If-None-Match", '"a"'), ("If-None-Match", tag)]
        equal(connection.request("GET", target, two_lines).status, 304)
        equal(connection.request("GET", target, {"If-None-Match": tag, "Accept-Encoding": "gzip"}).status, 200)


# ---- methods

GET_ROUTES = ["/", "/docs", "/assets/icon.svg", "/openapi.json", "/openapi.yaml", "/v2", "/v2/models", "/v2/health/live", "/v2/health/ready",
              "/v2/models/expand", "/v2/models/expand/versions/8", "/v2/models/expand/ready",
              "/v2/models/expand/versions/8/ready", "/v2/models/expand/config", "/v2/models/expand/versions/8/config",
              "/v2/models/stats", "/v2/models/expand/stats", "/v2/models/expand/versions/8/stats",
              "/v2/repository/index"]


@test(rows=[(route, route) for route in GET_ROUTES])
def head_is_get_without_a_body(server, route):
    with server.connect() as connection:
        whole = connection.request("GET", route)
        head = connection.request("HEAD", route)
        equal(connection.request("GET", "/v2/health/live").body, b'{"live":true}')
    equal(whole.status, 200)
    equal((head.status, head.body, head.get("Content-Type")), (200, b"", whole.get("Content-Type")))
    if "stats" not in route:
        equal(head.get("Content-Length"), str(len(whole.body)))


@test(rows=[
    ("POST on health", "POST", "/v2/health/ready", {"GET", "HEAD"}),
    ("GET on infer", "GET", "/v2/models/expand/infer", {"POST"}),
    ("HEAD on infer", "HEAD", "/v2/models/expand/versions/13/infer", {"POST"}),
    ("DELETE on a model", "DELETE", "/v2/models/expand", {"GET", "HEAD"}),
    ("PUT on infer", "PUT", "/v2/models/unsqueeze/infer", {"POST"}),
    ("DELETE on the index", "DELETE", "/v2/repository/index", {"GET", "HEAD", "POST"}),
    ("OPTIONS", "OPTIONS", "/v2/models", {"GET", "HEAD"}),
    ("TRACE", "TRACE", "/v2", {"GET", "HEAD"}),
    ("an unknown method", "BREW", "/v2", {"GET", "HEAD"}),
    ("lower case", "get", "/v2", {"GET", "HEAD"}),
    ("GET on load", "GET", "/v2/repository/models/expand/load", {"POST"}),
])
def refuses_the_method(server, method, target, allowed):
    body = b"x" if method in ("POST", "PUT") else None
    with server.connect() as connection:
        answer = connection.request(method, target, [], body)
        equal(answer.status, 405)
        equal(set(answer.get("Allow").split(", ")), allowed)
        if method != "HEAD":
            check_problem(answer, 405, "method_not_allowed", "", [method])
        equal(connection.request("GET", "/v2/health/live").body, b'{"live":true}', "the connection goes on")


# ---- paths

@test(rows=[
    ("nothing like it", "/nothing"), ("deeper", "/v2/health/live/x"), ("version 1", "/v1/models/expand:predict"),
    ("an empty segment", "/v2//models"), ("another case", "/V2/models"), ("an action", "/v2/models/expand/predict"),
    ("very deep", "/a" * 500), ("dots", "/v2/../v2"), ("a version without number", "/v2/models/expand/versions"),
])
def knows_no_path(server, target):
    check_problem(server.request("GET", target), 404, "unknown_path", "")


@test(rows=[
    ("another operator", "/v2/models/Reshape", ["expand", "unsqueeze"]), ("another case", "/v2/models/Expand", ["expand"]),
    ("another case, infer", "/v2/models/UNSQUEEZE/ready", ["unsqueeze"]),
    ("blanks", "/v2/models/%20expand", []), ("an escape too many", "/v2/models/%2565xpand", []),
    ("unprintable", "/v2/models/%01%FF", []), ("long", "/v2/models/" + "x" * 2000, []),
])
def knows_no_model(server, target, words):
    check_problem(server.request("GET", target), 404, "unknown_model", "", words)


@test(rows=[("NUL", "/v2/models/exp%00and"), ("a slash", "/v2%2Fmodels"), ("no hex", "/v2/models/%zz"),
            ("cut", "/v2/models/expand%2")])
def refuses_to_decode(server, target):
    answer = server.request("GET", target)
    equal((answer.status, answer.json()["code"]), (400, "bad_target"))


@test(rows=[
    ("/v2/", "/v2/", "/v2"), ("escapes", "/v2/models/%65xpand", "/v2/models/expand"),
    ("an escaped fixed name", "/v2/%6Dodels", "/v2/models"), ("a query", "/v2?x=1&y", "/v2"),
    ("an empty query", "/v2/models?", "/v2/models"), ("a slash in the query", "/v2?a=/b/c", "/v2"),
    ("absolute form", "http://127.0.0.1/v2/models", "/v2/models"),
    ("absolute form, another case", "HTTP://localhost:8000/v2/models", "/v2/models"),
    ("absolute form without path", "http://127.0.0.1", "/"),
])
def is_the_same_as(server, target, plain):
    answer = server.request("GET", target)
    equal((answer.status, answer.body), (200, server.request("GET", plain).body))


@test
def infer_takes_escapes_and_a_query(server):
    answer = server.request("POST", "/v2/models/expan%64/versions/1%33/infer?trace=1", call("expand", "INT8", [1], [1], [2]))
    check_json(answer, "output", "INT8", [2], [1, 1])


@test
def get_with_a_body_is_answered(server):
    with server.connect() as connection:
        equal(connection.request("GET", "/v2/health/live", [], b"x" * 100000).body, b'{"live":true}')
        equal(connection.request("GET", "/v2/health/live").body, b'{"live":true}')


main()
