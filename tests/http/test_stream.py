"""Answers of any size leave in blocks: right bytes, bounded memory, and others are served meanwhile."""
import contextlib
import gzip
import http.client
import json
import math
import random
import struct
import threading
import time
import zlib

from harness import Server, Skip, equal, eventually, instrumented, main, memory_counts, parallel, test

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SMALL = {"inputs": [{"name": "input", "shape": [1], "datatype": "FP32", "data": [2.5]},
                    {"name": "shape", "shape": [1], "datatype": "INT64", "data": [2]}]}


def expand(datatype, dims, data, target, binary):
    return {"inputs": [{"name": "input", "shape": dims, "datatype": datatype, "data": data},
                       {"name": "shape", "shape": [len(target)], "datatype": "INT64", "data": target}],
            "outputs": [{"name": "output", "parameters": {"binary_data": binary}}]}


class Download:
    """An expansion whose body is read as the caller likes."""

    def __init__(self, server, body, headers=(), limit=60):
        self.connection = http.client.HTTPConnection(*server.address, timeout=limit)
        self.connection.request("POST", "/v2/models/expand/infer", json.dumps(body), dict(headers))
        self.response = self.connection.getresponse()
        self.head = int(self.response.getheader("Inference-Header-Content-Length") or 0)

    def read(self, n=None):
        return self.response.read(n)

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# ---- bytes ---------------------------------------------------------------------------------------------------------

def broadcast(dims, target, elements):
    """The elements in the order of the output, by the rule itself: index by index."""
    rank = max(len(dims), len(target))
    dims, target = [1] * (rank - len(dims)) + dims, [1] * (rank - len(target)) + target
    out = [t if d == 1 else d for d, t in zip(dims, target)]
    strides = [0 if d == 1 else math.prod(dims[i + 1:]) for i, d in enumerate(dims)]
    order = [0]
    for size, stride in zip(out, strides):
        order = [base + stride * i for base in order for i in range(size)]
    return [elements[i] for i in order]


