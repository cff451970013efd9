"""Random calls against the server, compared bit for bit with numpy, and with onnxruntime where it has the type.

    test_differential.py [--cases N] [--seconds S] [--seed SEED] [--case INDEX]

Runs at most N cases and about S seconds. The seed is printed; with --seed and --case one case is run again. With SHAPED_URL
in the environment the calls go to that server, else to the program built here.
"""
import argparse
import collections
import os
import random
import sys
import time

import environment

environment.enter()

import fake  # noqa: E402,F401  its path leads to the harness
from harness import Server  # noqa: E402
from wire import seconds  # noqa: E402

from arrays import same  # noqa: E402
from cases import VERSIONS, Case  # noqa: E402
from client import Client  # noqa: E402
from forms import Form, read_answer  # noqa: E402
from oracles import Runtime, by_numpy  # noqa: E402

MOST_SHOWN = 5  # failures of one operator version


def shown(array):
    return "%s %s %s" % (array.dtype, list(array.shape), array.ravel()[:20].tolist())


def judge(form, response, want, runtime):
    """None, or what is wrong."""
    case = form.case
    if want is None:
        return None if response.status == 400 else "numpy refuses this, but the status is %d" % response.status
    if response.status != 200:
        return "status %d: %s" % (response.status, response.error())
    got = read_answer(form, response)
    if not same(got, want):
        return "expected %s, got %s" % (shown(want), shown(got))
    other = runtime.run(case)
    return None if other is None or same(got, other) else "onnxruntime has %s, got %s" % (shown(other), shown(got))


def run_case(seed, index, client, runtime):
    """(operator, version) and None or what is wrong."""
    case = Case(seed, index)
    form = Form(case)
    case.fill(plain=form.is_text())
    try:
        response = client.post(*form.request())
        wrong = judge(form, response, by_numpy(case), runtime)
    except (ValueError, KeyError, OSError) as e:
        wrong = "%s: %s" % (type(e).__name__, e)
    if wrong:
        wrong = "case %d: %s, sent as %s: %s" % (index, case, form, wrong)
    return (case.op, case.version), wrong


class Tally:
    def __init__(self):
        self.count, self.wrong = collections.Counter(), collections.defaultdict(list)

    def add(self, key, wrong):
        self.count[key] += 1
        if wrong:
            self.wrong[key].append(wrong)

    def report(self, runtime):
        print("1..%d" % (len(VERSIONS) + 1))
        for number, key in enumerate(sorted(VERSIONS), 1):
            wrong = self.wrong[key]
            print("%s %d - %s %d: %d random cases" % ("not ok" if wrong else "ok", number, *key, self.count[key]))
            for text in wrong[:MOST_SHOWN]:
                print("# " + text.encode("ascii", "backslashreplace").decode()[:1000])
        total = sum(self.count.values())
        some = runtime.compared > 0 or total < 100
        print("%s %d - onnxruntime computed %d of %d" % ("ok" if some else "not ok", len(VERSIONS) + 1, runtime.compared, total))
        return any(self.wrong.values()) or not some


def run(options, url):
    client, runtime, tally = Client(url), Runtime(), Tally()
    indices = range(options.cases) if options.case is None else [options.case]
    end = time.monotonic() + options.seconds
    for index in indices:
        tally.add(*run_case(options.seed, index, client, runtime))
        if time.monotonic() > end:
            break
    return tally.report(runtime)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=seconds(30))
    parser.add_argument("--seed", default=str(random.SystemRandom().getrandbits(32)))
    parser.add_argument("--case", type=int)
    options = parser.parse_args()
    print("# seed %s" % options.seed)
    if "SHAPED_URL" in os.environ:
        return run(options, os.environ["SHAPED_URL"])
    with Server() as server:
        return run(options, "http://127.0.0.1:%d" % server.address[1])


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
