"""Requests to the operators, as bytes, and what their answers must be."""
import functools
import json
import struct
import zlib

from wire import TIME_SCALE


def expand(value, size, binary=True):
    """Body that asks for one FP32 value repeated `size` times."""
    return json.dumps({
        "inputs": [{"name": "input", "shape": [1], "datatype": "FP32", "data": [value]},
                   {"name": "shape", "shape": [1], "datatype": "INT64", "data": [size]}],
        "outputs": [{"name": "output", "parameters": {"binary_data": binary}}]}).encode()


def expanded(response, value, size):
    """Checks a 200 answer to `expand` with binary output, without comparing more than a part of a large one."""
    assert response.status == 200, response
    head = int(response.get("Inference-Header-Content-Length"))
    data = memoryview(response.body)[head:]
    assert len(data) == 4 * size, (len(data), size)
    part = struct.pack("<f", value) * min(size, 1000)
    assert data[:len(part)] == part and (len(part) == 0 or data[-len(part):] == part)


@functools.lru_cache
def slow(mib):
    """Headers and body (small) of a request that keeps a worker busy for some ms per MiB: it is read decompressed. In
    slow surroundings it is made smaller, to take about as long."""
    mib = max(10, int(mib / TIME_SCALE))
    packer = zlib.compressobj(9, wbits=31)
    pieces = [packer.compress(b" " * (1 << 20)) for _ in range(mib)]
    pieces += [packer.compress(b"{"), packer.flush()]
    return [("Content-Encoding", "gzip")], b"".join(pieces)


EXPAND = "/v2/models/expand/infer"
UNSQUEEZE = "/v2/models/unsqueeze/infer"
