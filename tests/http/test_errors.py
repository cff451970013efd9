"""Every kind of error: a status of the 4xx kind, a stable code, a pointer to the member, a sentence that says what to do."""
import json

from harness import Server, equal, main, memory_counts, test
from tensors import binary_call, call, check_json, check_problem, int64, path, strings, tensor

INPUT = {"name": "input", "datatype": "INT8", "shape": [1], "data": [1]}
SHAPE = {"name": "shape", "datatype": "INT64", "shape": [1], "data": [2]}


def document(first=INPUT, second=SHAPE, **members):
    return dict({"inputs": [first, second]}, **members)


def but(tensor_, **members):
    """The tensor with other members; None takes one away."""
    changed = dict(tensor_, **members)
    return {name: value for name, value in changed.items() if value is not None}


def post(server, body):
    return server.request("POST", path("expand"), body, {"Content-Type": "application/json"})


GOOD = json.dumps(document()).encode()

NOT_JSON = [
    ("nothing", b""), ("blanks", b" \n\t"), ("cut", GOOD[:-1]), ("more than one", GOOD + b"{}"), ("a bare word", b"hello"),
    ("a comma too many", b'{"inputs":[],}'), ("a comma too few", b'{"inputs":[] "id":"x"}'), ("no colon", b'{"inputs" []}'),
    ("single quotes", b"{'inputs':[]}"), ("a comment", b"{/* */}"), ("bare NaN", GOOD.replace(b"[1]}", b"[NaN]}")),
    ("a leading zero", GOOD.replace(b"[2]}", b"[02]}")), ("a plus sign", GOOD.replace(b"[2]}", b"[+2]}")),
    ("a lone minus", GOOD.replace(b"[2]}", b"[-]}")), ("a point without digits", GOOD.replace(b"[2]}", b"[2.]}")),
    ("an exponent without digits", GOOD.replace(b"[2]}", b"[2e]}")), ("hex", GOOD.replace(b"[2]}", b"[0x2]}")),
    ("control character in a string", b'{"id":"a\nb"}'), ("unknown escape", rb'{"id":"\x"}'),
    ("cut \\u", rb'{"id":"\u12"}'), ("overlong UTF-8", b'{"id":"\xc0\xaf"}'), ("surrogate in UTF-8", b'{"id":"\xed\xa0\x80"}'),
    ("cut UTF-8", b'{"id":"\xe2\x82"}'), ("NUL", GOOD + b"\0"), ("a byte order mark", b"\xef\xbb\xbf" + GOOD),
    ("True", b'{"parameters":{"a":True}}'), ("a colon for a comma", b'{"x":[1:2]}'), ("only brackets", b"[" * 50),
]


@test(rows=NOT_JSON)
def refuses_what_is_no_json(server, body):
    answer = post(server, body)
    equal((answer.status, answer.json()["code"]), (400, "malformed_json"), "%r" % answer)


NPY = b"\x93NUMPY\x01\x00\x0a\x00"
JSON, OCTETS = "application/json", "application/octet-stream"
FORM = "application/x-www-form-urlencoded"  # what curl --data-binary says


