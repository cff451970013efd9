"""The binary tensor extension: how head and blobs are framed, what asks for a binary output, and what is refused."""
import json
import struct

from harness import equal, main, test
from tensors import (binary_call, binary_input, call, check_binary, check_json, check_problem, framed, int64, only_output,
                     packed, path, strings, tensor)

LENGTH = "Inference-Header-Content-Length"


# ---- what asks for a binary output

def outputs(**parameters):
    return {"outputs": [{"name": "output", "parameters": parameters}]}


@test(rows=[
    ("for all", {"parameters": {"binary_data_output": True}}, True),
    ("for all, not", {"parameters": {"binary_data_output": False}}, False),
    ("for this one", outputs(binary_data=True), True),
    ("for this one, not", outputs(binary_data=False), False),
    ("for all, not for this one", dict(outputs(binary_data=False), parameters={"binary_data_output": True}), False),
    ("for this one, not for all", dict(outputs(binary_data=True), parameters={"binary_data_output": False}), True),
    ("for all, this one listed", dict(outputs(), parameters={"binary_data_output": True}), True),
    ("nothing", {}, False),
    ("listed only", outputs(), False),
])
def asks_for_binary(server, members, binary):
    for send_binary in (False, True):
        if send_binary:
            headers, body = binary_call("expand", "FP32", [2, 1], packed("f", 1.5, -0.0), [1, 3], **members)
        else:
            headers, body = {}, call("expand", "FP32", [2, 1], [1.5, -0.0], [1, 3], **members)
        answer = server.request("POST", path("expand"), body, headers)
        if binary:
            check_binary(answer, "output", "FP32", [2, 3], packed("f", 1.5, 1.5, 1.5, -0.0, -0.0, -0.0))
        else:
            check_json(answer, "output", "FP32", [2, 3], [1.5, 1.5, 1.5, -0.0, -0.0, -0.0])


@test
def a_binary_answer_of_zero_bytes_has_the_header(server):
    answer = server.request("POST", path("expand"), call("expand", "FP32", [0], [], [2, 0], **outputs(binary_data=True)))
    check_binary(answer, "output", "FP32", [2, 0], b"")
    equal(answer.get(LENGTH), str(len(answer.body)))


@test
def the_id_comes_back(server):
    headers, body = binary_call("expand", "INT8", [1], b"\x05", [2], id="x1", parameters={"binary_data_output": True})
    document = check_binary(server.request("POST", path("expand"), body, headers), "output", "INT8", [2], b"\x05\x05")
    equal(document["id"], "x1")


# ---- bits

@test(rows=[  # title, type, bits of an element, little-endian
    ("signalling NaN", "FP32", "0100807f"), ("NaN with a payload", "FP32", "4523c1ff"),
    ("signalling NaN", "FP64", "010000000000f07f"), ("signalling NaN", "FP16", "017c"), ("NaN", "BF16", "8180"),
    ("a pair of NaN", "COMPLEX64", "0100807f010080ff"), ("no true or false", "BOOL", "02"),
])
def keeps_bits(server, datatype, element):
    raw = bytes.fromhex(element)
    headers, body = binary_call("expand", datatype, [1], raw, [3], parameters={"binary_data_output": True})
    check_binary(server.request("POST", path("expand"), body, headers), "output", datatype, [3], raw * 3)


@test(rows=[("%d" % n, n) for n in range(4)])
def takes_tensors_at_any_alignment(server, blanks):
    raw = packed("d", 0.1, -2.5)
    document = {"inputs": [binary_input("input", "FP64", [2], raw), binary_input("shape", "INT64", [2], b"\0" * 16)],
                "parameters": {"binary_data_output": True}}
    head = json.dumps(document).encode()
    head += b" " * (blanks - len(head) % 8 + 8)
    body = head + raw + packed("q", 2, 2)
    answer = server.request("POST", path("expand"), body, {LENGTH: str(len(head))})
    check_binary(answer, "output", "FP64", [2, 2], raw * 2)


@test
def blobs_come_in_the_order_of_the_inputs(server):
    shape, data = packed("q", 2), b"\x07"
    headers, body = framed({"inputs": [binary_input("shape", "INT64", [1], shape), binary_input("input", "INT8", [1], data)],
                            "parameters": {"binary_data_output": True}}, shape, data)
    check_binary(server.request("POST", path("expand"), body, headers), "output", "INT8", [2], b"\x07\x07")


@test(rows=[("whatever the Content-Type says", "application/json"), ("none", None), ("text", "text/plain")])
def the_header_decides(server, content_type):
    headers, body = binary_call("expand", "INT8", [1], b"\x05", [2])
    headers = [h for h in headers if h[0] == LENGTH] + ([("Content-Type", content_type)] if content_type else [])
    check_json(server.request("POST", path("expand"), body, headers), "output", "INT8", [2], [5, 5])


@test
def the_header_may_cover_a_body_that_is_all_json(server):
    body = json.dumps(call("expand", "INT8", [1], [5], [2])).encode()
    answer = server.request("POST", path("expand"), body, {LENGTH: str(len(body))})
    check_json(answer, "output", "INT8", [2], [5, 5])


@test
def bytes_repeat_with_their_prefixes(server):
    raw = strings("", "abc")
    headers, body = binary_call("expand", "BYTES", [2, 1], raw, [2, 2], parameters={"binary_data_output": True})
    check_binary(server.request("POST", path("expand"), body, headers), "output", "BYTES", [2, 2],
                 strings("", "", "abc", "abc"))


