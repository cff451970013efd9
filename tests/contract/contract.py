"""The contract as the tests see it: references resolved, operations found by what a client sends.

    contract = Contract(server.request("GET", "/openapi.json").json())
    operation = contract.find("POST", "/v2/models/expand/infer?x=1")
    operation.response(400).content["application/json"]["examples"]

Standard library only. Paths may name a model that the code's routes leave open ({model}); the rest is as it is there.
"""
import os
import re
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "http"))

METHODS = ("get", "post")


def source(*names):
    """The text of a file of the project."""
    with open(os.path.join(TOP, *names), encoding="utf-8") as f:
        return f.read()


def sources(folder):
    """The texts of all C files of a folder."""
    return "".join(source(folder, name) for name in sorted(os.listdir(os.path.join(TOP, folder)))
                   if name.endswith((".c", ".h")))


class Contract:
    def __init__(self, document):
        self.document = document
        self.operations = [Operation(self, path, method) for path, item in document["paths"].items()
                           for method in METHODS if method in item]

    def resolve(self, value):
        """What a value refers to, with the members that stand beside $ref."""
        while isinstance(value, dict) and "$ref" in value:
            target = self.document
            for name in value["$ref"][2:].split("/"):
                target = target[name.replace("~1", "/").replace("~0", "~")]
            value = {**target, **{k: v for k, v in value.items() if k != "$ref"}}
        return value

    def schema(self, name):
        return self.document["components"]["schemas"][name]

    def find(self, method, target):
        """The operation of a request, or None: no such path or method."""
        segments = path_of(target)
        return next((o for o in self.operations if o.takes(method, segments)), None)

    def elsewhere(self, status):
        """The answer to what no operation takes, or None."""
        found = self.document["x-elsewhere"].get(str(status))
        return Response(self, found) if found else None

    def everywhere(self, what):
        """The parameters, or headers of answers, that are not of an operation."""
        return self.document["x-everywhere"][what]

    def walk(self, schema, seen=None):
        """All schemas that a schema is made of, itself included, each once."""
        seen = [] if seen is None else seen
        schema = self.resolve(schema)
        if isinstance(schema, dict) and schema not in seen:
            seen.append(schema)
            parts = list(schema.get("properties", {}).values()) + [schema.get("items")] + schema.get("prefixItems", [])
            for word in ("allOf", "anyOf", "oneOf"):
                parts += schema.get(word, [])
            for part in parts:
                self.walk(part, seen)
        return seen


class Operation:
    def __init__(self, contract, path, method):
        item = contract.document["paths"][path]
        self.contract, self.path, self.method = contract, path, method.upper()
        self.value = item[method]
        self.name = self.value["operationId"]
        self.segments = path_of(path)
        self.parameters = [contract.resolve(p) for p in item.get("parameters", []) + self.value.get("parameters", [])]
        self.body = contract.resolve(self.value.get("requestBody"))

    def takes(self, method, segments):
        """HEAD is answered wherever GET is."""
        return (self.method == method or (self.method == "GET" and method == "HEAD")) and \
            segments is not None and len(segments) == len(self.segments) and \
            all(own == other or (own.startswith("{") and other) for own, other in zip(self.segments, segments)) and \
            (self.fixed(segments) or not any(o.fixed(segments) for o in self.contract.operations))

    def fixed(self, segments):
        return self.segments == segments

    def statuses(self):
        return [int(status) for status in self.value["responses"]]

    def response(self, status):
        """The answer with this status, or None."""
        found = self.value["responses"].get(str(status))
        return Response(self.contract, found) if found else None

    def __repr__(self):
        return "%s %s" % (self.method, self.path)


class Response:
    def __init__(self, contract, value):
        value = contract.resolve(value)
        self.content = value.get("content", {})
        headers = {**contract.everywhere("headers"), **value.get("headers", {})}
        assert all(set(header) == {"$ref"} or "$ref" not in header for header in headers.values()), "nothing counts beside $ref"
        self.headers = {name: contract.resolve(header) for name, header in headers.items()}

    def media(self, content_type):
        """What is said of a media type, parameters of it aside where the contract has none; or None."""
        plain = (content_type or "").split(";")[0].strip()
        return self.content.get(content_type, self.content.get(plain))


def path_of(target):
    """The decoded segments of a target, or None if it is none that a path can be read from. "/v2/" equals "/v2"."""
    path = re.sub("^[A-Za-z]+://[^/?]*", "", target).split("?")[0] or "/"
    if not path.startswith("/") or re.search("%(?![0-9A-Fa-f]{2})|%00|%2[Ff]", path):
        return None
    segments = [urllib.parse.unquote(s, errors="backslashreplace") for s in path[1:].split("/")]
    return segments[:-1] if len(segments) > 1 and segments[-1] == "" else segments