# The text of such a body ceases to be JSON somewhere, which is not what is wrong with it.
@test(rows=[
    ("nothing", "", JSON, b"", "empty"), ("nothing, with a query", "?shape=2", FORM, b"", "empty"),
    ("a .npy", "?shape=2", FORM, NPY, "Content-Type: application/x-npy"),
    ("a .npy called octets", "?shape=2", OCTETS, NPY, "Content-Type: application/x-npy"),
    ("a .npz", "", FORM, b"PK\x03\x04xyz", ".npz"),
    ("gzip", "", JSON, b"\x1f\x8b\x08", "Content-Encoding: gzip"),
    ("a form", "", JSON, b"--b\r\n", "Content-Type: multipart/form-data"),
    ("a byte order mark", "", JSON, b"\xef\xbb\xbf" + GOOD, "byte order mark"),
    ("UTF-16", "", JSON, GOOD.decode().encode("utf-16"), "UTF-8"),
    ("big-endian UTF-16", "", JSON, b"\xfe\xff\x00{", "UTF-8"),
    ("raw bytes without a Content-Type", "?datatype=FP32&dims=1&shape=2", FORM, b"\0\0\0\0", OCTETS),
    ("raw bytes without a type", "?dims=1&shape=2", OCTETS, b"\0\0\0\0", "?datatype="),
    ("raw bytes without a query", "", OCTETS, b"\0\0\0\0", "?datatype="),
    ("a list beside a query", "?shape=2&datatype=FP32", JSON, b" [1]", "Content-Type"),
    ("a list alone", "", JSON, b" [1]", "must be an object"),
    ("a word beside another query", "?x=y", JSON, b"word", "byte 0"),
])
def says_what_is_no_document(server, query, content_type, body, words):
    answer = server.request("POST", path("expand") + query, body, {"Content-Type": content_type})
    code = "invalid_request" if "object" in words else "malformed_json"
    check_problem(answer, 400, code, "", [words])


@test(rows=[("a no-break space", "\u00a0", "U+00A0"), ("a curly quote", "\u201c", "'\u201c' (U+201C)"), ("a letter", "x", "'x'"),
            ("an emoji", "\U0001f600", "U+1F600")])
def tells_characters_that_look_like_others(server, character, words):
    check_problem(post(server, ("{%s" % character).encode()), 400, "malformed_json", "", [words])


@test(rows=[("an array", b"[]"), ("a string", b'"inputs"'), ("null", b"null"), ("a number", b"7")])
def refuses_a_document_that_is(server, body):
    check_problem(post(server, body), 400, "invalid_request", "")


