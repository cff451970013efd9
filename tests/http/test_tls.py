"""TLS: what is offered, and that everything works over it."""
import os
import socket
import ssl
import struct
import subprocess
import time
import warnings

from calls import EXPAND, UNSQUEEZE, expand, expanded, slow
from certificates import Pair, Secure, finish, folder, server_pair, trusting
from harness import (PROGRAM, WRAPPER, Server, Skip, environment, equal, eventually, instrumented, main, parallel, seconds,
                     test)
from wire import Closed, Connection, request_bytes

MIB = 1 << 20
READY = request_bytes("GET", "/v2/health/ready")


def run(*arguments):
    return subprocess.run(WRAPPER + [PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=seconds(20), encoding="utf-8", check=False, env=environment())


def is_ready(address, context):
    with Secure(address, context) as c:
        return c.request("GET", "/v2/health/ready").status == 200


def secure(server, limit=10):
    return Secure(server.address, CONTEXT, limit)


# ---- what is offered -----------------------------------------------------------------------------------------------

def context_with(least, most, ciphers=None):
    context = trusting(PAIR)
    context.minimum_version, context.maximum_version = least, most
    if ciphers is not None:
        context.set_ciphers(ciphers)
    return context


@test(rows=[("TLS 1.2", ssl.TLSVersion.TLSv1_2), ("TLS 1.3", ssl.TLSVersion.TLSv1_3)])
def speaks(server, version):
    with Secure(server.address, context_with(version, version)) as c:
        equal(c.socket.version(), version.name.replace("_", "."))
        expanded(c.request("POST", EXPAND, body=expand(1, 3)), 1, 3)


OLD, NEW = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_2
warnings.simplefilter("ignore", DeprecationWarning)  # for asking for the old ones


@test(rows=[("TLS 1.0", OLD, OLD, "ALL:@SECLEVEL=0"),
            ("TLS 1.1", ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_1, "ALL:@SECLEVEL=0"),
            ("no authenticated encryption", NEW, NEW, "ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384:@SECLEVEL=0")])
def does_not_speak(server, least, most, ciphers):
    try:
        with Secure(server.address, context_with(least, most, ciphers)) as c:
            raise AssertionError("it does: %s, %s" % (c.socket.version(), c.socket.cipher()))
    except (ssl.SSLError, ConnectionResetError, BrokenPipeError):
        pass
    assert is_ready(server.address, CONTEXT)


@test
def does_not_speak_without_forward_secrecy(_):
    """Which only an RSA key could do."""
    with folder() as place:
        pair = Pair(place, "rsa", "RSA")
        context = trusting(pair)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("AES128-GCM-SHA256:AES256-GCM-SHA384:@SECLEVEL=0")
        with Server(*pair.options()) as server:
            try:
                Secure(server.address, context).close()
                raise AssertionError("it does")
            except (ssl.SSLError, ConnectionResetError, BrokenPipeError):
                pass
            assert is_ready(server.address, trusting(pair))


@test
def shakes_hands_in_one_round_trip(server):
    """The client has sent a key that the server can use: it is not asked for another (RFC 8446, 2.1)."""
    with Connection(server.address) as c:
        box = CONTEXT.wrap_bio(incoming := ssl.MemoryBIO(), outgoing := ssl.MemoryBIO(), server_hostname="localhost")
        finish(box)
        c.send(outgoing.read())
        c.socket.settimeout(seconds(10))
        while not finish(box):
            equal(outgoing.pending, 0, "a second flight")
            incoming.write(c.socket.recv(65536))


@test(rows=[(kind, kind) for kind in ("RSA", "EC", "Ed25519")])
def takes_keys_of_kind(_, kind):
    with folder() as place:
        pair = Pair(place, kind, kind)
        with Server(*pair.options()) as server:
            assert is_ready(server.address, trusting(pair))


@test
def sends_the_whole_chain(_):
    """A client that knows only the root finds its way; the order in the file does not matter."""
    with folder() as place:
        try:
            root = Pair(place, "root", authority=True)
            middle = Pair(place, "middle", issuer=root, authority=True)
            leaf = Pair(place, "leaf", issuer=middle)
        except subprocess.CalledProcessError as e:
            raise Skip("this openssl cannot sign so: %s" % e.stderr) from None
        for order in ([leaf, middle], [leaf, middle, root], [leaf, root, middle]):
            chain = os.path.join(place, "chain")
            with open(chain, "wb") as out:
                for pair in order:
                    with open(pair.certificate, "rb") as part:
                        out.write(part.read())
            with Server("--tls-certificate", chain, "--tls-key", leaf.key) as server:
                assert is_ready(server.address, trusting(root)), [pair.name for pair in order]


@test
def stays_plain_on_unix_sockets(_):
    with folder() as place, Server(*PAIR.options(), "--listen", "unix:" + os.path.join(place, "s")) as server:
        path = os.path.join(place, "s")
        with Connection(path) as c:
            equal(c.request("GET", "/v2/health/ready").status, 200)
        assert is_ready(server.address, CONTEXT)
        names = [line.rpartition(" ")[2] for line in server.stderr().splitlines() if "listening on" in line]
        equal([name.split(":")[0] for name in names], ["https", "unix"])
        for address in ("unix:" + path, "127.0.0.1:%d" % server.address[1]):
            done = run("--healthcheck", "--listen", address, *PAIR.options())
            equal((done.returncode, done.stderr), (0, ""))


# ---- everything works over it --------------------------------------------------------------------------------------

@test
def keeps_a_connection(server):
    with secure(server) as c:
        for i in range(200):
            expanded(c.request("POST", EXPAND, body=expand(i, 3)), i, 3)


@test
def answers_several_requests_of_one_record(server):
    with secure(server) as c:
        c.send(b"".join(request_bytes("POST", EXPAND, [], expand(i, 3)) for i in range(20)))
        for i in range(20):
            expanded(c.response(), i, 3)


@test
def puts_requests_of_many_records_together(server):
    whole = request_bytes("POST", EXPAND, [], expand(1, 3))
    with secure(server) as c:
        for i in range(0, len(whole), 7):
            c.send(whole[i:i + 7])
        expanded(c.response(), 1, 3)


@test(limit=120)
def moves_much_in_both_directions(server):
    """More than any buffer holds, in and out, of known and of unknown length."""
    much = MIB if instrumented() else 20 * MIB  # ciphers are slow there
    with secure(server, 60) as c:
        expanded(c.request("POST", EXPAND, body=expand(1, much)), 1, much)
        body = expand(2, 3) + b" " * (much + MIB)
        expanded(c.request("POST", EXPAND, body=body), 2, 3)
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:MIB], body[MIB:])) + b"0\r\n\r\n"
        c.send(request_bytes("POST", EXPAND, [("Transfer-Encoding", "chunked")]) + chunks)
        expanded(c.response(), 2, 3)
        headers = [("Accept-Encoding", "gzip")]
        response = c.request("POST", EXPAND, headers, expand(3, 100000, binary=False))
        equal((response.status, response.get("Content-Encoding"), response.get("Transfer-Encoding")),
              (200, "gzip", "chunked"))


