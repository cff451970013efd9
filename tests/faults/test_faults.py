"""What the system refuses: memory, descriptors, threads, writes, room for logs; clocks that jump; clients that are killed.

Each time the server must go on, answer the next request, and keep neither memory nor descriptors. The calls that fail are
those of faults.c, preloaded; sanitizers and valgrind have a loader of their own, so there these tests are skipped.
"""
import errno
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "http"))
from calls import EXPAND, expand, expanded  # noqa: E402
from harness import Server, Skip, equal, eventually, instrumented, main, seconds, test  # noqa: E402
from wire import Closed, request_bytes  # noqa: E402

PRELOAD = os.path.join(os.path.dirname(os.path.abspath(os.environ.get("SHAPED", "./shaped"))), "tests/faults/faults.so")
KINDS = ["memory", "accept", "epoll_wait", "epoll_ctl", "send", "receive", "thread", "clock", "log"]
FIELDS = struct.Struct("=5q")  # after, times, error, calls, failed
CALL = request_bytes("POST", EXPAND, [("Content-Type", "application/json")], b'{"inputs":[{"name":"input","shape":[1],'
                     b'"datatype":"INT32","data":[7]},{"name":"shape","shape":[1],"datatype":"INT64","data":[2000]}]}')


class Faulty(Server):
    """A server whose calls can be made to fail."""

    def __init__(self, *options, **first):
        if instrumented():
            raise Skip("the program has a sanitizer's or valgrind's own loader")
        if not os.path.exists(PRELOAD):
            raise Skip("%s was not built" % PRELOAD)
        self.file = tempfile.NamedTemporaryFile()
        self.file.truncate(mmap.PAGESIZE)
        self.faults = mmap.mmap(self.file.fileno(), mmap.PAGESIZE)
        for kind, fault in first.items():
            self.fault(kind, *fault)
        super().__init__(*options, env={"LD_PRELOAD": PRELOAD, "FAULTS": self.file.name})

    def fault(self, kind, after, times, error):
        FIELDS.pack_into(self.faults, KINDS.index(kind) * FIELDS.size, after, times, error, 0, 0)

    def counts(self, kind):
        """Calls since the last fault was set, and how many of them failed."""
        return FIELDS.unpack_from(self.faults, KINDS.index(kind) * FIELDS.size)[3:]

    def clear(self, kind):
        self.fault(kind, 0, 0, 0)


def answers(server):
    """The server does what it is for."""
    expanded(server.request("POST", EXPAND, expand(1.5, 3000)), 1.5, 3000)


def asks(server, limit=5):
    """The status of a request on a connection of its own, or None if that was closed."""
    try:
        with server.connect(limit) as connection:
            connection.send(CALL)
            return connection.response().status
    except (Closed, OSError):
        return None


def recovers(server, before):
    """Requests are answered, and there are no more descriptors and threads than before, at the latest when the head of
    a request must be there (--header-timeout): libmicrohttpd does not always see at once that a client has left."""
    answers(server)
    eventually(lambda: server.fds() <= before[0] and server.threads() <= before[1], 30,
               "descriptors and threads are %s again" % (before,))


def settled(server):
    answers(server)
    time.sleep(0.5)
    return server.fds(), server.threads()


# ---- memory --------------------------------------------------------------------------------------------------------

@test(limit=120)
def each_allocation_of_a_request_is_refused_once(_):
    """The allocations of libmicrohttpd, libuv and glibc too. The answer is 200, 503, or the end of the connection; a
    connection that was let in before goes on."""
    with Faulty("--loops", "1", "--threads", "1") as server:
        before = settled(server)
        server.fault("memory", 1 << 40, 1, errno.ENOMEM)
        answers(server)
        calls = server.counts("memory")[0]
        statuses = set()
        for after in range(1, calls + 5):
            server.fault("memory", after, 1, errno.ENOMEM)
            statuses.add(asks(server))
            server.clear("memory")
            answers(server)
        assert statuses <= {200, 503, None}, statuses
        recovers(server, before)


@test(limit=60)
def no_memory_at_all_for_a_while(_):
    with Faulty() as server:
        before = settled(server)
        server.fault("memory", 1, 1 << 40, errno.ENOMEM)
        statuses = {asks(server, 2) for _ in range(20)}
        server.clear("memory")
        assert statuses <= {200, 503, None}, statuses
        recovers(server, before)


# ---- sockets -------------------------------------------------------------------------------------------------------

@test(limit=60, rows=[(name, getattr(errno, name)) for name in
                      ("EMFILE", "ENFILE", "ENOMEM", "ECONNABORTED", "EINTR", "ENOBUFS")])
def a_connection_that_cannot_be_accepted_yet_is_accepted_later(_, error):
    with Faulty() as server:
        before = settled(server)
        server.fault("accept", 1, 3, error)
        equal(asks(server, 10), 200)
        equal(server.counts("accept")[1], 3)
        server.clear("accept")
        recovers(server, before)


