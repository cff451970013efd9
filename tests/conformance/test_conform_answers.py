"""shaped-conform against servers that are right, and against servers that are wrong in one point each: every wrong answer
must be told as failed, with the reason."""
import json
import struct

from fake import DATA, RIGHT, SHAPE, Answer, binary, document, failed, floats, json_answer, main, passed
from harness import test
from onnx_files import int64s, model, node, strings, tensor, unsqueeze_case, write_case


def text_answer(text):
    """A JSON answer whose data is this text."""
    whole = json.dumps(document("DATATYPE", [1, 1], data="DATA"))
    return Answer(whole.replace('"DATA"', text).encode())


WRONG = [
    ("a value", "binary", binary("FP32", SHAPE, floats(1, 2, 3.5, 4)),
     "at [0,1,0]: expected 3 (bits 40400000), got 3.5 (bits 40600000); 1 of 4 elements differ"),
    ("several values", "binary", binary("FP32", SHAPE, floats(1, 0, 0, 0)), "at [0,0,1]: expected 2"),
    ("the last value", "binary", binary("FP32", SHAPE, floats(1, 2, 3, -4)), "at [0,1,1]: expected 4"),
    ("the shape", "binary", binary("FP32", [2, 2, 1], DATA), "expected shape [1,2,2], got [2,2,1]"),
    ("the rank", "binary", binary("FP32", [2, 2], DATA), "expected shape [1,2,2], got [2,2]"),
    ("the type", "binary", binary("INT32", SHAPE, DATA), "expected type FP32, got INT32"),
    ("an unknown type", "binary", binary("FP33", SHAPE, DATA), "no known datatype"),
    ("a negative size", "binary", binary("FP32", [-1, 2, 2], DATA), "is no shape"),
    ("sizes that overflow", "binary", binary("FP32", [1 << 62, 2, 2], DATA), "is no shape"),
    ("a size beyond 64 bits", "binary", binary("FP32", [1 << 64, 2, 2], DATA), "no JSON document of the protocol"),
    ("the name", "binary", binary("FP32", SHAPE, DATA, name="output"), "expected output expanded, got output"),
    ("the blob is short", "binary", binary("FP32", SHAPE, DATA[:-1]), "15 bytes of data, the shape needs 16"),
    ("the blob is long", "binary", binary("FP32", SHAPE, DATA + b"\0"), "17 bytes of data"),
    ("binary_data_size lies", "binary", binary("FP32", SHAPE, DATA, size=12), "binary_data_size is 12, but 16 bytes"),
    ("no header", "binary", Answer(RIGHT.body), "Inference-Header-Content-Length is missing"),
    ("the header is beyond the body", "binary", binary("FP32", SHAPE, DATA, head=10000), "is not within the body"),
    ("the header is no number", "binary", binary("FP32", SHAPE, DATA, head="12abc"), "Inference-Header-Content-Length"),
    ("JSON was not asked for", "binary", json_answer("FP32", [1, 2, 3, 4]), "Inference-Header-Content-Length"),
    ("no outputs", "binary", Answer({"outputs": []}, headers={"Inference-Header-Content-Length": "15"}),
     "expected one output, got 0"),
    ("a refusal", "json", Answer({"error": "axes is too \"large\""}, 400), 'status 400: axes is too "large"'),
    ("an error page", "json", Answer(b"<html>no</html>", 502), "status 502: <html>no</html>"),
    ("success with an error page", "json", Answer(b"<html>no</html>"), "no JSON document of the protocol: <html>"),
    ("no answer", "json", None, "no answer: "),
    ("two outputs", "json", Answer({"outputs": document("FP32", SHAPE, data=[1, 2, 3, 4])["outputs"] * 2}),
     "expected one output, got 2"),
    ("no data", "json", Answer(document("FP32", SHAPE)), "the output has no data"),
    ("data is no array", "json", json_answer("FP32", 1), "data is no JSON array"),
    ("fewer values", "json", json_answer("FP32", [1, 2, 3]), "data has 3 values, its shape says 4"),
    ("more values", "json", json_answer("FP32", [1, 2, 3, 4, 5]), "data has more than the 4 values"),
    ("a string for a number", "json", json_answer("FP32", [1, 2, "3", 4]), "value 2 of data is the string \"3\""),
    ("null for a number", "json", json_answer("FP32", [1, 2, None, 4]), "value 2 of data is null"),
    ("the last bit", "json", json_answer("FP32", [1, 2, 3.0000002, 4]), "got 3.00000024 (bits 40400001)"),
    ("text after the document", "json", Answer(json_answer("FP32", [1, 2, 3, 4]).body + b"}"), "no JSON document"),
    ("text that ends too soon", "json", Answer(json_answer("FP32", [1, 2, 3, 4]).body[:-1]), "no JSON document"),
    ("no TensorProto", "protobuf", Answer(b"\xff\xff\xff"), "not a TensorProto"),
    ("an empty body", "protobuf", Answer(b""), "unknown type 0"),
    ("raw_data is short", "protobuf", Answer(tensor("FP32", SHAPE, DATA[:12])), "raw_data has 12 bytes, the shape needs 16"),
    ("a value in a file", "protobuf", Answer(tensor("FP32", SHAPE, floats(1, 2, 3, 5))), "at [0,1,1]: expected 4"),
    ("the shape of a file", "multipart", Answer(tensor("FP32", [2, 1, 2], DATA)), "expected shape [1,2,2], got [2,1,2]"),
]


