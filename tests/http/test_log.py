"""The log: a line for every request, its form, and that it holds up nobody. Ids of requests and Server-Timing."""
import fcntl
import json
import os
import re
import socket
import subprocess
import tempfile
import time

from calls import EXPAND, UNSQUEEZE, expand, expanded, slow
from harness import (PROGRAM, WRAPPER, Server, Skip, die_with_parent, environment, equal, eventually, main, seconds, test,
                     under_valgrind)
from wire import Connection, request_bytes

TRACE = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = "00-%s-b7ad6b7169203331-01" % TRACE
TIMES = ["total_us", "read_us", "queue_us", "compute_us", "encode_us", "send_us"]


def objects(server):
    """The lines of a JSON log; each must be one."""
    return [json.loads(line) for line in server.stderr().splitlines()]


def requests(server, count):
    """The lines of requests, once there are so many."""
    eventually(lambda: server.stderr().count('"request"') >= count, 5, "%d lines" % count)
    return [o for o in objects(server) if o["message"] == "request"]


def json_server(*options):
    return Server("--log-format", "json", *options)


@test
def tells_all_of_a_request(_):
    with json_server() as server:
        body = expand(1, 3)
        answer = server.request("POST", EXPAND, body, {"X-Request-Id": "req-1"})
        line, = requests(server, 1)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
        when = {name: line.pop(name) for name in TIMES}
        equal(line, {"level": "info", "message": "request", "id": "req-1", "method": "POST", "status": 200,
                     "route": "/v2/models/{model}/infer", "model": "expand", "version": 13, "bytes_in": len(body),
                     "bytes_out": len(answer.body)})
        assert all(type(n) is int and n >= 0 for n in when.values()), when
        assert sum(when.values()) - when["total_us"] <= when["total_us"], when


@test(rows=[
    ("no such path", "GET", "/nope?secret=1", None, (404, "unknown_path", "info"), {"path": "/nope"}),
    ("a wrong method", "DELETE", "/v2", None, (405, "method_not_allowed", "info"), {"path": "/v2"}),
    ("an invalid tensor", "POST", EXPAND, b"{", (400, "malformed_json", "info"), {"route": "/v2/models/{model}/infer"}),
    ("a path with quotes", "GET", '/"\\%22', None, (404, "unknown_path", "info"), {"path": '/"\\%22'}),
])
def tells_why_it_refused(_, method, target, body, outcome, where):
    with json_server() as server:
        server.request(method, target, body)
        line, = requests(server, 1)
        equal((line["status"], line["code"], line["level"]), outcome)
        for name, value in where.items():
            equal(line[name], value)
        assert "secret" not in server.stderr()


@test
def has_a_line_for_every_request(_):
    with json_server() as server:
        with server.connect() as c:
            for i in range(100):
                c.request("GET", "/v2/health/live", {"X-Request-Id": str(i)})
        with server.connect() as c:
            c.send(request_bytes("POST", EXPAND, [], b"x" * 100)[:-1])
        with server.connect() as c:
            c.send(request_bytes("POST", EXPAND, [], expand(1, 100 << 20)))
            c.socket.recv(1000)
        lines = requests(server, 102)
        equal([line["id"] for line in lines[:100]], [str(i) for i in range(100)])
        left = sorted((line["status"], line.get("incomplete", 0)) for line in lines[100:])
        equal(left, [(0, 0), (200, 1)])  # in which order the server notices that they have left is chance


@test
def text_has_the_same_fields(_):
    with Server() as server:
        server.request("POST", EXPAND, expand(1, 3), {"X-Request-Id": "req-1"})
        eventually(lambda: " request " in server.stderr(), 5, "a line")
        line = server.stderr().splitlines()[-1]
        match = re.fullmatch(r"\S+Z info request id=req-1 method=POST route=/v2/models/\{model\}/infer model=expand version=13 "
                             r"status=200 bytes_in=\d+ bytes_out=\d+ " + " ".join(name + r"=\d+" for name in TIMES), line)
        assert match, line


@test(rows=[(level, level, late, good) for level, late, good in
            (("error", False, False), ("warning", True, False), ("info", True, True))])
def writes_what_the_level_asks_for(_, level, late, good):
    """Whatever failed by the server is a warning."""
    with json_server("--log-level", level, "--threads", "1", "--request-timeout", "0.05") as server:
        server.request("GET", "/v2/health/live")
        equal(server.request("POST", UNSQUEEZE, slow(100)[1], slow(100)[0], limit=30).status, 503)
        eventually(lambda: server.request("GET", "/metrics").body.count(b"shaped_pool_jobs_running 0"), 20, "it is over")
        statuses = [o["status"] for o in objects(server) if o["message"] == "request"]
        equal((503 in statuses, 200 in statuses), (late, good))


# ---- ids and times -------------------------------------------------------------------------------------------------

@test(rows=[
    ("none", [], None),
    ("its own", [("X-Request-Id", "abc")], "abc"),
    ("a trace", [("traceparent", TRACEPARENT)], TRACE),
    ("both", [("traceparent", TRACEPARENT), ("X-Request-Id", "abc")], "abc"),
    ("a bad one", [("X-Request-Id", "a b")], None),
    ("one that is too long", [("X-Request-Id", "a" * 129)], None),
    ("a bad one and a trace", [("X-Request-Id", "<x>"), ("traceparent", TRACEPARENT)], TRACE),
    ("a bad trace", [("traceparent", "00-" + "0" * 32 + "-b7ad6b7169203331-01")], None),
    ("two of them", [("X-Request-Id", "first"), ("x-request-id", "second")], "first"),
])
def echoes_the_id(server, headers, want):
    for method, target, body, status in (("GET", "/v2", None, 200), ("GET", "/nope", None, 404), ("POST", EXPAND, b"{", 400),
                                         ("POST", EXPAND, expand(1, 3), 200), ("POST", EXPAND, expand(1, 100000), 200)):
        answer = server.request(method, target, body, headers)
        equal((answer.status, answer.get("X-Request-Id")), (status, want))


