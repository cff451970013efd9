"""Floods, and what a server must look like after them."""
import contextlib
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from harness import eventually, instrumented  # noqa: E402
from wire import Closed, seconds  # noqa: E402

MIB = 1 << 20
BUDGET = 64 * MIB
LIMITS = ("--memory-budget", "64M", "--max-connections", "700", "--log-level", "error")


def within_limits(server, fds, threads):
    """At the latest when the longest deadline of those here has passed."""
    eventually(lambda: server.fds() <= fds + 2, 40, "descriptors are given back")
    assert server.threads() <= threads, (server.threads(), threads)
    if not instrumented():
        assert server.peak_rss() < BUDGET + 64 * MIB, "%d MiB of memory" % (server.peak_rss() // MIB)


def let_in(server, ordinary):
    """A client from the address of a flood that is over is turned away until the server has noticed that."""
    try:
        ordinary(server)
    except (Closed, OSError):
        return False
    return True


@contextlib.contextmanager
def unharmed(server, ordinary):
    """After what is done within, the server is as it was; ordinary(server) is what it is for."""
    ordinary(server)
    time.sleep(0.2)
    fds, threads = server.fds(), server.threads()
    yield
    eventually(lambda: let_in(server, ordinary), 10, "the client is served")
    within_limits(server, fds, threads)


class Flood:
    """An attack in threads, until it is stopped; each thread keeps `count` connections and calls `each` on them in turn."""

    def __init__(self, server, count, begin, each, pause=0.05, threads=4):
        self.server, self.count, self.begin, self.each, self.pause = server, count, begin, each, pause
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(threads)]

    def open(self):
        connection = socket.create_connection(self.server.address, timeout=5)
        connection.sendall(self.begin)
        connection.setblocking(False)
        return connection

    def run(self):
        connections = []
        while not self.over.is_set():
            for i in range(self.count):
                try:
                    while i >= len(connections):
                        connections.append(self.open())
                    self.each(connections[i])
                except BlockingIOError:
                    pass
                except OSError:  # cut off: come again
                    if i < len(connections):
                        connections.pop(i).close()
                if self.over.is_set():
                    break
            time.sleep(self.pause)
        for connection in connections:
            connection.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        time.sleep(1)
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()


def nothing(connection):
    del connection


def send(data):
    return lambda connection: connection.send(data)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def timed(count, one):
    """Calls it again and again, prints how long it took, and is not content with seconds."""
    times = []
    for _ in range(count):
        started = time.monotonic()
        one()
        times.append(time.monotonic() - started)
        time.sleep(0.01)
    print("# p50 %.1f ms, p99 %.1f ms, slowest %.1f ms" % tuple(
        1000 * t for t in (percentile(times, 0.5), percentile(times, 0.99), max(times))), flush=True)
    assert max(times) < seconds(10), max(times)
