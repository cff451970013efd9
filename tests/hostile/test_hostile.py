"""Clients that mean harm, and an ordinary one beside them, which must not lose a request.

Three kinds of tests: bodies that ask for too much, bytes that are not quite HTTP, and floods that last. After each the
server must have no more descriptors, threads and memory than its limits say, and still do what it is for. The slowest of a
hundred ordinary requests beside each flood (p99) is printed as a comment.
"""
import gzip
import json
import os
import socket
import struct
import sys
import time
import zlib
from contextlib import ExitStack

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from calls import EXPAND, UNSQUEEZE, expand, expanded  # noqa: E402
from floods import LIMITS, Flood, nothing, send, timed, unharmed  # noqa: E402
from harness import Server, equal, eventually, main, seconds, test  # noqa: E402
from wire import Closed, request_bytes  # noqa: E402

MIB = 1 << 20
JSON = [("Content-Type", "application/json")]


# ---- checks --------------------------------------------------------------------------------------------------------

def ordinary(server):
    expanded(server.request("POST", EXPAND, expand(1.5, 3000)), 1.5, 3000)


# ---- bodies that ask for too much ----------------------------------------------------------------------------------

def inputs(*texts):
    return b'{"inputs":[' + b",".join(texts) + b"]}"


def tensor(name, shape, datatype, data):
    return b'{"name":"%s","shape":%s,"datatype":"%s","data":%s}' % (name, shape, datatype, data)


ONE = tensor(b"input", b"[1]", b"FP32", b"[1]")
LONG = b"9" * 100_000


def bomb(mib, level=9):
    """Zeros, as a gzip file: a thousandth of it."""
    packer = zlib.compressobj(level, wbits=31)
    return b"".join([packer.compress(bytes(MIB)) for _ in range(mib)] + [packer.flush()])