def random_case(seed):
    pick = random.Random(seed)
    rank = pick.randint(1, 5)
    target = [pick.choice([1, 2, 3, 5, 7, 16]) for _ in range(rank)]
    while math.prod(target) < 20000:
        target[pick.randrange(rank)] *= pick.choice([2, 3, 5])
    while math.prod(target) > 300000:
        at = pick.randrange(rank)
        target[at] = max(1, target[at] // 2)
    dims = [t if pick.random() < 0.5 else 1 for t in target]
    while math.prod(dims) > 5000:
        dims[pick.choice([i for i, d in enumerate(dims) if d > 1])] = 1
    return dims[pick.randint(0, sum(d == 1 for d in dims[:1])):], target


FORMATS = {"INT8": "b", "INT16": "h", "INT32": "i", "INT64": "q"}


@test(rows=[("seed %d" % i, i) for i in range(24)], limit=60)
def random_views(server, seed):
    dims, target = random_case(seed)
    datatype = list(FORMATS)[seed % 4]
    data = [random.Random(seed).randint(-128, 127) for _ in range(math.prod(dims))]
    want = broadcast(dims, target, data)
    with Download(server, expand(datatype, dims, data, target, True)) as download:
        body = download.read()
    equal(body[download.head:], struct.pack("<%d%s" % (len(want), FORMATS[datatype]), *want))
    with Download(server, expand(datatype, dims, data, target, False)) as download:
        equal(download.response.getheader("Content-Length") is not None, True)
        equal(json.loads(download.read())["outputs"][0]["data"], want)


@test
def strings(server):
    """Elements of many lengths, repeated across the borders of blocks."""
    data = ["", "a", "\u20ac" * 100, "b" * 70000, "c\"\\\n"]
    want = broadcast([5, 1], [5, 9], data)
    with Download(server, expand("BYTES", [5, 1], data, [5, 9], False)) as download:
        equal(json.loads(download.read())["outputs"][0]["data"], want)
    with Download(server, expand("BYTES", [5, 1], data, [5, 9], True)) as download:
        body = download.read()
    encoded = [s.encode() for s in want]
    equal(body[download.head:], b"".join(struct.pack("<I", len(s)) + s for s in encoded))


@test(rows=[("gzip", "gzip", gzip.decompress), ("deflate", "deflate", zlib.decompress)])
def compressed(server, coding, decompress):
    with Download(server, expand("INT32", [100, 1], list(range(100)), [100, 5000], False),
                  {"Accept-Encoding": coding}) as download:
        equal(download.response.getheader("Content-Encoding"), coding)
        equal(download.response.getheader("Transfer-Encoding"), "chunked")
        got = json.loads(decompress(download.read()))["outputs"][0]["data"]
    equal(got, [i for i in range(100) for _ in range(5000)])


@test(limit=120)
def more_than_32_bits_of_length(server):
    if instrumented():
        raise Skip("takes too long under valgrind or a sanitizer")
    rows = GIB // 4 + 3
    with Server("--max-output-bytes", "5G") as large:
        with Download(large, expand("FP64", [2], [1.0, -2.0], [rows, 2], True)) as download:
            download.read(download.head)
            unit = struct.pack("<dd", 1.0, -2.0) * 65536
            left = rows * 16
            while left > 0:
                piece = download.read(min(left, len(unit)))
                assert piece == unit[:len(piece)] and len(piece) > 0
                left -= len(piece)
            equal(download.read(1), b"")


# ---- memory --------------------------------------------------------------------------------------------------------

@test(rows=[("binary", True, 64 * MIB), ("JSON", False, 20 * MIB)], limit=60)
def memory_does_not_grow_with_the_answer(server, binary, count):
    memory_counts()
    with Server() as fresh:
        fresh.request("POST", "/v2/models/expand/infer", SMALL)
        before = fresh.peak_rss()
        with Download(fresh, expand("FP32", [1000, 1], [1.5] * 1000, [1000, count // 1000], binary)) as download:
            while download.read(MIB):
                pass
        grown = fresh.peak_rss() - before
        assert grown <= 16 * MIB, "peak RSS has grown by %d KiB" % (grown // KIB)


@test
def more_than_the_budget_can_hold(server):
    with Server("--memory-budget", "32M") as small:
        body = b"x" * (100 * MIB)
        refused = small.request("POST", "/v2/models/expand/infer", body, [("Content-Type", "application/json")], limit=30)
        equal(refused.status, 413)
        equal(refused.json()["code"], "request_too_large")
        equal(small.request("POST", "/v2/models/expand/infer", SMALL).status, 200)


@test(limit=60)
def budget_full_of_others(server):
    """Bodies that are on their way hold the budget; who comes then is told to come back."""
    head = (b"POST /v2/models/expand/infer HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % (10 * MIB))
    with Server("--memory-budget", "32M") as small:
        holders = [small.connect() for _ in range(3)]
        for holder in holders:
            holder.send(head + b" " * MIB)  # as much as it takes to have the memory for all
        refused = small.request("POST", "/v2/models/expand/infer", b" " * (10 * MIB))
        equal(refused.status, 503)
        equal(refused.get("Retry-After"), "1")
        equal(refused.json()["code"], "out_of_memory")
        for holder in holders:
            holder.close()
        eventually(lambda: small.request("POST", "/v2/models/expand/infer", b" " * (10 * MIB)).status == 400)


@test(rows=[("each once", "unsqueeze", "data", {"name": "axes", "shape": [1], "datatype": "INT64", "data": [0]}, 1),
            ("each three times", "expand", "input", {"name": "shape", "shape": [2], "datatype": "INT64", "data": [3, 1]}, 3)], limit=90)
def texts_that_the_budget_cannot_hold(_, model, name, small_input, times):
    """They are written while they are sent: room for all of these, as long as floats may be, would take more than 32 MiB."""
    values = [i % 10 for i in range(1600000)]
    body = json.dumps({"inputs": [{"name": name, "shape": [len(values)], "datatype": "FP32", "data": values}, small_input]},
                      separators=(",", ":"))
    with Server("--memory-budget", "32M") as small:
        answer = small.request("POST", "/v2/models/%s/infer" % model, body.encode(), limit=60)
        equal(answer.status, 200)
        equal(answer.json()["outputs"][0]["data"] == values * times, True)


@test(limit=60)
def budget_full_of_answers(server):
    """What answers are sent through counts: where there is no room for one more, small ones are given still."""
    with Server("--memory-budget", "2M", "--max-request-bytes", "64K") as small, contextlib.ExitStack() as stack:
        statuses = []
        while 503 not in statuses and len(statuses) < 20:
            statuses.append(stack.enter_context(Download(small, large(10 * MIB))).response.status)
        assert 4 <= len(statuses) <= 8, "%d answers of a block each in 2 MiB: %s" % (len(statuses), statuses)
        equal(set(statuses[:-1]), {200})
        equal(small.request("POST", "/v2/models/expand/infer", SMALL).status, 200)
        stack.close()
        eventually(lambda: Download(small, large(10 * MIB)).response.status == 200)


# ---- many at once --------------------------------------------------------------------------------------------------

def large(count, binary=True):
    return expand("FP32", [1], [0.5], [count], binary)


@test(limit=90)
def slow_readers(server):
    """200 clients ask for much and read little: small requests go on, memory stays at some blocks for each."""
    with Server("--max-output-bytes", "4G") as crowded:
        before = crowded.rss()
        downloads = [Download(crowded, large(64 * MIB)) for _ in range(200)]
        for download in downloads:
            download.read(1000)
        for _ in range(20):
            equal(crowded.request("POST", "/v2/models/expand/infer", SMALL, limit=5).status, 200)
        grown = crowded.rss() - before
        if not instrumented():
            assert grown <= 200 * MIB, "RSS has grown by %d MiB" % (grown // MIB)
        for download in downloads:
            download.close()


@test(limit=60)
def clients_that_leave(server):
    """In the middle of an answer, or of a body: nothing stays behind."""
    server.request("POST", "/v2/models/expand/infer", SMALL)
    time.sleep(0.5)  # for what earlier tests have left to be closed
    before = server.fds()

    def leave(i):
        if i % 2 == 0:
            with Download(server, large(16 * MIB, i % 4 == 0)) as download:
                download.read(i * 1000 + 1)
        else:
            with server.connect() as connection:
                connection.send(b"POST /v2/models/expand/infer HTTP/1.1\r\nHost: t\r\nContent-Length: %d\r\n\r\n%s"
                                % (10 * MIB, b" " * (i * 1000)))
    for _ in range(5):
        parallel([lambda i=i: leave(i) for i in range(40)])
    eventually(lambda: server.fds() <= before, 10, "descriptors closed")
    equal(server.request("POST", "/v2/models/expand/infer", SMALL).status, 200)


@test(limit=60)
def small_requests_beside_endless_answers(server):
    """Nobody waits for a large answer to end."""
    stop = threading.Event()

    def read_on():
        with Download(server, expand("FP32", [1000, 1], [0.5] * 1000, [1000, 1000000], True)) as download:
            while not stop.is_set() and download.read(MIB):
                pass
    readers = [threading.Thread(target=read_on, daemon=True) for _ in range(2)]
    for reader in readers:
        reader.start()
    slowest = 0.0
    for _ in range(50):
        start = time.monotonic()
        equal(server.request("POST", "/v2/models/expand/infer", SMALL, limit=10).status, 200)
        slowest = max(slowest, time.monotonic() - start)
    stop.set()
    for reader in readers:
        reader.join()
    if not instrumented():
        assert slowest < 2, "a small request took %g s" % slowest


@test(limit=60)
def ends_while_streaming(server):
    """SIGTERM lets an answer that has begun come to its end."""
    ending = Server("--drain-timeout", "30")
    with Download(ending, large(16 * MIB)) as download:
        total = len(download.read(1000))
        ending.process.terminate()
        while piece := download.read(MIB):
            total += len(piece)
    equal(total, download.head + 64 * MIB)
    ending.wait_end()


# Two loops, so that what they share is seen under contention; tensors are copied by the loop, texts filled in by workers.
main("--loops", "2", "--prefill-cost", "300")
