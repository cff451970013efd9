"""The kernel beside numpy and onnxruntime, each making the same 64 MiB: run in the environment of requirements.txt.

    numpy_kernels.py LIBRARY TURNS VIEWS      LIBRARY: shared.c; VIEWS: JSON, a list of [name, input sizes, output sizes, bytes an element]

They take turns in one process; the kernel and numpy write to the same memory. Prints a JSON object: name and width ->
{"numpy": their time / ours, "onnxruntime": ..., "itself": numpy's second time / its first}, the medians of TURNS turns.
"""
import ctypes
import json
import statistics
import sys
import time

import numpy

from fastapi_app import expand_session

OUTPUT = 64 << 20
TYPES = {1: numpy.uint8, 2: numpy.float16, 4: numpy.float32, 8: numpy.float64, 16: numpy.complex128}


def seconds(run):
    """Processor time: others may use the machine, and everything here runs in one thread."""
    begun = time.thread_time()
    run()
    return time.thread_time() - begun


class Kernel:
    def __init__(self, path):
        self.copy = ctypes.CDLL(path).seconds_of_copy
        self.copy.restype = ctypes.c_double

    def seconds(self, output, source, view):
        rank = view.ndim
        sizes = (ctypes.c_int64 * rank)(*view.shape)
        strides = (ctypes.c_int64 * rank)(*(stride // view.itemsize for stride in view.strides))
        return self.copy(ctypes.c_void_p(output.ctypes.data), ctypes.c_void_p(source.ctypes.data), rank, sizes, strides,
                         view.itemsize)


def measure(kernel, session, memory, turns, dims, shape, width):
    source = numpy.ones(dims, TYPES[width])
    view = numpy.broadcast_to(source, shape)
    output = memory[:view.size * width].view(TYPES[width]).reshape(shape)
    runs = {"numpy": lambda: numpy.copyto(output, view)}
    if width == 4:
        feed = {"input": source, "shape": numpy.array(shape, numpy.int64)}
        runs["onnxruntime"] = lambda: session.run(None, feed)
    ratios = {name: [] for name in [*runs, "itself"]}
    for turn in range(turns + 1):  # the first of them is to warm up
        ours = kernel.seconds(output, source, view)
        times = {name: seconds(run) for name, run in runs.items()}
        for name, time_of in times.items():
            ratios[name].append(time_of / ours)
        ratios["itself"].append(seconds(runs["numpy"]) / times["numpy"])
    return {name: statistics.median(of[1:]) for name, of in ratios.items()}


def main():
    kernel, turns, views = Kernel(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    memory = numpy.ones(OUTPUT, numpy.uint8)
    session = expand_session(threads=1)
    print(json.dumps({"%s, %d" % (name, width): measure(kernel, session, memory, turns, dims, shape, width)
                      for name, dims, shape, width in views}))


main()
