"""All the ways to send a case and to get its answer, each chosen at random."""
import gzip
import json
import urllib.parse
import zlib

from arrays import TYPES, from_raw, to_raw, type_of
from cases import NAMES
from client import read_binary
from tensorfiles import (from_json, from_npy, from_protobuf, int64s, nested, npy_ambiguous, to_json, to_npy,
                         to_protobuf, to_text)

NPY, PROTOBUF, RAW, JSON = ("application/x-npy", "application/x-protobuf", "application/octet-stream", "application/json")
ENDINGS = {NPY: ".npy", PROTOBUF: ".pb", RAW: ".bin", JSON: ".json"}


class Form:
    """How one case travels. What it needs of the data is known before there is any."""

    def __init__(self, case):
        rng = case.random
        self.case = case
        self.send = rng.choice([send_document, send_document, send_body, send_parts])
        self.file = rng.choice([NPY, PROTOBUF, RAW, JSON] if self.send is send_parts else [NPY, PROTOBUF, RAW])
        self.binary_in = rng.random() < 0.5
        self.accept = rng.choice([None, None, NPY, PROTOBUF] if self.send is send_document else [None, NPY, PROTOBUF, RAW, JSON])
        self.binary_out = self.accept is None and rng.random() < 0.5
        self.query = []

    def is_text(self):
        """JSON or .npy carries the data, which cannot be of just any bits."""
        if self.send is send_document:
            return not self.binary_in or not self.binary_out
        return JSON in (self.file, self.accept) or (NPY in (self.file, self.accept) and self.case.kind.name == "BYTES")

    def request(self):
        """(path, body, headers)."""
        case, rng = self.case, self.case.random
        headers = {"Accept": self.accept} if self.accept else {}
        body = self.send(self, headers)
        if rng.random() < 0.1:
            headers["Content-Encoding"], body = rng.choice([("gzip", gzip.compress(body, 1)), ("deflate", zlib.compress(body))])
        if rng.random() < 0.1:
            headers["Accept-Encoding"] = rng.choice(["gzip", "deflate", "gzip;q=0.5, identity;q=0.1"])
        query = urllib.parse.urlencode(self.query, safe="," if rng.random() < 0.8 else "")
        return "/v2/models/%s/versions/%d/infer%s" % (case.op, case.version, "?" + query if query else ""), body, headers

    def __str__(self):
        sent = self.send.__name__[5:]
        how = ("binary" if self.binary_in else "json") if self.send is send_document else ENDINGS[self.file]
        back = ENDINGS[self.accept] if self.accept else "binary" if self.binary_out else "the default"
        return "%s %s, asking for %s" % (sent, how, back)


# ---- requests ------------------------------------------------------------------------------------------------------

def old_attribute(form):
    """Unsqueeze 1 and 11 may have axes as a parameter."""
    return form.case.op == "unsqueeze" and form.case.version < 13 and form.case.random.random() < 0.5


def numbers(values):
    return ",".join(str(n) for n in values)


def send_document(form, headers):
    """The Open Inference Protocol: each input as JSON or as a blob."""
    case, rng = form.case, form.case.random
    data, small, output = NAMES[case.op]
    parameters, entries, blobs = {}, [entry(data, case.data, form.binary_in, rng)], []
    if old_attribute(form):
        parameters["axes"] = case.small[0] if len(case.small) == 1 and rng.random() < 0.5 else numbers(case.small)
    else:
        entries.append(entry(small, small_array(case), rng.random() < 0.5, rng))
    blobs = [blob for _, blob in entries if blob is not None]
    document = {"inputs": [member for member, _ in entries]}
    if form.accept is None:
        ask_binary(form, document, parameters, output)
    if parameters:
        document["parameters"] = parameters
    head = json.dumps(document).encode()
    if blobs:
        headers["Inference-Header-Content-Length"] = str(len(head))
        headers["Content-Type"] = RAW
    return head + b"".join(blobs)


def small_array(case):
    """One axis may come without a dimension."""
    scalar = case.op == "unsqueeze" and len(case.small) == 1 and case.random.random() < 0.2
    return int64s(case.small[0] if scalar else case.small)


def entry(name, array, binary, rng):
    """(member of "inputs", blob or None)."""
    member = {"name": name, "datatype": type_of(array).name, "shape": list(array.shape)}
    if binary:
        blob = to_raw(array)
        return dict(member, parameters={"binary_data_size": len(blob)}), blob
    values = to_json(array)
    flat = rng.random() < 0.5 or type_of(array).name.startswith("COMPLEX") or not array.shape
    return dict(member, data=values if flat else nested(values, array.shape)), None


