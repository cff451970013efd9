"""Compression, both ways."""
import gzip
import json
import zlib

from harness import Server, equal, main, memory_counts, test
from tensors import INPUTS, call, check_binary, check_json, check_problem, only_output, path

BODY = json.dumps(call("expand", "INT8", [1], [5], [3])).encode()


def post(server, body, coding):
    return server.request("POST", path("expand"), body, [] if coding is None else [("Content-Encoding", coding)])


def gzip_with_name(data):
    """A member with file name, comment, extra field and header checksum, as gzip(1) and others write them."""
    head = b"\x1f\x8b\x08\x1e" + b"\0" * 6 + b"\x02\0ab" + b"name\0" + b"comment\0"
    head += (zlib.crc32(head) & 0xffff).to_bytes(2, "little")
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(data) + deflate.flush()
    return head + packed + zlib.crc32(data).to_bytes(4, "little") + len(data).to_bytes(4, "little")


@test(rows=[
    ("gzip", "gzip", gzip.compress(BODY)), ("GZip", "GZip", gzip.compress(BODY)), ("x-gzip", "x-gzip", gzip.compress(BODY)),
    ("deflate", "deflate", zlib.compress(BODY)), ("identity", "identity", BODY), ("nothing", None, BODY),
    ("gzip with all fields", "gzip", gzip_with_name(BODY)),
    ("gzip in two members", "gzip", gzip.compress(BODY[:20]) + gzip.compress(BODY[20:])),
    ("gzip without compression", "gzip", gzip.compress(BODY, 0)),
])
def takes(server, coding, body):
    check_json(post(server, body, coding), "output", "INT8", [3], [5, 5, 5])


@test(rows=[("br", "br"), ("zstd", "zstd"), ("gzip twice", "gzip, gzip"), ("junk", "x")])
def refuses_the_coding(server, coding):
    answer = post(server, BODY, coding)
    check_problem(answer, 415, "unsupported_encoding", "", ["gzip", "deflate"])
    equal(answer.get("Accept-Encoding"), "gzip, deflate")


PACKED, RAW = gzip.compress(BODY), zlib.compress(BODY)


@test(rows=[
    ("gzip cut in the data", "gzip", PACKED[:-12]), ("gzip without checksum", "gzip", PACKED[:-8]),
    ("gzip cut in the length", "gzip", PACKED[:-1]), ("gzip cut in the header", "gzip", PACKED[:5]),
    ("gzip, a wrong checksum", "gzip", PACKED[:-8] + b"abcd" + PACKED[-4:]),
    ("gzip with junk after it", "gzip", PACKED + b"junk"), ("no gzip at all", "gzip", BODY), ("nothing", "gzip", b""),
    ("gzip as deflate", "deflate", PACKED), ("deflate as gzip", "gzip", RAW), ("deflate cut", "deflate", RAW[:-5]),
    ("deflate with junk after it", "deflate", RAW + b"j"), ("deflate without zlib's frame", "deflate", RAW[2:-4]),
])
def refuses_what_is_broken(server, coding, body):
    check_problem(post(server, body, coding), 400, "corrupt_encoding", "")


@test
def a_bomb_costs_no_memory(server):
    memory_counts()
    with Server("--max-request-bytes", str(64 << 20)) as small:
        deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
        bomb = b"".join(deflate.compress(b" " * (1 << 20)) for _ in range(200)) + deflate.flush()
        equal(post(small, BODY, None).status, 200)
        before = small.peak_rss()
        for _ in range(3):
            check_problem(post(small, bomb, "gzip"), 413, "request_too_large", "")
        assert small.peak_rss() - before < 8 << 20, "%d MiB" % ((small.peak_rss() - before) >> 20)


@test
def the_limit_is_for_the_decoded_size(server):
    with Server("--max-request-bytes", "5000") as small:
        equal(post(small, gzip.compress(BODY + b" " * (5000 - len(BODY))), "gzip").status, 200)
        check_problem(post(small, gzip.compress(BODY + b" " * (5001 - len(BODY))), "gzip"), 413, "request_too_large", "")


