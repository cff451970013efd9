"""Tensor files: one in the body and the small input in the query, or one a part; every type in every form."""
import gzip
import os
import shutil
import struct
import subprocess
import tempfile

from files import JSON, NPY, PROTOBUF, RAW, check_file, file, multipart, npy, protobuf, read_npy
from harness import Server, Skip, equal, instrumented, main, test
from tensors import INPUTS, TYPES, VERSIONS, check_json, check_problem, int64, packed, path, tensor

FORMS = (NPY, PROTOBUF, RAW)
ENDINGS = {NPY: "npy", PROTOBUF: "pb", RAW: "bin"}


def post(server, target, query, body, **headers):
    pairs = {name.replace("_", "-"): value for name, value in headers.items()}
    return server.request("POST", target + ("?" + query if query else ""), body, pairs)


# ---- a file as the whole body

@test(rows=[("%s, %s" % (t, form), t, form) for t in TYPES for form in FORMS])
def unsqueeze_of_every_type(server, datatype, form):
    raw = TYPES[datatype].raw
    body, query = file(form, datatype, [3, 1], raw)
    for version, types in VERSIONS["unsqueeze"].items():
        answer = post(server, path("unsqueeze", version), query + "&axes=0,3", body, Content_Type=form)
        if datatype in types:
            check_file(answer, form, "expanded", datatype, [1, 3, 1, 1], raw)
        else:
            check_problem(answer, 400, "unsupported_datatype", "/data", [datatype, "unsqueeze"])


@test(rows=[("%s, %s" % (t, form), t, form) for t in TYPES for form in FORMS])
def expand_of_every_type(server, datatype, form):
    raw, bits = TYPES[datatype].raw, TYPES[datatype].bits
    body, query = file(form, datatype, [3, 1], raw)
    for version, types in VERSIONS["expand"].items():
        answer = post(server, path("expand", version), query + "&shape=2,1,2", body, Content_Type=form)
        if datatype not in types:
            check_problem(answer, 400, "unsupported_datatype", "/input", [datatype, "expand"])
            continue
        if datatype == "BYTES":
            pieces = [s + s for s in (struct.pack("<I", len(e.encode())) + e.encode() for e in TYPES[datatype].data)]
        else:
            width = bits // 8
            pieces = [raw[i:i + width] * 2 for i in range(0, 3 * width, width)]
        check_file(answer, form, "output", datatype, [2, 3, 2], b"".join(pieces) * 2)


@test(rows=[("from %s to %s" % (a, b), a, b) for a in FORMS for b in FORMS])
def accept_picks_the_form(server, sent, wanted):
    for datatype in ("FP32", "INT64", "BYTES", "BF16", "INT4"):
        body, query = file(sent, datatype, [3], TYPES[datatype].raw)
        answer = post(server, path("unsqueeze"), query + "&axes=-1", body, Content_Type=sent, Accept=wanted)
        check_file(answer, wanted, "expanded", datatype, [3, 1], TYPES[datatype].raw)


@test(rows=[(form, form) for form in FORMS])
def files_to_json(server, form):
    for datatype in ("FP32", "INT64", "BYTES", "BF16", "INT4", "COMPLEX64"):
        body, query = file(form, datatype, [3], TYPES[datatype].raw)
        answer = post(server, path("unsqueeze"), query + "&axes=0", body, Content_Type=form, Accept=JSON)
        check_json(answer, "expanded", datatype, [1, 3], TYPES[datatype].data)


@test(rows=[(form, form) for form in (NPY, PROTOBUF)])
def json_to_files(server, form):
    for datatype in TYPES:
        document = {"inputs": [tensor("data", datatype, [3], TYPES[datatype].data), int64("axes", [0])]}
        answer = server.request("POST", path("unsqueeze"), document, {"Accept": form})
        check_file(answer, form, "expanded", datatype, [1, 3], TYPES[datatype].raw)


@test
def characters_come_back_as_characters(server):
    data = "a\0\0\u20ac\U0001f600\0".encode("utf-32-le")
    answer = post(server, path("expand"), "shape=2,2", npy("<U3", [2, 1], data), Content_Type=NPY)
    want = "a\0\0a\0\0\u20ac\U0001f600\0\u20ac\U0001f600\0".encode("utf-32-le")
    equal(read_npy(answer.body), ("<U2", [2, 2], b"".join(want[i:i + 8] for i in range(0, 48, 12))))


@test
def big_endian_and_fortran_order_are_read(server):
    data = struct.pack(">6h", 1, 4, 2, 5, 3, 6)
    answer = post(server, path("unsqueeze"), "axes=0", npy(">i2", [2, 3], data, fortran=True), Content_Type=NPY)
    equal(read_npy(answer.body), ("<i2", [1, 2, 3], packed("h", 1, 2, 3, 4, 5, 6)))


