"""A client of the Open Inference Protocol with its binary tensor extension: numpy in, numpy out. Works with any server
of it."""
import http.client
import json
import socket
import urllib.parse

from arrays import TYPES, from_raw, to_raw, type_of


class Refused(Exception):
    """The server answered with an error; `status`, and its sentence."""

    def __init__(self, status, text):
        super().__init__("status %d: %s" % (status, text))
        self.status = status


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def error(self):
        """The sentence of an error, else how the body begins."""
        try:
            return json.loads(self.body)["error"]
        except (ValueError, KeyError, TypeError):
            return repr(self.body[:200])


class Client:
    """One connection, kept alive. For one thread."""

    def __init__(self, url, timeout=30):
        parts = urllib.parse.urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self.connection = kind(parts.hostname, parts.port, timeout=timeout)
        self.prefix = parts.path.rstrip("/")

    def post(self, path, body, headers):
        try:
            return self._post(path, body, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.connection.close()  # an idle connection was closed meanwhile: once more, on a new one
            return self._post(path, body, headers)

    def _post(self, path, body, headers):
        if self.connection.sock is None:
            self.connection.connect()
            self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection.request("POST", self.prefix + path, body, headers)
        answer = self.connection.getresponse()
        return Response(answer.status, answer.headers, answer.read())

    def infer(self, path, inputs, parameters=None):
        """Runs the model at `path` ("/v2/models/expand/versions/13") with (name, array) pairs. Returns the arrays of its
        outputs by name. Raises Refused."""
        blobs = [to_raw(array) for _, array in inputs]
        document = {"inputs": [{"name": name, "datatype": type_of(array).name, "shape": list(array.shape),
                                "parameters": {"binary_data_size": len(blob)}}
                               for (name, array), blob in zip(inputs, blobs)],
                    "parameters": dict({"binary_data_output": True}, **(parameters or {}))}
        head = json.dumps(document).encode()
        response = self.post(path + "/infer", head + b"".join(blobs), {
            "Content-Type": "application/octet-stream", "Inference-Header-Content-Length": str(len(head))})
        if response.status != 200:
            raise Refused(response.status, response.error())
        return read_binary(response)


def read_binary(response):
    """Arrays by name from an answer whose outputs are all binary."""
    head = int(response.headers["Inference-Header-Content-Length"])
    at, arrays = head, {}
    for output in json.loads(response.body[:head])["outputs"]:
        size = output["parameters"]["binary_data_size"]
        arrays[output["name"]] = from_raw(TYPES[output["datatype"]], output["shape"], response.body[at:at + size])
        at += size
    if at != len(response.body):
        raise ValueError("%d bytes follow the last output" % (len(response.body) - at))
    return arrays
