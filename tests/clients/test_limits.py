"""What the Python clients cannot carry, and the way around it: each claim of README.md. A claim that no longer holds, after a
client's update, fails here, too."""
import asyncio
import io

import environment

environment.enter()

import httpx  # noqa: E402
import kserve  # noqa: E402
import numpy as np  # noqa: E402
import requests  # noqa: E402
import tritonclient.http as triton_http  # noqa: E402
from kserve.errors import InferenceError, InvalidInput  # noqa: E402
from tritonclient.utils import InferenceServerException  # noqa: E402

from arrays import TYPES, from_raw, objects, to_raw  # noqa: E402
from examples import check, example, unsqueezed  # noqa: E402
from harness import equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

UNKNOWN = ["COMPLEX64", "COMPLEX128", "FP8_E4M3FN", "FP8_E4M3FNUZ", "FP8_E5M2", "FP8_E5M2FNUZ", "FP8_E8M0", "INT4", "UINT4",
           "FP4_E2M1", "INT2", "UINT2"]
NON_FINITE = np.array([np.nan, np.inf, -np.inf], np.float32)
NOT_UTF8 = objects([b"\xff\xfe", b"a"], (2,))


def raises(kinds, words, call):
    """That call() raises one of these, with these words."""
    try:
        got = call()
    except kinds as e:
        assert words in str(e), str(e)
        return
    raise AssertionError("no exception, but %r" % (got,))


class Triton:
    name, refusal = "tritonclient", InferenceServerException

    def __init__(self, server):
        self.server = server

    def tensor(self, name, array, datatype, binary=True):
        item = triton_http.InferInput(name, list(array.shape), datatype)
        return item.set_data_from_numpy(array, binary_data=binary)

    def unsqueeze(self, data, answer):
        """Axis 0; the output as numpy has it."""
        with triton_http.InferenceServerClient("%s:%d" % self.server.address) as client:
            result = client.infer("unsqueeze", [data, self.tensor("axes", np.zeros(1, np.int64), "INT64")],
                                  outputs=[triton_http.InferRequestedOutput("expanded", binary_data=answer)])
        return result.as_numpy("expanded")


class KServe:
    name, refusal = "KServe", (InferenceError, InvalidInput, httpx.HTTPStatusError)

    def __init__(self, server):
        self.server = server

    def tensor(self, name, array, datatype, binary=True):
        item = kserve.InferInput(name, list(array.shape), datatype)
        item.set_data_from_numpy(array, binary_data=binary)
        return item

    def unsqueeze(self, data, answer):
        output = kserve.protocol.infer_type.RequestedOutput("expanded", {"binary_data": answer})
        body = kserve.InferRequest("unsqueeze", [data, self.tensor("axes", np.zeros(1, np.int64), "INT64")],
                                   request_outputs=[output])

        async def call():
            async with kserve.InferenceRESTClient(kserve.RESTConfig(protocol="v2", timeout=seconds(10))) as client:
                return await client.infer("http://%s:%d" % self.server.address, body, model_name="unsqueeze")
        return asyncio.run(call()).outputs[0].as_numpy()


BOTH = [(kind.name, kind) for kind in (Triton, KServe)]


def by_file(server, array, datatype):
    """The way around, which carries all: a file of numpy, by requests."""
    file = io.BytesIO()
    np.save(file, array)
    answer = requests.post("http://%s:%d/v2/models/unsqueeze/infer" % server.address, data=file.getvalue(),
                           params={"datatype": datatype, "axes": "0"}, headers={"Content-Type": "application/x-npy"},
                           timeout=seconds(10))
    return np.load(io.BytesIO(answer.content)).view(TYPES[datatype].dtype)


# ---- types ---------------------------------------------------------------------------------------------------------

@test(rows=[("%s, %s" % (client.name, name), client, name) for client in (Triton, KServe) for name in UNKNOWN])
def has_no_such_type(server, client, datatype):
    array = example(datatype)
    raises(client.refusal, "unexpected datatype None", lambda: client(server).tensor("data", array, datatype))
    check(by_file(server, array, datatype), unsqueezed(array, 0))