@test(rows=[("on the loop", ["--inline-bytes", "1M"]), ("by workers", ["--inline-bytes", "0"]),
            ("on several loops", ["--loops", "3"])], limit=60)
def answers_many_at_once(_, options):
    def one(number):
        with secure(server, 30) as c:
            for i in range(20):
                size = (3, 5000, 300000)[i % 3]
                expanded(c.request("POST", EXPAND, body=expand(number, size)), number, size)
    with Server(*PAIR.options(), *options) as server:
        parallel([lambda n=n: one(n) for n in range(8)])


@test(limit=60)
def goes_on_after_a_wait(server):
    """A connection that had to wait for a worker, and one whose client reads late."""
    with secure(server, 30) as c:
        equal(c.request("POST", UNSQUEEZE, *slow(50)).status, 400)
        c.send(request_bytes("POST", EXPAND, [], expand(1, 4 * MIB)))
        time.sleep(0.5)
        expanded(c.response(), 1, 4 * MIB)
        equal(c.request("GET", "/v2/health/ready").status, 200)


def refused(response, status, code):
    equal((response.status, response.json()["code"]), (status, code))


@test(limit=60)
def refuses_as_without(server):
    """Also what is answered past libmicrohttpd: a head that is too large, and a body that does not end."""
    with secure(server) as c:
        refused(c.request("POST", EXPAND, body=b"{"), 400, "malformed_json")
        refused(c.request("GET", "/v2/health/ready", [("X", "y" * 31700)]), 431, "head_too_large")
        assert c.closed(10)
    with secure(server) as c:
        c.send(request_bytes("POST", EXPAND, [("Content-Length", "1000000000")]))
        refused(c.response(), 413, "request_too_large")
    if instrumented():
        return  # it would take minutes
    with Server(*PAIR.options(), "--max-request-bytes", "1000") as small, secure(small, 30) as c:
        c.send(request_bytes("POST", EXPAND, [("Transfer-Encoding", "chunked")]))
        part = b"100000\r\n" + b" " * MIB + b"\r\n"
        for _ in range(66):
            if not c.send(part):
                break
        refused(c.response(), 413, "request_too_large")


