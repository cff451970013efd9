"""ONNX's own backend tests of Expand and Unsqueeze, from the onnx package, through backend.py.

With SHAPED_URL in the environment they run against that server, else against the program built here.
"""
import os
import sys
import unittest
import warnings

import environment

environment.enter()

import onnx  # noqa: E402
import onnx.backend.test  # noqa: E402
from onnx import helper  # noqa: E402

import fake  # noqa: E402,F401  its path leads to the harness
from harness import Server, Tap  # noqa: E402

import backend  # noqa: E402


def backend_tests():
    """Name -> function of a test case; those for devices other than the CPU are not there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the computations that make other operators' tests
        tests = onnx.backend.test.BackendTest(backend.RemoteBackend, __name__)
    tests.include("^test_(expand|unsqueeze)_.*_cpu$")
    found = {}
    for case in tests.test_cases.values():
        for name in unittest.defaultTestLoader.getTestCaseNames(case):
            if not getattr(getattr(case, name), "__unittest_skip__", False):
                found[name] = case(name)
    return found


def run_one(test):
    result = unittest.TestResult()
    test.run(result)
    for _, text in result.errors + result.failures:
        raise AssertionError(text)
    assert result.testsRun == 1 and not result.skipped, result.skipped


def refuses_other_models():
    node = helper.make_node("Add", ["x", "y"], ["z"])
    kind = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    model = helper.make_model(helper.make_graph([node], "g", [kind, helper.make_tensor_value_info("y", 1, [1])],
                                                [helper.make_tensor_value_info("z", 1, [1])]))
    try:
        backend.RemoteBackend.prepare(model)
    except unittest.SkipTest:
        return
    raise AssertionError("a model of Add was prepared")


def runs_single_nodes():
    node = helper.make_node("Unsqueeze", ["x"], ["y"], axes=[0, -1])
    output, = backend.RemoteBackend.run_node(node, [[1.5, 2.5]], opset_version=11)
    assert output.tolist() == [[[1.5], [2.5]]], output


def main():
    tap = Tap()
    tests = backend_tests()
    rows = [(name, lambda test=test: run_one(test)) for name, test in sorted(tests.items())]
    rows += [("there are as many tests as ever", lambda: tests_are_there(tests)),
             ("other models are refused", refuses_other_models), ("single nodes are run", runs_single_nodes)]
    tap.line("1..%d" % len(rows))
    for name, run in rows:
        tap.result(name, run, 30)
    return tap.failed


def tests_are_there(tests):
    assert len(tests) >= 13, sorted(tests)


if __name__ == "__main__":
    if "SHAPED_URL" in os.environ:
        sys.exit(1 if main() else 0)
    with Server(relay=True) as server:
        os.environ["SHAPED_URL"] = "http://127.0.0.1:%d" % server.address[1]
        failed = main()
    sys.exit(1 if failed else 0)
