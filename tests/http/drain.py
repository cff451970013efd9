"""Clients of all kinds ask without pause while a server is told to end: does every request get its answer?

    SHAPED=./shaped python3 tests/http/drain.py 500

A client goes on where a program would: a connection that is refused is the end, one that is closed before the first byte of
an answer is a request to be sent again (the server has not read it). Everything else must be a whole and right answer. The
server's own log is asked, too: a request of which it read the first line and which has no answer, or half of one, is lost.
"""
import json
import random
import sys
import threading
import time

from calls import EXPAND, expand, expanded
from harness import Server, eventually
from wire import Closed, request_bytes

PATIENCE = 20  # seconds for an answer


class Refused(Exception):
    """Nobody else is let in."""


class Counts:
    def __init__(self):
        self.answered = self.refused = self.again = 0

    def add(self, other):
        self.answered += other.answered
        self.refused += other.refused
        self.again += other.again

    def __str__(self):
        return "%d answers, %d connections refused, %d requests to be sent again" % (self.answered, self.refused, self.again)


# ---- kinds of clients: each sends one request --------------------------------------------------------------------------

def small(connection, value):
    connection.send(request_bytes("POST", EXPAND, [], expand(value, 3)))
    return 3


def by_a_worker(connection, value):
    connection.send(request_bytes("POST", EXPAND, [], expand(value, 3) + b" " * 20000))
    return 3


def long_answer(connection, value):
    connection.send(request_bytes("POST", EXPAND, [], expand(value, 1 << 20)))
    return 1 << 20


def in_pieces(connection, value):
    """From within the first line to the end of the body."""
    data = request_bytes("POST", EXPAND, [], expand(value, 3) + b" " * 3000)
    step = random.choice((7, 60, 500, 1500))
    for i in range(0, len(data), max(step, len(data) // 6)):
        if not connection.send(data[i:i + max(step, len(data) // 6)]):
            break
        time.sleep(0.003)
    return 3


def in_chunks(connection, value):
    connection.send(request_bytes("POST", EXPAND, [("Transfer-Encoding", "chunked")]))
    body = expand(value, 3)
    for piece in (body[:20], body[20:]):
        connection.send(b"%X\r\n%s\r\n" % (len(piece), piece))
        time.sleep(0.002)
    connection.send(b"0\r\n\r\n")
    return 3


KINDS = [small, by_a_worker, long_answer, in_pieces, in_chunks]


class Client(threading.Thread):
    """Asks until nobody lets it in; `once`: a connection for every request."""

    def __init__(self, server, kind, once, number):
        super().__init__(daemon=True)
        self.server, self.kind, self.once, self.number = server, kind, once, number
        self.counts, self.raised = Counts(), None

    def run(self):
        try:
            while self.one_connection():
                pass
        except BaseException as e:  # for the one who asks
            self.raised = e

    def one_connection(self):
        try:
            connection = self.server.connect(PATIENCE)
        except (ConnectionRefusedError, ConnectionResetError):  # reset: it was in the backlog when that was closed
            self.counts.refused += 1
            return False
        with connection:
            while self.one_request(connection) and not self.once:
                pass
        return True

    def one_request(self, connection):
        """Whether the connection can be used again."""
        value = self.number * 1000 + self.counts.answered % 1000
        size = self.kind(connection, value)
        try:
            response = connection.response()
        except Closed:
            if connection.buffer:
                raise
            self.counts.again += 1
            return False
        expanded(response, value, size)
        self.counts.answered += 1
        return response.get("Connection") != "close"


# ---- a round -----------------------------------------------------------------------------------------------------------

def lost(server):
    """Lines of its log about requests that were begun and not answered to their end."""
    lines = [json.loads(line) for line in server.stderr().splitlines()]
    return [o for o in lines if o["message"] == "request" and (o["status"] == 0 or "incomplete" in o)]


def end_under_load(seed):
    """Starts a server and clients, ends it, and returns what they counted. Raises if anything was lost."""
    random.seed(seed)
    options = ["--loops", random.choice(("1", "2")), "--drain-delay", random.choice(("0", "0", "0.05", "0.1"))]
    server = Server("--log-format", "json", *options)
    try:
        clients = [Client(server, kind, once, i) for i, (kind, once) in
                   enumerate((kind, once) for kind in KINDS for once in (False, True))]
        for client in clients:
            client.start()
        eventually(lambda: sum(c.counts.answered for c in clients) >= 20, PATIENCE, "20 answers")
        time.sleep(random.uniform(0, 0.2))
        server.process.terminate()
        total = Counts()
        for client in clients:
            client.join(PATIENCE * 2)
            assert not client.is_alive(), "a client still waits"
            if client.raised is not None:
                raise client.raised
            total.add(client.counts)
        server.wait_end()
        assert not lost(server), lost(server)
        assert "cut off" not in server.stderr(), server.stderr()[-1000:]
        return total
    finally:
        server.kill()


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    total = Counts()
    for i in range(rounds):
        total.add(end_under_load(i))
        if (i + 1) % 20 == 0:
            print("%d rounds: %s" % (i + 1, total), flush=True)
    print("%d rounds, nothing lost: %s" % (rounds, total))


if __name__ == "__main__":
    main()
