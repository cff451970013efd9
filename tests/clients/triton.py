"""Tests of both HTTP clients of Triton, which have the same methods: `calls(connect)` gives a file all of them.

connect(server, **options) returns a client of tritonclient.http, or something that behaves like it.
"""
import gzip
import unittest.mock
import zlib

import numpy as np
import tritonclient.http as http
from tritonclient.utils import InferenceServerException

from examples import CLIENT_TYPES, check, example, expanded, int64, unsqueezed
from harness import equal, test

MEBI = 1 << 20


def tensor(name, array, datatype, binary):
    item = http.InferInput(name, list(array.shape), datatype)
    item.set_data_from_numpy(array, binary_data=binary)
    return item


def expand_inputs(array, datatype, target, binary):
    return [tensor("input", array, datatype, binary), tensor("shape", int64(*target), "INT64", binary)]


def unsqueeze_inputs(array, datatype, axes, binary):
    return [tensor("data", array, datatype, binary), tensor("axes", int64(*axes), "INT64", binary)]


def wanted(name, binary):
    return [http.InferRequestedOutput(name, binary_data=binary)]


def forms(datatypes):
    """Rows of tests: each type with each side in binary or JSON, as far as the client can: it refuses BF16 in JSON."""
    for datatype in datatypes:
        for binary in (True, False):
            for answer in (True, False):
                if binary or datatype != "BF16":
                    title = "%s, %s to %s" % (datatype, *("binary" if x else "JSON" for x in (binary, answer)))
                    yield title, datatype, binary, answer


def refused(call, status, *words):
    """That the client raises its own exception, with the status and the server's sentence."""
    try:
        got = call()
    except InferenceServerException as e:
        equal(e.status(), status, str(e))
        for word in words:
            assert word in e.message(), e.message()
    else:
        raise AssertionError("no exception, but %r" % (got,))


def calls(connect):
    documents(connect)
    inference(connect)
    compression(connect)
    errors(connect)


# ---- health, metadata, statistics ----------------------------------------------------------------------------------

def documents(connect):
    @test
    def asks_for_health(server):
        with connect(server) as client:
            equal([client.is_server_live(), client.is_server_ready(), client.is_model_ready("expand"),
                   client.is_model_ready("unsqueeze", "13"), client.is_model_ready("nothing"),
                   client.is_model_ready("unsqueeze", "14")], [True, True, True, True, False, False])

    @test
    def asks_for_metadata(server):
        with connect(server) as client:
            found = client.get_server_metadata()
            equal(found["name"], "shaped")
            equal({"binary_tensor_data", "model_configuration", "statistics"} - set(found["extensions"]), set())
            found = client.get_model_metadata("unsqueeze", "11")
            equal(found["versions"], ["1", "11", "13", "21", "23", "24", "25"])
            equal([x["name"] for x in found["inputs"] + found["outputs"]], ["data", "axes", "expanded"])

    @test
    def asks_for_configuration(server):
        with connect(server) as client:
            found = client.get_model_config("expand", "13")
            equal((found["name"], found["max_batch_size"]), ("expand", 0))
            equal([(x["name"], x["data_type"], x["dims"]) for x in found["input"]],
                  [("input", "TYPE_FP32", [-1]), ("shape", "TYPE_INT64", [-1])])

    @test
    def asks_for_the_repository(server):
        with connect(server) as client:
            found = client.get_model_repository_index()
            equal({(x["name"], x["state"]) for x in found}, {("expand", "READY"), ("unsqueeze", "READY")})

    @test
    def asks_for_statistics(server):
        def count(client):
            found, = client.get_inference_statistics("expand", "8")["model_stats"]
            equal((found["name"], found["version"]), ("expand", "8"))
            return found["inference_count"], found["inference_stats"]["success"]["count"], \
                found["inference_stats"]["fail"]["count"]
        with connect(server) as client:
            before = count(client)
            inputs = expand_inputs(example("FP32"), "FP32", [3, 2], True)
            for _ in range(3):
                client.infer("expand", inputs, model_version="8")
            refused(lambda: client.infer("expand", inputs[:1], model_version="8"), "400")
            equal(tuple(np.subtract(count(client), before).tolist()), (3, 3, 1))
            assert len(client.get_inference_statistics()["model_stats"]) >= 2


