"""How shaped-conform walks folders, what it reports, and how it is called."""
import os
import pty
import subprocess
import threading
import time
import xml.etree.ElementTree

from fake import (DATA, ENVIRONMENT, PROGRAM, RIGHT, SHAPE, WRAPPER, Answer, Fake, Folder, Run, UnixFake, binary, floats,
                  main, run_against, usual_case)
from harness import equal, test
from onnx_files import int64s, model, node, tensor, unsqueeze_case, write_case


# ---- walking, reporting --------------------------------------------------------------------------------------------

def many(folder, count):
    for i in range(count):
        unsqueeze_case(os.path.join(folder, "deep", "%03d" % i, "case"), "FP32", [1], floats(i), [0], [1, 1], opset=13)


def echo(request):
    head = int(request.headers["Inference-Header-Content-Length"])
    return binary("FP32", [1, 1], request.body[head:head + 4])


@test
def keeps_the_order_with_many_jobs():
    at_once, most, lock = [0], [0], threading.Lock()

    def slow(request):
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        answer = echo(request)
        time.sleep(0.02 * (1 + answer.body[-2] % 3))
        with lock:
            at_once[0] -= 1
        return answer
    with Folder() as folder:
        many(folder, 40)
        run, _ = run_against(slow, "--jobs", "8", folder + "//")
        equal(run.lines[:-1], ["passed   %s/deep/%03d/case/test_data_set_0" % (folder, i) for i in range(40)])
    equal(run.lines[-1], "40 passed, 0 failed, 0 skipped")
    assert 4 <= most[0] <= 8, most


@test
def runs_every_data_set_and_codec():
    with Folder() as folder:
        usual_case(folder)
        files = [tensor("FP32", [2, 2], DATA), int64s([0])]
        for data_set in ("test_data_set_1", "test_data_set_2"):
            write_case(folder, model([node("Unsqueeze", ["x", "axes"])], ["x", "axes"], 13), files,
                       tensor("FP32", SHAPE, DATA), data_set)
        run, requests = run_against(RIGHT, "--codec", "all", folder)
        names = [line.split(None, 1) for line in run.lines if "test_data_set" in line]
        equal(names, [["passed" if codec == "binary" else "FAILED", "%s/test_data_set_%d (%s)" % (folder, i, codec)]
                      for i in range(3) for codec in ("json", "binary", "protobuf", "multipart")])
    equal(run.lines[-1], "3 passed, 9 failed, 0 skipped")
    equal(len(requests), 12)


@test
def finds_no_case_through_links():
    with Folder() as folder:
        usual_case(os.path.join(folder, "b"))
        os.symlink(folder, os.path.join(folder, "a"))
        run, _ = run_against(RIGHT, folder)
    equal(run.lines[-1], "1 passed, 0 failed, 0 skipped")


def mixed(folder):
    """One that passes, one that fails, one that is skipped; in this order."""
    unsqueeze_case(os.path.join(folder, "a"), "FP32", [2, 2], DATA, [0], SHAPE, opset=13)
    unsqueeze_case(os.path.join(folder, 'b<&"#'), "FP32", [2, 2], floats(1, 2, 3, 5), [0], SHAPE, opset=13)
    write_case(os.path.join(folder, "c"), model([node("Add", ["x", "s"])], ["x", "s"], 13), [], None)


@test
def writes_tap():
    with Folder() as folder:
        mixed(folder)
        run, _ = run_against(RIGHT, "--format", "tap", folder)
    equal(run.lines, [
        "1..3", "ok 1 - %s/a/test_data_set_0" % folder, 'not ok 2 - %s/b<&"\\#/test_data_set_0' % folder,
        "# at [0,1,1]: expected 5 (bits 40a00000), got 4 (bits 40800000); 1 of 4 elements differ",
        "ok 3 - %s/c/model.onnx # SKIP the node is Add" % folder, "# 1 passed, 1 failed, 1 skipped"])
    equal(run.status, 1)


@test
def writes_junit():
    with Folder() as folder:
        mixed(folder)
        run, _ = run_against(RIGHT, "--format", "junit", folder)
    suite = xml.etree.ElementTree.fromstring(run.out)
    equal([suite.get(name) for name in ("tests", "failures", "errors", "skipped")], ["3", "1", "0", "1"])
    equal([(case.get("name"), [child.tag for child in case]) for case in suite],
          [(folder + "/a/test_data_set_0", []), (folder + '/b<&"#/test_data_set_0', ["failure"]),
           (folder + "/c/model.onnx", ["skipped"])])
    assert "expected 5" in suite[1][0].get("message"), run


@test
def is_quiet():
    with Folder() as folder:
        mixed(folder)
        run, _ = run_against(RIGHT, "--quiet", folder)
    equal([line.split()[0] for line in run.lines], ["FAILED", "at", "1"])


@test
def draws_a_bar_on_a_terminal_only():
    ours, theirs = pty.openpty()
    with Folder() as folder, Fake(echo) as server:
        many(folder, 4)
        run = Run(*server.options(), folder)
        equal(run.errors, "")
        out = subprocess.run(WRAPPER + [PROGRAM, *server.options(), folder], stderr=theirs, check=False,
                                  stdout=subprocess.PIPE, env=ENVIRONMENT, timeout=30).stdout
    os.close(theirs)
    drawn = os.read(ours, 100000)
    os.close(ours)
    assert b"[" + b"#" * 10 + b" " * 30 + b"] 1 of 4, 0 failed" in drawn and drawn.endswith(b"\r\033[K"), repr(drawn)
    equal(out.decode(), run.out)


@test
def connects_to_a_unix_socket():
    with Folder() as folder:
        usual_case(folder)
        with UnixFake(RIGHT, os.path.join(folder, "socket")) as server:
            run = Run(*server.options(), folder)
    equal(run.lines[-1], "1 passed, 0 failed, 0 skipped")


@test
def fails_without_a_server():
    with Folder() as folder:
        usual_case(folder)
        run = Run("--unix", os.path.join(folder, "nobody"), folder)
    assert run.status == 1 and "no answer: " in run.out, run


@test
def gives_up_on_a_server_that_hangs():
    released = threading.Event()
    with Folder() as folder:
        usual_case(folder)
        run, _ = run_against(lambda request: released.wait(20) and RIGHT, "--timeout", "1", folder)
        released.set()
    assert run.status == 1 and "no answer: " in run.out, run


# ---- usage ---------------------------------------------------------------------------------------------------------

@test(rows=[("nothing", []), ("an unknown option", ["--frobnicate", "."]), ("no codec", ["--codec", "xml", "."]),
            ("half a codec", ["--codec", "json,", "."]), ("no format", ["--format", "html", "."]),
            ("no jobs", ["--jobs", "0", "."]), ("jobs in words", ["--jobs", "2x", "."]), ("no address", ["--url", "", "."]),
            ("a value is missing", ["--jobs"]), ("no such folder", ["/nonexistent/folder"])])
def tells_wrong_usage(arguments):
    run = Run(*arguments)
    assert run.status == 2 and run.out == "" and run.errors.startswith(("shaped-conform:", PROGRAM)), run


@test
def tells_a_folder_without_models():
    with Folder() as folder:
        run = Run(folder)
    assert run.status == 2 and "there is no model.onnx" in run.errors, run


@test(rows=[("help", "--help", "Usage: shaped-conform"), ("version", "--version", "shaped-conform ")])
def tells_about_itself(option, start):
    run = Run(option)
    assert run.status == 0 and run.out.startswith(start) and run.errors == "", run


if __name__ == "__main__":
    main()
