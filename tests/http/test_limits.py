"""How slow and how many clients may be: deadlines for heads, bodies and answers, and limits on connections."""
import contextlib
import tempfile
import time

from calls import EXPAND, UNSQUEEZE, expand, expanded, slow
from harness import Server, equal, eventually, main, parallel, seconds, test, under_valgrind
from wire import Closed, Connection, request_bytes

MIB = 1 << 20
READY = request_bytes("GET", "/v2/health/ready")
LONG = 60  # for limits that are not the test's

# Each is a limit of its own; the test says which of them is short.
LIMITS = {"header-timeout": LONG, "idle-timeout": LONG, "receive-stall": LONG, "send-stall": LONG, "receive-timeout": LONG,
          "exchange-timeout": LONG}


def limited(*options, **short):
    limits = dict(LIMITS, **{name.replace("_", "-"): limit for name, limit in short.items()})
    flags = [word for name, limit in limits.items() for word in ("--" + name, "%.3f" % seconds(limit))]
    return Server(*flags, "--log-level", "debug", *options)


def lasts(connection, data, pause, limit=10):
    """Sends data in the given pieces with pauses between; seconds until the server closes without an answer."""
    started = time.monotonic()
    for piece in data:
        connection.send(piece)
        if not connection.silent(seconds(pause)):
            break
    assert connection.closed(limit), "still open, or answered: %r" % connection.buffer[:200]
    return (time.monotonic() - started) / seconds(1)


def says(server, reason):
    """The log is written by the way."""
    eventually(lambda: reason in server.stderr(), 2, reason)


def bytewise(data):
    return [data[i:i + 1] for i in range(len(data))]


def chunk(data):
    return b"%X\r\n%s\r\n" % (len(data), data)


# ---- heads ---------------------------------------------------------------------------------------------------------

@test(rows=[("from the first byte", b""), ("in the second line", READY[:READY.index(b"\r\n") + 2]),
            ("with all but the last byte at once", READY[:-10])])
def wants_the_head_as_a_whole(_, begin):
    with limited(header_timeout=0.6) as server, server.connect() as c:
        took = lasts(c, [begin] + bytewise(READY[len(begin):] + b" " * 100), 0.1)
        assert 0.55 < took < 1.6, took
        says(server, "header_timeout")


@test
def wants_the_head_of_a_later_request_as_a_whole(_):
    with limited(header_timeout=0.6) as server, server.connect() as c:
        for _ in range(3):
            c.send(READY)
            equal(c.response().status, 200)
            time.sleep(seconds(0.3))
        took = lasts(c, bytewise(READY), 0.1)
        assert 0.5 < took < 2, took
        says(server, "header_timeout")


@test
def waits_longer_for_the_next_request_than_for_the_rest_of_one(_):
    with limited(header_timeout=0.4, idle_timeout=1.5) as server, server.connect() as c, server.connect() as fresh:
        c.send(READY)
        equal(c.response().status, 200)
        time.sleep(seconds(1))
        c.send(READY)
        equal(c.response().status, 200)
        took = lasts(c, [], 0)
        assert 1.3 < took < 3, took
        assert fresh.closed(1)
        eventually(lambda: server.stderr().count("idle_timeout") == 2, 2, "it says so twice")


@test
def lets_go_on_who_is_never_idle_for_long(_):
    with limited(header_timeout=0.4, idle_timeout=0.8) as server, server.connect() as c:
        for _ in range(10):
            c.send(READY[:30])
            time.sleep(seconds(0.1))
            c.send(READY[30:])
            equal(c.response().status, 200)
            time.sleep(seconds(0.2))


@test(rows=[
    ("GET", READY), ("HEAD", request_bytes("HEAD", "/v2")), ("a body", request_bytes("POST", EXPAND, [], expand(1, 3))),
    ("a large one", request_bytes("POST", EXPAND, [], expand(1, 3) + b" " * 100000)),
    ("many headers", request_bytes("GET", "/v2?x=1", [("X-%d" % i, "y" * i) for i in range(100)])),
    ("a body that is not wanted", request_bytes("GET", "/v2", [], b"x" * 100)),
    ("a refused one", request_bytes("POST", "/nope", [], b"x" * 100)),
    ("chunks", request_bytes("POST", EXPAND, [("Transfer-Encoding", "chunked")]) + chunk(expand(1, 3)) + chunk(b"")),
    ("a head in two pieces", READY),
])
def knows_where_a_request_ends(_, data):
    """A connection that is idle after it is not taken for one on which the next has begun."""
    with limited(header_timeout=0.3) as server, server.connect() as c:
        for cut in (len(data), 20, len(data)):
            c.send(data[:cut])
            time.sleep(seconds(0.05))
            c.send(data[cut:])
            assert c.response(data.split(b" ")[0].decode()).status in (200, 404)
        assert c.silent(seconds(0.9))


