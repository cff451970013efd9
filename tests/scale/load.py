"""Clients that ask again and again, and remember what became of each request."""
import http.client
import json
import socket
import struct
import threading
import time

from calls import EXPAND, expand
from wire import seconds

VALUE = 1.5
LONG = 4 << 20  # elements, of four bytes: more than fits into the buffers of sockets on the way
BUFFER = 1 << 17
STEPS = 20
PAUSE = 0.01  # seconds between requests: what is asked for is then about the same, however busy the machine is


class Outcome:
    """Times by time.monotonic(); why is None if the answer came, whole and right; instance is that of the balancer."""

    def __init__(self, began, ended, why, instance):
        self.began, self.ended, self.why, self.instance = began, ended, why, instance

    def __repr__(self):
        return "%s after %.0f ms (%s)" % (self.why, 1000 * (self.ended - self.began), self.instance)


class Client(threading.Thread):
    """Asks for `size` elements again and again, on one connection as long as it is kept. It opens another one if a kept
    connection is closed before the first byte of an answer, which is what HTTP asks of clients; `again` counts that.
    With an instance, it prefers that, and takes about half a second to read an answer."""

    def __init__(self, address, size, instance=None):
        super().__init__(daemon=True)
        self.address, self.size, self.body = address, size, expand(VALUE, size)
        self.headers = {"Content-Type": "application/json"}
        if instance:
            self.headers["X-Prefer"] = instance
        self.outcomes, self.again, self.ends = [], 0, False
        self.step = 0  # of STEPS, in a long answer
        self.connection = None

    def run(self):
        while not self.ends:
            began = time.monotonic()
            try:
                why, instance = self.ask()
            except (OSError, http.client.HTTPException) as e:
                why, instance = "%s: %s" % (type(e).__name__, e), None
                self.drop()
            self.outcomes.append(Outcome(began, time.monotonic(), why, instance))
            time.sleep(PAUSE)

    def drop(self):
        self.connection.close()
        self.connection = None

    def ask(self):
        kept = self.connection is not None
        if not kept:
            self.connection = http.client.HTTPConnection(*self.address, timeout=seconds(20))
            self.connection.connect()
            self.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        try:
            self.connection.request("POST", EXPAND, self.body, self.headers)
            answer = self.connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            if not kept:
                raise
            self.again += 1
            self.drop()
            return self.ask()
        return self.judge(answer), answer.getheader("X-Instance")

    def slowly(self, answer):
        length = int(answer.getheader("Content-Length"))
        for self.step in range(STEPS):
            time.sleep(seconds(0.5) / STEPS)
            yield answer.read(length // STEPS)
        self.step = 0
        yield answer.read()

    def judge(self, answer):
        body = answer.read() if "X-Prefer" not in self.headers else b"".join(self.slowly(answer))
        if answer.status != 200:
            return "status %d" % answer.status
        head = int(answer.getheader("Inference-Header-Content-Length"))
        shape = json.loads(body[:head])["outputs"][0]["shape"]
        right = shape == [self.size] and body[head:] == struct.pack("<f", VALUE) * self.size
        return None if right else "another answer"


class Load:
    """Some clients with small requests, and one for each instance with long answers."""

    def __init__(self, address, instances, small=8):
        self.clients = [Client(address, 3) for _ in range(small)] + [Client(address, LONG, name) for name in instances]

    def __enter__(self):
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.ends = True
        for client in self.clients:
            client.join(seconds(30))

    def outcomes(self):
        return [outcome for client in self.clients for outcome in list(client.outcomes)]

    def is_reading(self, instance):
        """Whether a long answer of that instance is well under way, and far from its end."""
        return any(client.headers.get("X-Prefer") == instance and 0.1 < client.step / STEPS < 0.4 for client in self.clients)

    def again(self):
        return sum(client.again for client in self.clients)

    def good_between(self, begin, end):
        """Right answers to what was asked in that time."""
        return [o for o in self.outcomes() if o.why is None and begin <= o.began < end]
