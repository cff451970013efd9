"""The examples of the contract are true: each request is sent, and its answer is the one that stands there.

Examples of an operation that have the same name belong together. One of an answer alone, where nothing has to be sent, is
of a plain GET; a refused request stands with its answer (x-request). Those of answers that a test cannot cause are few, and
named here.
"""
import base64
import json
import urllib.parse

from contract import Contract

from harness import Server, equal, main, test
from wire import request_bytes, strict_json

# Status and name of examples whose answer a healthy server does not give.
NOT_CAUSED = {(503, "draining")}


def load():
    with Server() as server:
        return Contract(server.request("GET", "/openapi.json").json())


def bytes_of(example):
    return base64.b64decode(example["value"]) if example.get("x-base64") else None


# ---- requests

def form(fields):
    """A body of multipart/form-data with texts, and its media type."""
    parts = ['--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % pair for pair in fields.items()]
    return "".join(parts + ["--x--\r\n"]).encode(), "multipart/form-data; boundary=x"


def encoded(media_type, example):
    """The body of a request, and its Content-Type."""
    if media_type == "multipart/form-data":
        return form(example["value"])
    return bytes_of(example) or json.dumps(example["value"]).encode(), media_type


def text(value):
    return ",".join(str(v) for v in value) if isinstance(value, list) else str(value)


def parameters(operation, place, name):
    """Name and value of the parameters with an example of this name; where one is required, another will do."""
    found = []
    for p in operation.parameters:
        examples = p.get("examples", {})
        if p["in"] == place and (name in examples or p.get("required")):
            found.append((p["name"], text(examples.get(name, next(iter(examples.values())))["value"])))
    return found


def target(operation, name):
    path = operation.path
    for key, value in parameters(operation, "path", name):
        path = path.replace("{%s}" % key, value)
    query = urllib.parse.urlencode(parameters(operation, "query", name))
    return path + ("?" + query if query else "")


def bodies(operation):
    """(name, body, Content-Type) of the examples of requests."""
    found = []
    for media_type, media in (operation.body or {}).get("content", {}).items():
        for name, example in media.get("examples", {}).items():
            found.append((name, *encoded(media_type, example)))
    return found


# ---- answers

def answers(operation):
    """(status, media type, name, example) of the examples of answers."""
    return [(status, media_type, name, example) for status in operation.statuses()
            for media_type, media in operation.response(status).content.items()
            for name, example in media.get("examples", {}).items()]


def check(answer, status, media_type, example):
    equal((answer.status, answer.get("Content-Type")), (status, media_type), "%r" % answer)
    for name, value in example.get("x-headers", {}).items():
        equal(answer.get(name), value, name)
    wanted = bytes_of(example)
    if wanted is None:
        # Texts are compared, so that 1 is not 1.0, and members come in the order that the contract shows.
        equal(json.dumps(strict_json(answer.body)), json.dumps(example["value"]))
    else:
        equal(answer.body, wanted)


CONTRACT = load()
PAIRS, REFUSED, LONELY = [], {}, []


def sort_out(operation):
    """Finds the partner of each example of an operation."""
    requests = {name: (body, content_type) for name, body, content_type in bodies(operation)}
    for status, media_type, name, example in answers(operation):
        title = "%s, %d %s" % (operation, status, name)
        if "x-request" in example:
            REFUSED["%d %s" % (status, name)] = (status, media_type, example)
        elif name in requests or (not (operation.body or {}).get("required") and (status, name) not in NOT_CAUSED):
            body, content_type = requests.pop(name, (None, None))
            PAIRS.append((title, operation, name, body, content_type, status, media_type, example))
        elif (status, name) not in NOT_CAUSED and operation.body is None:
            LONELY.append(title)
    LONELY.extend("%s, request %s" % (operation, name) for name in requests)


for each in CONTRACT.operations:
    sort_out(each)
for elsewhere in CONTRACT.document["x-elsewhere"]:
    for kind, media in CONTRACT.elsewhere(elsewhere).content.items():
        for key, value in media.get("examples", {}).items():
            REFUSED["%s %s" % (elsewhere, key)] = (int(elsewhere), kind, value)


@test(rows=PAIRS)
def gives(server, operation, name, body, content_type, status, media_type, example):
    headers = parameters(operation, "header", name)
    if content_type:
        headers.append(("Content-Type", content_type))
    if media_type == "application/json" and content_type and content_type != media_type:
        headers.append(("Accept", media_type))
    check(server.request(operation.method, target(operation, name), body, headers), status, media_type, example)


@test(rows=[(title, *row) for title, row in REFUSED.items()])
def refuses(server, status, media_type, example):
    request = example["x-request"]
    body = request.get("body")
    if body is not None:
        body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    with server.connect() as connection:
        connection.send(request_bytes(request["method"], request["path"], request.get("headers", {}), body))
        check(connection.response(), status, media_type, example)


@test
def every_request_has_an_answer(server):
    equal(LONELY, [])


@test
def every_code_of_a_client_is_shown(server):
    shown = {example["value"]["code"] for _, _, example in REFUSED.values()}
    codes = CONTRACT.schema("Problem")["properties"]["code"]["enum"]
    equal(sorted(set(codes) - shown), ["draining", "head_too_large", "internal", "out_of_memory", "overloaded", "timeout",
                                       "unauthorized"])


@test
def every_operator_is_shown_in_every_form(server):
    for path in ("/v2/models/expand/infer", "/v2/models/unsqueeze/infer"):
        operation = CONTRACT.find("POST", path)
        shown = {content_type.split(";")[0] for _, _, content_type in bodies(operation)}
        equal(sorted(shown), sorted(operation.body["content"]), path)
        equal(sorted({media_type for _, media_type, _, _ in answers(operation) if media_type != "application/json"}),
              sorted(m for m in operation.response(200).content if m != "application/json"), path)


main()