# Title, path, headers, body, statuses that are right.
BODIES = [
    ("JSON of depth 250,000", EXPAND, JSON, b'{"inputs":' + b"[" * 250_000, {400}),
    ("objects of depth 100,000", EXPAND, JSON, b'{"a":' * 100_000, {400}),
    ("depth 250,000 in a part of a form", EXPAND + "?datatype=FP32",
     [("Content-Type", "multipart/form-data; boundary=b")],
     b"--b\r\nContent-Disposition: form-data; name=input\r\n\r\n" + b"[" * 250_000 + b"\r\n--b--\r\n", {400}),
    ("a million inputs", EXPAND, JSON, inputs(*[b"{}"] * 1_000_000), {400}),
    ("a million inputs with names", EXPAND, JSON, inputs(*[b'{"name":"input"}'] * 1_000_000), {400}),
    ("a hundred thousand members", EXPAND, JSON, b"{" + b",".join(b'"%d":0' % i for i in range(100_000)) + b"}", {400}),
    ("the same member twice", EXPAND, JSON, b'{"inputs":[],"inputs":[]}', {400}),
    ("a number of 100,000 digits", EXPAND, JSON, inputs(tensor(b"input", b"[1]", b"FP64", b"[" + LONG + b"]")), {400}),
    ("an integer of 100,000 digits", EXPAND, JSON, inputs(tensor(b"input", b"[1]", b"INT64", b"[" + LONG + b"]")), {400}),
    ("a size of 100,000 digits", EXPAND, JSON, inputs(tensor(b"input", b"[" + LONG + b"]", b"FP32", b"[]")), {400}),
    ("an exponent of 100,000 digits", EXPAND, JSON,
     inputs(tensor(b"input", b"[1]", b"FP64", b"[1e" + LONG + b"]")), {400}),
    ("rank 100,000", EXPAND, JSON, inputs(tensor(b"input", b"[" + b",".join([b"1"] * 100_000) + b"]", b"FP32", b"[1]")), {400}),
    ("100,000 axes", UNSQUEEZE, JSON,
     inputs(tensor(b"data", b"[1]", b"FP32", b"[1]"),
            tensor(b"axes", b"[100000]", b"INT64", json.dumps(list(range(100_000))).encode())), {400}),
    ("sizes whose product overflows", EXPAND, JSON,
     inputs(tensor(b"input", b"[4294967296,4294967296]", b"FP32", b"[1]")), {400}),
    ("sizes whose product wraps to 0", EXPAND, JSON,
     inputs(tensor(b"input", b"[4294967296,4294967296]", b"UINT8", b"[]")), {400}),
    ("negative sizes", EXPAND, JSON, inputs(tensor(b"input", b"[-1,-1]", b"FP32", b"[1]")), {400}),
    ("an output of 4 TB", EXPAND, JSON, inputs(ONE, tensor(b"shape", b"[2]", b"INT64", b"[1000000,1000000]")), {413}),
    ("an output of 2^63 bytes", EXPAND, JSON,
     inputs(ONE, tensor(b"shape", b"[2]", b"INT64", b"[9223372036854775807,1]")), {413}),
    ("an output whose size overflows", EXPAND, JSON,
     inputs(ONE, tensor(b"shape", b"[3]", b"INT64", b"[4294967296,4294967296,4294967296]")), {413}),
    ("an input that claims 4 TB", EXPAND, JSON,
     inputs(tensor(b"input", b"[1000000,1000000]", b"FP32", b"[1,2,3]")), {400}),
    ("BYTES repeated to 100 GB", EXPAND, JSON,
     inputs(tensor(b"input", b"[1]", b"BYTES", b'["' + b"x" * 100_000 + b'"]'),
            tensor(b"shape", b"[1]", b"INT64", b"[1000000]")), {413}),
    ("binary_data_size of 2^63", EXPAND, [("Inference-Header-Content-Length", "100")],
     b'{"inputs":[{"name":"input","shape":[1],"datatype":"FP32","parameters":'
     b'{"binary_data_size":9223372036854775808}}]}' + b"x" * 100, {400}),
    ("a BYTES blob with a length of 4 GiB", EXPAND, [("Inference-Header-Content-Length", "98")],
     (b'{"inputs":[{"name":"input","shape":[1],"datatype":"BYTES","parameters":{"binary_data_size":8}}]}').ljust(98) +
     b"\xff\xff\xff\xff....", {400}),
    (".npy that claims a header of 4 GiB", UNSQUEEZE + "?axes=0", [("Content-Type", "application/x-npy")],
     b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", {400}),
    (".npy that claims 2^62 elements", UNSQUEEZE + "?axes=0", [("Content-Type", "application/x-npy")],
     b"\x93NUMPY\x01\x00" + struct.pack("<H", 75) +
     b"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }".ljust(74) + b"\n", {400}),
    ("TensorProto of a million empty fields", UNSQUEEZE + "?axes=0", [("Content-Type", "application/x-protobuf")],
     b"\x32\x00" * 1_000_000, {400, 503}),  # whose tables take up to 60 MB
    ("a form of 100,000 parts", EXPAND, [("Content-Type", "multipart/form-data; boundary=b")],
     b"--b\r\nContent-Disposition: form-data; name=x\r\n\r\n\r\n" * 100_000 + b"--b--\r\n", {400}),
    ("a gzip bomb of 10 GiB", EXPAND, JSON + [("Content-Encoding", "gzip")], bomb(1024) * 10, {413}),
    ("a gzip bomb in a gzip bomb", EXPAND, JSON + [("Content-Encoding", "gzip")], gzip.compress(bomb(200)), {400}),
    ("gzip of a hundred thousand empty members", EXPAND, JSON + [("Content-Encoding", "gzip")],
     gzip.compress(b"", mtime=0) * 100_000, {400}),
]


@test(rows=BODIES, limit=60)
def asks_for_too_much(server, path, headers, body, statuses):
    answers = []

    def attack():
        for _ in range(3):
            answers.append(server.request("POST", path, body, headers, limit=30).status)
    with unharmed(server, ordinary):
        attack()
    assert set(answers) <= statuses, answers


# ---- bytes that are not quite HTTP ---------------------------------------------------------------------------------

CALL = request_bytes("POST", EXPAND, JSON, inputs(ONE, tensor(b"shape", b"[1]", b"INT64", b"[2]")))
HEAD = b"POST " + EXPAND.encode() + b" HTTP/1.1\r\nHost: x\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BYTES = [
    ("a chunk of 2^64 bytes", CHUNKED + b"10000000000000000\r\nx"),
    ("a chunk of 2^63 bytes", CHUNKED + b"8000000000000000\r\nx"),
    ("a negative chunk", CHUNKED + b"-1\r\nx\r\n0\r\n\r\n"),
    ("a chunk size that is none", CHUNKED + b"zz\r\nx\r\n0\r\n\r\n"),
    ("a chunk without an end", CHUNKED + b"1\r\nxxxx\r\n0\r\n\r\n"),
    ("an extension of 100 KB", CHUNKED + b"1;" + b"e" * 100_000 + b"\r\nx\r\n0\r\n\r\n"),
    ("Content-Length and Transfer-Encoding", HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /"),
    ("two Content-Lengths", HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nxxxxxx"),
    ("Transfer-Encoding twice", HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
    ("Transfer-Encoding with a blank before the colon", HEAD + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
    ("a Content-Length of 2^64", HEAD + b"Content-Length: 18446744073709551616\r\n\r\n"),
    ("a negative Content-Length", HEAD + b"Content-Length: -1\r\n\r\n"),
    ("100,000 headers", HEAD + b"".join(b"X-%d: y\r\n" % i for i in range(100_000)) + b"\r\n"),
    ("a header of 10 MB", HEAD + b"X: " + b"y" * 10_000_000 + b"\r\n\r\n"),
    ("a request line of 10 MB", b"GET /" + b"x" * 10_000_000 + b" HTTP/1.1\r\n\r\n"),
    ("a method of 1 MB", b"G" * 1_000_000 + b" / HTTP/1.1\r\n\r\n"),
    ("NUL in the target", b"GET /v2\0/x HTTP/1.1\r\nHost: x\r\n\r\n"),
    ("NUL in a header", b"GET /v2 HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n"),
    ("a bare CR in a header", b"GET /v2 HTTP/1.1\r\nHost: x\r\nX: a\rY: b\r\n\r\n"),
    ("bare LFs", b"GET /v2 HTTP/1.1\nHost: x\n\n"),
    ("a folded header", b"GET /v2 HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n"),
    ("HTTP/0.9", b"GET /v2\r\n"),
    ("HTTP/9.9", b"GET /v2 HTTP/9.9\r\nHost: x\r\n\r\n"),
    ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"),
    ("a hello of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)),
    ("SSH", b"SSH-2.0-OpenSSH_9.2\r\n"),
    ("nothing but line ends", b"\r\n" * 100_000),
    ("noise", bytes(range(256)) * 400),
    ("a Host of 20 KB", b"GET /v2 HTTP/1.1\r\nHost: " + b"h" * 20_000 + b"\r\n\r\n"),
]


def outcome(server, data, half_close=False, limit=15):
    """The status of what is answered first, or 0 if the connection ends without an answer."""
    try:
        with server.connect(limit) as connection:
            try:
                connection.send(data)
                if half_close:
                    connection.socket.shutdown(socket.SHUT_WR)
            except (Closed, OSError):
                pass  # it was refused before its end
            return connection.response().status
    except (Closed, OSError, AssertionError):
        return 0


@test(rows=BYTES, limit=90)
def is_not_quite_HTTP(server, data):
    """Refused or cut off, if it is not what libmicrohttpd takes for a request all the same; never a 5xx but 505."""
    statuses = []

    def attack():
        statuses.append(outcome(server, data, half_close=True))
        statuses.append(outcome(server, data))
    with unharmed(server, ordinary):
        attack()
    assert all(s in (0, 200, 505) or 400 <= s < 500 for s in statuses), statuses


# The pool of a connection: around its size, everything that an answer needs may be what does not fit.
@test(limit=120, rows=[("a page", "GET", "/v2", None), ("no path", "GET", "/nowhere", None), ("a call", "POST", EXPAND, CALL),
                       ("a refusal", "POST", EXPAND, b"{"), ("a wrong method", "DELETE", EXPAND, None)])
def heads_of_every_size_around_the_pool(server, method, target, body):
    if body is CALL:
        body = CALL[CALL.index(b"\r\n\r\n") + 4:]
    statuses = {}

    def attack():
        for size in [*range(100, 31_000, 997), *range(31_000, 34_000, 13), *range(34_000, 70_000, 1999)]:
            status = outcome(server, request_bytes(method, target, [("X", "y" * size)], body), limit=20)
            statuses[status] = statuses.get(status, 0) + 1
    with unharmed(server, ordinary):
        attack()
    assert all(s == 0 or s < 500 for s in statuses), statuses
    print("# %s" % statuses, flush=True)


# ---- floods --------------------------------------------------------------------------------------------------------

def ask_and_leave(connection):
    connection.send(CALL)
    connection.close()
    raise ConnectionResetError


LARGE = request_bytes("POST", EXPAND, JSON, expand(1.0, 10_000_000))
BOMB = request_bytes("POST", EXPAND, JSON + [("Content-Encoding", "gzip")], bomb(100))
TINY = b"1\r\nx\r\n" * 5000
FLOODS = [
    ("slow heads", 100, b"POST / HTTP/1.1\r\n", send(b"X: y\r\n")),
    ("slow bodies", 100, HEAD + b"Content-Length: 1000000\r\n\r\n", send(b" ")),
    ("slow readers", 100, LARGE, nothing),
    ("connections that say nothing", 100, b"", nothing),
    ("more connections than there may be", 300, b"", nothing),
    ("chunks of one byte", 4, CHUNKED, send(TINY)),
    ("requests whose answers nobody waits for", 20, b"", ask_and_leave),
    ("pipelines that are never read", 20, CALL, send(CALL * 50)),
    ("gzip bombs", 2, BOMB, send(b"")),
    ("connections that come and go", 50, b"G", ask_and_leave),
]


@test(rows=FLOODS, limit=240)
def an_ordinary_client_is_served_beside(_, count, begin, each):
    """From an address of its own, as others have: those of the flood share one, of which only so many are let in."""
    with Server(*LIMITS, "--count-loopback", "on", "--max-address-connections", "200") as server:
        with unharmed(server, ordinary), Flood(server, count, begin, each):
            timed(100, lambda: beside(server))


@test(limit=120)
def readers_that_hold_all_there_is_for_streams_leave_room_for_small_requests(_):
    """Each from an address of its own, so that no limit of those helps."""
    with Server(*LIMITS, "--count-loopback", "on") as server, ExitStack() as stack:
        for i in range(400):
            address = "127.0.%d.%d" % (2 + i // 200, 1 + i % 200)
            reader = stack.enter_context(socket.create_connection(server.address, source_address=(address, 0)))
            reader.sendall(LARGE)
        eventually(lambda: refused_for_memory(server) > 0, 20, "the budget does not suffice for all")
        for _ in range(100):  # others, who hold more memory than is left by chance
            stack.enter_context(socket.create_connection(server.address, source_address=("127.0.0.3", 0)))
        for _ in range(50):
            beside(server)


def refused_for_memory(server):
    text = server.request("GET", "/metrics").body.decode()
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith("shaped_memory_refused_total"))


def beside(server):
    """An ordinary request from 127.0.0.2."""
    with socket.create_connection(server.address, timeout=seconds(10), source_address=("127.0.0.2", 0)) as connection:
        connection.sendall(request_bytes("POST", EXPAND, JSON + [("Connection", "close")], expand(1.5, 3000, False)))
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    equal(answer[:15], b"HTTP/1.1 200 OK")
    assert answer.endswith(b"]}]}"), answer[-20:]


main(*LIMITS)
