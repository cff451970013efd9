"""Clients that mean harm to the port with TLS: bytes that are not quite a handshake, and floods.

Whatever they send, nothing comes back in the clear, the connection ends when they end it, and ordinary clients beside them,
each with a handshake of its own, do not lose a request. Afterwards the server has no more descriptors, threads and memory
than before. The bytes are the same in every run.
"""
import os
import random
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from calls import EXPAND, expand, expanded  # noqa: E402
from certificates import Secure, finish, server_pair, trusting  # noqa: E402
from floods import LIMITS, Flood, nothing, send, timed, unharmed  # noqa: E402
from harness import Server, main, seconds, test  # noqa: E402
from wire import Connection, request_bytes  # noqa: E402

READY = request_bytes("GET", "/v2/health/ready")
CHANGE, ALERT, HANDSHAKE, DATA, HEARTBEAT = range(20, 25)  # types of records (RFC 8446, 5.1; RFC 6520)
HEADER = 5


# ---- ordinary clients ----------------------------------------------------------------------------------------------

class Beside(Connection):
    """An ordinary client of another address."""

    def __init__(self, server):
        super().__init__(server.address)
        self.socket.close()
        plain = socket.create_connection(server.address, seconds(10), source_address=("127.0.0.2", 0))
        self.socket = CONTEXT.wrap_socket(plain, server_hostname="localhost")


def ordinary(server):
    with Beside(server) as c:
        expanded(c.request("POST", EXPAND, body=expand(1.5, 3000)), 1.5, 3000)


class Ordinary:
    """A client that asks all the time while a block runs; none of its requests may be lost."""

    def __init__(self, server):
        self.server, self.over, self.lost, self.served = server, threading.Event(), None, 0
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        try:
            while not self.over.is_set():
                ordinary(self.server)
                self.served += 1
                time.sleep(0.05)
        except Exception as e:  # told at the end
            self.lost = e

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.over.set()
        self.thread.join()
        assert kind or (self.lost is None and self.served > 0), "ordinary request %d: %r" % (self.served, self.lost)


# ---- records -------------------------------------------------------------------------------------------------------

def record(kind, payload, version=0x0303, length=None):
    return struct.pack(">BHH", kind, version, len(payload) if length is None else length) + payload


def records(kind, payload, size=16384):
    """Cut into records of some size."""
    return b"".join(record(kind, payload[i:i + size]) for i in range(0, len(payload), size))


def message(kind, body, length=None):
    """Of a handshake, with its length in three bytes (RFC 8446, 4)."""
    return bytes([kind]) + (len(body) if length is None else length).to_bytes(3, "big") + body


def vector(width, content, length=None):
    return (len(content) if length is None else length).to_bytes(width, "big") + content


def extension(kind, content):
    return struct.pack(">H", kind) + vector(2, content)


def hello(extensions=b"", ciphers=b"\x13\x01\xc0\x2b\xc0\x2f", session=b"", version=b"\x03\x03"):
    return message(1, version + bytes(32) + vector(1, session) + vector(2, ciphers) + vector(1, b"\0") + vector(2, extensions))


def server_name(name):
    return extension(0, vector(2, b"\0" + vector(2, name)))


