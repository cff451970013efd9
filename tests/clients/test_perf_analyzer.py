"""perf_analyzer, Triton's load generator (C++, libcurl), runs against both models with the data that is shipped here."""
import glob
import os
import re
import subprocess

import environment

WHERE = environment.directory("perf")

from harness import equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

PROGRAM = os.path.join(WHERE, "bin", "perf_analyzer")
LIBRARIES = glob.glob(os.path.join(WHERE, "lib", "python*", "site-packages", "nvidia", "cuda_runtime", "lib"))


def analyze(*options):
    """Its exit status and what it prints."""
    done = subprocess.run([PROGRAM, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=seconds(25), env=dict(os.environ, LD_LIBRARY_PATH=":".join(LIBRARIES)))
    return done.returncode, done.stdout


def owes_nothing(server):
    """Every request that was begun has its answer, but the one that asks for this."""
    text = server.request("GET", "/metrics").body.decode()
    return float(re.search(r"^shaped_requests_in_flight ([0-9.]+)$", text, re.M).group(1)) <= 1


def load(server, model, data, *options):
    command = ["-u", "%s:%d" % server.address, "-m", model, "--request-count", "300", "--concurrency-range", "2",
               "--input-data", os.path.join(environment.HERE, data), *options]
    try:
        return analyze(*command)
    except subprocess.TimeoutExpired:
        if not owes_nothing(server):
            raise
        return analyze(*command)  # it was not the server that it waited for: it has been seen to do so on a busy machine


def counted(server, model):
    """Successes and failures of all versions, by the server."""
    stats = server.request("GET", "/v2/models/%s/stats" % model).json()["model_stats"]
    return [sum(row["inference_stats"][kind]["count"] for row in stats) for kind in ("success", "fail")]


def runs(status, text):
    if status == 127 or "error while loading shared libraries" in text or "not found (required by" in text:
        environment.skip("perf_analyzer does not start here: %s" % text.strip()[:200])
    equal(status, 0, text)


runs(*analyze("--version"))


@test(rows=[("Expand", "expand", "perf_expand.json"),
            ("Unsqueeze", "unsqueeze", "perf_unsqueeze.json"),
            ("Unsqueeze 13", "unsqueeze", "perf_unsqueeze.json", "-x", "13"),
            ("calls in flight", "expand", "perf_expand.json", "--async"),
            ("answers in JSON", "unsqueeze", "perf_unsqueeze.json", "--output-tensor-format", "json"),
            ("JSON both ways", "unsqueeze", "perf_single.json", "--input-tensor-format", "json",
             "--output-tensor-format", "json")], limit=60)
def measures(server, model, data, *options):
    before = counted(server, model)
    status, text = load(server, model, data, *options)
    equal(status, 0, text)
    successes, failures = (after - was for after, was in zip(counted(server, model), before))
    equal(failures, 0, text)
    assert successes >= 300, "%d successes: %s" % (successes, text)
    by_client = int(re.search(r"Request count: (\d+)", text).group(1))
    by_server = int(re.search(r"Successful request count: (\d+)", text).group(1))
    assert 0 < by_client <= successes and 0 < by_server <= successes, text


# ---- what it cannot carry (README.md) ------------------------------------------------------------------------------

@test
def sends_one_element_of_an_input_in_JSON(server):
    """The model's size is -1, which it takes for the number of elements; in binary all are sent."""
    status, text = load(server, "unsqueeze", "perf_unsqueeze.json", "--input-tensor-format", "json")
    assert status != 0 and re.search("needs [23] elements in all, but data has only 1", text), text


@test
def takes_inputs_of_rank_1_only(server):
    """It holds each input against the shape in the metadata, and the protocol has no sign for "any rank"."""
    status, text = load(server, "expand", "perf_rank2.json")
    assert status != 0 and "incompatible with the model's input shape of [-1]" in text, text


@test
def makes_up_axes_that_are_out_of_range(server):
    status, text = analyze("-u", "%s:%d" % server.address, "-m", "unsqueeze", "--request-count", "10", "--shape", "data:3",
                           "--shape", "axes:1", "--input-data", "random")
    assert status != 0 and "out of range for an output of rank 2" in text, text


main()
