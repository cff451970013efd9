"""What the tests of images share: an engine with the images in it, containers that go when a test ends, TAP.

Needs the images that `make images` has built; without them, or without an engine, a file is skipped.
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

import engine
import images
from harness import TESTS, Tap, equal, instrumented
from wire import seconds

EXPAND = {"inputs": [{"name": "input", "datatype": "FP32", "shape": [2, 1], "data": [1, 2.5]},
                     {"name": "shape", "datatype": "INT64", "shape": [2], "data": [2, 3]}]}
EXPANDED = [1.0, 1.0, 1.0, 2.5, 2.5, 2.5]


def skip(why):
    print("1..0 # SKIP %s" % " ".join(str(why).split()))
    sys.exit(0)


def needs_images():
    if instrumented():
        skip("images are built without sanitizers, and tested with the plain build")
    if not all(images.file(name) for name in images.IMAGES):
        skip("there are no images: make images")


def curl(*arguments, body=None, limit=20):
    """The finished process."""
    return subprocess.run(["curl", "-q", "-sS", "--noproxy", "*", "--fail-with-body", *arguments], input=body,
                          capture_output=True, timeout=seconds(limit))


def asked(socket, path, body=None):
    """What shaped says on a unix socket to a request with a JSON body, or without one."""
    data = [] if body is None else ["-d", "@-"]
    done = curl("--unix-socket", socket, "http://localhost" + path, *data,
                body=None if body is None else json.dumps(body).encode())
    equal(done.returncode, 0, done.stdout + done.stderr)
    return json.loads(done.stdout)


def expands(socket):
    """That it does what it is there for."""
    equal(asked(socket, "/v2/models/expand/infer", EXPAND)["outputs"][0]["data"], EXPANDED)


def socket_folder():
    """A folder on this machine in which the user of the image may make a socket."""
    folder = tempfile.TemporaryDirectory(prefix="shaped-")
    os.chmod(folder.name, 0o777)
    return folder


@contextlib.contextmanager
def container(docker, *options, image="shaped", command=()):
    """Runs it in the background; gives its id."""
    name = docker("run", "--detach", *options, image, *command)
    try:
        yield name
    finally:
        docker.run("rm", "--force", "--volumes", name)


def until(condition, within, what):
    """Waits for a true value, which it returns."""
    deadline = time.monotonic() + seconds(within)
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, "%s: not within %g s" % (what, seconds(within))
        time.sleep(0.1)


def health(docker, name):
    return docker.inspect(name)["State"]["Health"]["Status"]


def main():
    """Runs the tests of a file, each with the engine."""
    needs_images()
    try:
        with engine.Engine() as docker:
            for name in images.IMAGES:
                docker("load", "-i", images.file(name), limit=120)
            run(docker)
    except engine.Unavailable as e:
        skip(e)


def run(docker):
    tap = Tap()
    tap.line("1..%d" % len(TESTS))
    for title, function, arguments, limit in TESTS:
        tap.result(title, lambda: function(docker, *arguments), limit)
    if tap.failed:
        sys.exit(1)