def first_flight(version):
    """What Python's client begins with."""
    context = ssl.create_default_context()
    context.minimum_version = context.maximum_version = version
    outgoing = ssl.MemoryBIO()
    finish(context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost"))
    return outgoing.read()


HELLO_12, HELLO_13 = first_flight(ssl.TLSVersion.TLSv1_2), first_flight(ssl.TLSVersion.TLSv1_3)
LONG = b"n" * 16000


# ---- bytes that are not quite a handshake --------------------------------------------------------------------------

def torture(address, data, half_close):
    """Sends it and reads until the server has enough, or it is clear that it waits for more."""
    with socket.create_connection(address, timeout=seconds(10)) as s:
        try:
            s.sendall(data)
            if half_close:
                s.shutdown(socket.SHUT_WR)
            else:
                s.settimeout(0.02)
            answer = b""
            while piece := s.recv(65536):
                answer += piece
        except TimeoutError:
            assert not half_close, "the connection does not end with %r" % data[:40]
        except (ConnectionResetError, BrokenPipeError):
            pass
        assert b"HTTP/" not in answer, answer[:100]


def survives(server, attacks, half_close=(True, False)):
    """All of them, with an ordinary client beside."""
    count = 0
    with unharmed(server, ordinary), Ordinary(server) as client:
        for data in attacks:
            for end in half_close:
                torture(server.address, data, end)
                count += 1
    print("# %d connections, %d ordinary requests" % (count, client.served), flush=True)


def damaged(flight, count, seed):
    """The flight with a few bytes changed, taken away, doubled or put in."""
    chance = random.Random(seed)
    for _ in range(count):
        data = bytearray(flight)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            piece = bytes(data[at:at + chance.randint(1, 40)])
            data[at:at + chance.choice((0, 1, 1, 1, len(piece)))] = chance.choice(
                (b"", bytes([chance.randrange(256)]), bytes([data[at] ^ 1 << chance.randrange(8)]), b"\0", b"\xff", piece * 2))
            if not data:
                break
        yield bytes(data)


@test(rows=[("TLS 1.2", HELLO_12), ("TLS 1.3", HELLO_13)], limit=120)
def damaged_hellos(server, flight):
    survives(server, damaged(flight, 200, 7))


@test(rows=[("TLS 1.2", HELLO_12), ("TLS 1.3", HELLO_13)], limit=120)
def hellos_of_every_length(server, flight):
    survives(server, (flight[:n] for n in range(len(flight))), half_close=[True])


@test(limit=120)
def records_of_every_kind(server):
    """With lengths that are right, too small, too large and not allowed."""
    def kinds():
        for kind in (0, 19, CHANGE, ALERT, HANDSHAKE, DATA, HEARTBEAT, 25, 128, 255):
            for version in (0x0002, 0x0300, 0x0301, 0x0303, 0x0304, 0xfeff, 0xffff):
                for length in (0, 1, 2, 100, 16384, 16385, 65535):
                    yield record(kind, bytes(100), version, length)
    survives(server, kinds(), half_close=[True])


ODD = [
    ("plain HTTP", READY),
    ("plain HTTP, a whole page of it", READY * 500),
    ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"),
    ("SSH", b"SSH-2.0-OpenSSH_9.2\r\n"),
    ("a hello of SSL 2", b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10" + bytes(37)),
    ("noise", random.Random(1).randbytes(100_000)),
    ("zeros", bytes(100_000)),
    ("a name of 16 KB", records(HANDSHAKE, hello(server_name(LONG)))),
    ("a name of 16 KB in records of one byte", records(HANDSHAKE, hello(server_name(LONG)), 1)),
    ("a name of 60 KB", records(HANDSHAKE, hello(server_name(LONG * 3 + LONG[:12000])))),
    ("an empty name", record(HANDSHAKE, hello(server_name(b"")))),
    ("a name of NULs", record(HANDSHAKE, hello(server_name(bytes(200))))),
    ("a name longer than its extension", record(HANDSHAKE, hello(extension(0, vector(2, b"\0" + vector(2, b"n", 60000)))))),
    ("a thousand names", records(HANDSHAKE, hello(extension(0, vector(2, (b"\0" + vector(2, b"n")) * 1000))))),
    ("ten thousand extensions", records(HANDSHAKE, hello(b"".join(extension(k, b"") for k in range(10_000))))),
    ("the same extension ten thousand times", records(HANDSHAKE, hello(extension(10, b"\0\0") * 10_000))),
    ("32,000 ciphers", records(HANDSHAKE, hello(ciphers=b"\x13\x01" * 32_000))),
    ("no cipher", record(HANDSHAKE, hello(ciphers=b""))),
    ("an odd number of bytes for ciphers", record(HANDSHAKE, hello(ciphers=b"\x13\x01\xc0"))),
    ("a session of 255 bytes", record(HANDSHAKE, hello(session=bytes(255)))),
    ("a hello that claims 16 MB", record(HANDSHAKE, message(1, bytes(1000), 0xffffff))),
    ("a hello that claims 16 MB, and many of them", records(HANDSHAKE, message(1, bytes(1_000_000), 0xffffff))),
    ("a hello of no bytes", record(HANDSHAKE, message(1, b""))),
    ("two hellos", HELLO_12 * 2),
    ("a hundred hellos", HELLO_13 * 100),
    ("a hello in records of one byte", b"".join(records(HANDSHAKE, f[HEADER:], 1) for f in (HELLO_12,))),
    ("a finished message first", record(HANDSHAKE, message(20, bytes(12)))),
    ("a certificate first", records(HANDSHAKE, message(11, vector(3, vector(3, bytes(30_000)))))),
    ("a key exchange first", record(HANDSHAKE, message(16, bytes(66)))),
    ("a key update first", record(HANDSHAKE, message(24, b"\1"))),
    ("a message of every kind", b"".join(record(HANDSHAKE, message(k, bytes(20))) for k in range(256))),
    ("data first", record(DATA, READY)),
    ("a heartbeat that asks for 64 KB", record(HEARTBEAT, b"\x01\xff\xff")),
    ("a heartbeat after the hello", HELLO_12 + record(HEARTBEAT, b"\x01\xff\xff")),
    ("changes of cipher", record(CHANGE, b"\1") * 10_000),
    ("a change of cipher after the hello", HELLO_12 + record(CHANGE, b"\1") + record(HANDSHAKE, bytes(40))),
    ("warnings", record(ALERT, b"\1\x5a") * 10_000),
    ("warnings after the hello", HELLO_12 + record(ALERT, b"\1\x5a") * 10_000),
    ("empty records", record(HANDSHAKE, b"") * 10_000),
    ("empty records after the hello", HELLO_13 + record(HANDSHAKE, b"") * 10_000),
    ("early data that nobody asked for", HELLO_13 + record(DATA, bytes(16_000)) * 20),
]


@test(rows=ODD)
def is_not_quite_a_handshake(server, data):
    survives(server, [data] * 3)


# ---- after the handshake -------------------------------------------------------------------------------------------

def shaken(server, version):
    """A connection whose handshake is over, and its socket without TLS."""
    context = trusting(PAIR)
    context.minimum_version = context.maximum_version = version
    secure = Secure(server.address, context)
    return secure, socket.socket(fileno=os.dup(secure.socket.fileno()))


VERSIONS = [("TLS 1.2", ssl.TLSVersion.TLSv1_2), ("TLS 1.3", ssl.TLSVersion.TLSv1_3)]
LATE = [READY, record(DATA, bytes(100)), record(DATA, b""), record(DATA, bytes(16640)), record(DATA, bytes(10), length=65535),
        record(ALERT, b"\1\0"), record(ALERT, b"\2\x28"), record(CHANGE, b"\1") * 100, record(HEARTBEAT, b"\1\xff\xff"),
        record(HANDSHAKE, hello()), HELLO_12, HELLO_13, record(HANDSHAKE, message(24, b"\1")), bytes(1000)]


@test(rows=VERSIONS, limit=90)
def forged_records_after_the_handshake(server, version):
    """Not one of them is taken for what it says, and the connection is over."""
    with unharmed(server, ordinary), Ordinary(server):
        for begun in (b"", READY[:-2], request_bytes("POST", EXPAND, [("Content-Length", "1000")])):
            for data in LATE:
                secure, plain = shaken(server, version)
                with secure, plain:
                    secure.send(begun)
                    plain.sendall(data)
                    plain.shutdown(socket.SHUT_WR)
                    plain.settimeout(seconds(10))
                    answer = b""
                    try:
                        while piece := plain.recv(65536):
                            answer += piece
                    except ConnectionResetError:
                        pass
                    assert b"HTTP/" not in answer, (data[:20], answer[:100])


@test(rows=[("TLS 1.2: renegotiation", "-tls1_2", "R"), ("TLS 1.3: new keys", "-tls1_3", "k"),
            ("TLS 1.3: new keys of both", "-tls1_3", "K")], limit=90)
def is_asked_to_shake_hands_again(server, version, letter):
    """By OpenSSL's own client, whose commands are letters at the start of a line: ten clients, a hundred times each."""
    command = ["openssl", "s_client", "-connect", "127.0.0.1:%d" % server.address[1], version]
    with unharmed(server, ordinary), Ordinary(server):
        clients = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for _ in range(10)]
        try:
            for _ in range(100):
                for client in clients:
                    ask(client, letter)
                time.sleep(0.01)
        finally:
            for client in clients:
                client.kill()
                client.communicate()


def ask(client, letter):
    try:
        client.stdin.write(letter.encode() + b"\n")
        client.stdin.flush()
    except BrokenPipeError:
        pass  # it was cut off


# ---- floods --------------------------------------------------------------------------------------------------------

def hello_and_leave(connection):
    connection.send(HELLO_13)
    connection.close()
    raise ConnectionResetError


def next_byte():
    """Each connection gets the hello byte by byte."""
    sent = {}

    def each(connection):
        at = sent.get(connection, 0)
        sent[connection] = at + connection.send(HELLO_12[at:at + 1] or b"\0")
    return each


FLOODS = [
    ("connections that say nothing", 75, b"", nothing),
    ("hellos, and nothing more", 75, HELLO_13, nothing),
    ("hellos of TLS 1.2, and nothing more", 75, HELLO_12, nothing),
    ("hellos that come byte by byte", 30, b"", next_byte()),
    ("the start of a record that does not come", 75, record(HANDSHAKE, b"\1", length=16384), nothing),
    ("hellos that leave", 3, b"", hello_and_leave),
    ("warnings without end", 20, b"", send(record(ALERT, b"\1\x5a") * 100)),
    ("more connections than there may be", 300, HELLO_13, nothing),
]


@test(rows=FLOODS, limit=240)
def an_ordinary_client_is_served_beside(_, count, begin, each):
    """From an address of its own, as others have: those of the flood share one, of which only so many are let in."""
    with Server(*PAIR.options(), *LIMITS, "--count-loopback", "on", "--max-address-connections", "200",
                "--header-timeout", "5") as server:
        with unharmed(server, ordinary), Flood(server, count, begin, each):
            timed(100, lambda: ordinary(server))


with server_pair() as PAIR:
    CONTEXT = trusting(PAIR)
    main(*PAIR.options(), *LIMITS)