# ---- inference -----------------------------------------------------------------------------------------------------

def inference(connect):
    @test(rows=forms(CLIENT_TYPES))
    def expands(server, datatype, binary, answer):
        array = example(datatype)
        with connect(server) as client:
            result = client.infer("expand", expand_inputs(array, datatype, [2, 1, 4], binary),
                                  outputs=wanted("output", answer))
        got = result.as_numpy("output")
        check(np.vectorize(str.encode, "O")(got) if datatype == "BYTES" and not answer else got, expanded(array, 2, 1, 4))

    @test(rows=forms(("FP32", "INT64", "BYTES", "BOOL")))
    def unsqueezes(server, datatype, binary, answer):
        array = example(datatype)
        with connect(server) as client:
            result = client.infer("unsqueeze", unsqueeze_inputs(array, datatype, [-1, 0], binary),
                                  outputs=wanted("expanded", answer))
        got = result.as_numpy("expanded")
        check(np.vectorize(str.encode, "O")(got) if datatype == "BYTES" and not answer else got,
              unsqueezed(array, -1, 0))

    @test(rows=[("binary", True), ("JSON", False)])
    def sends_scalars_and_nothing(server, binary):
        with connect(server) as client:
            for array in np.array(7.5, np.float32), np.zeros((0, 2), np.float32):
                result = client.infer("unsqueeze", unsqueeze_inputs(array, "FP32", [0], binary),
                                      outputs=wanted("expanded", binary))
                check(result.as_numpy("expanded"), unsqueezed(array, 0))
                result = client.infer("expand", expand_inputs(array, "FP32", [], binary), outputs=wanted("output", binary))
                check(result.as_numpy("output"), array)

    @test
    def asks_for_no_output_in_particular(server):
        with connect(server) as client:
            result = client.infer("expand", expand_inputs(example("FP64"), "FP64", [3, 3], False))
        check(result.as_numpy("output"), expanded(example("FP64"), 3, 3))
        equal(result.get_output("output")["parameters"], {"binary_data_size": 72})
        equal(result.as_numpy("nothing"), None)

    @test
    def keeps_bits_in_binary(server):
        array = np.array([0x7fc00001, 0xffa00000, 0x80000000], np.uint32).view(np.float32)  # NaNs with a payload, -0.0
        with connect(server) as client:
            result = client.infer("expand", expand_inputs(array, "FP32", [2, 3], True))
        check(result.as_numpy("output"), expanded(array, 2, 3))

    @test
    def gives_the_answers_about_a_call(server):
        with connect(server) as client:
            result = client.infer(
                "unsqueeze", unsqueeze_inputs(example("INT8"), "INT8", [0], True), model_version="21", request_id="a\"\u00e9",
                sequence_id=5, sequence_start=True, priority=3, timeout=1000, headers={"x-mine": "yes"},
                query_params={"mine": ["1", "two words"]}, parameters={"mine": "3"})
        response = result.get_response()
        equal((response["id"], response["model_name"], response["model_version"]), ("a\"\u00e9", "unsqueeze", "21"))

    @test
    def gives_axes_as_a_parameter(server):
        data = [tensor("data", example("INT16"), "INT16", True)]
        with connect(server) as client:
            result = client.infer("unsqueeze", data, model_version="11", parameters={"axes": "0,-1"})
        check(result.as_numpy("expanded"), unsqueezed(example("INT16"), 0, -1))

    @test
    def carries_a_large_answer(server):
        array = np.arange(64, dtype=np.float32)
        with connect(server) as client:
            got = client.infer("expand", expand_inputs(array, "FP32", [MEBI, 64], True)).as_numpy("output")
        equal(got.shape, (MEBI, 64))
        assert (got == array).all()

    @test
    def carries_a_large_request(server):
        array = np.arange(16 * MEBI, dtype=np.uint32)
        with connect(server) as client:
            got = client.infer("unsqueeze", unsqueeze_inputs(array, "UINT32", [0], True)).as_numpy("expanded")
        check(got, unsqueezed(array, 0))