@test(rows=WRONG)
def tells_what_is_wrong(codec, answer, wanted):
    failed(answer, codec, wanted)


# One element of each type: (type, bytes wanted, text of a right answer, texts of wrong ones).
NAN64 = struct.pack("<Q", 0x7ff8000000000000)
TEXTS = [
    ("INT64", struct.pack("<q", 2**53 + 1), "9007199254740993", ["9007199254740992", "9007199254740993.0", "9.1e15", "-"]),
    ("INT64", struct.pack("<q", -2**63), "-9223372036854775808", ["-9223372036854775809", "9223372036854775808"]),
    ("UINT64", struct.pack("<Q", 2**64 - 1), "18446744073709551615", ["18446744073709551616", "-1", "1.8446744073709552e19"]),
    ("INT8", b"\x80", "-128", ["128", "-129", "01"]),
    ("INT4", b"\x08", "-8", ["8", "-9", "7"]),
    ("UINT2", b"\x03", "3", ["4", "-1", "03", "+3"]),
    ("BOOL", b"\x01", "true", ["false", "2", '"true"']),
    ("FP32", floats(0.1), "0.1", ["0.10000001", "NaN", '"nan"', ".1", "1.", "0x1", "1e39"]),
    ("FP32", struct.pack("<I", 0x3f800001), "1.000000059604644775390625001", ["1.000000059604644775390624999"]),
    ("FP32", floats(-0.0), "-0.0", ["0", "0.0"]),
    ("FP32", floats(float("inf")), '"Infinity"', ["Infinity", '"-Infinity"', '"inf"', "1e999"]),
    ("FP64", NAN64, '"NaN"', ["NaN", '"nan"', '"-Infinity"']),
    ("FP64", struct.pack("<d", 0.1), "0.1", ["0.10000000000000002", "1e400"]),
    ("FP16", struct.pack("<e", 65504), "65500", ["65520", "65472", '"Infinity"']),
    ("BF16", b"\x7f\x7f", "3.39e38", ["3.4e38", "1e40"]),
    ("FP8_E4M3FN", b"\x7e", "448", ["416", "480", '"Infinity"']),
    ("FP8_E4M3FN", b"\x7f", '"NaN"', ["448"]),
    ("FP8_E4M3FNUZ", b"\x80", '"NaN"', ["0"]),
    ("FP8_E5M2", b"\xfc", '"-Infinity"', ['"Infinity"', "-57344"]),
    ("FP8_E5M2FNUZ", b"\x01", "7.63e-06", ["0", "1.6e-05"]),
    ("FP8_E8M0", b"\x00", "5.877472e-39", ["0", "1.1754944e-38", "-5.877472e-39"]),
    ("FP4_E2M1", b"\x0f", "-6", ["-4", "6", "-8", '"NaN"']),
    ("COMPLEX64", floats(1, -2), "1,-2", ["1,2", "-2,1", "1", "1 -2", ",1,-2", "1,-2,"]),
    ("BYTES", b"a\"\0\xc3\xa9", '"a\\"\\u0000\\u00e9"', ['"a\\"\\u0000e"', '"a"', "1", '"\\ud800"', '"\x01"']),
    ("BYTES", "\U0001f600".encode(), '"\\uD83D\\uDE00"', ['"\\uDE00\\uD83D"', '"\\uD83D"', '"\\uD83DDE00"']),
]