@test(rows=[("1 MiB", 1 << 20), ("a little more than 64 KiB", (1 << 16) + 4)])
def large_tensors_go_through(server, size):
    raw = bytes(range(251)) * (size // 251 + 1)
    raw = raw[:size]
    headers, body = binary_call("expand", "UINT8", [size], raw, [3, 1], parameters={"binary_data_output": True})
    check_binary(server.request("POST", path("expand"), body, headers), "output", "UINT8", [3, size], raw * 3)


# ---- refusals

@test(rows=[("'%s'" % value, value) for value in ("", "0", "-1", "+10", "12abc", "0x10", "1e1", "99999", "1 2", "1,1",
                                                 "18446744073709551617")])
def refuses_the_header(server, value):
    _, body = binary_call("expand", "INT8", [1], b"\x05", [2])
    check_problem(server.request("POST", path("expand"), body, {LENGTH: value}), 400, "invalid_header", "", [LENGTH])


@test
def a_header_of_0_is_told_the_query_form(server):
    answer = server.request("POST", path("expand"), b"\x05", {LENGTH: "0"})
    check_problem(answer, 400, "invalid_header", "", ["?datatype="])


@test
def a_head_that_is_cut_is_not_json(server):
    headers, body = binary_call("expand", "INT8", [1], b"\x05", [2])
    length = str(len(body) - 5)
    check_problem(server.request("POST", path("expand"), body, {LENGTH: length}), 400, "malformed_json", "")


def size_of(n):
    """A call that says its blob of 3 bytes has n."""
    data = binary_input("input", "INT8", [3], b"abc")
    data["parameters"]["binary_data_size"] = n
    return framed({"inputs": [data, int64("shape", [1])]}, b"abc")


@test(rows=[  # title, (headers, body), code, pointer
    ("blob shorter than the size", size_of(4), "invalid_data", "/inputs/0/parameters/binary_data_size"),
    ("size that does not fit the shape", binary_call("expand", "INT8", [2], b"abc", [1]), "invalid_data",
     "/inputs/0/parameters/binary_data_size"),
    ("size of the wrong type", binary_call("expand", "INT16", [3], b"abc", [1]), "invalid_data",
     "/inputs/0/parameters/binary_data_size"),
    ("negative size", size_of(-3), "invalid_request", "/inputs/0/parameters/binary_data_size"),
    ("size beyond 64 bits", size_of(2**64 + 3), "invalid_request", "/inputs/0/parameters/binary_data_size"),
    ("fractional size", size_of(3.5), "invalid_request", "/inputs/0/parameters/binary_data_size"),
    ("size in quotes", size_of("3"), "invalid_request", "/inputs/0/parameters/binary_data_size"),
    ("huge size", size_of(2**62), "invalid_data", "/inputs/0/parameters/binary_data_size"),
    ("BYTES that are cut", binary_call("expand", "BYTES", [1], strings("abc")[:-1], [1]), "invalid_data",
     "/inputs/0/parameters/binary_data_size"),
    ("BYTES with a huge length", binary_call("expand", "BYTES", [1], struct.pack("<I", 2**32 - 1) + b"a", [1]),
     "invalid_data", "/inputs/0/parameters/binary_data_size"),
    ("too few BYTES", binary_call("expand", "BYTES", [2], strings("abc"), [1]), "invalid_data",
     "/inputs/0/parameters/binary_data_size"),
    ("too many BYTES", binary_call("expand", "BYTES", [1], strings("abc", ""), [1]), "invalid_data",
     "/inputs/0/parameters/binary_data_size"),
    ("many BYTES of which none came", binary_call("expand", "BYTES", [2**40], b"", [1]), "invalid_data",
     "/inputs/0/parameters/binary_data_size"),
])
def refuses_a_blob(server, request, code, pointer):
    headers, body = request
    check_problem(server.request("POST", path("expand"), body, headers), 400, code, pointer)


@test
def refuses_bytes_after_the_last_blob(server):
    headers, body = binary_call("expand", "INT8", [1], b"\x05", [1])
    answer = server.request("POST", path("expand"), body + b"!", headers)
    equal((answer.status, answer.json()["code"]), (400, "invalid_data"))


@test(rows=[("data beside it", [1], "/inputs/0"), ("neither", None, "/inputs/0")])
def wants_exactly_one_of_data_and_size(server, data, pointer):
    given = tensor("input", "INT8", [1], data)
    if data is not None:
        given["parameters"] = {"binary_data_size": 1}
    document = {"inputs": [given, int64("shape", [1])]}
    headers, body = framed(document, b"\x05" if data else b"")
    answer = server.request("POST", path("expand"), body, headers)
    equal((answer.status, answer.json()["code"]), (400, "invalid_request"))
    assert answer.json()["pointer"].startswith(pointer), answer.json()


@test
def a_size_without_the_header_has_no_blob(server):
    document = {"inputs": [binary_input("input", "INT8", [1], b"\x05"), int64("shape", [1])]}
    answer = server.request("POST", path("expand"), document)
    equal(answer.status, 400)
    assert answer.json()["pointer"].startswith("/inputs/0/parameters"), answer.json()


@test
def a_server_goes_on_after_all_this(server):
    equal(only_output(server.request("POST", path("expand"), call("expand", "INT8", [1], [1], [2])))[1]["data"], [1, 1])


main()