def ask_binary(form, document, parameters, output):
    if form.case.random.random() < 0.5:
        document["outputs"] = [{"name": output, "parameters": {"binary_data": form.binary_out}}]
    elif form.binary_out:
        parameters["binary_data_output"] = True


def send_body(form, headers):
    """The data as the whole body, the small input in the query."""
    case = form.case
    headers["Content-Type"] = form.file
    form.query.append((NAMES[case.op][1], numbers(case.small)))
    return tell(form, file_of(case.data, form.file, case.random))


def file_of(array, kind, rng):
    if kind == NPY:
        return to_npy(array, rng)
    if kind == PROTOBUF:
        return to_protobuf(array, rng.random() < 0.5)
    if kind == RAW:
        return to_raw(array)
    return json.dumps(to_json(array)).encode() if array.shape else json.dumps(to_json(array)[0]).encode()


def tell(form, content):
    """Adds to the query what the file of the data does not tell itself."""
    case = form.case
    if form.file in (RAW, JSON) or (form.file == NPY and npy_ambiguous(case.kind)):
        form.query.append(("datatype", case.kind.name))
    if form.file in (RAW, JSON):
        form.query.append(("dims", numbers(case.shape)))
    return content


def send_parts(form, headers):
    """A form with a file for each input; the small one may be in the query."""
    case, rng = form.case, form.case.random
    data, small, _ = NAMES[case.op]
    if form.file == JSON and case.kind.name.startswith("COMPLEX") and not case.shape:
        form.file = PROTOBUF
    parts = [(data, form.file, tell(form, file_of(case.data, form.file, rng)))]
    if rng.random() < 0.3:
        form.query.append((small, numbers(case.small)))
    else:
        kind = rng.choice([NPY, PROTOBUF, JSON])
        array = small_array(case)
        content = to_text(array) if kind == JSON else file_of(array, kind, rng)
        parts.append((small, kind, content))
    rng.shuffle(parts)
    boundary = "boundary-%016x" % rng.getrandbits(64)
    headers["Content-Type"] = "multipart/form-data; boundary=" + boundary
    return b"".join(part_bytes(boundary, rng, *part) for part in parts) + ("--%s--\r\n" % boundary).encode()


def part_bytes(boundary, rng, name, kind, content):
    """A part is known by its type, or by the name of its file."""
    lines = ["--" + boundary]
    if rng.random() < 0.5:
        lines += ['Content-Disposition: form-data; name="%s"' % name, "Content-Type: " + kind]
    else:
        lines += ['Content-Disposition: form-data; name="%s"; filename="f%s"' % (name, ENDINGS[kind])]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content + b"\r\n"


# ---- answers -------------------------------------------------------------------------------------------------------

def no_constant(token):
    raise ValueError("bare %s is not JSON" % token)


def decoded(response):
    coding = response.headers["Content-Encoding"]
    if coding is None:
        return response.body
    return gzip.decompress(response.body) if coding == "gzip" else zlib.decompress(response.body)


def read_document(case, body):
    document = json.loads(body, parse_constant=no_constant)
    output, = document["outputs"]
    if (document["model_name"], document["model_version"], output["name"]) != (case.op, str(case.version), NAMES[case.op][2]):
        raise ValueError("wrong names: %r" % {**document, "outputs": output["name"]})
    return from_json(TYPES[output["datatype"]], tuple(output["shape"]), output["data"])


def read_answer(form, response):
    """The output, if the answer has the form that was asked for. Raises ValueError."""
    case, kind = form.case, response.headers["Content-Type"]
    wanted = form.accept or (form.file if form.send is not send_document else RAW if form.binary_out else JSON)
    if kind != wanted:
        raise ValueError("Content-Type %s, not %s" % (kind, wanted))
    response.body = decoded(response)
    if kind == JSON:
        return read_document(case, response.body)
    if kind == PROTOBUF:
        return from_protobuf(response.body)
    if kind == NPY:
        return from_npy(response.body, case.kind)
    if "Tensor-Shape" in response.headers:
        return from_raw(TYPES[response.headers["Tensor-Datatype"]], tuple(json.loads(response.headers["Tensor-Shape"])),
                        response.body)
    return read_binary(response)[NAMES[case.op][2]]
