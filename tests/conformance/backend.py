"""An ONNX backend that lets a remote server do the work: onnx.backend.base.Backend over the Open Inference Protocol.

    import onnx.backend.test
    from backend import RemoteBackend
    tests = onnx.backend.test.BackendTest(RemoteBackend, __name__).include("^test_(expand|unsqueeze)_")

The server is at SHAPED_URL (http://127.0.0.1:8000). A model of one node runs as the server's model of that operator:
Expand at operator set 14 is POST /v2/models/expand/versions/13/infer, with the names of the ONNX schema for inputs and
output, tensors by the binary tensor extension, and attributes as parameters ("axes": "0,2").
"""
import os

import numpy as np
import onnx
from onnx import defs, helper, numpy_helper
from onnx.backend.base import Backend, BackendRep
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

from client import Client

OPERATORS = ("Expand", "Unsqueeze")


def version_of(model):
    """The operator set of ONNX's own domain that the model imports."""
    return next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 1)


def parameters_of(node):
    return {a.name: ",".join(str(n) for n in helper.get_attribute_value(a)) for a in node.attribute}


def text(array):
    """ONNX's tests have strings as text."""
    return np.vectorize(bytes.decode, otypes=[object])(array) if array.dtype == object and array.size else array


class RemoteNode(BackendRep):
    """A node of a known operator version, to be run on the server."""

    def __init__(self, node, version, url):
        schema = defs.get_schema(node.op_type, version)
        self.client = Client(url)
        self.path = "/v2/models/%s/versions/%d" % (node.op_type.lower(), schema.since_version)
        self.names = [declared.name for declared in schema.inputs]
        self.output = schema.outputs[0].name
        self.parameters = parameters_of(node)

    def call(self, arrays):
        inputs = [(name, np.asarray(array)) for name, array in zip(self.names, arrays)]
        return text(self.client.infer(self.path, inputs, self.parameters)[self.output])


class RemoteModel(RemoteNode):
    """A model of one such node."""

    def __init__(self, model, url):
        self.node = model.graph.node[0]
        super().__init__(self.node, version_of(model), url)
        self.given = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        self.wanted = [declared.name for declared in model.graph.input]

    def run(self, inputs, **_):
        values = dict(self.given, **dict(zip(self.wanted, inputs)))
        return (self.call([values[name] for name in self.node.input]),)


class RemoteBackend(Backend):
    @classmethod
    def url(cls):
        return os.environ.get("SHAPED_URL", "http://127.0.0.1:8000")

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"

    @classmethod
    def is_compatible(cls, model, device="CPU", **_):
        nodes = model.graph.node
        return len(nodes) == 1 and nodes[0].op_type in OPERATORS and nodes[0].domain in ("", "ai.onnx")

    @classmethod
    def prepare(cls, model, device="CPU", **_):
        onnx.checker.check_model(model)
        if not cls.is_compatible(model, device):
            raise BackendIsNotSupposedToImplementIt("only a model of one node: %s" % " or ".join(OPERATORS))
        return RemoteModel(model, cls.url())

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **options):
        version = options.get("opset_version", defs.onnx_opset_version())
        return (RemoteNode(node, version, cls.url()).call(inputs),)
