"""Whether an answer is one that the contract describes: status, media type, headers, schema. Needs jsonschema-rs.

Schemas of answers are taken as closed: a member that the contract does not know is a fault, though clients may not count on
that.
"""
import json
import zlib

import jsonschema_rs

# What HTTP adds to any answer.
COMMON_HEADERS = {"connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"}

# What is no HTTP, or far too large, the HTTP library answers with a page.
LIBRARY = {400, 413, 414, 431}


class Undocumented(Exception):
    """What the answer has and the contract has not."""


def closed(contract, schema, branch=False):
    """A copy of a schema without references that allows no members that it does not name. A branch of allOf says only a
    part of them, and stays open."""
    schema = contract.resolve(schema)
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    if "properties" in schema:
        made["properties"] = {name: closed(contract, part) for name, part in schema["properties"].items()}
    if isinstance(schema.get("items"), dict):
        made["items"] = closed(contract, schema["items"])
    for word in ("allOf", "anyOf", "oneOf"):
        if word in schema:
            made[word] = [closed(contract, part, branch or word == "allOf" or "properties" in schema)
                          for part in schema[word]]
    if not branch and ("properties" in made or "allOf" in made) and "additionalProperties" not in made:
        made["unevaluatedProperties"] = False
    return made


def decoded(headers, body):
    """A body without its content coding."""
    coding = headers.get("content-encoding")
    if coding is None:
        return body
    return zlib.decompress(body, wbits=31 if coding == "gzip" else 15)


class Validator:
    def __init__(self, contract):
        self.contract, self.validators = contract, {}

    def check(self, schema, value, what):
        key = json.dumps(schema, sort_keys=True)
        if key not in self.validators:
            self.validators[key] = jsonschema_rs.Draft202012Validator(closed(self.contract, schema))
        for error in self.validators[key].iter_errors(value):
            raise Undocumented("%s: %s at %s" % (what, str(error.message)[:500], "/".join(map(str, error.instance_path))))

    def response(self, method, target, status):
        """(operation or None, what the contract says of the answer)."""
        operation = self.contract.find(method, target)
        found = operation.response(status) if operation else None
        if found is None and (operation is None or status in (401, 405)):
            found = self.contract.elsewhere(status)
        if found is None and operation is None:  # a message that cannot be read has no operation
            found = next(o.response(status) for o in self.contract.operations if o.path == "/v2")
        if found is None:
            raise Undocumented("%s has no answer %d" % (operation or "a path that is not there", status))
        return operation, found

    def headers(self, response, headers):
        for name, header in response.headers.items():
            value = headers.get(name.lower())
            if value is None and header.get("required"):
                raise Undocumented("the header %s is missing" % name)
            if value is not None:
                schema = self.contract.resolve(header["schema"])
                self.check(schema, int(value) if schema.get("type") == "integer" else value, "header " + name)
        unknown = set(headers) - {name.lower() for name in response.headers} - COMMON_HEADERS
        if unknown:
            raise Undocumented("headers that are not there: %s" % sorted(unknown))

    def body(self, media_type, content, headers, body):
        """One body, and the document before a binary output."""
        head = headers.get("inference-header-content-length")
        if media_type == "application/json":
            self.check(content[media_type]["schema"], json.loads(body), "body")
        elif head is not None:
            document = json.loads(body[:int(head)])
            self.check(content["application/json"]["schema"], document, "document before the bytes")
            size = sum(o.get("parameters", {}).get("binary_data_size", 0) for o in document["outputs"])
            if size != len(body) - int(head):
                raise Undocumented("%d bytes follow the document, which tells %d" % (len(body) - int(head), size))
        elif media_type.startswith("text/"):
            self.check(content[media_type]["schema"], body.decode(), "body")

    def answer(self, method, target, status, pairs, body):
        """Raises Undocumented; returns the operation and the media type. `pairs` are the headers, body may be None: not
        known. Several lines of a header are one list."""
        if status in LIBRARY and (body or b"").startswith(b"<html>"):
            return None, None
        operation, response = self.response(method, target, status)
        headers = {}
        for name, value in pairs:
            headers[name.lower()] = ", ".join(filter(None, [headers.get(name.lower()), value]))
        content_type = headers.get("content-type")
        media = response.media(content_type)
        if media is None and (response.content or content_type):
            raise Undocumented("%s %d has no media type %s" % (operation or target, status, content_type))
        media_type = next((t for t, m in response.content.items() if m is media), None)
        self.headers(response, headers)
        if media_type and body is not None and method != "HEAD":
            self.body(media_type, response.content, headers, decoded(headers, body))
        return operation, media_type