# ---- bodies --------------------------------------------------------------------------------------------------------

def body_head(length=None):
    framing = ("Transfer-Encoding", "chunked") if length is None else ("Content-Length", str(length))
    return request_bytes("POST", EXPAND, [framing])


@test(rows=[("nothing", 10000, b""), ("little", 10000, b"x" * 20), ("little in chunks", None, chunk(b"x"))])
def wants_the_least_rate_of_a_body(_, length, piece):
    with limited(receive_stall=0.6) as server, server.connect() as c:
        took = lasts(c, [body_head(length)] + [piece] * 30, 0.1)
        assert 0.55 < took < 2, took
        says(server, "slow_body")


@test
def takes_a_body_that_keeps_the_least_rate(_):
    with limited("--min-rate", "%d" % (2000 / seconds(1)), receive_stall=0.4) as server, server.connect() as c:
        body = expand(1, 3) + b" " * 6000
        c.send(request_bytes("POST", EXPAND, [], body)[:-6000])
        for _ in range(20):
            time.sleep(seconds(0.08))
            c.send(b" " * 300)
        expanded(c.response(), 1, 3)


@test
def wants_an_announced_body_to_be_complete_in_time(_):
    """Fast enough for the least rate, but not for its length."""
    with limited(receive_stall=0.4, receive_timeout=6) as server, server.connect() as c:
        took = lasts(c, [body_head(10 * MIB)] + [b"x" * 5000] * 100, 0.1)
        assert 0.4 < took < 2, took
        says(server, "slow_body")


@test
def wants_a_whole_request_in_time(_):
    with limited(receive_timeout=1) as server, server.connect() as c:
        took = lasts(c, [body_head()] + [chunk(b"x" * 5000)] * 100, 0.1)
        assert 0.95 < took < 2.2, took
        says(server, "receive_timeout")


@test
def has_its_memory_back_soon(_):
    """Clients that announce much and send nothing hold little; those that send a part of it and no more hold the budget no
    longer than the least rate allows."""
    with limited("--memory-budget", "64M", receive_stall=1) as server:
        big = expand(1, 3) + b" " * (30 * MIB)
        held = [server.connect() for _ in range(5)]
        for c in held[:4]:
            c.send(body_head(40 * MIB))
        time.sleep(seconds(0.2))
        equal(server.request("POST", EXPAND, body=big).status, 200)
        held[4].send(body_head(40 * MIB) + b" " * (3 * MIB))
        time.sleep(seconds(0.2))
        equal(server.request("POST", EXPAND, body=big).status, 503)
        eventually(lambda: server.request("POST", EXPAND, body=big).status == 200, 3, "the memory is back")
        for c in held:
            c.close()


# ---- answers -------------------------------------------------------------------------------------------------------

def take(connection, size, pause):
    """Reads slowly until the server closes; how much came."""
    got = len(connection.buffer)
    connection.socket.settimeout(seconds(10))
    while True:
        time.sleep(seconds(pause))
        try:
            piece = connection.socket.recv(size)
        except ConnectionResetError:
            return got
        if not piece:
            return got
        got += len(piece)


@test
def wants_answers_to_be_read(_):
    with limited(send_stall=0.6) as server, server.connect() as c:
        c.send(request_bytes("POST", EXPAND, [], expand(1, 100 * MIB)))
        eventually(lambda: "slow_reader" in server.stderr(), 3, "it is cut off")
        assert take(c, MIB, 0) < 400 * MIB


@test
def lets_answers_be_read_slowly(_):
    """Slower than the server could, for longer than it waits, but faster than the least rate."""
    with limited("--min-rate", "%d" % (MIB / seconds(1)), send_stall=0.5) as server, server.connect(30) as c:
        c.send(request_bytes("POST", EXPAND, [("Connection", "close")], expand(1, 10 * MIB)))
        got = take(c, MIB, 0.03)
        assert got > 40 * MIB, got


@test
def wants_the_whole_exchange_in_time(_):
    with limited(exchange_timeout=1) as server, server.connect(30) as c:
        c.send(request_bytes("POST", EXPAND, [("Connection", "close")], expand(1, 100 * MIB)))
        got = take(c, MIB, 0.05)
        assert got < 400 * MIB, got
        says(server, "exchange_timeout")