REFUSED = [  # title, document, code, pointer, words
    ("no inputs", {}, "invalid_request", "", ["inputs"]),
    ("inputs null", {"inputs": None}, "invalid_request", "/inputs", ["inputs"]),
    ("inputs no list", {"inputs": {}}, "invalid_request", "/inputs", []),
    ("inputs empty", {"inputs": []}, "invalid_request", "/inputs", ["input"]),
    ("an input missing", {"inputs": [INPUT]}, "invalid_request", "/inputs", ["shape"]),
    ("an input that is no object", {"inputs": [INPUT, 7]}, "invalid_request", "/inputs/1", ["inputs/1 must be an object"]),
    ("an output that is no object", document(outputs=["output"]), "invalid_request", "/outputs/0",
     ["outputs/0 must be an object"]),
    ("an input without name", document(but(INPUT, name=None)), "invalid_request", "/inputs/0", ["name"]),
    ("a name that is no string", document(but(INPUT, name=7)), "invalid_request", "/inputs/0/name", ["name"]),
    ("an unknown input", {"inputs": [INPUT, SHAPE, but(SHAPE, name="axes")]}, "unknown_name", "/inputs/2/name",
     ["axes", "input", "shape"]),
    ("a name in another case", document(but(INPUT, name="Input")), "unknown_name", "/inputs/0/name", ["Input"]),
    ("an input twice", {"inputs": [INPUT, SHAPE, INPUT]}, "invalid_request", "/inputs/2/name", ["input"]),
    ("no datatype", document(but(INPUT, datatype=None)), "invalid_request", "/inputs/0", ["datatype"]),
    ("a datatype that is no string", document(but(INPUT, datatype=1)), "invalid_request", "/inputs/0/datatype", []),
    ("an unknown datatype", document(but(INPUT, datatype="FLOAT8")), "unsupported_datatype", "/inputs/0/datatype",
     ["FLOAT8"]),
    ("no shape", document(but(INPUT, shape=None)), "invalid_request", "/inputs/0", ["shape"]),
    ("a shape that is no list", document(but(INPUT, shape=1)), "invalid_request", "/inputs/0/shape", []),
    ("a negative size", document(but(INPUT, shape=[-1])), "invalid_shape", "/inputs/0/shape/0", ["from 0"]),
    ("a fractional size", document(but(INPUT, shape=[1.5])), "invalid_shape", "/inputs/0/shape/0", []),
    ("a size beyond 64 bits", document(but(INPUT, shape=[1, 2**63])), "invalid_shape", "/inputs/0/shape/1", []),
    ("a size in quotes", document(but(INPUT, shape=["1"])), "invalid_shape", "/inputs/0/shape/0", []),
    ("sizes that overflow", document(but(INPUT, shape=[2**40, 2**40])), "invalid_shape", "/inputs/0/shape", []),
    ("rank 65", document(but(INPUT, shape=[1] * 65)), "invalid_shape", "/inputs/0/shape", ["64"]),
    ("no data", document(but(INPUT, data=None)), "invalid_request", "/inputs/0", ["data"]),
    ("data null", document(dict(INPUT, data=None)), "invalid_request", "/inputs/0", ["data"]),
    ("data of a huge shape", document(but(INPUT, shape=[2**50])), "invalid_data", "/inputs/0/data", []),
    ("outputs no list", document(outputs={}), "invalid_request", "/outputs", []),
    ("an output that is no object", document(outputs=["output"]), "invalid_request", "/outputs/0", []),
    ("an output without name", document(outputs=[{}]), "invalid_request", "/outputs/0", ["name"]),
    ("an unknown output", document(outputs=[{"name": "y"}]), "unknown_name", "/outputs/0/name", ["y", "output"]),
    ("an output twice", document(outputs=[{"name": "output"}, {"name": "output"}]), "invalid_request",
     "/outputs/1/name", ["output"]),
    ("parameters no object", document(parameters=[]), "invalid_request", "/parameters", []),
    ("an id that is no string", document(id=7), "invalid_request", "/id", ["id"]),
    ("binary_data_output no boolean", document(parameters={"binary_data_output": "yes"}), "invalid_request",
     "/parameters/binary_data_output", []),
    ("binary_data no boolean", document(outputs=[{"name": "output", "parameters": {"binary_data": 1}}]),
     "invalid_request", "/outputs/0/parameters/binary_data", []),
    ("classification", document(outputs=[{"name": "output", "parameters": {"classification": 3}}]), "not_offered",
     "/outputs/0/parameters/classification", ["classification"]),
    ("a shared memory input", document(dict(but(INPUT, data=None), parameters={"shared_memory_region": "r"})),
     "not_offered", "/inputs/0/parameters/shared_memory_region", ["shared_memory_region"]),
    ("a shared memory output", document(outputs=[{"name": "output", "parameters": {"shared_memory_region": "r"}}]),
     "not_offered", "/outputs/0/parameters/shared_memory_region", ["shared_memory_region"]),
]


@test(rows=REFUSED)
def refuses(server, body, code, pointer, words):
    check_problem(post(server, json.dumps(body).encode()), 400, code, pointer, words)


@test(rows=[  # title, text, what takes its place, pointer to the object
    ("in the document", b'{"inputs"', b'{"id":"a","id":"b","inputs"', ""),
    ("in an input", b'{"name"', b'{"name":"input","name"', "/inputs/0"),
    ("data", b'"data": [1]', b'"data": [1], "data": [1]', "/inputs/0"),
    ("written with an escape", b'{"name"', b'{"n\\u0061me":"input","name"', "/inputs/0"),
])
def refuses_a_member_twice(server, before, after, pointer):
    check_problem(post(server, GOOD.replace(before, after, 1)), 400, "invalid_request", pointer)


@test
def member_names_are_case_sensitive(server):
    check_problem(post(server, GOOD.replace(b'"inputs"', b'"Inputs"')), 400, "invalid_request", "")


@test(rows=[("99 arrays in one object", b"[" * 99 + b"]" * 99)])
def takes_nesting_of_100(server, value):
    body = GOOD[:-1] + b',"x":' + value + b"}"
    equal(post(server, body).status, 200)


@test(rows=[("100 arrays in one object", b"[" * 100 + b"]" * 100), ("100000 arrays", b"[" * 100000 + b"]" * 100000),
            ("100000 objects", b'{"a":' * 100000 + b"1" + b"}" * 100000)])
