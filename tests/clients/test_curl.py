"""curl, with the options that people use: each line of these tests could stand in a shell."""
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile

import environment

if not shutil.which("curl"):
    environment.skip("curl is not installed")

from calls import EXPAND, UNSQUEEZE, expand  # noqa: E402
from harness import Server, equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

ASK = json.dumps({"inputs": [{"name": "input", "shape": [2, 1], "datatype": "INT8", "data": [-1, 7]},
                             {"name": "shape", "shape": [2], "datatype": "INT64", "data": [2, 3]}]}).encode()
TOLD = {"name": "output", "datatype": "INT8", "shape": [2, 3], "data": [-1, -1, -1, 7, 7, 7]}


class Done:
    """body; what -w knows about each transfer; exit status."""

    def __init__(self, server, *arguments, body=None):
        arguments = [a.replace("@server", "http://%s:%d" % server.address) for a in arguments]
        command = ["curl", "-q", "-s", "--no-progress-meter", "--noproxy", "*", "-w", "%{stderr}%{json}\\n", *arguments]
        done = subprocess.run(command, input=body, capture_output=True, timeout=seconds(20))
        self.status, self.body = done.returncode, done.stdout
        self.transfers = [json.loads(line) for line in done.stderr.decode().splitlines() if line.startswith("{")]
        self.codes = [transfer["http_code"] for transfer in self.transfers]

    def output(self):
        equal((self.status, self.codes), (0, [200]), self.body[:500])
        return json.loads(self.body)["outputs"][0]


# ---- bodies --------------------------------------------------------------------------------------------------------

@test(rows=[("-d", "-d", ASK.decode()), ("--json", "--json", ASK.decode()), ("-d @-", "-d", "@-"),
            ("--data-binary @-", "--data-binary", "@-"), ("-X POST -T -, in chunks", "-X", "POST", "-T", "-"),
            ("-0, HTTP/1.0", "-0", "-d", "@-"), ("--http2, which it offers", "--http2", "-d", "@-"),
            ("--tr-encoding", "--tr-encoding", "-d", "@-"), ("--compressed", "--compressed", "-d", "@-"),
            ("-H 'Accept: text/html, */*;q=0.8'", "-H", "Accept: text/html, */*;q=0.8", "-d", "@-")])
def sends_JSON(server, *options):
    done = Done(server, "@server" + EXPAND, *options, body=ASK)
    equal(done.output(), TOLD)


@test
def sends_what_gzip_gives(server):
    done = Done(server, "@server" + EXPAND, "-H", "Content-Encoding: gzip", "--data-binary", "@-", body=gzip.compress(ASK))
    equal(done.output(), TOLD)


@test
def takes_a_compressed_answer(server):
    done = Done(server, "@server" + EXPAND, "--compressed", "-d", "@-", body=expand(1.5, 5000, binary=False))
    equal(done.output()["data"], [1.5] * 5000)
    assert done.transfers[0]["size_download"] < 2000, done.transfers


@test
def waits_for_100_continue(server):
    """curl sends Expect with bodies above 1 MiB; it goes on at once if the server says so, else after a second."""
    body = b"[" + b" " * (2 << 20) + b"]"
    done = Done(server, "@server" + EXPAND, "-d", "@-", "-H", "Expect: 100-continue", body=body)
    equal(done.codes, [400])
    assert done.transfers[0]["time_total"] < 0.9 * max(1, seconds(1)), done.transfers


@test
def leaves_a_body_unsent_that_is_refused(server):
    with Server("--max-request-bytes", "1M") as small:
        done = Done(small, "@server" + EXPAND, "--data-binary", "@-", "-H", "Expect: 100-continue", body=bytes(8 << 20))
        equal((done.codes, json.loads(done.body)["code"]), ([413], "request_too_large"))
        equal(done.transfers[0]["size_upload"], 0)


@test
def sends_a_form(server):
    done = Done(server, "@server" + EXPAND + "?datatype=INT8", "-F", "input=[[-1],[7]]", "-F", "shape=[2,3]",
                "-H", "Accept: application/json")
    equal(done.output(), TOLD)


@test
def sends_a_file(server):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "raw")
        with open(path, "wb") as f:
            f.write(bytes(range(6)))
        done = Done(server, "@server" + UNSQUEEZE + "?datatype=UINT8&dims=2,3&axes=-1", "--data-binary", "@" + path,
                    "-H", "Content-Type: application/octet-stream", "-D", path + ".head")
        with open(path + ".head", encoding="ascii") as f:
            assert "Tensor-Shape: [2,3,1]\n" in f.read()
    equal((done.codes, done.body), ([200], bytes(range(6))))


# ---- answers -------------------------------------------------------------------------------------------------------

@test
def tells_failures_by_its_exit_status(server):
    done = Done(server, "@server" + EXPAND, "--fail-with-body", "-d", "{}")
    equal((done.status, done.codes, json.loads(done.body)["code"]), (22, [400], "invalid_request"))


@test
def asks_for_the_head_alone(server):
    done = Done(server, "-I", "@server/v2/models/expand")
    equal((done.status, done.codes), (0, [200]))
    length = int(re.search(rb"(?m)^Content-Length: (\d+)\r$", done.body).group(1))
    equal(length, len(Done(server, "@server/v2/models/expand").body))


@test
def gets_all_when_it_asks_for_a_range(server):
    whole = Done(server, "@server/v2/models").body
    done = Done(server, "@server/v2/models", "-r", "0-4")
    equal((done.codes, done.body), ([200], whole))


@test
def keeps_the_connection(server):
    done = Done(server, "@server/v2/models", "@server/v2/health/live", "@server/v2/nothing", "@server" + EXPAND)
    equal(done.codes, [200, 200, 404, 405])
    equal([transfer["num_connects"] for transfer in done.transfers], [1, 0, 0, 0])


@test
def makes_calls_side_by_side(server):
    done = Done(server, "-Z", "--parallel-max", "8", "-d", "@-", *["@server" + EXPAND] * 20, body=ASK)
    equal((done.status, done.codes), (0, [200] * 20))


@test
def takes_a_large_answer_slowly(server):
    """A stream that waits for the client again and again."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "answer")
        done = Done(server, "@server" + EXPAND, "-d", "@-", "-o", path, "--limit-rate", "24M",
                    body=expand(1.5, 8 << 20))
        equal((done.status, done.codes), (0, [200]))
        assert os.path.getsize(path) > 4 * (8 << 20)


main(relay=True)
