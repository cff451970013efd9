"""What the tests of shaped-conform share: a server that answers what a test tells it to, and runs of the program."""
import http.server
import json
import os
import shlex
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from harness import TESTS, Tap  # noqa: E402
from wire import seconds  # noqa: E402
from onnx_files import unsqueeze_case  # noqa: E402

PROGRAM = os.environ.get("SHAPED_CONFORM", "./shaped-conform")
WRAPPER = shlex.split(os.environ.get("SHAPED_WRAPPER", ""))
# Proxies of the surroundings are not for these servers.
ENVIRONMENT = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}


class Answer:
    def __init__(self, body=b"", status=200, headers=()):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.headers = dict(headers)


class Request:
    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = Request(self.path, self.headers, body)
        self.server.requests.append(request)
        answer = self.server.answer(request) if callable(self.server.answer) else self.server.answer
        if answer is None:  # no answer at all
            self.close_connection = True
            return
        try:
            self.reply(answer)
        except ConnectionError:  # the client had enough
            self.close_connection = True

    def reply(self, answer):
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_):
        pass


class Fake(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """`answer` is an Answer, or None, or a function from the Request to one. Serves until the block ends."""
    daemon_threads = True

    def __init__(self, answer, address=("127.0.0.1", 0)):
        super().__init__(address, Handler)
        self.answer, self.requests = answer, []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def options(self):
        return ["--url", "http://127.0.0.1:%d" % self.server_address[1]]


class UnixFake(Fake):
    address_family = socket.AF_UNIX

    def get_request(self):
        connection, _ = super().get_request()
        return connection, ("local", 0)

    def options(self):
        return ["--unix", self.server_address]


class Run:
    """A finished run of shaped-conform."""

    def __init__(self, *arguments):
        done = subprocess.run(WRAPPER + [PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=seconds(30), check=False, env=ENVIRONMENT)
        self.status = done.returncode
        self.out, self.errors = done.stdout.decode(), done.stderr.decode()
        self.lines = self.out.splitlines()

    def __str__(self):
        return "status %d\n%s%s" % (self.status, self.out, self.errors)


def run_against(answer, *arguments):
    """(Run, requests) of one run against a fake server."""
    with Fake(answer) as server:
        return Run(*server.options(), *arguments), server.requests


# ---- answers of a right server -------------------------------------------------------------------------------------

def document(datatype, shape, name="expanded", **members):
    return {"model_name": "unsqueeze", "model_version": "13",
            "outputs": [dict({"name": name, "datatype": datatype, "shape": shape}, **members)]}


def binary(datatype, shape, content, size=None, name="expanded", head=None):
    text = json.dumps(document(datatype, shape, name,
                               parameters={"binary_data_size": len(content) if size is None else size})).encode()
    return Answer(text + content, headers={"Content-Type": "application/octet-stream",
                                           "Inference-Header-Content-Length": str(len(text) if head is None else head)})


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


# ---- the case that most tests use ----------------------------------------------------------------------------------

DATA = floats(1, 2, 3, 4)
SHAPE = [1, 2, 2]
RIGHT = binary("FP32", SHAPE, DATA)
Folder = tempfile.TemporaryDirectory


def json_answer(datatype, data, shape=None):
    return Answer(document(datatype, SHAPE if shape is None else shape, data=data))


def usual_case(folder):
    """Unsqueeze 13, FP32 [2,2] = 1 2 3 4, axes [0]."""
    unsqueeze_case(folder, "FP32", [2, 2], DATA, [0], SHAPE, opset=13)


def failed(answer, codec, wanted, write_it=usual_case):
    with Folder() as folder:
        write_it(folder)
        run, _ = run_against(answer, "--codec", codec, folder)
    assert run.status == 1 and run.lines[-1] == "0 passed, 1 failed, 0 skipped", run
    assert wanted in run.out, "not told: %s\n%s" % (wanted, run)


def passed(answer, codec, write_it=usual_case):
    with Folder() as folder:
        write_it(folder)
        run, requests = run_against(answer, "--codec", codec, folder)
    assert run.status == 0 and run.lines[-1] == "1 passed, 0 failed, 0 skipped", run
    return requests[0]


def main():
    """The tests of a file that need no server of the project."""
    tap = Tap()
    only = sys.argv[1:]
    tests = [t for t in TESTS if not only or any(word in t[0] for word in only)]
    if not os.access(PROGRAM, os.X_OK):
        print("1..0 # SKIP shaped-conform is not built (libcurl is missing)")
        sys.exit(0)
    tap.line("1..%d" % len(tests))
    for title, function, arguments, limit in tests:
        tap.result(title, lambda: function(*arguments), limit)
    sys.exit(1 if tap.failed else 0)
