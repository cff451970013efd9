"""Kernels and the JSON codec alone: what kernel.c and json.c say, and numpy and onnxruntime beside them."""
import csv
import json
import math
import os
import re
import statistics
import subprocess

from measure import REPORTED, Missing, Result, at_least, at_most

HERE = os.path.dirname(os.path.abspath(__file__))
OUTPUT = 64 << 20
LIMIT = 300  # seconds
TURNS = 5  # of the kernel and its peers in a round


def micro(bench, name, *arguments):
    program = bench.program(name)
    if not os.path.exists(program):
        raise Missing("tests/bench/%s is not built" % name)
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (name, done.stderr))
    return done.stdout


# ---- kernels -------------------------------------------------------------------------------------------------------

def sizes(text, count):
    return [count if size == "n" else int(size) for size in text.split(",")]


class View:
    """A cell of kernel.c's table: "[n,1] -> [n,7]" with elements of `width` bytes."""

    def __init__(self, name, width):
        self.name = name
        self.width = width
        dims, shape = re.match(r"\[(.*)\] -> \[(.*)\]", name).groups()
        fixed = width
        for size in shape.split(","):
            fixed *= 1 if size == "n" else int(size)
        self.dims = sizes(dims, OUTPUT // fixed)
        self.shape = sizes(shape, OUTPUT // fixed)
        self.row = self.shape[-1] * width  # bytes
        self.key = "%s, %d" % (name, width)


def kernel_round(bench):
    """{View's key: (View, ratio to memcpy)} of the views that Expand can make."""
    rows = list(csv.reader(micro(bench, "kernel", "--csv", "--rounds", "1").splitlines()))
    views = {}
    for name, *ratios in rows[1:]:
        if "->" in name:
            for width, ratio in zip(rows[0][1:], ratios):
                view = View(name, int(width))
                views[view.key] = (view, float(ratio))
    return views


def peers_round(bench, python, views):
    """{View's key: {peer: its time / that of the kernel}}"""
    listed = json.dumps([[v.name, v.dims, v.shape, v.width] for v in views])
    done = subprocess.run([python, os.path.join(HERE, "numpy_kernels.py"), bench.program("kernels.so"), str(TURNS), listed],
                          capture_output=True, text=True, timeout=LIMIT, check=True,
                          env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    return json.loads(done.stdout)


def kernels(bench):
    ours, theirs = [], []
    python, missing = None, ""
    try:
        python = bench.python()
    except Missing as e:
        missing = "skipped: " + str(e)
    for _ in range(bench.rounds if bench.scale >= 1 else 1):
        ours.append(kernel_round(bench))
        if python:
            theirs.append(peers_round(bench, python, [view for view, _ in ours[-1].values()]))
    views = [view for view, _ in ours[0].values()]
    memcpy = {view.key: statistics.median(r[view.key][1] for r in ours) for view in views}
    what = "kernels, 64 MiB, all widths, against memcpy from a hot 64 KiB block: "
    return [
        worst("kernel-long", what + "rows >= 64 bytes", 0.7, {v.key: memcpy[v.key] for v in views if v.row >= 64}),
        worst("kernel-short", what + "shorter", 0.4, {v.key: memcpy[v.key] for v in views if v.row < 64}),
        slower("kernel-slower", "views of which numpy.copyto is faster than the kernel (sign test, p < 0.001)", "numpy", theirs,
               missing),
        versus("kernel-numpy", "the same against numpy.copyto", REPORTED, "numpy", theirs, missing),
        versus("kernel-itself", "numpy.copyto against itself", REPORTED, "itself", theirs, missing),
        versus("kernel-onnxruntime", "the same (FP32) against onnxruntime's session alone", REPORTED, "onnxruntime", theirs,
               missing),
    ]


def worst(key, what, limit, ratios):
    """The row of the least ratio, which names its view and how many others miss the target."""
    least = min(ratios, key=ratios.get)
    below = sum(ratio < limit for ratio in ratios.values())
    note = "worst of %d, %s bytes each; median %.2f, %d below" % (
        len(ratios), least, statistics.median(ratios.values()), below)
    return Result(key, what, at_least(limit), [ratios[least]], note=note)


def turns(rounds, peer):
    """{View's key: the ratios of all turns of all rounds}"""
    return {view: [ratio for of in rounds for ratio in of[view][peer]] for view in (rounds[0] if rounds else ())
            if peer in rounds[0][view]}


def versus(key, what, target, peer, rounds, missing):
    ratios = {view: statistics.median(of) for view, of in turns(rounds, peer).items()}
    if not ratios:
        return Result(key, what, target, [], skipped=missing or "skipped: %s is not installed" % peer)
    row = worst(key, what, 1, ratios)
    row.target = target
    return row


def by_chance(below, of):
    """How likely it is that of equal sides one is ahead as often as that, or more often (sign test)."""
    return sum(math.comb(of, k) for k in range(below, of + 1)) / 2 ** of


def slower(key, what, peer, rounds, missing):
    """The views in which the peer was ahead more often than chance has it, once in a thousand."""
    of = turns(rounds, peer)
    found = {view: statistics.median(ratios) for view, ratios in of.items()
             if by_chance(sum(ratio < 1 for ratio in ratios), len(ratios)) < 0.001}
    if not of:
        return Result(key, what, at_most(0), [], skipped=missing)
    note = "of %d" % len(of)
    if found:
        least = min(found, key=found.get)
        note += ", the worst %s bytes each: %.3f" % (least, found[least])
    return Result(key, what, at_most(0), [len(found)], unit="views", note=note)


# ---- JSON ----------------------------------------------------------------------------------------------------------

def codec(bench):
    """Two columns of json.c, which takes turns itself. cJSON has a float as a double and prints it with 17 digits."""
    table = micro(bench, "json", "%d" % bench.seconds(1000000), "FP32")

    def ratio(corpus, side):
        line = re.search("^%s +FP32 (.*)$" % corpus, table, re.MULTILINE)
        return float(line.group(1).split("|")[side].split()[-1])
    return [
        Result("json-parse", "JSON parse of 1 M floats against cJSON", at_least(8), [ratio("9 digits", 0)]),
        Result("json-print", "JSON print of 1 M floats against cJSON", at_least(15), [ratio("17 digits", 1)]),
    ]
