"""What numpy and onnxruntime take for the copies that kernel.c measures: run in the environment of requirements.txt.

    numpy_kernels.py VIEWS      VIEWS: JSON, a list of [name, input sizes, output sizes, bytes an element]

Prints a JSON object: name and width -> {"numpy": ratio, "onnxruntime": ratio} to memcpy from a hot 64 KiB block, one round.
"""
import json
import sys
import time

import numpy

from fastapi_app import expand_session

BLOCK = 64 << 10
OUTPUT = 64 << 20
TYPES = {1: numpy.uint8, 2: numpy.float16, 4: numpy.float32, 8: numpy.float64, 16: numpy.complex128}


def seconds(run):
    """Processor time: others may use the machine, and everything here runs in one thread."""
    begun = time.process_time()
    run()
    return time.process_time() - begun


class Memory:
    """The same memory for all measurements: fresh pages would cost more than the copies."""

    def __init__(self):
        self.out = numpy.ones(OUTPUT, numpy.uint8)
        self.block = numpy.ones(BLOCK, numpy.uint8)

    def memcpy(self, count):
        for pos in range(0, count, BLOCK):
            size = min(BLOCK, count - pos)
            self.out[pos:pos + size] = self.block[:size]

    def output(self, shape, width):
        count = int(numpy.prod(shape)) * width
        return self.out[:count].view(TYPES[width]).reshape(shape), count


def measure(memory, session, dims, shape, width):
    output, count = memory.output(shape, width)
    view = numpy.broadcast_to(numpy.ones(dims, TYPES[width]), shape)
    runs = {"numpy": lambda: numpy.copyto(output, view)}
    if width == 4:
        feed = {"input": numpy.ones(dims, numpy.float32), "shape": numpy.array(shape, numpy.int64)}
        runs["onnxruntime"] = lambda: session.run(None, feed)
    ratios = {}
    for name, run in runs.items():
        run()
        ratios[name] = seconds(lambda: memory.memcpy(count)) / seconds(run)
    return ratios


def main():
    memory = Memory()
    session = expand_session(threads=1)
    result = {}
    for name, dims, shape, width in json.loads(sys.argv[1]):
        result["%s, %d" % (name, width)] = measure(memory, session, dims, shape, width)
    print(json.dumps(result))


main()
