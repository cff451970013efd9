"""Docker for the tests: the engine that runs here, or one of our own, which needs no network and leaves nothing behind.

    with engine.Engine() as docker:
        docker("run", "--rm", "--network", "none", "shaped", "--version")

An engine of our own has no bridge: containers have the network none, host, or that of another container.
"""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
sys.path += [os.path.join(HERE, "..", "http"), os.path.join(HERE, "..", "clients")]
from wire import seconds  # noqa: E402

DAEMON = ["dockerd", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--bridge=none",
          "--exec-opt", "native.cgroupdriver=cgroupfs"]
PR_SET_PDEATHSIG = 1


class Unavailable(Exception):
    """No engine can be had here; the text says why."""


class Failed(Exception):
    """What docker said."""


def end_with_parent():
    """A daemon must not outlive its test, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def unmount(folder):
    """What an engine leaves mounted below its folder, as the network namespace of the host."""
    with open("/proc/self/mounts", encoding="ascii", errors="replace") as f:
        points = [line.split()[1] for line in f]
    for point in reversed(points):
        if point.startswith(folder + "/"):
            subprocess.run(["umount", "--lazy", point], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Daemon:
    """dockerd with everything it keeps in a folder of its own."""

    def __init__(self):
        if os.geteuid() != 0 or not shutil.which("dockerd"):
            raise Unavailable("no docker engine runs, and one of our own needs root and dockerd")
        self.folder = tempfile.mkdtemp(prefix="docker-")
        self.socket = "unix://%s/docker.sock" % self.folder
        self.log = open(os.path.join(self.folder, "log"), "w+b")
        with open(os.path.join(self.folder, "daemon.json"), "w", encoding="ascii") as f:
            f.write("{}")
        places = ["--config-file", "daemon.json", "--data-root", "data", "--exec-root", "exec", "--pidfile", "pid"]
        places = [p if p.startswith("--") else os.path.join(self.folder, p) for p in places]
        self.process = subprocess.Popen([*DAEMON, *places, "-H", self.socket], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=end_with_parent)

    def wait_ready(self, answers):
        deadline = time.monotonic() + seconds(40)
        while not answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                raise Unavailable("dockerd does not start: %s" % self.log.read()[-300:].decode("utf-8", "replace"))
            time.sleep(0.1)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(seconds(30))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        unmount(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)


class Engine:
    def __init__(self):
        if not shutil.which("docker"):
            raise Unavailable("docker is not installed")
        self.daemon = None
        self.scratch = tempfile.TemporaryDirectory(prefix="shaped-")
        self.environment = dict(os.environ, DOCKER_BUILDKIT="0")
        if not self.answers():
            self.daemon = Daemon()
            self.environment["DOCKER_HOST"] = self.daemon.socket
            try:
                self.daemon.wait_ready(self.answers)
            except Unavailable:
                self.daemon.stop()
                raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.daemon:
            self.daemon.stop()
        self.scratch.cleanup()

    def run(self, *arguments, limit=60, **options):
        """The finished process, whatever its exit status; output as text."""
        return subprocess.run(["docker", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds(limit), env=self.environment, **options)

    def __call__(self, *arguments, **options):
        """What docker prints on standard output."""
        done = self.run(*arguments, **options)
        if done.returncode != 0:
            raise Failed("docker %s: %s" % (" ".join(arguments), (done.stdout + done.stderr)[-3000:]))
        return done.stdout.strip()

    def answers(self):
        return self.run("version").returncode == 0

    def inspect(self, name, kind="container"):
        return json.loads(self(kind, "inspect", name))[0]

    def has_image(self, name):
        return self.run("image", "inspect", name).returncode == 0