# ---- compression ---------------------------------------------------------------------------------------------------

CODINGS = [("%s, %s" % (coding, "binary" if binary else "JSON"), coding, binary)
           for coding in ("gzip", "deflate") for binary in (True, False)]


def unpacked_by_the_client(coding):
    """Counts the bodies that the client decompresses."""
    module = {"gzip": gzip, "deflate": zlib}[coding]
    return unittest.mock.patch.object(module, "decompress", wraps=module.decompress)


def compression(connect):
    @test(rows=CODINGS)
    def compresses_both_ways(server, coding, binary):
        array = np.tile(np.arange(256, dtype=np.int32), 64).reshape(64, 256)
        with connect(server) as client, unpacked_by_the_client(coding) as unpack:
            result = client.infer("expand", expand_inputs(array, "INT32", [2, 64, 256], binary),
                                  outputs=wanted("output", binary), request_compression_algorithm=coding,
                                  response_compression_algorithm=coding)
        check(result.as_numpy("output"), expanded(array, 2, 64, 256))
        equal(unpack.call_count, 1)

    @test(rows=CODINGS)
    def compresses_the_request_alone(server, coding, binary):
        array = example("UINT64")
        with connect(server) as client:
            result = client.infer("expand", expand_inputs(array, "UINT64", [3, 500], binary),
                                  outputs=wanted("output", binary), request_compression_algorithm=coding)
        check(result.as_numpy("output"), expanded(array, 3, 500))


# ---- errors --------------------------------------------------------------------------------------------------------

REFUSED = [
    ("unknown model", "404", "expand", lambda c: c.infer("Expand", expand_inputs(example("FP32"), "FP32", [3], True))),
    ("unknown version", "404", "use 13",
     lambda c: c.infer("unsqueeze", unsqueeze_inputs(example("FP32"), "FP32", [0], True), model_version="14")),
    ("shapes that do not fit", "400", "make them equal",
     lambda c: c.infer("expand", expand_inputs(example("FP32"), "FP32", [2, 4], True))),
    ("a type that the version lacks", "400", "BF16",
     lambda c: c.infer("expand", expand_inputs(example("BF16"), "BF16", [3, 3], True), model_version="8")),
    ("an output that does not exist", "400", "output",
     lambda c: c.infer("expand", expand_inputs(example("FP32"), "FP32", [3, 3], True), outputs=wanted("y", True))),
    ("an output that is too large", "413", "smaller",
     lambda c: c.infer("expand", expand_inputs(example("FP32"), "FP32", [MEBI, 3, MEBI], True))),
    ("classification", "400", "not offered",
     lambda c: c.infer("expand", expand_inputs(example("FP32"), "FP32", [3, 3], True),
                       outputs=[http.InferRequestedOutput("output", class_count=2)])),
    ("load", "400", "built in", lambda c: c.load_model("expand")),
    ("unload", "400", "built in", lambda c: c.unload_model("expand")),
    ("metadata of an unknown model", "404", "nothing", lambda c: c.get_model_metadata("nothing")),
    ("configuration of an unknown version", "404", "2", lambda c: c.get_model_config("expand", "2")),
    ("trace settings", "404", "/v2/trace/setting", lambda c: c.get_trace_settings()),
    ("log settings", "404", "/v2/logging", lambda c: c.get_log_settings()),
    ("shared memory", "404", "/v2/systemsharedmemory", lambda c: c.get_system_shared_memory_status()),
]


def errors(connect):
    @test(rows=REFUSED)
    def tells_the_sentence_of_an_error(server, status, words, call):
        with connect(server) as client:
            refused(lambda: call(client), status, words)
            equal(client.is_server_live(), True)  # on the same connection

    @test
    def refuses_shared_memory(server):
        item = http.InferInput("input", [3, 1], "FP32")
        item.set_shared_memory("region", 12)
        with connect(server) as client:
            refused(lambda: client.infer("expand", [item, tensor("shape", int64(3), "INT64", True)]), "400",
                    "not offered")
