"""Calls that make sense. A schema can say that `data` is a list and `shape` another, but not that one must have as many
elements as the other says, which axes there can be, or which version permits a type: here it is done right.

Everything is drawn from a random.Random, so that the same call comes of the same seed.
"""
import struct

from files import NPY, RAW, file
from tensors import INPUTS, NEWEST, TYPES, VERSIONS, framed, int64, strings, tensor

NAMES = ("batch", "n", "total_seq", "\u00e9")


def target(path, path_parameters):
    """(model, version) that a path of the contract names."""
    model = path.split("/")[3]
    version = path_parameters.get("version") if "{version}" in path else None
    known = version is not None and str(version).isdigit() and int(version) in VERSIONS[model]
    return model, int(version) if known else NEWEST[model]


class Call:
    """One call: the type, shape and elements of the data, and the values of the small input."""

    def __init__(self, rng, model, version):
        self.rng, self.model, self.version = rng, model, version
        self.datatype = rng.choice(sorted(VERSIONS[model][version]))
        self.shape = [rng.choice((0, 1, 1, 2, 3)) for _ in range(rng.randrange(5))]
        self.small = self.expand() if model == "expand" else self.unsqueeze()

    def expand(self):
        """A target that the shape can be broadcast to, of a smaller, equal or greater rank."""
        rank = self.rng.randrange(len(self.shape) + 3)
        sizes = [self.rng.randrange(4) for _ in range(rank)]
        for i in range(1, min(rank, len(self.shape)) + 1):
            if self.shape[-i] != 1:
                sizes[-i] = self.rng.choice((1, self.shape[-i]))
        return sizes

    def unsqueeze(self):
        count = self.rng.randrange(4)
        rank = len(self.shape) + count
        axes = self.rng.sample(range(rank), count)
        return [axis - rank if self.version > 1 and self.rng.random() < 0.5 else axis for axis in axes]

    def count(self):
        n = 1
        for size in self.shape:
            n *= size
        return n

    # ---- as JSON

    def name(self):
        """The type, by one of its names."""
        return self.rng.choice((self.datatype, TYPES[self.datatype].onnx))

    def elements(self):
        known, n = TYPES[self.datatype].data, self.count()
        width = 2 if self.datatype.startswith("COMPLEX") else 1
        return (known * (n + 1))[:n * width]

    def nested(self):
        """Data as the shape nests it."""
        rest = self.elements() if not self.datatype.startswith("COMPLEX") else None
        if rest is None or 0 in self.shape or not self.shape:
            return self.elements()
        for size in reversed(self.shape[1:]):
            rest = [rest[i:i + size] for i in range(0, len(rest), size)]
        return rest

    def inputs(self):
        first, second, _ = INPUTS[self.model]
        data = self.nested() if self.rng.random() < 0.5 else self.elements()
        both = [tensor(first, self.name(), self.shape, data), int64(second, self.small)]
        return both if self.rng.random() < 0.5 else both[::-1]

    def symbolic_inputs(self):
        """Without data; sizes that were known may be names or unknown."""
        first, second, _ = INPUTS[self.model]
        shape = [self.rng.choice((size, size, self.rng.choice(NAMES), None)) for size in self.shape]
        small = int64(second, self.small)
        if self.model == "expand":
            small["data"] = [self.rng.choice((size, self.rng.choice(NAMES), None)) for size in self.small]
        if self.rng.random() < 0.2:
            del small["data"]
            small["shape"] = self.rng.choice((small["shape"], [self.rng.choice(NAMES)], [None], None))
        whole = self.rng.random() < 0.1
        return [{"name": first, "datatype": self.name(), "shape": None if whole else shape}, small]

    def attribute(self):
        """The small input as a parameter."""
        axes = self.small
        return axes[0] if len(axes) == 1 and self.rng.random() < 0.5 else ",".join(map(str, axes))

    # ---- as bytes

    def raw(self):
        """The elements as the binary tensor extension has them. Any bits are a value, but for strings and BOOL."""
        n, bits = self.count(), TYPES[self.datatype].bits
        if self.datatype == "BYTES":
            return strings(*self.elements())
        if self.datatype == "BOOL":
            return bytes(self.rng.randrange(2) for _ in range(n))
        return self.rng.randbytes((n * bits + 7) // 8)

    def framed(self):
        """(headers, body) with the data, or both inputs, in binary."""
        first, second, output = INPUTS[self.model]
        raw, small = self.raw(), struct.pack("<%dq" % len(self.small), *self.small)
        data = {"name": first, "datatype": self.name(), "shape": self.shape, "parameters": {"binary_data_size": len(raw)}}
        axes = {"name": second, "datatype": "INT64", "shape": [len(self.small)], "parameters": {"binary_data_size": len(small)}}
        outputs = [{"name": output, "parameters": {"binary_data": self.rng.random() < 0.5}}]
        if self.rng.random() < 0.5:
            return framed({"inputs": [data, axes], "outputs": outputs}, raw, small)
        return framed({"inputs": [data, int64(second, self.small)], "outputs": outputs}, raw)

    def listed(self):
        return ",".join(map(str, self.small))

    def file(self, form):
        """(content, query) of the data as a file, with all that the query must tell."""
        content, query = file(form, self.datatype, self.shape, self.raw())
        pairs = dict(pair.split("=") for pair in query.split("&") if pair)
        return content, dict(pairs, **{INPUTS[self.model][1]: self.listed()})

    def form(self):
        """(fields, query) of a form with two files, which have no ending that tells what they are."""
        first, second, _ = INPUTS[self.model]
        content, query = self.file(self.rng.choice((NPY, RAW)))
        small = query.pop(second)
        if self.rng.random() < 0.3:
            return {first: content}, dict(query, **{second: small})
        return {first: content, second: struct.pack("<%dq" % len(self.small), *self.small)}, query
