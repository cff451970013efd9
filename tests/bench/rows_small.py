"""Small calls: requests per second and latency, against nginx, FastAPI with onnxruntime, and Triton."""
import contextlib

import bodies
from check import answers_with
from measure import REPORTED, Side, at_least, at_most

CONNECTIONS = 64
NEVER = "1000000"  # picoseconds a byte: no answer costs that much, so that none is prefilled
SMALL = bodies.expand([3, 1], [3, 4])
SMALL_JSON = bodies.expand_json([3, 1], [1.5, 2.25, 3.125], [3, 4])
SMALL_RAW = bodies.expand_raw([3, 1], [3, 4])
GET = bodies.Request("GET", "/")


def throughput(bench):
    with contextlib.ExitStack() as stack:
        shaped = stack.enter_context(bench.shaped())
        two = stack.enter_context(bench.shaped("--loops", "2"))
        short = stack.enter_context(bench.shaped("--max-header-bytes", "8K"))
        size = answers_with(shaped, SMALL, bodies.repeated([3, 1], [3, 4]))
        answers_with(shaped, SMALL_JSON, b"[1.5,1.5,1.5,1.5,2.25,2.25,2.25,2.25,3.125,3.125,3.125,3.125]")
        nginx = stack.enter_context(bench.nginx(answer=size))
        loads = {"shaped": (shaped, SMALL), "shaped, two loops": (two, SMALL), "shaped, short heads": (short, SMALL),
                 "shaped JSON": (shaped, SMALL_JSON), "nginx": (nginx, GET),
                 "nginx POST": (nginx, bodies.Request("POST", "/answer", SMALL.headers, SMALL.body)),
                 "fastapi": (bench.optional(stack, "fastapi"), SMALL_RAW),
                 "triton": (bench.optional(stack, "triton"), SMALL)}
        return compared(bench.play(sides(bench, loads), bench.skipped))


def sides(bench, loads):
    def side(peer, request):
        return Side(peer, lambda: bench.load.wrk(peer, request, CONNECTIONS, bench.seconds(2)))
    return {name: side(*pair) for name, pair in loads.items() if pair[0]}


def compared(samples):
    what = "small binary infer, 64 connections, against nginx `return 200`"
    return [
        samples.ratio("small", what, at_least(0.8), "shaped", "nginx", "rate"),
        samples.ratio("small-heads", what, REPORTED, "shaped, short heads", "nginx", "rate",
                      note="heads of at most 8 KiB, as nginx takes lines (--max-header-bytes 8K)"),
        samples.ratio("small-post", what, REPORTED, "shaped", "nginx POST", "rate",
                      note="taking the same POST and answering as many bytes"),
        samples.ratio("small-json", "small JSON infer (12 floats), same", at_least(0.6), "shaped JSON", "nginx", "rate"),
        samples.ratio("small-loops", "small binary infer, 64 connections, two loops against one", at_least(0.9),
                      "shaped, two loops", "shaped", "rate"),
        samples.ratio("small-fastapi", "small infer against FastAPI + onnxruntime", at_least(8), "shaped", "fastapi", "rate"),
        samples.ratio("small-triton", "small infer against Triton (Python backend)", REPORTED, "shaped", "triton", "rate"),
    ]


def latency(bench):
    with bench.shaped() as shaped, bench.nginx() as nginx:
        def side(peer, request):
            return Side(peer, lambda: bench.load.wrk(peer, request, 1, bench.seconds(1)))
        samples = bench.play({"shaped": side(shaped, SMALL), "nginx": side(nginx, GET)})
    return [samples.ratio("latency", "one connection, p50 latency against nginx", at_most(1.5), "shaped", "nginx", "p50")]


def compressed_stream():
    """A thousand floats of seven digits repeated to ten billion, as JSON in gzip: what costs the most to make."""
    values = [round(i * 1.234567 + 0.1, 4) for i in range(1000)]
    request = bodies.expand_json([1, 1000], values, [10000000, 1000])
    request.headers["Accept-Encoding"] = "gzip"
    return request


def beside_streams(bench):
    """Two clients take answers without end, costly or as fast as they can; 16 connections ask for small ones."""
    options = ("--max-output-bytes", "1T", "--compress-max", "1T")
    costly, fast = compressed_stream(), bodies.expand([1, 4096], [10000000, 4096])
    with contextlib.ExitStack() as stack:
        shaped = stack.enter_context(bench.shaped(*options))
        reader = stack.enter_context(bench.shaped(*options, "--prefill-cost", NEVER))
        nginx = stack.enter_context(bench.nginx(big=1 << 30))
        streams = {"shaped": (shaped, costly, SMALL), "shaped in the reader": (reader, costly, SMALL),
                   "shaped, fast": (shaped, fast, SMALL), "nginx": (nginx, bodies.Request("GET", "/big"), GET)}
        samples = bench.play({name: Side(s[0], lambda s=s: beside(bench, *s)) for name, s in streams.items()})
    what = "small requests while two clients stream without end: "
    return [
        samples.ratio("beside-rate", what + "requests per second against filling in the reader", at_least(1.5),
                      "shaped", "shaped in the reader", "rate", note="JSON in gzip"),
        samples.ratio("beside-p99", what + "p99 of nginx, serving a big file (sendfile off), against shaped's", at_least(20),
                      "nginx", "shaped", "p99", note="JSON in gzip"),
        samples.ratio("beside-p99-fast", what + "the same", REPORTED, "nginx", "shaped, fast", "p99", note="rows of 16 KiB"),
        samples.ratio("beside-nginx-rate", what + "requests per second against nginx", REPORTED, "shaped, fast", "nginx",
                      "rate", note="rows of 16 KiB"),
    ]


def beside(bench, peer, endless, small):
    seconds = max(2, bench.seconds(3))
    with bench.load.streaming(peer, endless, 2):
        result = bench.load.wrk(peer, small, 16, seconds)
    if result["rate"] == 0:  # not one answer, as happens to nginx: it took longer than that
        result.update(rate=1 / seconds, p99=seconds * 1e6)
    del result["work"]  # most of the processor time went into the streams
    return result
