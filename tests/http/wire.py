"""HTTP/1.1 on a socket: sends whatever a test wants to send, and is strict in what it reads. No wait is without end."""
import json
import os
import re
import socket
import time

from record import RECORD, request_line

# Slow surroundings (valgrind, sanitizers) ask for more patience: every limit in seconds is multiplied by this.
TIME_SCALE = float(os.environ.get("SHAPED_TIME_SCALE", "1"))

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def seconds(n):
    return n * TIME_SCALE


class Closed(Exception):
    """The server closed the connection instead of answering (or in the middle of it)."""


def request_bytes(method, target, headers=(), body=None):
    """A well-formed request. `headers` is a list of pairs or a dict; Host and Content-Length are added unless given."""
    pairs = list(headers.items() if isinstance(headers, dict) else headers)
    given = {name.lower() for name, _ in pairs}
    if "host" not in given:
        pairs.insert(0, ("Host", "127.0.0.1"))
    if body is not None and not given & {"content-length", "transfer-encoding"}:
        pairs.append(("Content-Length", str(len(body))))
    lines = ["%s %s HTTP/1.1" % (method, target)] + ["%s: %s" % pair for pair in pairs]
    return "\r\n".join(lines + ["", ""]).encode("latin-1") + (body or b"")


def strict_json(text):
    """The value of a JSON text; no bare NaN or Infinity, no member twice; "-0" keeps its sign."""
    def constant(token):
        raise AssertionError("bare %s is not JSON" % token)

    def members(pairs):
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names), "a member twice in one object: %s" % names
        return dict(pairs)

    def integer(token):
        return -0.0 if token == "-0" else int(token)
    return json.loads(text.decode("utf-8"), parse_constant=constant, parse_int=integer, object_pairs_hook=members)


class Response:
    """Status, headers in order, and the body without transfer coding."""

    def __init__(self, head):
        lines = head.decode("latin-1").split("\r\n")
        start = re.fullmatch(r"HTTP/1\.1 ([1-5][0-9]{2}) [^\r\n]*", lines[0])
        assert start, "bad status line %r" % lines[0]
        self.status = int(start.group(1))
        self.headers = []
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            assert colon and TOKEN.fullmatch(name), "bad header line %r" % line
            self.headers.append((name, value.strip(" \t")))
        self.body = b""

    def get_all(self, name):
        return [v for n, v in self.headers if n.lower() == name.lower()]

    def get(self, name):
        """The value of a header that may be there once, or None."""
        values = self.get_all(name)
        assert len(values) <= 1, "%s comes %d times" % (name, len(values))
        return values[0] if values else None

    def json(self):
        assert self.get("Content-Type") == "application/json", "Content-Type is %s" % self.get("Content-Type")
        return strict_json(self.body)

    def __repr__(self):
        return "<%d %s %r>" % (self.status, self.get("Content-Type"), self.body[:200])


class Connection:
    """One connection. `limit` in seconds holds for each send and each response as a whole. The address is a pair of host
    and port, or the path of a unix socket."""

    def __init__(self, address, limit=10):
        self.limit = seconds(limit)
        if isinstance(address, str):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(self.limit)
            self.socket.connect(address)
        else:
            self.socket = socket.create_connection(address, timeout=self.limit)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.asked = []  # (method, target) of what is not answered yet

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        """False if the server stopped taking it (there may be an answer all the same)."""
        self.socket.settimeout(self.limit)
        self.asked += filter(None, [request_line(data[:4096])])
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def request(self, method, target, headers=(), body=None):
        self.send(request_bytes(method, target, headers, body))
        return self.response(method)

    def response(self, method="GET"):
        """The next answer, interim ones (1xx) included. Raises Closed, or TimeoutError when the limit is over."""
        response = self._response(method)
        if response.status >= 200 and self.asked:
            RECORD.add(*self.asked.pop(0), response)
        return response

    def _response(self, method):
        self.deadline = time.monotonic() + self.limit
        response = Response(self._until(b"\r\n\r\n")[:-4])
        length, coding = response.get("Content-Length"), response.get("Transfer-Encoding")
        if method == "HEAD" or response.status < 200 or response.status in (204, 304):
            return response
        if coding is not None:
            assert coding.lower() == "chunked" and length is None, (coding, length)
            response.body = self._chunks()
        elif length is not None:
            assert re.fullmatch("[0-9]+", length), length
            response.body = self._exactly(int(length))
        else:
            response.body = self._rest()
        return response

    def closed(self, limit=5):
        """Whether the server closes within the limit without sending another byte."""
        self.deadline = time.monotonic() + seconds(limit)
        try:
            return not self.buffer and not self._more()
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False

    def silent(self, span):
        """Whether nothing comes, and the connection stays open, for a (short, unscaled) time."""
        self.deadline = time.monotonic() + span
        try:
            return bool(self.buffer) or (self._more() and False)
        except TimeoutError:
            return True

    def _more(self):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no complete answer in time; so far %r" % self.buffer[:100])
        self.socket.settimeout(left)
        try:
            chunk = self.socket.recv(1 << 20)
        except socket.timeout:
            raise TimeoutError("no complete answer in time; so far %r" % self.buffer[:100]) from None
        self.buffer += chunk
        return bool(chunk)

    def _need(self):
        try:
            more = self._more()
        except ConnectionResetError:
            raise Closed("connection reset; so far %r" % self.buffer[:100]) from None
        if not more:
            raise Closed("connection closed; so far %r" % self.buffer[:100])

    def _until(self, mark):
        while mark not in self.buffer:
            self._need()
        return self._take(self.buffer.index(mark) + len(mark))

    def _take(self, n):
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        return data

    def _exactly(self, n):
        pieces, have = [self._take(n)], 0
        have = len(pieces[0])
        while have < n:
            self._need()
            pieces.append(self._take(n - have))
            have += len(pieces[-1])
        return b"".join(pieces)

    def _chunks(self):
        body = []
        while True:
            size = int(self._until(b"\r\n")[:-2], 16)
            if size == 0:
                assert self._exactly(2) == b"\r\n", "trailers are not expected"
                return b"".join(body)
            body.append(self._exactly(size))
            assert self._exactly(2) == b"\r\n"

    def _rest(self):
        while self._more():
            pass
        return self._take(len(self.buffer))