@test
def echoes_the_id_in_answers_past_the_library(server):
    """Heads that it cannot take in, and uploads without end."""
    with server.connect(30) as c:
        c.send(request_bytes("POST", "/nope", [("X-Request-Id", "abc"), ("Transfer-Encoding", "chunked")]))
        for _ in range(80):
            c.send(b"100000\r\n" + b"x" * (1 << 20) + b"\r\n")
        answer = c.response()
        equal((answer.status, answer.get("X-Request-Id")), (404, "abc"))


def timing(answer):
    """Server-Timing's names and milliseconds, in order."""
    parts = [part.strip().split(";dur=") for part in answer.get("Server-Timing").split(",")]
    return {name: float(duration) for name, duration in parts}


@test
def tells_times_if_asked(server):
    ask = {"Prefer": "server-timing"}
    answer = server.request("POST", EXPAND, expand(1, 3), ask)
    equal(list(timing(answer)), ["total", "read", "queue", "compute", "encode"])
    equal(answer.get("Preference-Applied"), "server-timing")
    answer = server.request("POST", UNSQUEEZE, slow(100)[1], list(ask.items()) + slow(100)[0])
    times = timing(answer)
    assert times["compute"] > 5 and times["compute"] <= times["total"], times
    equal(server.request("POST", EXPAND, expand(1, 3)).get("Server-Timing"), None)
    equal(server.request("POST", EXPAND, expand(1, 3), {"Prefer": "respond-async"}).get("Server-Timing"), None)
    equal(server.request("GET", "/v2", headers=ask).get("Server-Timing"), None)


# ---- it holds up nobody --------------------------------------------------------------------------------------------

class Deaf:
    """A server whose stderr is not ours to look at."""

    def __init__(self, stderr, *options, setup=lambda: None):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.address = s.getsockname()

        def before():
            die_with_parent()
            setup()
        command = WRAPPER + [PROGRAM, "--listen", "127.0.0.1:%d" % self.address[1], *options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                                        env=environment(), preexec_fn=before)
        eventually(self.answers, 20, "it listens")

    def answers(self):
        try:
            with Connection(self.address) as c:
                return c.request("GET", "/v2/health/live").status == 200
        except ConnectionRefusedError:
            return False

    def ask(self, times):
        with Connection(self.address) as c:
            for i in range(times):
                expanded(c.request("POST", EXPAND, [], expand(i, 3)), i, 3)

    def dropped(self):
        with Connection(self.address) as c:
            return int(re.search(rb"(?m)^shaped_log_lines_dropped_total (\d+)", c.request("GET", "/metrics").body).group(1))

    def stop(self):
        self.process.terminate()
        equal(self.process.wait(seconds(10)), 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@test(limit=60)
def waits_for_no_reader_of_its_log(_):
    """A full pipe: requests are answered, lines are lost and counted, and later it says so; it ends in time, too."""
    if under_valgrind():
        raise Skip("valgrind writes to that pipe itself, and waits")
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    with Deaf(writer) as server:
        os.close(writer)
        server.ask(6000)
        dropped = server.dropped()
        assert 1000 < dropped < 6000, dropped
        os.set_blocking(reader, False)
        text = b""

        def told():
            nonlocal text
            try:
                text += os.read(reader, 1 << 20)
            except BlockingIOError:
                server.ask(1)
            return re.search(rb"warning \d+ lines of the log were lost", text)
        eventually(told, 20, "it tells of lost lines")
        os.set_blocking(reader, True)
        server.ask(6000)  # full again
        started = time.monotonic()
        server.stop()
        assert time.monotonic() - started < seconds(5)
    os.close(reader)


@test(limit=60)
def lives_with_a_full_disk(_):
    with open("/dev/full", "wb") as full, Deaf(full) as server:
        server.ask(100)
        eventually(lambda: server.dropped() >= 100, 5, "lines are lost")
        server.stop()


@test(rows=[("a pipe that is closed", False), ("no descriptor at all", True)])
def lives_without_a_log(_, closed):
    """Descriptor 2 must not become a connection's."""
    if closed and under_valgrind():
        raise Skip("valgrind needs the descriptor itself")
    reader, writer = os.pipe()
    with Deaf(writer, setup=(lambda: os.close(2)) if closed else (lambda: None)) as server:
        os.close(writer)
        os.close(reader)
        server.ask(100)
        with Connection(server.address) as c:
            for i in range(20):
                c.send(request_bytes("GET", "/nope"))
                equal(c.response().status, 404)
            equal(c.buffer, b"")
        server.stop()


@test(limit=60)
def writes_all_before_it_ends(_):
    with tempfile.TemporaryFile() as log:
        with Deaf(log, "--log-format", "json") as server:
            server.ask(500)
            server.stop()
        log.seek(0)
        lines = [json.loads(line) for line in log]
    equal(sum(line.get("method") == "POST" for line in lines), 500)
    equal(lines[-1]["message"], "ended")


main()