def refuses_deeper_nesting(server, value):
    answer = post(server, GOOD[:-1] + b',"x":' + value + b"}")
    equal((answer.status, "100" in answer.json()["error"]), (400, True), "%r" % answer)


@test
def what_it_quotes_is_made_printable(server):
    answer = post(server, json.dumps(document(but(INPUT, datatype="\x01\n\u20ac" + "x" * 5000))).encode())
    check_problem(answer, 400, "unsupported_datatype", "/inputs/0/datatype")


# ---- limits

@test
def a_request_over_the_limit(server):
    with Server("--max-request-bytes", "10000") as small:
        body = GOOD + b" " * (10000 - len(GOOD))
        equal(small.request("POST", path("expand"), body).status, 200)
        answer = small.request("POST", path("expand"), body + b" ")
        check_problem(answer, 413, "request_too_large", "", ["10000"])
        check_problem(small.request("POST", path("expand"), b"x" * 5000000), 413, "request_too_large", "", ["10000"])
        equal(small.request("POST", path("expand"), GOOD).status, 200)


@test(rows=[("its own", ["--max-request-bytes", "10000"], "(--max-request-bytes)"),
            ("by the budget", ["--memory-budget", "1M"], "--memory-budget"),
            ("by the budget, whatever is asked for", ["--memory-budget", "1M", "--max-request-bytes", "2G"], "--memory-budget")])
def names_the_option_that_limits_requests(_, options, words):
    with Server(*options) as small:
        answer = small.request("POST", path("expand"), b" " * (1 << 20))
        check_problem(answer, 413, "request_too_large", "", [words])


@test
def an_output_over_the_limit(server):
    with Server("--max-output-bytes", "10000") as small:
        def expand(n):
            return small.request("POST", path("expand"),
                                 call("expand", "INT8", [1], [5], [n], parameters={"binary_data_output": True}))
        equal(len(expand(9000).body) > 9000, True)
        check_problem(expand(10001), 413, "output_too_large", "/inputs/1", ["shape", "10000"])
        check_problem(small.request("POST", path("expand"), call("expand", "INT8", [1], [5], [6000])),
                      413, "output_too_large", "/inputs/1", ["shape", "10000"])
        check_json(small.request("POST", path("expand"), call("expand", "INT8", [1], [5], [2])),
                   "output", "INT8", [2], [5, 5])


@test
def a_huge_output_costs_no_memory(server):
    memory_counts()
    before = server.peak_rss()
    for n in (2**33, 2**40, 2**62):
        check_problem(server.request("POST", path("expand"), call("expand", "INT8", [1], [5], [n])),
                      413, "output_too_large", "/inputs/1", ["shape"])
    headers, body = binary_call("expand", "BYTES", [1], strings("x" * 1000), [2**61])
    equal(server.request("POST", path("expand"), body, headers).status, 413)
    assert server.peak_rss() - before < 16 << 20, "%d MiB" % ((server.peak_rss() - before) >> 20)


@test
def an_unsqueeze_over_the_limit_names_the_output(server):
    with Server("--max-output-bytes", "1000") as small:
        answer = small.request("POST", path("unsqueeze"), call("unsqueeze", "INT8", [600], [1] * 600, [0]))
        equal((answer.status, answer.json()["code"]), (413, "output_too_large"))


# ---- bodies that are files

@test(rows=[(t, t) for t in ("multipart/form-data; boundary=x", "application/x-npy", "application/x-protobuf")])
def refuses_a_file_that_is_none(server, content_type):
    answer = server.request("POST", path("expand"), b"x", {"Content-Type": content_type})
    equal(answer.status in (400, 415), True, "%r" % answer)
    assert answer.json()["error"]


@test
def goes_on_after_all_this(server):
    document_ = {"inputs": [tensor("input", "INT8", [1], [1]), int64("shape", [2])]}
    check_json(server.request("POST", path("expand"), document_), "output", "INT8", [2], [1, 1])


main()
