"""Measures shaped beside its peers and prints what came out, as ratios. See README.md beside this.

    run.py [--quick] [--only KEY]... [--rounds N] [--profile [all]] [--list] [--build DIRECTORY]
"""
import argparse
import datetime
import glob
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import traceback

import rows_memory
import rows_micro
import rows_small
import rows_stream
from bench import Bench, Done
from measure import Missing
from sweep import sweep

# What is measured together, and the rows that come of it.
GROUPS = [
    (rows_small.throughput, ["small", "small-post", "small-json", "small-loops", "small-fastapi", "small-triton"]),
    (rows_small.latency, ["latency"]),
    (rows_stream.large, ["large", "large-fills", "large-short", "first-byte"]),
    (rows_memory.streaming, ["memory", "memory-huge", "memory-same"]),
    (rows_stream.upload, ["unsqueeze"]),
    (rows_small.beside_streams, ["beside-rate", "beside-p99", "beside-p99-fast", "beside-nginx-rate"]),
    (rows_stream.printed, ["json"]),
    (rows_micro.codec, ["json-parse", "json-print"]),
    (rows_micro.kernels, ["kernel-long", "kernel-short", "kernel-slower", "kernel-numpy", "kernel-itself", "kernel-onnxruntime"]),
    (rows_stream.medium, ["medium", "medium-one"]),
    (rows_memory.idle, ["idle", "connection", "start"]),
]
SWEEP = "sweep"


def arguments():
    parser = argparse.ArgumentParser(description="Measures shaped beside its peers; prints ratios.")
    parser.add_argument("--build", default=".", metavar="DIRECTORY", help="where shaped was built")
    parser.add_argument("--quick", action="store_true", help="about two minutes: fewer and shorter rounds")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of each measurement (5; quick: 3)")
    parser.add_argument("--only", action="append", metavar="KEY", help="only the rows whose key begins so; \"%s\": the plots"
                        % SWEEP)
    parser.add_argument("--profile", nargs="?", choices=["missed", "all"], const="missed",
                        help="run perf for the rows that miss their targets, or all")
    parser.add_argument("--list", action="store_true", help="print the keys")
    return parser.parse_args()


def wanted(only, keys):
    return not only or any(key.startswith(prefix) for key in keys for prefix in only)


def say(text):
    print(text, file=sys.stderr, flush=True)


def measured(key, run):
    """What `run` returns; None if it cannot be measured or failed, which must not cost the other results."""
    try:
        return run()
    except Missing as e:
        say("%s: skipped: %s" % (key, e))
    except Exception:
        say("%s failed:\n%s" % (key, traceback.format_exc()))
    return None


def measure(bench, function, keys):
    """The results of one group; None if there are none."""
    begun = time.monotonic()
    results = measured(keys[0], lambda: function(bench))
    if results is not None:
        say("%-12s %5.1f s  %s" % (keys[0], time.monotonic() - begun, ", ".join(
            "%s %s" % (r.key, r.measured()) for r in results)))
    return results


def profile(bench, function, keys, rows):
    """Where shaped's time goes when it is measured for some rows of a group."""
    bench.profiled = os.path.join(bench.build, "bench", "profile-%s.txt" % keys[0])
    with open(bench.profiled, "w", encoding="utf-8") as f:
        f.write("perf: time of the process by thread and by symbol, for " + ", ".join(rows) + "\n")
    try:
        function(bench)
    except (Done, Missing) as e:
        say("profile of %s: %s" % (", ".join(rows), str(e) or bench.profiled))
    finally:
        bench.profiled = None


def measure_all(bench, options):
    results, failed = [], []
    for function, keys in GROUPS:
        if not wanted(options.only, keys):
            continue
        group = measure(bench, function, keys)
        if group is None:
            failed += keys
            continue
        group = [r for r in group if wanted(options.only, [r.key])]
        results += group
        profiled = [r.key for r in group if options.profile == "all" or (options.profile and not r.met)]
        if profiled:
            profile(bench, function, keys, profiled)
    return results, failed


# ---- output ---------------------------------------------------------------------------------------------------------

def processor():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def header(bench):
    return {"date": datetime.date.today().isoformat(), "machine": "%s, %d processors, Linux %s" % (
        processor(), os.cpu_count(), platform.release()), "rounds": bench.rounds, "scale": bench.scale}


def table(about, results, failed, skipped):
    lines = ["%(date)s; %(machine)s; medians of %(rounds)d rounds" % about, "",
             "| what | target | measured (least to most) | met | by processor time |", "|---|---|---|---|---|"]
    lines += [r.markdown() for r in results]
    lines += ["| %s | | not measured | | |" % key for key in failed]
    lines += ["", *("%s: %s" % pair for pair in skipped.items())] if skipped else []
    return "\n".join(lines) + "\n"


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def plot(bench, results_path):
    try:
        subprocess.run([bench.python(), os.path.join(os.path.dirname(os.path.abspath(__file__)), "plot.py"), results_path],
                       check=True, timeout=120, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    except Missing as e:
        say("no plots: %s" % e)


def run(options, output):
    with tempfile.TemporaryDirectory(dir=output) as directory:
        os.chmod(directory, 0o755)  # nginx's worker may be another user
        bench = Bench(options.build, directory, options.rounds or (3 if options.quick else 5), 0.3 if options.quick else 1)
        results, failed = measure_all(bench, options)
        about = header(bench)
        record = dict(about, results=[r.json() for r in results], failed=failed, skipped=bench.skipped,
                      samples=bench.samples)
        if wanted(options.only, [SWEEP]):
            curves = measured(SWEEP, lambda: sweep(bench))
            record.update({"sweep": curves} if curves else {})
        write(output + "/results.json", json.dumps(record, indent=1) + "\n")
        write(output + "/table.md", table(about, results, failed, bench.skipped))
        print(table(about, results, failed, bench.skipped), flush=True)
        if "sweep" in record:
            plot(bench, output + "/results.json")
    return not failed


def main():
    options = arguments()
    if options.list:
        print("\n".join(key for _, keys in GROUPS for key in keys))
        return 0
    options.build = os.path.abspath(options.build)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if 0 < hard < 65536 else 65536, hard))
    output = os.path.join(options.build, "bench")
    os.makedirs(output, exist_ok=True)
    for old in glob.glob(glob.escape(output) + "/profile-*.txt"):
        os.unlink(old)
    return 0 if run(options, output) else 1


if __name__ == "__main__":
    sys.exit(main())