@test(limit=60, rows=[(kind + " " + name, kind, getattr(errno, name), times) for kind in ("send", "receive") for name, times in
                      (("ECONNRESET", 1), ("EPIPE", 1), ("EINTR", 3), ("ENOBUFS", 1), ("ENOMEM", 1))])
def a_broken_socket_ends_one_connection_at_most(_, kind, error, times):
    with Faulty() as server:
        before = settled(server)
        for after in (1, 2, 3):
            server.fault(kind, after, times, error)
            status = asks(server)
            server.clear(kind)
            assert status in (200, None), status
            if error == errno.EINTR:
                equal(status, 200)
        recovers(server, before)


@test(limit=60, rows=[("ENOMEM", errno.ENOMEM), ("ENOSPC", errno.ENOSPC)])
def a_socket_that_cannot_be_watched_is_closed(_, error):
    with Faulty() as server:
        before = settled(server)
        for after in range(1, 7):
            server.fault("epoll_ctl", after, 1, error)
            status = asks(server)
            server.clear("epoll_ctl")
            assert status in (200, 503, None), status
            answers(server)
        recovers(server, before)


@test(limit=60)
def waits_that_are_interrupted_go_on(_):
    with Faulty() as server:
        before = settled(server)
        server.fault("epoll_wait", 1, 50, errno.EINTR)
        equal(asks(server), 200)
        server.clear("epoll_wait")
        recovers(server, before)


# ---- threads, clocks, logs -----------------------------------------------------------------------------------------

# Threads 4 and 5 are libuv's workers, made right after as many were made for a trial.
@test(limit=60, rows=[("the log's", 1), ("a worker's", 2), ("the second worker's", 3), ("the second loop's", 6)])
def a_thread_that_cannot_be_had_is_told_at_the_start(_, after):
    try:
        server = Faulty("--loops", "2", "--threads", "2", thread=(after, 1 << 40, errno.EAGAIN))
        text = "exit status %d at once: %s" % (server.process.wait(seconds(20)), server.stderr())
    except AssertionError as refused:
        text = str(refused)
    assert "exit status 1 " in text, text
    assert " error " in text or "shaped: " in text, "no word of why: %s" % text


@test(limit=60, rows=[("ten years on", 315360000), ("ten years back", -315360000), ("a second back", -1)])
def the_clock_jumps(_, span):
    with Faulty() as server, server.connect() as open_before:
        before = settled(server)
        open_before.send(CALL[:30])
        server.fault("clock", 0, 1, span)
        answers(server)
        time.sleep(1.5)
        open_before.send(CALL[30:])
        equal(open_before.response().status, 200)
        server.clear("clock")
        recovers(server, before)


@test(limit=60, rows=[("a full disk", errno.ENOSPC), ("a quota", errno.EDQUOT), ("an error of the disk", errno.EIO)])
def logs_that_cannot_be_written_are_lost_and_nothing_else(_, error):
    with Faulty("--log-level", "debug") as server:
        before = settled(server)
        server.fault("log", 1, 1 << 40, error)
        for _ in range(50):
            answers(server)
        assert server.counts("log")[1] > 0
        server.clear("log")
        recovers(server, before)
        size = len(server.stderr())
        answers(server)
        eventually(lambda: len(server.stderr()) > size, 5, "later lines are written again")


# ---- clients that are killed ---------------------------------------------------------------------------------------

CLIENT = """
import os, signal, socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(bytes.fromhex(sys.argv[2]))
left = int(sys.argv[3])
while left > 0:
    left -= len(s.recv(min(left, 65536))) or left
os.kill(os.getpid(), signal.SIGKILL)
"""
LARGE = request_bytes("POST", EXPAND, [("Content-Type", "application/json")], expand(1.0, 30_000_000))
HEAD = CALL.index(b"\r\n\r\n") + 4


@test(limit=120, rows=[("before it sends", b"", 0), ("within the request line", CALL[:9], 0), ("within a header", CALL[:60], 0),
                       ("behind the head", CALL[:HEAD], 0), ("within the body", CALL[:HEAD + 40], 0),
                       ("behind its request", CALL, 0), ("within the head of the answer", CALL, 20),
                       ("behind two requests", CALL + CALL, 0), ("within a large answer", LARGE, 5_000_000),
                       ("before a large answer", LARGE, 0)])
def a_client_is_killed(_, sent, taken):
    with Server() as server:
        before = settled(server)
        for _ in range(3):
            clients = [subprocess.Popen([sys.executable, "-c", CLIENT, str(server.address[1]), sent.hex(), str(taken)])
                       for _ in range(4)]
            for client in clients:
                equal(client.wait(seconds(30)), -signal.SIGKILL)
            answers(server)
        recovers(server, before)


main()
