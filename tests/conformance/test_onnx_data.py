"""shaped-conform against the real server: ONNX's own test data where there is some, and every code of every type.

Numbers as text are read and written by two programs here that share no code for it.

ONNX's data of several releases: the folder in SHAPED_ONNX_TESTDATA, or one beside the source tree. Debian's package
libonnx-testdata has that of one release.
"""
import os
import struct
import tempfile

import fake
from fake import Run
from harness import Skip, equal, main, test
from onnx_files import TYPES, int64s, model, node, strings, tensor, unsqueeze_case, write_case

RELEASES = os.environ.get("SHAPED_ONNX_TESTDATA") or os.path.join(os.environ.get("srcdir", "."), "..", "shared",
                                                                  "onnx-testdata")
DEBIAN = "/usr/share/libonnx-testdata/data"
CODECS = ["json", "binary", "protobuf", "multipart"]


def conform(server, codec, *arguments):
    if not os.access(fake.PROGRAM, os.X_OK):
        raise Skip("shaped-conform is not built (libcurl is missing)")
    return Run("--url", "http://127.0.0.1:%d" % server.address[1], "--codec", codec, "--jobs", "4", *arguments)


def summary(run, want):
    assert run.status == 0 and run.lines[-1:] == [want], run


# ---- ONNX's data ---------------------------------------------------------------------------------------------------

@test(rows=[(codec, codec) for codec in CODECS])
def passes_eight_releases(server, codec):
    if not os.path.isdir(RELEASES):
        raise Skip("there is no folder onnx-testdata")
    summary(conform(server, codec, "--quiet", RELEASES), "94 passed, 0 failed, 0 skipped")


@test(rows=[(codec, codec) for codec in CODECS])
def passes_the_data_of_debian(server, codec):
    if not os.path.isdir(DEBIAN):
        raise Skip("libonnx-testdata is not installed")
    run = conform(server, codec, "--quiet", DEBIAN)
    assert run.status == 0 and ", 0 failed, " in run.lines[-1] and int(run.lines[-1].split()[0]) >= 13, run


# ---- every code of every type --------------------------------------------------------------------------------------

# Type -> whether a code is a NaN, and the one that "NaN" stands for.
NANS = {
    "FP16": (lambda c: c & 0x7fff > 0x7c00, 0x7e00), "BF16": (lambda c: c & 0x7fff > 0x7f80, 0x7fc0),
    "FP8_E4M3FN": (lambda c: c & 0x7f == 0x7f, 0x7f), "FP8_E4M3FNUZ": (lambda c: c == 0x80, 0x80),
    "FP8_E5M2": (lambda c: c & 0x7f > 0x7c, 0x7e), "FP8_E5M2FNUZ": (lambda c: c == 0x80, 0x80),
    "FP8_E8M0": (lambda c: c == 0xff, 0xff),
}
# Types of which there are too many codes: the ends of their ranges, and what is hard to write or read.
HARD = {
    "INT32": struct.pack("<4i", -2**31, 2**31 - 1, -1, 0), "UINT32": struct.pack("<2I", 2**32 - 1, 0),
    "INT64": struct.pack("<5q", -2**63, 2**63 - 1, 2**53 + 1, -1, 0), "UINT64": struct.pack("<3Q", 2**64 - 1, 2**63, 0),
    "FP32": struct.pack("<9f", 0.1, -0.0, 1e-45, 1.17549435e-38, 3.40282347e38, 16777216, 8.5, 9.5367e-07,
                        float("-inf")) + struct.pack("<I", 0x7fc00000),
    "FP64": struct.pack("<9d", 0.1, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2**53 - 1, 1 / 3, 1e23,
                        float("inf")) + struct.pack("<Q", 0x7ff8 << 48),
}
HARD["COMPLEX64"], HARD["COMPLEX128"] = HARD["FP32"], HARD["FP64"]


def codes(datatype):
    """Bytes with every code of a type once, in order; those of less than 8 bits as they are packed."""
    bits = TYPES[datatype][1]
    if datatype in HARD:
        return HARD[datatype]
    if bits < 8:
        return b"\x10\x32\x54\x76\x98\xba\xdc\xfe" if bits == 4 else b"\xe4"
    is_nan, the_nan = NANS.get(datatype, (lambda code: False, None))
    kept = [code for code in range(2 if datatype == "BOOL" else 1 << bits) if code == the_nan or not is_nan(code)]
    return struct.pack("<%d%s" % (len(kept), "B" if bits == 8 else "H"), *kept)


@test(rows=[(datatype, datatype) for datatype in TYPES if datatype != "BYTES"], limit=60)
def carries_every_code(server, datatype):
    content = codes(datatype)
    count = len(content) * 8 // TYPES[datatype][1]
    with tempfile.TemporaryDirectory() as folder:
        unsqueeze_case(folder, datatype, [count], content, [2, -3], [1, count, 1])
        summary(conform(server, "all", folder), "4 passed, 0 failed, 0 skipped")


@test
def carries_strings(server):
    values = [b"", b"\0", b"a\"\\/\b\f\n\r\t\x1f\x7f", "\u00e9\u20ac\U0001f600\ufffe\u2028".encode(), b"x" * 100000]
    with tempfile.TemporaryDirectory() as folder:
        write_case(folder, model([node("Expand", ["x", "s"])], ["x", "s"], 13),
                   [strings(values, [5, 1]), int64s([1, 2])], strings([v for v in values for _ in "ab"], [5, 2]))
        summary(conform(server, "all", folder), "4 passed, 0 failed, 0 skipped")


@test
def carries_strings_that_are_no_text(server):
    values = [b"\xff", b"\xc0\x80", b"\xed\xa0\x80"]
    with tempfile.TemporaryDirectory() as folder:
        write_case(folder, model([node("Expand", ["x", "s"])], ["x", "s"], 8),
                   [strings(values, [3]), int64s([1])], strings(values, [3]))
        summary(conform(server, "all", folder), "3 passed, 0 failed, 1 skipped")


@test
def is_told_what_the_server_refuses(server):
    with tempfile.TemporaryDirectory() as folder:
        write_case(folder, model([node("Expand", ["x", "s"])], ["x", "s"], 13),
                   [tensor("FP8_E5M2", [1], b"\0"), int64s([1])], tensor("FP8_E5M2", [1], b"\0"))
        run = conform(server, "all", folder)
    equal((run.status, run.lines[-1]), (1, "0 passed, 4 failed, 0 skipped"))
    equal(run.out.count("status 400: "), 4)


main(relay=True)
