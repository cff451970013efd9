"""What the answer to a case must be, according to numpy and to onnxruntime."""
import numpy as np
import onnx
import onnxruntime
from onnx import helper

from arrays import byte_strings, objects

onnxruntime.set_default_logger_severity(4)

# The newest that onnxruntime reads files of; nothing of newer ones is used.
IR_VERSION = 10


def by_numpy(case):
    """The output, or None if the call is an error."""
    try:
        if case.op == "expand":
            return np.broadcast_to(case.data, np.broadcast_shapes(case.data.shape, tuple(case.small)))
        if case.version == 1 and any(axis < 0 for axis in case.small):
            return None
        return np.expand_dims(case.data, tuple(case.small))
    except (ValueError, OverflowError):  # numpy's AxisError is a ValueError
        return None


def as_text(array):
    """BYTES as onnxruntime has them; None if they are no text."""
    try:
        return objects([x.decode() for x in byte_strings(array)], array.shape)
    except UnicodeDecodeError:
        return None


class Runtime:
    """onnxruntime on the CPU. Models are made with unknown ranks, so that one serves all cases of a version and type."""

    def __init__(self):
        self.sessions = {}
        self.compared = 0

    def run(self, case):
        """The output; None if onnxruntime lacks the operator for this type, or cannot take the data."""
        data = as_text(case.data) if case.data.dtype == object else case.data
        if data is None or data.dtype.type.__module__ == "ml_dtypes":
            return None
        attribute = case.op == "unsqueeze" and case.version < 13
        session = self.session(case, case.small if attribute else None)
        if session is None:
            return None
        feeds = {"x": data}
        if not attribute:
            feeds["y"] = np.array(case.small, np.int64)
        output, = session.run(None, feeds)
        self.compared += 1
        return output

    def session(self, case, attribute):
        key = (case.op, case.version, case.kind.name)
        if attribute is not None:
            return None if key in self.sessions else self.make(case, attribute, key)
        if key not in self.sessions:
            self.sessions[key] = self.make(case, None, key)
        return self.sessions[key]

    def make(self, case, attribute, key):
        try:
            return onnxruntime.InferenceSession(model_of(case, attribute), providers=["CPUExecutionProvider"])
        except Exception:  # its exceptions have no common base; what it lacks is noted
            self.sessions[key] = None
            return None


def model_of(case, attribute):
    def declared(name, number):
        return helper.make_tensor_value_info(name, number, None)
    inputs = [declared("x", case.kind.number)]
    options = {}
    if attribute is None:
        inputs.append(helper.make_tensor_value_info("y", onnx.TensorProto.INT64, [None]))
    else:
        options["axes"] = attribute
    node = helper.make_node(case.op.capitalize(), [i.name for i in inputs], ["z"], **options)
    graph = helper.make_graph([node], "g", inputs, [declared("z", case.kind.number)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.version)],
                             ir_version=IR_VERSION).SerializeToString()
