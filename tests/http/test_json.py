"""JSON bodies: values are exact in both directions, documents are read strictly, what comes back is legal JSON.

Bits are those of the formats (IEEE 754; bfloat16; OCP 8-bit and MX formats), worked out by hand or with exact fractions.
"""
import json
import struct
from fractions import Fraction

from harness import equal, main, test
from tensors import (TYPES, binary_call, call, check_json, check_problem, int64, only_output, path, strings,
                     tensor)
from wire import strict_json


def identity(datatype, shape, data, extra=""):
    """The text of a request that gives its data back: Unsqueeze without axes. `data` is JSON text."""
    return ('{"inputs":[{"name":"data","datatype":"%s","shape":%s,"data":%s},'
            '{"name":"axes","datatype":"INT64","shape":[0],"data":[]}]%s}' % (datatype, shape, data, extra)).encode()


def post(server, body):
    return server.request("POST", path("unsqueeze"), body, {"Content-Type": "application/json"})


def decimal(fraction):
    """The exact decimal text of a binary fraction."""
    power = fraction.denominator.bit_length() - 1
    assert fraction.denominator == 1 << power
    digits = str(abs(fraction.numerator) * 5 ** power).rjust(power + 1, "0")
    return ("-" if fraction < 0 else "") + digits[:len(digits) - power] + "." + (digits[len(digits) - power:] or "0")


ONE = Fraction(1)
FP32_MAX = (2 - ONE / 2**23) * 2**127
FP64_MAX = (2 - ONE / 2**52) * 2**1023
BF16_MAX = (2 - ONE / 2**7) * 2**127


