"""Keeps what the server answers in a test, to be held against the contract afterwards (tests/contract/test_answers.py).

Where SHAPED_ANSWERS names a folder, each test writes a file there: one line of JSON for each answer that is unlike those
before. Long bodies are left out; then status and headers are all that is kept.
"""
import atexit
import base64
import hashlib
import json
import os
import re
import sys
import threading

BODY_MAX = 1 << 16
REQUEST_LINE = re.compile(rb"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT) ([!-~]+) HTTP/1\.1\r\n")


class Record:
    def __init__(self, folder):
        self.folder, self.file, self.seen = folder, None, set()
        self.lock = threading.Lock()

    def add(self, method, target, response):
        """An answer to a request; `response` as in wire.py. From any thread."""
        with self.lock:
            self._add(method, target, response)

    def _add(self, method, target, response):
        short = len(response.body) <= BODY_MAX
        what = (method, target.split("?")[0], response.status, response.body if short else b"")
        key = hashlib.blake2b(repr(what).encode()).digest()
        if self.folder is None or key in self.seen:
            return
        self.seen.add(key)
        line = {"method": method, "target": target, "status": response.status, "headers": response.headers,
                "body": base64.b64encode(response.body).decode() if short else None}
        self._open().write(json.dumps(line).encode() + b"\n")

    def _open(self):
        if self.file is None:
            os.makedirs(self.folder, exist_ok=True)
            script = os.path.splitext(os.path.abspath(sys.argv[0]))[0]
            self.file = open(os.path.join(self.folder, "-".join(script.split(os.sep)[-2:]) + ".jsonl"), "wb")
            atexit.register(self.file.close)
        return self.file


RECORD = Record(os.environ.get("SHAPED_ANSWERS"))


def request_line(data):
    """(method, target) of a request, or None if this is none (the rest of a body)."""
    match = REQUEST_LINE.match(data)
    return tuple(part.decode("latin-1") for part in match.groups()) if match else None