@test
def bodies_and_answers_may_be_compressed(server):
    body = npy("|u1", [2000], bytes(2000))
    answer = post(server, path("expand"), "shape=2,1", gzip.compress(body), Content_Type=NPY, Content_Encoding="gzip",
                  Accept_Encoding="gzip")
    equal((answer.get("Content-Encoding"), answer.get("Content-Type")), ("gzip", NPY))
    equal(read_npy(gzip.decompress(answer.body)), ("|u1", [2, 2000], bytes(4000)))


# ---- a file a part

SMALL = {
    ".npy": (npy("<i8", [2], packed("q", 2, 2)), "s.npy", RAW),
    ".pb": (protobuf("INT64", [2], packed("q", 2, 2)), "s.pb", RAW),
    "raw": (packed("q", 2, 2), "s.bin", RAW),
    "text": (b"[2,2]",),
    "query": None,
}


@test(rows=[("%s and %s" % (ENDINGS[form], small), form, small) for form in FORMS for small in SMALL])
def parts_of_every_form(server, form, small):
    raw = packed("h", 1, -2)
    content, query = file(form, "INT16", [2, 1], raw)
    parts = [("input", content, "x." + ENDINGS[form], RAW)]
    if SMALL[small]:
        parts.insert(0, ("shape", *SMALL[small]))
    else:
        query += "&shape=2,2"
    headers, body = multipart(*parts)
    answer = post(server, path("expand"), query, body, **{"Content-Type": headers["Content-Type"]})
    check_file(answer, form, "output", "INT16", [2, 2], packed("h", 1, 1, -2, -2))


@test
def a_part_of_text_is_answered_in_json(server):
    headers, body = multipart(("data", b"[[1.5],[\"NaN\"]]"), ("axes", b"[0]"))
    answer = server.request("POST", path("unsqueeze") + "?datatype=FP32", body, headers)
    check_json(answer, "expanded", "FP32", [1, 2, 1], [1.5, "NaN"])


@test
def attributes_of_old_versions_may_be_parts(server):
    for version in (1, 11):
        headers, body = multipart(("data", npy("<f4", [2], bytes(8)), "x.npy", RAW), ("axes", b"1"))
        answer = server.request("POST", path("unsqueeze", version), body, headers)
        equal(read_npy(answer.body), ("<f4", [2, 1], bytes(8)))


def part(name, content=b"[1]"):
    return name, content


@test(rows=[
    ("a part is missing", [("input", npy("|u1", [1], b"1"), "x.npy", RAW)], "", "invalid_request", "/shape",
     ["shape", "?shape=", "part"]),
    ("the data is missing", [part("shape")], "", "invalid_request", "/input", ["input", "part"]),
    ("nothing is there", [], "", "invalid_request", "/input", ["input"]),
    ("a part is there twice", [part("shape"), part("shape")], "", "invalid_request", "/shape", ["shape"]),
    ("in the query too", [part("shape")], "shape=1", "invalid_request", "/shape", ["shape"]),
    ("an unknown part", [part("scale")], "", "unknown_name", "/scale", ["scale", "input", "shape"]),
    ("an unknown part with marks", [part("a/b~c")], "", "unknown_name", "/a~1b~0c", ["a/b~c"]),
    ("an unknown part with many marks", [part("/" * 99)], "", "unknown_name", "/" + "~1" * 64, []),
    ("pickled objects", [("input", npy("|O", [1], b"\x80\4N."), "x.npy", RAW)], "", "unsupported_datatype", "/input",
     ["input", "pickle", "astype"]),
    ("no text", [part("input", b" \n")], "datatype=FP32&shape=2", "malformed_json", "/input", ["empty"]),
    ("no text for the small input", [part("shape", b"")], "", "malformed_json", "/shape", ["empty"]),
    ("a negative size", [("input", npy("<f4", [-1], bytes(4)), "x.npy", RAW)], "", "invalid_shape", "/input", ["negative"]),
    ("a cut .npy", [("input", npy("<f4", [2], bytes(7)), "x.npy", RAW)], "", "invalid_data", "/input", ["7", "8"]),
    ("a long .npy", [("input", npy("<f4", [2], bytes(9)), "x.npy", RAW)], "", "invalid_data", "/input", ["9", "8"]),
    ("a cut TensorProto", [("input", protobuf("FP32", [1], bytes(4))[:-1], "x.pb", RAW)], "", "invalid_data", "/input",
     ["input", "protobuf"]),
    ("a long TensorProto", [("input", protobuf("FP32", [1], bytes(5)), "x.pb", RAW)], "", "invalid_data", "/input",
     ["raw_data"]),
    ("an INT32 shape", [("input", npy("|u1", [1], b"1"), "x.npy", RAW), ("shape", npy("<i4", [1], bytes(4)), "s.npy", RAW)],
     "", "unsupported_datatype", "/shape", ["shape", "INT64"]),
    ("a negative shape", [("input", npy("|u1", [1], b"1"), "x.npy", RAW)], "shape=2,-1", "invalid_shape", "/shape",
     ["shape", "1"]),
    ("a fraction in the query", [], "shape=1.5", "invalid_data", "/shape", ["shape", "1.5"]),
])
def refuses_parts(server, parts, query, code, pointer, words):
    headers, body = multipart(*parts)
    answer = post(server, path("expand"), query, body, **headers)
    check_problem(answer, 400, code, pointer, words)