def one_element(datatype, content):
    def write_it(folder):
        if datatype == "BYTES":
            write_case(folder, model([node("Unsqueeze", ["x", "axes"])], ["x", "axes"], 25),
                       [strings([content], [1]), int64s([0])], strings([content], [1, 1]))
        else:
            unsqueeze_case(folder, datatype, [1], content, [0], [1, 1])
    return write_it


def value_answer(datatype, text):
    return Answer(text_answer("[%s]" % text).body.replace(b"DATATYPE", datatype.encode()))


@test(rows=[("%s %s" % (t, text), t, content, text) for t, content, text, _ in TEXTS])
def reads_the_text_of_a_value(datatype, content, text):
    passed(value_answer(datatype, text), "json", one_element(datatype, content))


@test(rows=[("%s %s" % (t, text), t, content, text) for t, content, _, texts in TEXTS for text in texts])
def refuses_another_text(datatype, content, text):
    failed(value_answer(datatype, text), "json", "", one_element(datatype, content))


@test(rows=[("a NaN for a NaN", 0x7fc00001, 0x7fc00000), ("0 for -0", 0x80000000, 0), ("-0 for 0", 0, 0x80000000)])
def compares_bits(want, got):
    failed(binary("FP32", [1, 1], struct.pack("<I", got)), "binary", "(bits %08x), got" % want,
           one_element("FP32", struct.pack("<I", want)))


@test
def ignores_padding_but_not_the_last_element():
    def write_it(folder):
        unsqueeze_case(folder, "INT4", [3], b"\x21\x03", [0], [1, 3])
    passed(binary("INT4", [1, 3], b"\x21\xf3"), "binary", write_it)
    failed(binary("INT4", [1, 3], b"\x21\x04"), "binary", "at [0,2]: expected 3 (bits 3), got 4 (bits 4)", write_it)


@test
def takes_nested_and_spaced_json():
    passed(json_answer("FP32", [[[1, 2], [3.0, 4e0]]]), "json")
    passed(Answer(json.dumps(document("FP32", SHAPE, data=[1, 2, 3, 4]), indent=3).encode() + b"\r\n"), "json")


@test
def takes_members_in_any_order():
    passed(Answer({"x": [{"y": "\\"}, None], "outputs": [{"data": [1, 2, 3, 4], "shape": SHAPE, "extra": {"a": []},
                                                        "datatype": "FP32", "name": "expanded"}], "id": "7"}), "json")


@test(rows=[("short", b"\x02\0\0\0a"), ("long", b"\x01\0\0\0ab"), ("lying", b"\xff\xff\xff\xff"), ("no length", b"\x01\0")])
def reads_no_string_beyond_its_blob(blob):
    failed(binary("BYTES", [1, 1], blob), "binary", "element 0" if blob[0] != 1 or len(blob) < 4 else "1 bytes follow",
           one_element("BYTES", b"a"))


@test
def survives_deep_nesting():
    failed(Answer(b'{"a":' + b"[" * 1000000), "json", "no JSON document")
    failed(json_answer("FP32", json.loads("[" * 90 + "]" * 90)), "json", "nested too deeply")


if __name__ == "__main__":
    main()
