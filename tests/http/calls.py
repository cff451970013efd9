"""Requests to the operators, as bytes, and what their answers must be."""
import json
import struct


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


def slow(elements):
    """Body whose JSON takes a worker some 50 ns an element to read, and which is then refused."""
    head = b'{"inputs":[{"name":"axes","shape":[0],"datatype":"INT64","data":[]},' \
           b'{"name":"data","shape":[%d],"datatype":"UINT8","data":[' % elements
    return head + b"1," * (elements - 1) + b'1]}],"outputs":[{"name":"none"}]}'


EXPAND = "/v2/models/expand/infer"
UNSQUEEZE = "/v2/models/unsqueeze/infer"
