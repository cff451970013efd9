"""The requests that are measured."""
import json
import struct

EXPAND = "/v2/models/expand/infer"
UNSQUEEZE = "/v2/models/unsqueeze/infer"


class Request:
    """`zeros` zero bytes follow the body; they are counted in Content-Length but not kept here."""

    def __init__(self, method, target, headers=(), body=b"", zeros=0):
        self.method = method
        self.target = target
        self.headers = dict(headers)
        self.body = body
        self.zeros = zeros

    def http(self):
        """The whole request, without the zeros."""
        lines = ["%s %s HTTP/1.1" % (self.method, self.target), "Host: 127.0.0.1"]
        lines += ["%s: %s" % pair for pair in self.headers.items()]
        lines.append("Content-Length: %d" % (len(self.body) + self.zeros))
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + self.body


def floats(count):
    """Different numbers with several digits, as bytes."""
    return struct.pack("<%df" % count, *(i * 1.2345678 + 0.1 for i in range(count)))


def json_body(inputs, **rest):
    return json.dumps({"inputs": inputs, **rest}, separators=(",", ":")).encode()


def small_tensor(name, values):
    return {"name": name, "shape": [len(values)], "datatype": "INT64", "data": list(values)}


def binary(target, name, shape, small, data=b"", zeros=0):
    """A call whose FP32 tensor `name` goes and comes back as bytes."""
    head = json_body(
        [{"name": name, "shape": shape, "datatype": "FP32", "parameters": {"binary_data_size": len(data) + zeros}}, small],
        parameters={"binary_data_output": True})
    headers = {"Content-Type": "application/octet-stream", "Inference-Header-Content-Length": len(head)}
    return Request("POST", target, headers, head + data, zeros)


def expand(dims, shape):
    """Expand of FP32 `dims` to `shape`, binary both ways."""
    count = 1
    for size in dims:
        count *= size
    return binary(EXPAND, "input", dims, small_tensor("shape", shape), floats(count))


def unsqueeze(count):
    """Unsqueeze of `count` FP32 zeros by axis 0, binary both ways."""
    return binary(UNSQUEEZE, "data", [count], small_tensor("axes", [0]), zeros=4 * count)


def expand_json(dims, values, shape):
    """Expand with JSON both ways; `values` as they are to be printed."""
    data = {"name": "input", "shape": dims, "datatype": "FP32", "data": values}
    return Request("POST", EXPAND, {"Content-Type": "application/json"}, json_body([data, small_tensor("shape", shape)]))


def expand_raw(dims, shape):
    """The same call to the FastAPI peer: raw bytes, and the small tensors in the query."""
    count = 1
    for size in dims:
        count *= size
    listed = [",".join(map(str, sizes)) for sizes in (dims, shape)]
    return Request("POST", "/expand?dims=%s&shape=%s" % tuple(listed),
                   {"Content-Type": "application/octet-stream"}, floats(count))


def sink(size, zeros=0):
    """A request to the send loop: take `zeros` bytes, answer with `size`."""
    return Request("POST", "/%d" % size, zeros=zeros)


def repeated(dims, shape):
    """The bytes of Expand's output for expand(dims, shape), both of the same rank: small ones only."""
    def block(data, level):
        if level == len(dims):
            return data
        part = len(data) // dims[level]
        blocks = [block(data[i * part:(i + 1) * part], level + 1) for i in range(dims[level])]
        return b"".join(blocks) if dims[level] == shape[level] else blocks[0] * shape[level]
    count = 1
    for size in dims:
        count *= size
    return block(floats(count), 0)