@test
def blames_no_client_for_a_slow_worker(_):
    with limited("--threads", "1", header_timeout=0.2, idle_timeout=0.2, receive_stall=0.2, send_stall=0.2) as server:
        response = server.request("POST", UNSQUEEZE, slow(150)[1], slow(150)[0], limit=30)
        equal(response.status, 400)


@test
def knows_no_limit_where_there_is_none(_):
    flags = [word for name in LIMITS for word in ("--" + name, "0")]
    with Server(*flags) as server, server.connect() as c:
        c.send(READY[:20])
        assert c.silent(1)
        c.send(READY[20:])
        equal(c.response().status, 200)


# ---- unix sockets, of which less is known --------------------------------------------------------------------------

@contextlib.contextmanager
def local(*options, **short):
    """A server and the address of a unix socket of it."""
    with tempfile.TemporaryDirectory() as folder, limited("--listen", "unix:%s/s" % folder, *options, **short) as server:
        yield server, folder + "/s"


@test
def waits_no_longer_for_a_local_head_than_for_a_request(_):
    with local(idle_timeout=0.8) as (server, path), Connection(path) as fresh, Connection(path) as used:
        equal(used.request("GET", "/v2/health/live").status, 200)
        parallel([lambda: lasts(fresh, bytewise(b"GET /" + b"x" * 100), 0.1), lambda: lasts(used, bytewise(READY), 0.1)])
        eventually(lambda: server.stderr().count("idle_timeout") == 2, 2, "it says why")
    with local(header_timeout=0.5) as (server, path), Connection(path) as c:
        assert lasts(c, [b"GET /v2 HTTP/1.1\r\n"] + bytewise(b"x" * 100), 0.1) < 2
        says(server, "header_timeout")


@test
def wants_local_bodies_and_readers_to_be_fast_enough(_):
    rate = "%d" % (MIB / seconds(1))
    with local("--min-rate", rate, receive_stall=0.5, send_stall=0.5) as (server, path):
        with Connection(path) as c:
            lasts(c, [body_head(10000)] + [b"x" * 20] * 30, 0.1)
            says(server, "slow_body")
        with Connection(path) as c:
            c.send(request_bytes("POST", EXPAND, [], expand(1, 100 * MIB)))
            eventually(lambda: "slow_reader" in server.stderr(), 4, "it is cut off")
        with Connection(path, 30) as c:
            c.send(request_bytes("POST", EXPAND, [("Connection", "close")], expand(1, 10 * MIB)))
            assert take(c, MIB, 0.03) > 40 * MIB


# ---- how many ------------------------------------------------------------------------------------------------------

def turned_away(server):
    """Whether a new connection is closed at once."""
    with server.connect() as c:
        c.send(READY)
        try:
            equal(c.response().status, 200)
        except Closed:
            return True
        return False


@test(rows=[("one loop", "1"), ("three loops", "3")])
def limits_the_connections_of_an_address(_, loops):
    with Server("--loops", loops, "--max-address-connections", "5", "--count-loopback", "on") as server:
        held = [server.connect() for _ in range(5)]
        for c in held:
            equal(c.request("GET", "/v2/health/live").status, 200)
        for _ in range(20):
            assert turned_away(server)
        held.pop().close()
        eventually(lambda: not turned_away(server), 5, "there is room again")
        for c in held:
            equal(c.request("GET", "/v2/health/live").status, 200)
            c.close()


@test
def does_not_limit_this_machine_unless_told(_):
    with Server("--max-address-connections", "2") as server:
        held = [server.connect() for _ in range(20)]
        for c in held:
            equal(c.request("GET", "/v2/health/live").status, 200)
            c.close()


@test(rows=[("one loop", "1"), ("three loops", "3")])
def limits_all_connections(_, loops):
    """Whoever is too much waits, and gets in when somebody leaves."""
    with Server("--loops", loops, "--max-connections", "5") as server:
        held = [server.connect() for _ in range(5)]
        for c in held:
            equal(c.request("GET", "/v2/health/live").status, 200)
        with server.connect() as waiting:
            waiting.send(READY)
            assert waiting.silent(0.5)
            held.pop().close()
            equal(waiting.response().status, 200)
        for c in held:
            c.close()


if under_valgrind():
    print("1..0 # SKIP what is measured here is time, and valgrind's is not the program's own")
    raise SystemExit(0)

main()
