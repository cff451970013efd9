"""Draws the sweep: throughput.svg and memory.svg in the folder of results.json. Run in the environment of requirements.txt.

    plot.py results.json
"""
import json
import os
import sys

import matplotlib
matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "shaped", "svg.fonttype": "none", "font.size": 10})
from matplotlib import pyplot  # noqa: E402 - after the choice of the backend

STYLES = {"shaped": ("#c0392b", "o"), "send loop": ("#7f8c8d", "s"),
          "FastAPI + onnxruntime": ("#2980b9", "^"), "Triton (Python backend)": ("#27ae60", "D")}
MIB = 1 << 20
FLOOR = 0.25  # MiB: less cannot be drawn on a logarithmic scale


def label(size, _=None):
    for unit, name in ((1 << 30, "GiB"), (MIB, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return "%g %s" % (size / unit, name)
    return "%g" % size


def draw(path, curves, title, ylabel, value, logarithmic):
    figure, axes = pyplot.subplots(figsize=(7.2, 4))
    for name, points in curves.items():
        colour, marker = STYLES[name]
        axes.plot([p[0] for p in points], [value(p) for p in points], color=colour, marker=marker, markersize=4, label=name)
    axes.set_xscale("log", base=4)
    axes.set_xticks([p[0] for p in max(curves.values(), key=len)])
    axes.xaxis.set_major_formatter(label)
    axes.minorticks_off()
    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(bottom=0)
    axes.set(title=title, xlabel="size of the output", ylabel=ylabel)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncol=4, columnspacing=1.2)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main():
    folder = os.path.dirname(os.path.abspath(sys.argv[1]))
    with open(sys.argv[1], encoding="utf-8") as f:
        curves = json.load(f)["sweep"]
    draw(folder + "/throughput.svg", curves, "One client: throughput by size of the output", "GB/s",
         lambda p: p[1] / 1e9, False)
    draw(folder + "/memory.svg", curves, "One client: growth of peak memory by size of the output", "MiB",
         lambda p: max(FLOOR, p[2] / MIB), True)


main()
