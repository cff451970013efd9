"""What a measurement is given: the peers, the load, the rounds, and the profiler."""
import contextlib
import os
import signal
import subprocess
import time

import measure
import peers
import pypi
from load import Load
from measure import Missing

PERF_START = 0.5  # seconds that perf needs to attach
PROFILED = 4      # seconds, at least


class Done(Exception):
    """The profile is written; there is nothing to compare."""


class Bench:
    """`scale` shortens or lengthens every measurement. While `profiled` is a path, the rounds only run shaped's sides, for
    some seconds under perf, and write there where the time went."""

    def __init__(self, build, directory, rounds, scale):
        self.build = build
        self.directory = directory
        self.rounds = rounds
        self.scale = scale
        self.load = Load(directory, self.program("client"))
        self.profiled = None
        self.skipped = {}  # peers that cannot be had, and why
        self.samples = []  # all that was measured: {side: [values of a round, ...]}
        self._pythons = {}

    def program(self, name):
        return os.path.join(self.build, "tests", "bench", name)

    def seconds(self, normal):
        return normal * self.scale

    # -- peers

    def shaped(self, *options):
        return peers.shaped(os.path.join(self.build, "shaped"), *options)

    def send_loop(self):
        return peers.send_loop(self.program("sendloop"))

    def nginx(self, **sizes):
        return peers.Nginx(self.directory, **sizes)

    def python(self, name="venv", listed="requirements.txt"):
        """The interpreter of an environment under the build directory; Missing if it cannot be made, now or before."""
        if name not in self._pythons:
            try:
                self._pythons[name] = pypi.environment(os.path.join(self.build, "bench", name), listed)
            except (Missing, OSError) as e:
                self._pythons[name] = Missing(str(e))
        if isinstance(self._pythons[name], Missing):
            raise self._pythons[name]
        return self._pythons[name]

    def fastapi(self):
        return peers.fastapi(self.python())

    def triton(self):
        return peers.Triton(self.python("triton", "requirements-triton.txt"), self.directory)

    def optional(self, stack, name):
        """Enters the peer that the method `name` starts; None if it cannot be had."""
        if self.profiled:
            return None
        try:
            return stack.enter_context(getattr(self, name)())
        except Missing as e:
            self.skipped[name] = "skipped: " + str(e)
            return None

    # -- rounds

    def play(self, sides, missing=None):
        if not self.profiled:
            samples = measure.play(sides, self.rounds, missing)
            self.samples.append(samples.values)
            return samples
        for name, side in sides.items():
            if name.startswith("shaped"):
                with self._perf(name, side.peer):
                    self._keep_running(side)
        raise Done

    @staticmethod
    def _keep_running(side):
        time.sleep(PERF_START)
        end = time.monotonic() + PROFILED
        while time.monotonic() < end:
            side.run()

    @contextlib.contextmanager
    def _perf(self, name, peer):
        data = os.path.join(self.directory, "perf.data")
        record = subprocess.Popen([peers.tool("perf", "linux-perf"), "record", "-q", "-F", "997", "-o", data,
                                   "-p", str(peer.pid)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, preexec_fn=peers.die_with_parent)
        try:
            yield
        finally:
            record.send_signal(signal.SIGINT)
            record.wait()
        with open(self.profiled, "a", encoding="utf-8") as f:
            for sort in ("pid", "dso", "dso,symbol"):  # perf says pid and means the thread
                f.write("\n==== %s, by %s\n" % (name, sort))
                f.write(self._perf_report(data, sort))

    def _perf_report(self, data, sort):
        report = subprocess.run(["perf", "report", "--stdio", "--percent-limit", "0.5",
                                 "--sort", sort, "-i", data], capture_output=True, text=True)
        return "".join(line + "\n" for line in report.stdout.splitlines() if line and not line.startswith("#"))
