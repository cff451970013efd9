"""tritonclient.http, Triton's client with gevent."""
import contextlib

import environment

environment.enter()

import requests  # noqa: E402
import tritonclient.http as http  # noqa: E402

import triton  # noqa: E402
from examples import check, example, expanded  # noqa: E402
from harness import equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402


def connect(server, **options):
    return contextlib.closing(http.InferenceServerClient(
        "%s:%d" % server.address, connection_timeout=seconds(20), network_timeout=seconds(20), **options))


@test
def keeps_several_calls_in_flight(server):
    wants = [(n, expanded(example("INT32"), n, 3, 2)) for n in range(1, 41)]
    with connect(server, concurrency=8) as client:
        waiting = [client.async_infer("expand", triton.expand_inputs(example("INT32"), "INT32", want.shape, n % 2 == 0))
                   for n, want in wants]
        for call, (_, want) in zip(waiting, wants):
            check(call.get_result(timeout=seconds(20)).as_numpy("output"), want)


@test
def makes_bodies_for_other_clients(server):
    """Its request and answer, carried by something else."""
    body, head = http.InferenceServerClient.generate_request_body(
        triton.expand_inputs(example("FP16"), "FP16", [3, 5], True), outputs=triton.wanted("output", True))
    answer = requests.post("http://%s:%d/v2/models/expand/infer" % server.address, data=body, timeout=seconds(10),
                           headers={"Inference-Header-Content-Length": str(head)})
    equal(answer.status_code, 200)
    result = http.InferenceServerClient.parse_response_body(
        answer.content, header_length=int(answer.headers["Inference-Header-Content-Length"]))
    check(result.as_numpy("output"), expanded(example("FP16"), 3, 5))


triton.calls(connect)
main(relay=True)
