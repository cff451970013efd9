"""Mixed traffic for MINUTES against one server: all forms of requests and answers, sizes from nothing to some MB, and among
them clients that break off. Each answer is compared with what the operator must give; at the end memory, descriptors,
threads and counters must be where they were after the first minute. Prints a line a minute, and a summary.
"""
import json
import os
import random
import re
import socket
import struct
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "http"))
from harness import Server  # noqa: E402
from wire import Connection, request_bytes  # noqa: E402

CLIENTS = 6
EXPAND, UNSQUEEZE = "/v2/models/expand/infer", "/v2/models/unsqueeze/infer"


# ---- what the operators must give, element by element --------------------------------------------------------------

def broadcast(values, shape, target):
    """values (row-major, of shape) repeated to target, both of the same rank."""
    if not shape:
        return values
    inner = len(values) // shape[0] if shape[0] else 0
    rows = [broadcast(values[i * inner:(i + 1) * inner], shape[1:], target[1:]) for i in range(shape[0])]
    return [x for row in (rows * target[0] if shape[0] == 1 else rows) for x in row]


def some_case(rng):
    """Shape, target and values of an Expand whose output has at most a million elements."""
    rank = rng.randrange(0, 4)
    target = [rng.choice([0, 1, 2, 3, 7, 20, rng.randrange(1, 200)]) for _ in range(rank)]
    while rank and count(target) > 1_000_000:
        target[target.index(max(target))] = 1
    shape = [rng.choice([1, n]) for n in target]
    return shape, target, [rng.randrange(-2**31, 2**31) for _ in range(count(shape))]


def count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


# ---- forms: what is sent, and how the answer is read ---------------------------------------------------------------

def packed(values):
    return struct.pack("<%di" % len(values), *values)


def document(shape, target, data, binary):
    first = {"name": "input", "shape": shape, "datatype": "INT32"}
    if data is None:
        first["parameters"] = {"binary_data_size": 4 * count(shape)}
    else:
        first["data"] = data
    return json.dumps({"id": "soak", "inputs": [
        first, {"name": "shape", "shape": [len(target)], "datatype": "INT64", "data": target}],
        "outputs": [{"name": "output", "parameters": {"binary_data": binary}}]}).encode()


def json_json(shape, target, values):
    return EXPAND, [("Content-Type", "application/json")], document(shape, target, values, False)


def binary_binary(shape, target, values):
    head = document(shape, target, None, True)
    return EXPAND, [("Inference-Header-Content-Length", str(len(head)))], head + packed(values)


def json_binary(shape, target, values):
    return EXPAND, [("Accept-Encoding", "identity")], document(shape, target, values, True)


def npy_npy(shape, target, values):
    header = ("{'descr': '<i4', 'fortran_order': False, 'shape': (%s), }\n" % "".join("%d, " % n for n in shape)).encode()
    body = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + packed(values)
    return EXPAND + "?shape=" + ",".join(map(str, target)), [("Content-Type", "application/x-npy")], body


def raw_raw(shape, target, values):
    query = "?datatype=INT32&dims=%s&shape=%s" % (",".join(map(str, shape)), ",".join(map(str, target)))
    return EXPAND + query, [("Content-Type", "application/octet-stream")], packed(values)


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def protobuf_raw(shape, target, values):
    data = packed(values)
    message = b"".join(b"\x08" + varint(n) for n in shape) + b"\x10\x06\x4a" + varint(len(data)) + data
    return (EXPAND + "?shape=" + ",".join(map(str, target)),
            [("Content-Type", "application/x-protobuf"), ("Accept", "application/octet-stream")], message)


def elements(response, n):
    """The values of an answer in whatever form."""
    kind, head = response.get("Content-Type"), response.get("Inference-Header-Content-Length")
    if kind == "application/json":
        return response.json()["outputs"][0]["data"]
    body = response.body[int(head):] if head else response.body
    return list(struct.unpack("<%di" % n, body[len(body) - 4 * n:]))


FORMS = [json_json, binary_binary, json_binary, npy_npy, raw_raw, protobuf_raw]


# ---- traffic -------------------------------------------------------------------------------------------------------

class Tally:
    def __init__(self):
        self.lock = threading.Lock()
        self.answers = self.refusals = self.broken_off = 0
        self.wrong = []

    def add(self, **counts):
        with self.lock:
            for name, n in counts.items():
                setattr(self, name, getattr(self, name) + n)


