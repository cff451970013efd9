"""Large answers and bodies, against plain loops of send() and recv()."""
import os

import bodies
from check import answers_with, ask
from measure import REPORTED, Side, at_least, at_most

MIB = 1 << 20
BIG = 256 * MIB

# Three ways to 256 MiB of FP32: rows of 16 KiB repeated, each element 1,024 times, rows of 12 bytes repeated.
ROWS = bodies.expand([1, 4096], [16384, 4096])
FILLS = bodies.expand([65536, 1], [65536, 1024])
SHORT = bodies.expand([1024, 1, 3], [1024, 21845, 3])


def side(bench, peer, request, *arguments):
    return Side(peer, lambda: bench.load.client(peer, request, *arguments))


def large(bench):
    with bench.shaped() as shaped, bench.send_loop() as loop:
        answers_with(shaped, bodies.expand([4, 1, 3], [4, 100, 3]), bodies.repeated([4, 1, 3], [4, 100, 3]))
        sides = {"send loop": side(bench, loop, bodies.sink(BIG), "-n", "4")}
        for name, request in (("shaped", ROWS), ("shaped, fills", FILLS), ("shaped, short rows", SHORT)):
            sides[name] = side(bench, shaped, request, "-n", "4")
        samples = bench.play(sides)
    what = "256 MiB Expand response against the send loop"
    return [
        samples.ratio("large", what, at_least(0.9), "shaped", "send loop", "rate"),
        samples.ratio("large-fills", what, REPORTED, "shaped, fills", "send loop", "rate", note="each element 1,024 times"),
        samples.ratio("large-short", what, REPORTED, "shaped, short rows", "send loop", "rate", note="rows of 12 bytes"),
        samples.ratio("first-byte", "time to first byte of it, against the send loop's first block", at_most(3),
                      "shaped", "send loop", "first_us"),
    ]


def upload(bench):
    count = BIG // 4
    request = bodies.unsqueeze(count)
    with bench.shaped("--max-request-bytes", "512M") as shaped, bench.send_loop() as loop:
        samples = bench.play({"loops": side(bench, loop, bodies.sink(BIG, zeros=BIG), "-n", "2"),
                              "shaped": side(bench, shaped, request, "-n", "2")})
    return [samples.ratio("unsqueeze", "256 MiB Unsqueeze, up and down, against recv + send loops", at_least(0.6),
                          "shaped", "loops", "rate")]


def printed(bench):
    """1,000 floats of seven digits, expanded to ten million in JSON."""
    values = [round(i * 1.234567 + 0.1, 4) for i in range(1000)]
    request = bodies.expand_json([1, 1000], values, [10000, 1000])
    with bench.shaped() as shaped, bench.send_loop() as loop:
        size = len(ask(shaped, request))
        samples = bench.play({"send loop": side(bench, loop, bodies.sink(size), "-n", "3"),
                              "shaped": side(bench, shaped, request, "-n", "3")})
    return [samples.ratio("json", "1,000 floats expanded to 10 million in JSON, against a send loop of the same bytes",
                          at_least(0.5), "shaped", "send loop", "rate")]


def medium(bench):
    """The send loop has a thread for each of the four connections; so shaped gets a loop for each processor."""
    seconds = "%g" % bench.seconds(1)
    request = bodies.expand([1, 1024], [1024, 1024])
    processors = str(len(os.sched_getaffinity(0)))
    with bench.shaped() as one, bench.shaped("--loops", processors) as shaped, bench.send_loop() as peer:
        samples = bench.play({
            "send loop": side(bench, peer, bodies.sink(4 * MIB), "-c", "4", "-s", seconds),
            "shaped": side(bench, shaped, request, "-c", "4", "-s", seconds),
            "shaped, one loop": side(bench, one, request, "-c", "4", "-s", seconds)})
    what = "4 MiB responses, 4 connections, against the send loop"
    return [samples.ratio("medium", what, at_least(0.7), "shaped", "send loop", "rate",
                          note="a loop for each processor, --loops " + processors),
            samples.ratio("medium-one", what, REPORTED, "shaped, one loop", "send loop", "rate", note="one loop")]