@test
def the_header_counts_decoded_bytes(server):
    head = json.dumps({"inputs": [
        {"name": "input", "datatype": "UINT8", "shape": [4000], "parameters": {"binary_data_size": 4000}},
        {"name": "shape", "datatype": "INT64", "shape": [1], "data": [1]}]}).encode()
    answer = server.request("POST", path("expand"), gzip.compress(head + b"\7" * 4000),
                            {"Content-Encoding": "gzip", "Inference-Header-Content-Length": str(len(head))})
    check_json(answer, "output", "UINT8", [4000], [7] * 4000)


# ---- answers

def decoded(answer):
    coding = answer.get("Content-Encoding")
    if coding == "gzip":
        answer.body = gzip.decompress(answer.body)
    elif coding == "deflate":
        answer.body = zlib.decompress(answer.body)
    return coding


@test(rows=[  # title, Accept-Encoding, coding of the answer
    ("nothing", None, None), ("gzip", "gzip", "gzip"), ("deflate", "deflate", "deflate"), ("GZIP", "GZIP", "gzip"),
    ("curl's list", "deflate, gzip, br, zstd", ("gzip", "deflate")), ("requests' list", "gzip, deflate", ("gzip", "deflate")),
    ("deflate first", "gzip;q=0.5, deflate;q=0.8", "deflate"), ("gzip first", "deflate;q=0.5,gzip;q=1.0", "gzip"),
    ("identity", "identity", None), ("identity first", "identity, gzip;q=0.5", None), ("br", "br", None),
    ("gzip forbidden", "gzip;q=0", None), ("gzip forbidden, another", "gzip;q=0, deflate;q=0.1", "deflate"),
    ("anything", "*", (None, "gzip", "deflate")), ("empty", "", None), ("junk", ";;,=q", None),
])
def answers_with(server, accept, coding):
    for binary in (False, True):
        document = call("expand", "INT8", [1], [5], [5000], parameters={"binary_data_output": binary})
        answer = server.request("POST", path("expand"), document, [] if accept is None else [("Accept-Encoding", accept)])
        got = decoded(answer)
        assert got in (coding if isinstance(coding, tuple) else (coding,)), got
        if got is not None:
            equal(answer.get("Vary"), "Accept-Encoding")
        if binary:
            check_binary(answer, "output", "INT8", [5000], b"\5" * 5000)
        else:
            check_json(answer, "output", "INT8", [5000], [5] * 5000)


@test
def small_answers_are_not_compressed(server):
    answer = server.request("POST", path("expand"), call("expand", "INT8", [1], [5], [3]), {"Accept-Encoding": "gzip"})
    equal(answer.get("Content-Encoding"), None)
    equal(only_output(answer)[1]["data"], [5, 5, 5])


@test
def large_answers_are_not_compressed(server):
    with Server("--compress-max", "20000") as small:
        for n, coding in ((9000, "gzip"), (30000, None)):
            document = call("expand", "UINT8", [1], [5], [n], parameters={"binary_data_output": True})
            answer = small.request("POST", path("expand"), document, {"Accept-Encoding": "gzip"})
            equal(decoded(answer), coding, "%d bytes" % n)
            check_binary(answer, "output", "UINT8", [n], b"\5" * n)


@test
def errors_and_other_routes_are_not_compressed(server):
    for method, target in (("POST", path("expand")), ("GET", "/v2/models/unsqueeze")):
        answer = server.request(method, target, b"x" * 2000 if method == "POST" else None, {"Accept-Encoding": "gzip"})
        equal(answer.get("Content-Encoding"), None)
        answer.json()


@test(rows=[("gzip", "gzip"), ("deflate", "deflate")])
def many_megabytes_survive(server, coding):
    n = 3 << 20
    first, second, _ = INPUTS["expand"]
    raw = bytes((i * i >> 3) & 0xff for i in range(n // 4))
    head = json.dumps({"inputs": [
        {"name": first, "datatype": "UINT8", "shape": [n // 4], "parameters": {"binary_data_size": len(raw)}},
        {"name": second, "datatype": "INT64", "shape": [2], "data": [4, 1]}],
        "parameters": {"binary_data_output": True}}).encode()
    body = {"gzip": gzip.compress, "deflate": zlib.compress}[coding](head + raw)
    answer = server.request("POST", path("expand"), body, {"Content-Encoding": coding, "Accept-Encoding": coding,
                                                           "Inference-Header-Content-Length": str(len(head))})
    equal(decoded(answer), coding)
    check_binary(answer, "output", "UINT8", [4, n // 4], raw * 4)


main()
