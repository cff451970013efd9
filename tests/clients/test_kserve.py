"""KServe's InferenceRESTClient, which is asynchronous, on httpx."""
import asyncio

import environment

environment.enter()

import httpx  # noqa: E402
import numpy as np  # noqa: E402
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig  # noqa: E402
from kserve.protocol.infer_type import RequestedOutput  # noqa: E402

from examples import CLIENT_TYPES, check, example, expanded, int64, unsqueezed  # noqa: E402
from harness import equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

KSERVE_TYPES = [name for name in CLIENT_TYPES if name != "BF16"]


def ask(server, call, **options):
    """What call(client, base) gives."""
    async def run():
        config = RESTConfig(protocol="v2", timeout=seconds(10), **options)
        async with InferenceRESTClient(config) as client:
            return await call(client, "http://%s:%d" % server.address)
    return asyncio.run(run())


def tensor(name, array, datatype, binary):
    item = InferInput(name, list(array.shape), datatype)
    item.set_data_from_numpy(array, binary_data=binary)
    return item


def request(model, array, datatype, second, binary, answer, **options):
    """second: the values of shape or axes."""
    names = {"expand": ("input", "shape", "output"), "unsqueeze": ("data", "axes", "expanded")}[model]
    return InferRequest(model, [tensor(names[0], array, datatype, binary), tensor(names[1], int64(*second), "INT64", binary)],
                        request_outputs=[RequestedOutput(names[2], {"binary_data": answer})], **options)


def infer(server, body, **options):
    """The answer, and its output as numpy has it; text as bytes."""
    result = ask(server, lambda client, base: client.infer(base, body, model_name=body.model_name), **options)
    got = result.outputs[0].as_numpy()
    text = got.dtype == object and got.size > 0 and isinstance(got.ravel()[0], str)
    return result, np.vectorize(str.encode, "O")(got) if text else got


def forms(datatypes):
    for datatype in datatypes:
        for binary in (True, False):
            for answer in (True, False):
                if binary or datatype != "FP16":  # it sends no FP16 in JSON
                    title = "%s, %s to %s" % (datatype, *("binary" if x else "JSON" for x in (binary, answer)))
                    yield title, datatype, binary, answer


# ---- health --------------------------------------------------------------------------------------------------------

@test
def asks_for_health(server):
    async def health(client, base):
        return [await client.is_server_live(base), await client.is_server_ready(base),
                await client.is_model_ready(base, "expand"), await client.is_model_ready(base, "nothing")]
    equal(ask(server, health), [True, True, True, False])


# ---- inference -----------------------------------------------------------------------------------------------------

@test(rows=forms(KSERVE_TYPES))
def expands(server, datatype, binary, answer):
    array = example(datatype)
    _, got = infer(server, request("expand", array, datatype, [2, 1, 4], binary, answer))
    check(got, expanded(array, 2, 1, 4))


@test(rows=forms(("FP32", "INT64", "BYTES", "BOOL")))
def unsqueezes(server, datatype, binary, answer):
    array = example(datatype)
    _, got = infer(server, request("unsqueeze", array, datatype, [-1, 0], binary, answer))
    check(got, unsqueezed(array, -1, 0))


@test(rows=[("binary", True), ("JSON", False)])
def sends_scalars_and_nothing(server, binary):
    for array in np.array(7.5, np.float32), np.zeros((0, 2), np.float32):
        _, got = infer(server, request("unsqueeze", array, "FP32", [0], binary, binary))
        check(got, unsqueezed(array, 0))
        _, got = infer(server, request("expand", array, "FP32", [], binary, binary))
        check(got, array)


@test
def sends_nothing_at_all_in_binary(server):
    """Each input has 0 bytes: it then sends no Inference-Header-Content-Length."""
    _, got = infer(server, request("expand", np.zeros((0, 2), np.int8), "INT8", [], True, False))
    check(got, np.zeros((0, 2), np.int8))


@test
def gives_the_answers_about_a_call(server):
    result, _ = infer(server, request("expand", example("INT8"), "INT8", [3, 3], True, True, request_id="a\"\u00e9"))
    equal((result.id, result.model_name), ("a\"\u00e9", "expand"))
    result, _ = infer(server, request("expand", example("INT8"), "INT8", [3, 3], True, True))
    assert result.id, "it makes an id itself"


@test(rows=[("binary", True), ("JSON", False)])
def answers_as_a_parameter_says(server, binary):
    body = request("expand", example("FP32"), "FP32", [3, 400], False, True, parameters={"binary_data_output": binary})
    body.request_outputs = None
    headers = {}
    result = ask(server, lambda client, base: client.infer(base, body, model_name="expand", response_headers=headers))
    check(result.outputs[0].as_numpy(), expanded(example("FP32"), 3, 400))
    equal("inference-header-content-length" in headers, binary)


@test
def sends_a_document(server):
    """The call takes a dict, too."""
    async def call(client, base):
        return await client.infer(base, {"parameters": {"axes": "0"}, "inputs": [
            {"name": "data", "datatype": "FP16", "shape": [2], "data": [0.5, -2]}]}, model_name="unsqueeze/versions/11")
    output, = ask(server, call).to_dict()["outputs"]
    equal((output["shape"], output["data"]), ([1, 2], [0.5, -2.0]))


@test
def keeps_several_calls_in_flight(server):
    async def call(client, base):
        wants = [expanded(example("INT32"), n, 3, 2) for n in range(1, 41)]
        results = await asyncio.gather(*(
            client.infer(base, request("expand", example("INT32"), "INT32", want.shape, True, True), model_name="expand")
            for want in wants))
        for result, want in zip(results, wants):
            check(result.outputs[0].as_numpy(), want)
    ask(server, call)


# ---- errors --------------------------------------------------------------------------------------------------------

@test(rows=[("unknown model", "Expand", [3, 3], 404, "use 'expand'"),
            ("shapes that do not fit", "expand", [2, 4], 400, "make them equal"),
            ("an output that is too large", "expand", [1 << 40, 3, 1], 413, "smaller sizes")])
def tells_the_sentence_of_an_error(server, model, target, status, words):
    body = request("expand", example("FP32"), "FP32", target, True, True)
    try:
        ask(server, lambda client, base: client.infer(base, body, model_name=model))
    except httpx.HTTPStatusError as e:
        equal(e.response.status_code, status)
        assert words in str(e), str(e)
    else:
        raise AssertionError("no exception")


main(relay=True)