@test(rows=[
    ("no boundary", "multipart/form-data", b"--b\r\n", "invalid_header"),
    ("no body", "multipart/form-data; boundary=b", b"", "invalid_request"),
    ("no last boundary", "multipart/form-data; boundary=b",
     b"--b\r\nContent-Disposition: form-data; name=shape\r\n\r\n[1]\r\n--b\r\n", "invalid_request"),
    ("only boundaries", "multipart/form-data; boundary=b", b"--b\r\n" * 100000, "invalid_request"),
    ("only line ends", "multipart/form-data; boundary=b", b"--b\r\n" + b"\r\n" * 100000, "invalid_request"),
    ("almost boundaries", "multipart/form-data; boundary=" + "-" * 70, b"\r\n--" + b"-" * 3000000, "invalid_request"),
])
def refuses_bodies(server, content_type, body, code):
    answer = server.request("POST", path("expand"), body, {"Content-Type": content_type})
    equal((answer.status, answer.json()["code"]), (400, code))


@test(rows=[("binary", "binary", 200), ("8bit", " 8BIT ", 200), ("7bit", "7bit", 200), ("base64", "base64", 400),
            ("quoted-printable", "Quoted-Printable", 400), ("nothing", "", 400)])
def takes_parts_only_as_they_are(server, coding, status):
    body = ("--b\r\nContent-Disposition: form-data; name=input; filename=x.bin\r\nContent-Transfer-Encoding: %s\r\n\r\n"
            "AQID\r\n--b--\r\n" % coding).encode()
    answer = server.request("POST", path("expand") + "?datatype=UINT8&dims=4&shape=4", body,
                            {"Content-Type": "multipart/form-data; boundary=b"})
    equal(answer.status, status, answer.body)
    if status == 400:
        check_problem(answer, 400, "not_offered", "", ["Content-Transfer-Encoding", "encoder="])


# ---- curl, as the documentation has it

CURL_NPY = ("curl --data-binary @x.npy 'http://127.0.0.1:8000/v2/models/unsqueeze/infer?axes=0,4' "
            "-H 'Content-Type: application/x-npy' -o y.npy")
CURL_PB = ("curl -F input=@input_0.pb -F shape=@input_1.pb -H 'Accept: application/x-protobuf' "
           "http://127.0.0.1:8000/v2/models/expand/infer -o output_0.pb")


def curl(server, line, files, output):
    """What the line leaves in the file `output`."""
    if not shutil.which("curl"):
        raise Skip("curl is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content)
        line = line.replace("127.0.0.1:8000", "%s:%d" % server.address).replace("curl", "curl -sS", 1)
        subprocess.run(["sh", "-ec", line], cwd=folder, check=True, timeout=30, env=dict(os.environ, HOME=folder))
        with open(os.path.join(folder, output), "rb") as f:
            return f.read()


@test
def curl_with_a_npy_file(server):
    data = packed("f", *range(60))
    out = curl(server, CURL_NPY, {"x.npy": npy("<f4", [3, 4, 5], data)}, "y.npy")
    equal(read_npy(out), ("<f4", [1, 3, 4, 5, 1], data))


@test
def curl_with_tensor_protos(server):
    files = {"input_0.pb": protobuf("FP32", [3, 1], packed("f", 1, 2, 3), "data"),
             "input_1.pb": protobuf("INT64", [2], packed("q", 3, 4))}
    out = curl(server, CURL_PB, files, "output_0.pb")
    equal(out, protobuf("FP32", [3, 4], packed("f", 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), "output"))


# ---- large files

@test(limit=120, rows=[(NPY, NPY, 1), (RAW, RAW, 1), (PROTOBUF, PROTOBUF, 2)])
def large_files_are_not_copied_more_than_once(server, form, copies):
    if instrumented():
        raise Skip("memory of an instrumented program tells nothing")
    size = 64 << 20
    raw = os.urandom(1 << 20) * 64
    body, query = file(form, "UINT8", [size], raw)
    with Server() as fresh:
        before = fresh.peak_rss()
        answer = post(fresh, path("unsqueeze"), query + "&axes=0", body, Content_Type=form)
        grown = fresh.peak_rss() - before
    check_file(answer, form, "expanded", "UINT8", [1, size], raw)
    assert grown < copies * size + (16 << 20), "%d MiB for %d" % (grown >> 20, size >> 20)


main()
