"""The frame of the black-box tests: starts the program, runs the tests of a file, prints TAP.

    from harness import Server, equal, main, test

    @test
    def is_live(server):
        equal(server.request("GET", "/v2/health/live").json(), {"live": True})

    @test(rows=[("empty body", b"", 400), ("no JSON", b"{", 400)])
    def refuses(server, body, status):
        equal(server.request("POST", "/v2/models/expand/infer", body=body).status, status)

    main()

Each test gets the server that the file shares, started by main with the options given to it; a test that needs other
options starts its own (`with Server("--max-output-bytes", "100") as small:`). Stopping a server is part of the test: by
SIGTERM it must exit with 0, in time, and without a sanitizer's or valgrind's complaint.

Environment: SHAPED, the program; SHAPED_WRAPPER, a command to put before it; SHAPED_TIME_SCALE (wire.py).
"""
import ctypes
import json
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from record import RECORD
from relay import Relay
from wire import Connection, seconds

PROGRAM = os.environ.get("SHAPED", "./shaped")
WRAPPER = shlex.split(os.environ.get("SHAPED_WRAPPER", ""))
LISTENING = re.compile(r"listening on https?://127\.0\.0\.1:([0-9]+)")
COMPLAINT = re.compile(r"Sanitizer|runtime error:|^==[0-9]+==", re.MULTILINE)
PR_SET_PDEATHSIG = 1


class Skip(Exception):
    """This test cannot run here; the text says why."""


class TooLong(Exception):
    """The time of a test is up."""


# ---- the program ---------------------------------------------------------------------------------------------------

def die_with_parent():
    """A server must not outlive its test, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def under_valgrind():
    """Whether the server runs under valgrind: slowly, and with descriptors and system calls that are valgrind's."""
    return any("valgrind" in word for word in WRAPPER)


def environment(**variables):
    """This process's, without what the program would take for options (the tests' own variables are called so too)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SHAPED_")}
    if under_valgrind():  # which needs system calls of its own
        kept["SHAPED_SANDBOX"] = "off"
    return dict(kept, **variables)


class Server:
    """The program with some options, listening on an ephemeral port of 127.0.0.1."""

    def __init__(self, *options, env=None, stop_within=20, relay=False):
        self.stop_within, self.relay = stop_within, None
        self.addresses = 1 + sum(value.count(",") + 1 for flag, value in zip(options, options[1:]) if flag == "--listen")
        self.errors = tempfile.TemporaryFile()
        command = WRAPPER + [PROGRAM, "--listen", "127.0.0.1:0", "--drain-delay", "0", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.errors, env=environment(**(env or {})),
                                        preexec_fn=die_with_parent)
        try:
            self.address = ("127.0.0.1", self._port())
            if relay and RECORD.folder is not None:
                self.relay = Relay(self.address)
                self.address = self.relay.address
        except BaseException:
            self.kill()
            raise

    def _port(self):
        deadline = time.monotonic() + seconds(20)
        while time.monotonic() < deadline:
            text = self.stderr()
            found = LISTENING.search(text)
            if found and text.count("listening on") >= self.addresses:
                return int(found.group(1))
            assert self.process.poll() is None, "exit status %s at once: %s" % (self.process.returncode, self.stderr())
            time.sleep(0.005)
        raise TimeoutError("no line \"listening on\": %s" % self.stderr())

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.kill()

    def stderr(self):
        """All it has written so far."""
        size = os.fstat(self.errors.fileno()).st_size
        return os.pread(self.errors.fileno(), size, 0).decode("utf-8", "backslashreplace")

    def stop(self):
        """SIGTERM, and everything that a clean end means."""
        if self.process.poll() is None:
            self.process.terminate()
        self.wait_end()

    def wait_end(self):
        try:
            status = self.process.wait(seconds(self.stop_within))
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("still running %g s after SIGTERM" % seconds(self.stop_within)) from None
        self._stop_relay()
        text = self.stderr()
        assert status == 0, "exit status %d: %s" % (status, text[-4000:])
        assert not COMPLAINT.search(text), text[-8000:]

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._stop_relay()

    def _stop_relay(self):
        if self.relay is not None:
            self.relay.stop()
            self.relay = None

    # -- talking to it

    def connect(self, limit=10):
        return Connection(self.address, limit)

    def request(self, method, target, body=None, headers=(), limit=10):
        """One request on a connection of its own; body is bytes, or a value to be sent as JSON."""
        pairs = list(headers.items() if isinstance(headers, dict) else headers)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            if not any(name.lower() == "content-type" for name, _ in pairs):
                pairs.append(("Content-Type", "application/json"))
        with self.connect(limit) as connection:
            return connection.request(method, target, pairs, body)

    # -- looking at it from outside (Linux)

    def _proc(self, name):
        with open("/proc/%d/%s" % (self.process.pid, name), encoding="ascii", errors="replace") as f:
            return f.read()

    def _status_kb(self, field):
        return int(re.search(r"^%s:\s*([0-9]+) kB" % field, self._proc("status"), re.MULTILINE).group(1)) * 1024

    def rss(self):
        """Resident memory, bytes."""
        return self._status_kb("VmRSS")

    def peak_rss(self):
        return self._status_kb("VmHWM")

    def fds(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def threads(self):
        return len(os.listdir("/proc/%d/task" % self.process.pid))

    def state(self):
        """As ps tells it: "R" runs, "S" sleeps, "T" is stopped."""
        return self._proc("stat").rpartition(")")[2].split()[0]

    def cpu(self):
        """Processor time used so far, seconds."""
        fields = self._proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ---- checks --------------------------------------------------------------------------------------------------------

def equal(got, want, what=""):
    assert type(got) is type(want) and got == want, "%s\n got %.2000r\nwant %.2000r" % (what, got, want)


def instrumented():
    """Whether valgrind or a sanitizer is at work: memory and speed are then not the program's own."""
    try:
        with open(os.path.join(os.path.dirname(PROGRAM), "config.h"), encoding="ascii") as f:
            sanitized = '#define SHAPED_SANITIZER "no"' not in f.read()
    except OSError:
        sanitized = False
    return sanitized or under_valgrind()


