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
    blanks, crc = b" " * (1 << 20), 0
    for _ in range(mib):
        crc = zlib.crc32(blanks, crc)
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(blanks) + packer.flush(zlib.Z_FULL_FLUSH)  # stands for itself, any number of times
    last = packer.compress(b"{") + packer.flush()
    end = struct.pack("<II", zlib.crc32(b"{", crc), ((mib << 20) + 1) % (1 << 32))
    return [("Content-Encoding", "gzip")], b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block * mib + last + end


EXPAND = "/v2/models/expand/infer"
UNSQUEEZE = "/v2/models/unsqueeze/infer"
