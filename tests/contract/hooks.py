"""What schemathesis is told of this API (SCHEMATHESIS_HOOKS): how to make its media types, and calls that make sense.

Requests that obey the schema are made to obey what a schema cannot say, too, so that they must be accepted. Of those that break
it, whatever else could be a reason to refuse them is mended, so that they must be refused for that.
"""
import json
import os
import random
import re
import sys

import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("http", "contract"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))
import sense  # noqa: E402
from files import NPY, PROTOBUF, RAW  # noqa: E402
from tensors import TYPES  # noqa: E402

HEAD_LENGTH = "Inference-Header-Content-Length"
FORM = "multipart/form-data"
FILES = (NPY, PROTOBUF, RAW)



@schemathesis.serializer(NPY, PROTOBUF)
def serialize(_, value):
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@schemathesis.deserializer(*FILES, "text/html", "text/css", "text/javascript", "image/svg+xml")
def deserialize(_, response):
    return response.content.decode("latin-1")


def seeded(case):
    """Randomness that comes of what schemathesis has drawn."""
    return random.Random(repr((case.path, case.body, case.query, dict(case.headers), case.path_parameters)))


def negative(case, location):
    info = case.meta.components.get(location)
    return info is not None and info.mode.is_negative


def drop(case, *names):
    for name in names:
        case.headers.pop(name, None)


# ---- requests that must be accepted

def mend_document(case, rng):
    """Puts inputs that fit each other in the place of those that were drawn."""
    body = case.body
    if not isinstance(body, dict):
        return
    parameters = body.get("parameters") or {}
    if "axes" in parameters:
        case.path_parameters["version"] = rng.choice(("1", "11"))
    call = sense.Call(rng, *sense.target(case.path, case.path_parameters))
    symbolic = case.path.endswith("/shape") or parameters.get("dry_run") is True
    inputs = call.symbolic_inputs() if symbolic and rng.random() < 0.6 else call.inputs()
    if "axes" in parameters:
        body["parameters"] = dict(parameters, axes=call.attribute())
        inputs = [i for i in inputs if i["name"] == "data"]
    body["inputs"] = inputs


def mend_file(case, rng):
    call = sense.Call(rng, *sense.target(case.path, case.path_parameters))
    if case.media_type == RAW and rng.random() < 0.5:
        headers, case.body = call.framed()
        case.headers[HEAD_LENGTH] = dict(headers)[HEAD_LENGTH]
        return
    if case.media_type == FORM:
        case.body, query = call.form()
    else:
        case.body, query = call.file(case.media_type)
    case.query.clear()
    case.query.update(query)


def mend(case):
    rng = seeded(case)
    drop(case, HEAD_LENGTH, "Content-Encoding")
    if case.media_type == "application/json":
        mend_document(case, rng)
    else:
        mend_file(case, rng)


# ---- requests that must be refused

def isolate(case):
    """Leaves one fault. The query is for files; the header that tells the length of a document is for documents."""
    rng = seeded(case)
    call = sense.Call(rng, *sense.target(case.path, case.path_parameters))
    if negative(case, ParameterLocation.BODY):
        if not negative(case, ParameterLocation.HEADER):
            drop(case, HEAD_LENGTH, "Content-Encoding")
    elif negative(case, ParameterLocation.QUERY):
        case.media_type, case.body = NPY, call.file(NPY)[0]
        drop(case, HEAD_LENGTH, "Content-Encoding")
    elif negative(case, ParameterLocation.HEADER):
        case.media_type, case.body = "application/json", {"inputs": call.inputs()}


def keep_modes(case):
    """What was drawn to be good, or bad, stays so: schemathesis takes bytes that were put into a request for bad ones."""
    case._sync_validated_hashes()
    case._meta._dirty.clear()


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None:
        return
    positive = case.meta.generation.mode.is_positive
    operator = case.path.endswith(("/infer", "/shape")) and case.body is not NOT_SET
    if operator and positive:
        mend(case)
    elif operator:
        isolate(case)
    elif positive:
        drop(case, "Content-Encoding")  # the body is not compressed
    keep_modes(case)


# ---- what is no failure

def readable(name, value):
    """Whether a parameter of the query is in order as the server gets it: 3 and [3] are the same there."""
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    if name == "datatype":
        return text in TYPES or text in {t.onnx for t in TYPES.values()}
    return name not in ("dims", "shape", "axes") or re.fullmatch("(-?(0|[1-9][0-9]*)(,-?(0|[1-9][0-9]*))*)?", text)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Parameters of the query that are not known are ignored; with documents all are."""
    only_query = not any(negative(case, place) for place in ParameterLocation if place != ParameterLocation.QUERY)
    harmless = case.media_type == "application/json" or all(readable(*pair) for pair in case.query.items())
    return not (isinstance(failure, AcceptedNegativeData) and only_query and harmless)
