"""What one would write: Expand behind FastAPI, run by onnxruntime, with binary bodies.

    POST /expand?dims=3,1&shape=3,4     body and answer: float32, little-endian
"""
import numpy
import onnxruntime
from fastapi import FastAPI, Request, Response
from onnx import TensorProto, helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def expand_session(threads=0):
    """0 threads: as many as onnxruntime likes."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    node = helper.make_node("Expand", ["input", "shape"], ["output"])
    graph = helper.make_graph([node], "expand", [
        helper.make_tensor_value_info("input", FLOAT, None),
        helper.make_tensor_value_info("shape", INT64, [None]),
    ], [helper.make_tensor_value_info("output", FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def sizes(text):
    return [int(size) for size in text.split(",")]


app = FastAPI()
session = expand_session()


@app.post("/expand")
async def expand(request: Request, dims: str, shape: str):
    data = numpy.frombuffer(await request.body(), numpy.float32).reshape(sizes(dims))
    output, = session.run(None, {"input": data, "shape": numpy.array(sizes(shape), numpy.int64)})
    return Response(output.tobytes(), media_type="application/octet-stream")