def memory_counts():
    """Skips a test about memory where it cannot be measured."""
    if instrumented():
        raise Skip("memory under valgrind or a sanitizer is not the program's own")


def eventually(condition, within=5, what="condition"):
    """Waits until condition() is true."""
    deadline = time.monotonic() + seconds(within)
    while not condition():
        assert time.monotonic() < deadline, "%s: not within %g s" % (what, seconds(within))
        time.sleep(0.01)


def free_port():
    """A port of 127.0.0.1 for whoever must know it beforehand: below those that the kernel gives to others."""
    while True:
        port = random.randrange(20000, 32000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port


def parallel(functions):
    """Runs functions at the same time; raises what the first of them raised."""
    raised = []

    def run(function):
        try:
            function()
        except BaseException as e:  # handed to the caller
            raised.append(e)
    threads = [threading.Thread(target=run, args=(f,), daemon=True) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


# ---- tests ---------------------------------------------------------------------------------------------------------

TESTS = []  # (title, function, arguments, limit)


def test(function=None, *, rows=None, limit=30):
    """Marks a test; with rows, one for each: (title, arguments of the function after server...)."""
    def register(f):
        title = f.__name__.replace("_", " ")
        if rows is None:
            TESTS.append((title, f, (), limit))
        for name, *arguments in rows or ():
            TESTS.append(("%s: %s" % (title, name), f, arguments, limit))
        return f
    return register(function) if function else register


class Tap:
    def __init__(self):
        self.number = self.failed = 0

    def result(self, title, run, limit):
        """Runs it and prints how it went; True if it did not fail."""
        self.number += 1
        title = title.replace("#", "\\#").encode("ascii", "backslashreplace").decode()
        try:
            with time_limit(seconds(limit)):
                run()
        except Skip as e:
            self.line("ok %d - %s # SKIP %s" % (self.number, title, e))
        except Exception as e:
            self.failed += 1
            self.line("not ok %d - %s" % (self.number, title))
            for frame in traceback.extract_tb(e.__traceback__):
                if frame.filename != __file__:
                    self.note("%s:%d: %s" % (os.path.basename(frame.filename), frame.lineno, frame.line))
            self.note("%s: %s" % (type(e).__name__, e))
            return False
        else:
            self.line("ok %d - %s" % (self.number, title))
        return True

    def note(self, text):
        for line in text.splitlines():
            self.line("# " + line.encode("ascii", "backslashreplace").decode())

    def line(self, text):
        print(text, flush=True)


class time_limit:
    """Raises TooLong in the main thread when a block takes too long."""

    def __init__(self, limit):
        self.limit = limit

    def __enter__(self):
        signal.signal(signal.SIGALRM, self.expire)
        signal.setitimer(signal.ITIMER_REAL, self.limit)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)

    def expire(self, *_):
        raise TooLong("%g s" % self.limit)


def main(*options, relay=False):
    """Runs the tests in order. One after the other: whoever wants several at once uses `parallel`. With clients that are not
    ours, `relay` has their answers recorded (relay.py)."""
    tap = Tap()
    only = sys.argv[1:]
    tests = [t for t in TESTS if not only or any(word in t[0] for word in only)]
    tap.line("1..%d" % (len(tests) + 1))
    try:
        server = Server(*options, relay=relay)
    except Exception as e:
        tap.line("Bail out! The server does not start: %s" % " ".join(str(e).split())[:1000])
        sys.exit(1)
    try:
        for title, function, arguments, limit in tests:
            fine = tap.result(title, lambda: function(server, *arguments), limit)
            if not fine and server.process.poll() is not None:
                tap.note("the server died, status %d: %s" % (server.process.returncode, server.stderr()[-8000:]))
                server = Server(*options, relay=relay)
        tap.result("the server stops cleanly", server.stop, 60)
    finally:
        server.kill()
    sys.exit(1 if tap.failed else 0)