@test
def triton_sends_no_BF16_in_JSON(server):
    client, array = Triton(server), example("BF16")
    raises(client.refusal, "must be sent as binary", lambda: client.tensor("data", array, "BF16", binary=False))
    check(client.unsqueeze(client.tensor("data", array, "BF16"), True), unsqueezed(array, 0))
    check(client.unsqueeze(client.tensor("data", array, "BF16"), False), unsqueezed(array, 0))


@test
def kserve_has_no_BF16(server):
    raises(KServe.refusal, "unexpected datatype None", lambda: KServe(server).tensor("data", example("BF16"), "BF16"))
    check(by_file(server, example("BF16"), "BF16"), unsqueezed(example("BF16"), 0))


@test
def kserve_has_no_FP16_in_JSON(server):
    client, array = KServe(server), example("FP16")
    raises(client.refusal, "FP16 data via JSON is not supported",
           lambda: client.unsqueeze(client.tensor("data", array, "FP16", binary=False), True))
    for answer in True, False:  # it reads what it does not write
        check(client.unsqueeze(client.tensor("data", array, "FP16"), answer), unsqueezed(array, 0))


# ---- values --------------------------------------------------------------------------------------------------------

@test(rows=BOTH)
def sends_nothing_in_JSON_that_is_not_finite(server, kind):
    """tritonclient writes NaN as it is, which is no JSON; KServe writes null."""
    client = kind(server)
    words = {"tritonclient": "not valid JSON", "KServe": "null"}[kind.name]
    raises(client.refusal, words, lambda: client.unsqueeze(client.tensor("data", NON_FINITE, "FP32", binary=False), True))
    check(client.unsqueeze(client.tensor("data", NON_FINITE, "FP32"), True), unsqueezed(NON_FINITE, 0))


@test(rows=BOTH)
def reads_what_is_not_finite_from_JSON(server, kind):
    client = kind(server)
    check(client.unsqueeze(client.tensor("data", NON_FINITE, "FP32"), False), unsqueezed(NON_FINITE, 0))


@test
def requests_refuses_what_is_not_finite(server):
    raises(requests.exceptions.InvalidJSONError, "not JSON compliant",
           lambda: requests.post("http://%s:%d/" % server.address, json=[float("nan")], timeout=seconds(10)))


@test(rows=BOTH)
def is_exact_in_JSON_with_FP64_and_64_bit_integers(server, kind):
    client = kind(server)
    random = np.random.default_rng(5).integers(0, 1 << 63, 2000, np.uint64)
    doubles = random.view(np.float64)
    for array, datatype in ((doubles[np.isfinite(doubles)], "FP64"), (random, "UINT64"), (-random.view(np.int64), "INT64")):
        check(client.unsqueeze(client.tensor("data", array, datatype, binary=False), False), unsqueezed(array, 0))


@test(rows=BOTH)
def sends_only_UTF8_in_JSON(server, kind):
    client = kind(server)
    raises(client.refusal, "UTF-8", lambda: client.tensor("data", NOT_UTF8, "BYTES", binary=False))
    raises(client.refusal, "UTF-8", lambda: client.unsqueeze(client.tensor("data", NOT_UTF8, "BYTES"), False))


@test
def triton_reads_any_bytes_in_binary_and_text_in_JSON(server):
    client, text = Triton(server), objects([b"a"], (1,))
    check(client.unsqueeze(client.tensor("data", NOT_UTF8, "BYTES"), True), unsqueezed(NOT_UTF8, 0))
    equal(client.unsqueeze(client.tensor("data", text, "BYTES"), False).tolist(), [["a"]])


@test
def kserve_reads_text_alone(server):
    """In binary, too. The raw bytes of an answer carry everything."""
    client = KServe(server)
    equal(client.unsqueeze(client.tensor("data", objects([b"a"], (1,)), "BYTES"), True).tolist(), [["a"]])
    raises(client.refusal, "UTF-8", lambda: client.unsqueeze(client.tensor("data", NOT_UTF8, "BYTES"), True))
    answer = requests.post("http://%s:%d/v2/models/unsqueeze/infer" % server.address, data=to_raw(NOT_UTF8),
                           params={"datatype": "BYTES", "dims": "2", "axes": "0"}, timeout=seconds(10),
                           headers={"Content-Type": "application/octet-stream"})
    check(from_raw(TYPES["BYTES"], (1, 2), answer.content), unsqueezed(NOT_UTF8, 0))


main()
