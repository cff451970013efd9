"""The end of the process with clients at it: in what order it closes, and that nothing is lost."""
import signal
import time

from calls import EXPAND, UNSQUEEZE, expand, expanded, slow
from drain import end_under_load
from harness import Server, equal, eventually, main, seconds, test, under_valgrind
from wire import Connection, request_bytes

MIB = 1 << 20
READY = request_bytes("GET", "/v2/health/ready")


def chunk(data):
    return b"%X\r\n%s\r\n" % (len(data), data)


def draining(server):
    server.process.terminate()
    eventually(lambda: "draining" in server.stderr(), 5, "it drains")


def finished(server, within=10):
    equal(server.process.wait(seconds(within)), 0)
    server.wait_end()


def refused(server):
    try:
        Connection(server.address, 2).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:
        return False
    return False


# ---- the delay -----------------------------------------------------------------------------------------------------

@test
def tells_everybody_before_it_closes(_):
    """During the delay new connections are let in, and every answer closes its connection; readiness is denied."""
    server = Server("--drain-delay", "1.5")
    with server.connect() as held, server.connect() as idle:
        equal(held.request("GET", "/v2/health/ready").status, 200)
        equal(idle.request("GET", "/v2/health/ready").status, 200)
        started = time.monotonic()
        draining(server)
        for target, status in (("/v2/health/ready", 503), ("/v2/models/expand/ready", 503), ("/v2/health/live", 200),
                               ("/v2", 200), ("/nope", 404)):
            with server.connect() as c:
                response = c.request("GET", target)
                equal((response.status, response.get("Connection")), (status, "close"), target)
                assert c.closed(2)
        response = held.request("POST", EXPAND, [], expand(1, 3))
        equal(response.get("Connection"), "close")
        expanded(response, 1, 3)
        assert idle.silent(0.2), "an idle connection is left alone"
        assert not refused(server)
        assert time.monotonic() - started < 1.5, "too slow to tell"
        assert idle.closed(5)
        assert time.monotonic() - started > 1.4
        assert refused(server)
    finished(server)


@test
def counts_the_delay_into_the_time_it_has(_):
    server = Server("--drain-delay", "60", "--drain-timeout", "90")
    draining(server)
    server.process.terminate()  # but the second signal does not wait
    equal(server.process.wait(seconds(3)), 128 + signal.SIGTERM)


# ---- what was read is answered -------------------------------------------------------------------------------------

@test(rows=[("a byte", READY[:1]), ("half a line", READY[:10]), ("a line", READY[:30]), ("all but a byte", READY[:-1])])
def answers_of_what_something_was_read(_, begin):
    """On new connections and on such that have been used, also for a body of unknown length."""
    server = Server()
    fresh, used, chunked, idle = (server.connect() for _ in range(4))
    expanded(used.request("POST", EXPAND, [], expand(1, 3)), 1, 3)
    chunked.send(request_bytes("POST", EXPAND, [("Transfer-Encoding", "chunked")]) + chunk(expand(1, 3)) + chunk(b""))
    expanded(chunked.response(), 1, 3)
    equal(idle.request("GET", "/v2").status, 200)
    for c in (fresh, used, chunked):
        c.send(begin)
    time.sleep(seconds(0.1))
    draining(server)
    assert idle.closed(5)
    for c in (fresh, used, chunked):
        c.send(READY[len(begin):])
        response = c.response()
        equal((response.status, response.get("Connection")), (503, "close"))
        assert c.closed(5)
    finished(server)


@test
def closes_after_a_refused_body_in_chunks(_):
    """Nothing of a next request has come, though more bytes have than were the body's."""
    server = Server()
    with server.connect() as c:
        c.send(request_bytes("POST", EXPAND, [("Content-Type", "a/b"), ("Content-Type", "a/c"),
                                              ("Transfer-Encoding", "chunked")]) + chunk(b"x" * 1000) + chunk(b""))
        equal(c.response().status, 400)
        started = time.monotonic()
        draining(server)
        assert c.closed(5)
        assert time.monotonic() - started < seconds(3)
    finished(server)


# ---- the cut -------------------------------------------------------------------------------------------------------

@test(limit=60)
def cuts_off_an_answer_that_waits_for_a_worker(_):
    """The one worker is busy, and an answer that it fills is suspended: it ends with the others, not with the process."""
    server = Server("--threads", "1", "--drain-timeout", "0.3", "--inline-bytes", "0", "--prefill-cost", "0")
    body, headers = slow(300)[1], slow(300)[0]
    with server.connect(30) as stream, server.connect(30) as busy:
        stream.send(request_bytes("POST", EXPAND, [], expand(1, 1000 * MIB)))
        stream.socket.recv(1 << 20)
        used = server.cpu()
        busy.send(request_bytes("POST", UNSQUEEZE, headers, body))
        eventually(lambda: suspended(stream), 10, "the answer comes no more")
        assert server.cpu() > used
        server.process.terminate()
        started = time.monotonic()
        equal(busy.response().status, 503)
        assert ended(stream, 5)
        assert time.monotonic() - started < seconds(1.5), time.monotonic() - started
        finished(server, 15)
    assert "cut off" in server.stderr()


def suspended(connection):
    """All that was sent has been read, and nothing comes for a while."""
    connection.socket.settimeout(0.15)
    try:
        while connection.socket.recv(1 << 20):
            pass
    except TimeoutError:
        return True
    return False


def ended(connection, limit):
    connection.socket.settimeout(seconds(limit))
    try:
        while connection.socket.recv(1 << 20):
            pass
    except ConnectionResetError:
        pass
    return True


@test
def counts_what_it_cuts_off(_):
    server = Server("--drain-timeout", "0.3", "--log-level", "debug")
    with server.connect() as half, server.connect() as stuck:
        half.send(READY[:-2])
        stuck.send(request_bytes("POST", EXPAND, [], expand(1, 100 * MIB)))
        time.sleep(seconds(0.2))
        server.process.terminate()
        finished(server)
    equal(server.stderr().count("cut off: drain_timeout"), 2)


# ---- under load ----------------------------------------------------------------------------------------------------

@test(rows=[("round %d" % i, i) for i in range(20)], limit=60)
def loses_nothing_under_load(_, seed):
    print("# %s" % end_under_load(seed))


if under_valgrind():
    print("1..0 # SKIP a server under valgrind has no load worth the name")
    raise SystemExit(0)

main()
