"""What it takes to be there: memory while streaming, idle, for each connection; and the time to be ready."""
import socket

import bodies
from check import ask
from measure import REPORTED, Result, at_most
from rows_small import SMALL
from rows_stream import ROWS

MIB = 1 << 20
CONNECTIONS = 500
POOL = 32 << 10  # libmicrohttpd's memory of a connection
HUGE = bodies.expand([1, 4096], [1 << 20, 4096])  # 16 GiB


def growth(bench, request):
    """MiB by which the peak of a new server's resident memory rises while it answers."""
    with bench.shaped("--max-output-bytes", "32G") as shaped:
        ask(shaped, SMALL)
        return shaped.growth(lambda: bench.load.client(shaped, request)) / MIB


def streaming(bench):
    large = [growth(bench, ROWS) for _ in range(bench.rounds)]
    huge = [growth(bench, HUGE) for _ in range(bench.rounds if bench.scale >= 1 else 1)]
    what = "growth of peak RSS for a response of "
    return [
        Result("memory", what + "256 MiB", at_most(16, " MiB"), large, "MiB"),
        Result("memory-huge", what + "16 GiB", at_most(16, " MiB"), huge, "MiB"),
        Result("memory-same", "difference of the two", at_most(1, " MiB"), [abs(h - l) for h, l in zip(huge, large)], "MiB"),
    ]


def use(peer, connections):
    """Opens connections and uses each once."""
    request = SMALL.http()
    opened = []
    for _ in range(connections):
        s = socket.create_connection(("127.0.0.1", peer.port), timeout=20)
        s.sendall(request)
        answer = s.recv(1 << 16)
        if not answer.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError("answer %r" % answer[:200])
        opened.append(s)
    return opened


def idle(bench):
    rss, each, ready = [], [], []
    for _ in range(bench.rounds):
        with bench.shaped() as shaped:
            ready.append(shaped.seconds_to_ready * 1000)
            rss.append(shaped.rss() / MIB)
            first = use(shaped, 20)  # what the first requests need once is no connection's cost
            before = shaped.rss()
            rest = use(shaped, CONNECTIONS)
            each.append((shaped.rss() - before) / CONNECTIONS / 1024)
            for s in first + rest:
                s.close()
    return [
        Result("idle", "idle RSS after start", at_most(8, " MiB"), rss, "MiB"),
        Result("connection", "cost of a used keep-alive connection", at_most(POOL / 1024 + 8, " KiB"), each, "KiB"),
        Result("start", "start to ready", REPORTED, ready, "ms"),
    ]
