"""Throughput and memory by size of the output: the two plots."""
import contextlib
import functools
import statistics

import bodies
from measure import Side, play

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
ROW = 16 * KIB
SIZES = [64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB, 4 * GIB]
ROUNDS = 3
# The peers that hold the whole output in memory are not asked for more than this.
MOST = {"FastAPI + onnxruntime": GIB, "Triton (Python backend)": 256 * MIB}


def requests(size):
    dims, shape = [1, ROW // 4], [size // ROW, ROW // 4]
    return {"shaped": bodies.expand(dims, shape), "send loop": bodies.sink(size),
            "FastAPI + onnxruntime": bodies.expand_raw(dims, shape), "Triton (Python backend)": bodies.expand(dims, shape)}


def measured(bench, peer, request):
    """One run, which also tells how far the peak of memory rises."""
    answer = {}
    seconds = "%g" % bench.seconds(0.4)
    growth = peer.growth(lambda: answer.update(bench.load.client(peer, request, "-s", seconds)))
    return {"rate": answer["rate"], "growth": growth}


def sweep(bench):
    """{peer: [[bytes, bytes a second, bytes of memory], ...]}"""
    with contextlib.ExitStack() as stack:
        peers = {"shaped": stack.enter_context(bench.shaped("--max-output-bytes", "8G")),
                 "send loop": stack.enter_context(bench.send_loop()),
                 "FastAPI + onnxruntime": bench.optional(stack, "fastapi"),
                 "Triton (Python backend)": bench.optional(stack, "triton")}
        curves = {name: [] for name, peer in peers.items() if peer}
        for size in SIZES[:-1] if bench.scale < 1 else SIZES:
            asked = {n: r for n, r in requests(size).items() if n in curves and size <= MOST.get(n, size)}
            rounds = ROUNDS if size <= 256 * MIB else 1
            samples = play({name: Side(peers[name], functools.partial(measured, bench, peers[name], request))
                            for name, request in asked.items()}, rounds)
            for name in asked:
                rate = statistics.median(samples.of(name, "rate"))
                curves[name].append([size, rate, max(samples.of(name, "growth"))])
    return curves