def first_infinite(largest, step):
    """The first value that rounds to infinity: half a step above the largest finite one."""
    return str(int(largest) + step // 2)


READS = [  # type, JSON text of one value, bits
    ("INT64", "1.0", "0000000000000001"),
    ("INT64", "1e2", "0000000000000064"),
    ("INT64", "10E-1", "0000000000000001"),
    ("INT64", "-0", "0000000000000000"),
    ("INT64", "9007199254740993", "0020000000000001"),
    ("INT64", "-9223372036854775808", "8000000000000000"),
    ("INT64", "9223372036854775807.000", "7fffffffffffffff"),
    ("INT64", "0.09223372036854775807e20", "7fffffffffffffff"),
    ("UINT64", "18446744073709551615", "ffffffffffffffff"),
    ("UINT8", "2.55e2", "ff"),
    ("UINT8", "0e999999999999", "00"),
    ("INT8", "-128", "80"),
    ("INT4", "-8", "08"),
    ("UINT2", "3", "03"),
    ("BOOL", "1", "01"),
    ("BOOL", "0", "00"),
    ("BOOL", "true", "01"),
    ("FP32", "16777217", "4b800000"),                                           # ties to even
    ("FP32", "16777219", "4b800002"),
    ("FP32", "0.1", "3dcccccd"),
    ("FP32", "-0.0", "80000000"),
    ("FP32", "-0", "80000000"),
    ("FP32", "-1e-999", "80000000"),
    ("FP32", "1e-45", "00000001"),
    ("FP32", decimal(ONE / 2**150), "00000000"),                                # half of the smallest
    ("FP32", decimal(ONE / 2**150 + ONE / 2**200), "00000001"),
    ("FP32", decimal(1 + ONE / 2**24), "3f800000"),
    ("FP32", decimal(1 + ONE / 2**24 + ONE / 2**60), "3f800001"),               # a tie once rounded to double
    ("FP32", decimal(1 + 3 * ONE / 2**24 - ONE / 2**60), "3f800001"),
    ("FP32", "3.4028235677973362e38", "7f7fffff"),                              # just below the first infinite one
    ("FP32", "\"NaN\"", "7fc00000"),
    ("FP32", "\"Infinity\"", "7f800000"),
    ("FP32", "\"-Infinity\"", "ff800000"),
    ("FP64", "0.1", "3fb999999999999a"),
    ("FP64", "4.9e-324", "0000000000000001"),
    ("FP64", "2.4703282292062327e-324", "0000000000000000"),
    ("FP64", "9007199254740993", "4340000000000000"),
    ("FP64", "9007199254740993.0000000000000000000000000000000001", "4340000000000001"),
    ("FP64", "0." + "0" * 400 + "1e401", "3ff0000000000000"),
    ("FP64", "1.7976931348623157e308", "7fefffffffffffff"),
    ("FP64", "\"NaN\"", "7ff8000000000000"),
    ("FP16", "65519.99", "7bff"),
    ("FP16", "2049", "6800"),
    ("FP16", "2049.0001", "6801"),
    ("FP16", "5.9604644775390625e-8", "0001"),
    ("FP16", "2.98023223876953125e-8", "0000"),
    ("FP16", "\"NaN\"", "7e00"),
    ("FP16", "\"-Infinity\"", "fc00"),
    ("BF16", "257", "4380"),
    ("BF16", "259", "4382"),
    ("BF16", "257.0000001", "4381"),
    ("BF16", decimal(BF16_MAX), "7f7f"),
    ("BF16", "\"NaN\"", "7fc0"),
    ("FP8_E4M3FN", "17", "58"),                                                 # between 16 and 18
    ("FP8_E4M3FN", "19", "5a"),
    ("FP8_E4M3FN", "448", "7e"),
    ("FP8_E4M3FN", "0.001953125", "01"),
    ("FP8_E4M3FN", "\"NaN\"", "7f"),
    ("FP8_E4M3FNUZ", "-0.0", "00"),
    ("FP8_E4M3FNUZ", "240", "7f"),
    ("FP8_E4M3FNUZ", "\"NaN\"", "80"),
    ("FP8_E5M2", "57344", "7b"),
    ("FP8_E5M2", "61439", "7b"),
    ("FP8_E5M2", "\"-Infinity\"", "fc"),
    ("FP8_E5M2FNUZ", "-0", "00"),
    ("FP8_E5M2FNUZ", "\"NaN\"", "80"),
    ("FP8_E8M0", "1", "7f"),
    ("FP8_E8M0", decimal(ONE / 2**127), "00"),
    ("FP8_E8M0", str(2**127), "fe"),
    ("FP8_E8M0", "\"NaN\"", "ff"),
    ("FP4_E2M1", "0.25", "00"),
    ("FP4_E2M1", "0.75", "02"),
    ("FP4_E2M1", "-5", "0e"),
    ("FP4_E2M1", "6", "07"),
]


@test(rows=[("%s %s" % (t, text if len(text) < 40 else text[:37] + "..."), t, text, bits) for t, text, bits in READS])
def reads(server, datatype, text, bits):
    answer = post(server, identity(datatype, "[1]", "[%s]" % text, ',"parameters":{"binary_data_output":true}'))
    equal(only_output(answer)[2][::-1].hex(), bits)


REFUSED = [  # type, JSON text of one value
    ("INT64", "1.5"), ("INT64", "1e-1"), ("INT64", "9223372036854775808"), ("INT64", "-9223372036854775809"),
    ("INT64", "1e19"), ("INT64", "1e400"), ("INT64", "true"), ("INT64", "\"1\""), ("INT64", "null"), ("INT64", "{}"),
    ("UINT64", "18446744073709551616"), ("UINT64", "-1"), ("UINT8", "300"), ("UINT8", "256"), ("INT8", "128"),
    ("INT16", "-32769"), ("INT4", "8"), ("INT4", "-9"), ("UINT4", "16"), ("INT2", "2"), ("UINT2", "4"),
    ("BOOL", "2"), ("BOOL", "-1"), ("BOOL", "0.5"), ("BOOL", "\"true\""), ("BOOL", "null"),
    ("FP32", "true"), ("FP32", "\"1\""), ("FP32", "\"nan\""), ("FP32", "\"inf\""), ("FP32", "\"+Infinity\""),
    ("FP32", "null"), ("FP32", "1e39"), ("FP32", first_infinite(FP32_MAX, 2**104)), ("FP64", "1e309"),
    ("FP64", first_infinite(FP64_MAX, 2**971)), ("FP16", "65520"), ("FP16", "-1e6"), ("BF16", first_infinite(BF16_MAX, 2**120)),
    ("FP8_E4M3FN", "480"), ("FP8_E4M3FN", "\"Infinity\""), ("FP8_E4M3FNUZ", "256"), ("FP8_E4M3FNUZ", "\"Infinity\""),
    ("FP8_E5M2", "61440"), ("FP8_E5M2FNUZ", "\"-Infinity\""), ("FP4_E2M1", "\"NaN\""), ("FP4_E2M1", "\"Infinity\""),
    ("FP4_E2M1", "8"), ("FP8_E8M0", "0"), ("FP8_E8M0", "-1"), ("FP8_E8M0", "\"Infinity\""),
    ("BYTES", "1"), ("BYTES", "null"),
]


@test(rows=[("%s %.40s" % row, *row) for row in REFUSED])
def refuses(server, datatype, text):
    good = {"BYTES": "\"a\"", "BOOL": "true"}.get(datatype, "1")
    answer = post(server, identity(datatype, "[3]", "[%s,%s,%s]" % (good, good, text)))
    check_problem(answer, 400, "invalid_data", "/inputs/0/data/2")


@test(rows=[("\\ud800", r'"\ud800"'), ("\\udc00\\ud800", r'"\udc00\ud800"'), ("\\ud800x", r'"\ud800x"')])
def refuses_half_a_character(server, text):
    answer = post(server, identity("BYTES", "[2]", '["a",%s]' % text))
    check_problem(answer, 400, "malformed_json", "/inputs/0/data/1", ["surrogate"])


PRINTS = [  # type, bits of one element, texts any of which is the shortest that reads back
    ("FP32", "3dcccccd", ["0.1", "1e-01", "1e-1"]),
    ("FP32", "3f800000", ["1", "1.0"]),
    ("FP32", "80000000", ["-0", "-0.0"]),
    ("FP32", "00000001", ["1e-45"]),
    ("FP32", "00800000", ["1.1754944e-38"]),
    ("FP32", "7f7fffff", ["3.4028235e+38", "3.4028235e38"]),
    ("FP32", "4b800000", ["16777216", "16777216.0"]),
    ("FP64", "3fb999999999999a", ["0.1"]),
    ("FP64", "0000000000000001", ["5e-324"]),
    ("FP64", "7fefffffffffffff", ["1.7976931348623157e+308", "1.7976931348623157e308"]),
    ("FP16", "2e66", ["0.1"]),
    ("FP16", "3555", ["0.3333"]),
    ("FP16", "0001", ["6e-08", "6e-8"]),
    ("BF16", "3dcd", ["0.1"]),
    ("FP8_E5M2", "3e", ["1.5"]),
    ("FP4_E2M1", "01", ["0.5"]),
    ("FP32", "7fc00001", ["\"NaN\""]),
    ("FP32", "ff800000", ["\"-Infinity\""]),
    ("FP16", "7c00", ["\"Infinity\""]),
    ("FP8_E4M3FN", "ff", ["\"NaN\""]),
    ("FP8_E4M3FNUZ", "80", ["\"NaN\""]),
    ("FP8_E8M0", "ff", ["\"NaN\""]),
    ("BOOL", "05", ["true"]),
    ("INT64", "0020000000000001", ["9007199254740993"]),
    ("UINT64", "ffffffffffffffff", ["18446744073709551615"]),
]


@test(rows=[("%s %s" % row[:2], *row) for row in PRINTS])
def prints(server, datatype, bits, texts):
    headers, body = binary_call("unsqueeze", datatype, [1], bytes.fromhex(bits)[::-1], [])
    answer = server.request("POST", path("unsqueeze"), body, headers)
    only_output(answer)
    printed = answer.body.decode().partition('"data":[')[2].partition("]")[0]
    assert printed in texts, "%s instead of %s" % (printed, texts)


# ---- strings

@test(rows=[
    ("escapes", r'"\"\\\/\b\f\n\r\t\u0041"', "\"\\/\b\f\n\r\tA"),
    ("a surrogate pair", r'"\ud83d\ude00"', "\U0001f600"),
    ("UTF-8 as it is", '"\u00e9\u20ac\U0001f600"', "\u00e9\u20ac\U0001f600"),
    ("NUL", r'"a\u0000b"', "a\0b"),
    ("DEL", '"\x7f"', "\x7f"),
    ("noncharacters", r'"\ufffe\uffff"', "\ufffe\uffff"),
    ("nothing", '""', ""),
    ("something long", '"%s"' % ("x" * 100000), "x" * 100000),
])
def strings_survive(server, text, value):
    check_json(post(server, identity("BYTES", "[1]", "[%s]" % text)), "expanded", "BYTES", [1], [value])
    answer = post(server, identity("BYTES", "[1]", "[%s]" % text, ',"parameters":{"binary_data_output":true}'))
    equal(only_output(answer)[2], strings(value))


@test
def bytes_that_are_no_text_need_binary(server):
    raw = strings("a", b"\xff\xfe")
    headers, body = binary_call("unsqueeze", "BYTES", [2], raw, [], parameters={"binary_data_output": True})
    equal(only_output(server.request("POST", path("unsqueeze"), body, headers))[2], raw)
    headers, body = binary_call("unsqueeze", "BYTES", [2], raw, [])
    answer = server.request("POST", path("unsqueeze"), body, headers)
    equal((answer.status, answer.json()["code"]), (400, "invalid_data"))
    assert answer.json()["pointer"].startswith("/inputs/0"), answer.json()
    assert "1" in answer.json()["error"] and "binary" in answer.json()["error"], answer.json()


# ---- nesting

@test(rows=[
    ("to the shape", "[2,3]", "[[1,2,3],[4,5,6]]", [2, 3], [1, 2, 3, 4, 5, 6]),
    ("rank 3", "[2,1,2]", "[[[1,2]],[[3,4]]]", [2, 1, 2], [1, 2, 3, 4]),
    ("without elements", "[2,0]", "[[],[]]", [2, 0], []),
    ("without elements, flat", "[2,0]", "[]", [2, 0], []),
    ("with blanks", "[ 2 ]", " [ 1 ,\n\t2 ] ", [2], [1, 2]),
])
def takes_data_nested(server, shape, data, want_shape, want):
    check_json(post(server, identity("INT32", shape, data)), "expanded", "INT32", want_shape, want)


@test(rows=[  # title, shape, data, pointer
    ("too few", "[3]", "[1,2]", "/inputs/0/data"),
    ("too many", "[2]", "[1,2,3]", "/inputs/0/data"),
    ("ragged", "[2,2]", "[[1,2,3],[4]]", "/inputs/0/data/0"),
    ("ragged, right count", "[2,2]", "[[1],[2,3,4]]", "/inputs/0/data/0"),
    ("too deep", "[2]", "[[1],[2]]", "/inputs/0/data"),
    ("not deep enough", "[1,2,1]", "[[1],[2]]", "/inputs/0/data"),
    ("a number among lists", "[2,1]", "[[1],2]", "/inputs/0/data/1"),
    ("a list among numbers", "[2]", "[1,[2]]", "/inputs/0/data/1"),
    ("a wrong element, nested", "[2,1]", "[[1],[1.5]]", "/inputs/0/data/1/0"),
    ("not a list", "[1]", "7", "/inputs/0/data"),
    ("an object", "[1]", "{\"0\":1}", "/inputs/0/data"),
    ("complex, odd", "[1]", "[1]", "/inputs/0/data"),
])
def refuses_data(server, shape, data, pointer):
    answer = post(server, identity("COMPLEX64" if data == "[1]" else "INT32", shape, data))
    equal((answer.status, answer.json()["code"]), (400, "invalid_data"))
    got = answer.json()["pointer"]
    assert got == pointer or got.startswith(pointer + "/"), got


# ---- the document

@test(rows=[
    ("escaped", r'"a\u0041\/\n"'), ("unicode", '"\u00e9\u20ac"'), ("a number in quotes", '"0012"'),
    ("NUL", r'"\u0000"'), ("long", '"%s"' % ("i" * 5000)),
])
def echoes_the_id_byte_for_byte(server, token):
    for form in ("", ',"parameters":{"binary_data_output":true}'):
        answer = post(server, identity("INT8", "[1]", "[1]", form + ',"id":' + token))
        only_output(answer)
        assert ('"id":' + token).encode() in answer.body, answer.body


@test(rows=[("absent", ""), ("null", ',"id":null'), ("empty", ',"id":""')])
def has_no_id_without_one(server, member):
    assert "id" not in only_output(post(server, identity("INT8", "[1]", "[1]", member)))[0]


@test
def answers_with_these_members(server):
    answer = server.request("POST", path("expand", 8), call("expand", "FP32", [1], [1.5], [2], id="x"))
    equal(strict_json(answer.body), {
        "model_name": "expand", "model_version": "8", "id": "x",
        "outputs": [{"name": "output", "datatype": "FP32", "shape": [2], "data": [1.5, 1.5]}]})


@test(rows=[
    ("unknown members", {"foo": {"bar": [1, {"baz": None}]}}),
    ("unknown parameters", {"parameters": {"priority": 1, "timeout": 5, "sequence_id": "x"}}),
    ("outputs empty", {"outputs": []}),
    ("outputs null", {"outputs": None}),
    ("the output named", {"outputs": [{"name": "expanded"}]}),
    ("the output with parameters", {"outputs": [{"name": "expanded", "parameters": {"foo": 1, "binary_data": False}}]}),
])
def takes_a_document_with(server, members):
    answer = server.request("POST", path("unsqueeze"), call("unsqueeze", "INT8", [1], [1], [], **members))
    check_json(answer, "expanded", "INT8", [1], [1])


@test(rows=[("no Content-Type", []), ("curl's default", [("Content-Type", "application/x-www-form-urlencoded")]),
            ("a charset", [("Content-Type", "application/json; charset=utf-8")]),
            ("octet-stream without a header", [("Content-Type", "application/octet-stream")])])
def takes_json_with(server, headers):
    answer = server.request("POST", path("unsqueeze"), identity("INT8", "[1]", "[1]"), headers)
    check_json(answer, "expanded", "INT8", [1], [1])


@test
def data_null_counts_as_absent(server):
    document = call("expand", "INT8", [1], None, [2])
    document["inputs"][0]["parameters"] = {"binary_data_size": 1}
    text = json.dumps(document).encode()
    answer = server.request("POST", path("expand"), text + b"\x07",
                            {"Inference-Header-Content-Length": str(len(text))})
    check_json(answer, "output", "INT8", [2], [7, 7])


@test
def takes_a_large_document(server):
    data = list(range(200000))
    check_json(server.request("POST", path("unsqueeze"), call("unsqueeze", "INT32", [200000], data, [0])),
               "expanded", "INT32", [1, 200000], data)


@test
def takes_floats_of_all_magnitudes(server):
    patterns = [(exponent << 23) | (exponent * 2654435761 & 0x7fffff) for exponent in range(255)]
    raw = struct.pack("<255I", *patterns)
    values = list(struct.unpack("<255f", raw))
    answer = server.request("POST", path("unsqueeze"), call("unsqueeze", "FP32", [255], values, []))
    printed = only_output(answer)[1]["data"]
    equal(struct.pack("<255f", *printed), raw)
    binary = call("unsqueeze", "FP32", [255], printed, [], parameters={"binary_data_output": True})
    equal(only_output(server.request("POST", path("unsqueeze"), binary))[2], raw)


@test(rows=[(t.name, t) for t in TYPES.values()])
def an_empty_tensor_of_any_type(server, t):
    document = {"inputs": [tensor("data", t.name, [0, 3], []), int64("axes", [1])]}
    check_json(server.request("POST", path("unsqueeze"), document), "expanded", t.name, [0, 1, 3], [])


main()
