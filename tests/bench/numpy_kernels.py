"""The kernel beside numpy and onnxruntime, each making the same 64 MiB: run in the environment of requirements.txt.

    numpy_kernels.py LIBRARY TURNS VIEWS      LIBRARY: shared.c; VIEWS: JSON, a list of [name, input sizes, output sizes, bytes an element]

Two at a time take turns in one process; the kernel and numpy write to the same memory. Prints a JSON object: name and width ->
{"numpy": [its time / the kernel's, ...], "onnxruntime": ..., "itself": numpy's time / numpy's}, a ratio for each turn.
"""
import ctypes
import json
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

    def ours():
        return kernel.seconds(output, source, view)

    def numpys():
        return seconds(lambda: numpy.copyto(output, view))
    ratios = {"numpy": in_turns(turns, ours, numpys), "itself": in_turns(turns, numpys, numpys)}
    if width == 4:
        feed = {"input": source, "shape": numpy.array(shape, numpy.int64)}
        ratios["onnxruntime"] = in_turns(turns, ours, lambda: seconds(lambda: session.run(None, feed)))
    return ratios


def in_turns(turns, ours, theirs):
    """Their time / ours, of each turn. Each is first in every other one: what runs before leaves its mark on the caches."""
    ratios = []
    for turn in range(turns + 1):  # the first of them is to warm up
        if turn % 2:
            their_time, our_time = theirs(), ours()
        else:
            our_time, their_time = ours(), theirs()
        ratios.append(their_time / our_time)
    return ratios[1:]


def main():
    kernel, turns, views = Kernel(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    memory = numpy.ones(OUTPUT, numpy.uint8)
    session = expand_session(threads=1)
    print(json.dumps({"%s, %d" % (name, width): measure(kernel, session, memory, turns, dims, shape, width)
                      for name, dims, shape, width in views}))


main()