@test
def notices_clients_that_leave(server):
    """In the middle of a handshake, of a head, of a body, of an answer; with and without saying so."""
    before = server.fds()
    hello = socket.create_connection(server.address)
    hello.send(b"\x16\x03\x01\x00\xc8\x01")
    hello.close()
    for text in (b"", READY[:-2], request_bytes("POST", EXPAND, [], expand(1, 3))[:-5],
                 request_bytes("POST", EXPAND, [], expand(1, 50 * MIB))):
        for abrupt in (False, True):
            c = secure(server)
            c.send(text)
            if abrupt:
                c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            c.close()
    eventually(lambda: server.fds() <= before, 10, "descriptors are back")
    assert is_ready(server.address, CONTEXT)


@test(rows=[("plain HTTP", READY), ("noise", b"\xff" * 500), ("nothing but a header", b"\x16\x03\x03\x40\x00"),
            ("an alert", b"\x15\x03\x03\x00\x02\x02\x28")])
def is_not_disturbed_by(server, data):
    with Connection(server.address) as c:
        c.send(data)
        c.socket.shutdown(socket.SHUT_WR)
        c.limit = seconds(5)
        try:
            c.response()
            raise AssertionError("an answer")
        except (Closed, AssertionError) as e:
            assert b"HTTP/" not in c.buffer, e
    assert is_ready(server.address, CONTEXT)


@test
def does_not_wait_for_ever_for_a_handshake(_):
    with Server(*PAIR.options(), "--header-timeout", "0.5") as hasty:
        for data in (b"", b"\x16\x03\x01\x00\xc8\x01"):
            with Connection(hasty.address) as c:
                c.send(data)
                assert data == b"" or c.closed(10), data
        assert is_ready(hasty.address, CONTEXT)


# ---- the end -------------------------------------------------------------------------------------------------------

@test(limit=60)
def finishes_what_is_there(_):
    server = Server(*PAIR.options(), "--drain-timeout", "60")
    sending, half, idle = secure(server, 30), secure(server, 30), secure(server)
    equal(idle.request("GET", "/v2/health/ready").status, 200)
    sending.send(request_bytes("POST", EXPAND, [], expand(2, 10 * MIB)))
    half.send(READY[:-2])
    time.sleep(0.3)
    server.process.terminate()
    assert idle.closed(5)
    half.send(READY[-2:])
    equal(half.response().status, 503)
    assert half.closed(5)
    expanded(sending.response(), 2, 10 * MIB)
    assert sending.closed(5)
    server.wait_end()


@test(rows=[("TLS 1.2", ssl.TLSVersion.TLSv1_2), ("TLS 1.3", ssl.TLSVersion.TLSv1_3)])
def does_not_wait_for_who_has_only_shaken_hands(_, version):
    """As browsers do that expect to need a connection: it is idle. One byte of a request is something else."""
    server = Server(*PAIR.options(), "--drain-timeout", "60", "--header-timeout", "60")
    context = context_with(version, version)
    idle, begun = (Secure(server.address, context) for _ in range(2))
    begun.send(READY[:1])
    time.sleep(seconds(0.2))
    server.process.terminate()
    assert idle.closed(5)
    begun.send(READY[1:])
    equal(begun.response().status, 503)
    assert begun.closed(5)
    server.wait_end()


class Prompt:
    """A client whose first record goes along with the end of the handshake (TLS 1.3)."""

    def __init__(self, server, first):
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = CONTEXT.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.socket = socket.create_connection(server.address, seconds(10))
        self.until(self.tls.do_handshake)
        self.tls.write(first)
        self.flush()

    def flush(self):
        self.socket.sendall(self.outgoing.read())

    def until(self, step, *arguments):
        while True:
            try:
                return step(*arguments)
            except ssl.SSLWantReadError:
                self.flush()
                self.incoming.write(self.socket.recv(65536))

    def answer(self, rest):
        self.tls.write(rest)
        self.flush()
        return self.until(self.tls.read, 65536)


@test
def answers_what_has_begun_with_the_end_of_the_handshake(_):
    server = Server(*PAIR.options(), "--drain-timeout", "60", "--header-timeout", "60")
    client = Prompt(server, READY[:1])
    time.sleep(seconds(0.2))
    server.process.terminate()
    time.sleep(seconds(0.2))
    equal(client.answer(READY[1:])[:12], b"HTTP/1.1 503")
    client.socket.close()
    server.wait_end()


with server_pair() as PAIR:
    CONTEXT = trusting(PAIR)
    main(*PAIR.options())