def ordinary(connection, rng, tally):
    shape, target, values = some_case(rng)
    path, headers, body = rng.choice(FORMS)(shape, target, values)
    response = connection.request("POST", path, headers, body)
    want = broadcast(values, shape, target)
    if response.status != 200 or elements(response, len(want)) != want:
        tally.wrong.append("%s %s -> %s: %r" % (path, shape, target, response))
    tally.add(answers=1)


def refused(connection, rng, tally):
    body = rng.choice([b"{", b"", b"[]", document([2], [3], [1, 2], False), document([1], [10**9, 10**9], [1], False)])
    response = connection.request("POST", rng.choice([EXPAND, UNSQUEEZE]), [], body)
    if not 400 <= response.status < 500 or not response.json()["error"]:
        tally.wrong.append("not refused: %r" % response)
    tally.add(refusals=1)


def break_off(address, rng, tally):
    """Sends a part of a request, or takes a part of its answer, and leaves."""
    path, headers, body = json_binary([1], [rng.choice([10, 5_000_000])], [7])
    data = request_bytes("POST", path, headers, body)
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(data[:rng.randrange(len(data) + 1)])
        if rng.random() < 0.5:
            connection.settimeout(0.05)
            try:
                connection.recv(rng.randrange(1, 100_000))
            except OSError:
                pass
        if rng.random() < 0.5:  # by RST
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    tally.add(broken_off=1)


def client(server, seed, over, tally):
    rng = random.Random(seed)
    while not over.is_set():
        try:
            with Connection(server.address, 60) as connection:
                for _ in range(rng.randrange(1, 50)):
                    (ordinary if rng.random() < 0.9 else refused)(connection, rng, tally)
                    if over.is_set():
                        break
            break_off(server.address, rng, tally)
        except Exception as e:  # a lost request
            tally.wrong.append("%s: %s" % (type(e).__name__, e))
            if len(tally.wrong) > 100:
                return


# ---- what must not grow --------------------------------------------------------------------------------------------

def gauges(server):
    text = server.request("GET", "/metrics").body.decode()
    return {name: float(value) for name, value in re.findall(r"^(shaped_[a-z_]+) ([0-9.e+]+)$", text, re.MULTILINE)}


def quiet(server):
    """RSS, descriptors and threads once nobody has asked for anything for a while."""
    time.sleep(12)
    return server.rss(), server.fds(), server.threads()


def soak(server, minutes, tally):
    over = threading.Event()
    clients = [threading.Thread(target=client, args=(server, i, over, tally), daemon=True) for i in range(CLIENTS)]
    for thread in clients:
        thread.start()
    ends = time.monotonic() + 60 * minutes
    while time.monotonic() < ends and server.process.poll() is None and not tally.wrong:
        time.sleep(min(60, max(0.1, ends - time.monotonic())))
        print("%s: %d answers, %d refusals, %d broken off, %d wrong, %d MiB, %d descriptors" % (
            time.strftime("%H:%M"), tally.answers, tally.refusals, tally.broken_off, len(tally.wrong),
            server.rss() >> 20, server.fds()), flush=True)
    over.set()
    for thread in clients:
        thread.join(90)


def main():
    minutes = float(sys.argv[1])
    tally = Tally()
    with Server("--log-level", "error") as server:
        soak(server, min(1, minutes / 3), tally)
        before = quiet(server)
        soak(server, minutes, tally)
        after = quiet(server)
        metrics = gauges(server)
    print("before: %d KiB, %d descriptors, %d threads" % (before[0] >> 10, *before[1:]))
    print("after:  %d KiB, %d descriptors, %d threads" % (after[0] >> 10, *after[1:]))
    begun, ended = metrics["shaped_requests_begun_total"], metrics["shaped_requests_ended_total"]
    print("%d answers, %d refusals, %d broken off; requests begun and ended: %d, %d" %
          (tally.answers, tally.refusals, tally.broken_off, begun, ended))
    for line in tally.wrong[:20]:
        print("WRONG: " + line[:1000])
    grown = after[0] > before[0] + max(before[0] // 4, 8 << 20) or after[1] > before[1] or after[2] > before[2]
    print("lost or wrong: %d; %s" % (len(tally.wrong), "GROWN" if grown else "nothing has grown"))
    sys.exit(1 if tally.wrong or grown or begun - ended != 1 else 0)  # the one that asks


main()
