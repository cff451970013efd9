"""Stands between a server and clients that are not ours, and keeps what they are answered (record.py).

    relay = Relay(server.address)     # clients connect to relay.address
    relay.stop()

Bytes are handed on as they come. What a connection has carried is taken apart when it is over; of a long one, the beginning.
"""
import re
import socket
import threading

from record import RECORD, request_line
from wire import Closed, Connection

KEPT = 4 << 20  # bytes of each direction of a connection


class Captured(Connection):
    """The answers in bytes that a server has sent."""

    def __init__(self, data):
        self.buffer, self.limit, self.asked = data, 1, []

    def _more(self):
        return False


def requests(data):
    """(method, target) of each request in bytes that a client has sent."""
    while True:
        head, mark, rest = data.partition(b"\r\n\r\n")
        line = request_line(head + b"\r\n")
        if not mark or line is None:
            return
        yield line
        length = re.search(rb"\r\nContent-Length: *([0-9]+)", head, re.IGNORECASE)
        if re.search(rb"\r\nTransfer-Encoding:", head, re.IGNORECASE):
            _, _, data = rest.partition(b"0\r\n\r\n")
        else:
            data = rest[int(length.group(1)) if length else 0:]


def keep(sent, received):
    """Records the answers of a connection."""
    answers = Captured(received)
    try:
        for method, target in requests(sent):
            answer = answers.response(method)
            while answer.status < 200:
                answer = answers.response(method)
            RECORD.add(method, target, answer)
    except (Closed, AssertionError):
        pass  # the rest was not kept, or not sent


class Relay:
    def __init__(self, server):
        self.server = server
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.threads = []
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        """Takes no more connections, and waits a little for those that are there to be recorded."""
        self.listener.close()
        for thread in self.threads:
            thread.join(1)

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._connection, args=(client,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _connection(self, client):
        try:
            server = socket.create_connection(self.server)
        except OSError:
            client.close()
            return
        sent, received = bytearray(), bytearray()
        back = threading.Thread(target=pump, args=(server, client, received), daemon=True)
        back.start()
        pump(client, server, sent)
        back.join()
        client.close()
        server.close()
        keep(bytes(sent), bytes(received))


def pump(source, sink, kept):
    """Hands bytes on until there are no more, keeping the first of them."""
    for each in source, sink:
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        while True:
            data = source.recv(1 << 16)
            if not data:
                break
            kept += data[:KEPT - len(kept)]
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for each in source, sink:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
