"""Expand for Triton's Python backend, the only one that comes with nvidia-pytriton."""
import numpy
import triton_python_backend_utils as triton


class TritonPythonModel:
    def execute(self, requests):
        return [self.expand(request) for request in requests]

    def expand(self, request):
        data, shape = (triton.get_input_tensor_by_name(request, name).as_numpy() for name in ("input", "shape"))
        output = numpy.broadcast_to(data, numpy.broadcast_shapes(data.shape, tuple(int(size) for size in shape)))
        return triton.InferenceResponse([triton.Tensor("output", numpy.ascontiguousarray(output))])
