"""The command lines of the playground do, pasted into a shell, what the page did."""
import environment

environment.enter()

import json  # noqa: E402
import os  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402

from harness import Skip, equal, main, test  # noqa: E402
from playground import enter, playground, run  # noqa: E402
from wire import seconds, strict_json  # noqa: E402

# typed, the output's shape, its values in JSON, its bytes, what numpy calls its type
CASES = [
    ("a column", ("Expand", "[[1], [-2.5]]", "2, 2"), [2, 2], [1.0, 1.0, -2.5, -2.5], "0000803f" * 2 + "000020c0" * 2, "<f4"),
    ("bytes that printf would read", ("Unsqueeze", "[37, 39, 92, 10, 48, 0, 255]", "0", "UINT8"), [1, 7],
     [37, 39, 92, 10, 48, 0, 255], "25275c0a3000ff", "|u1"),
    ("an octal number before a digit", ("Unsqueeze", "[12289, 1]", "0", "UINT16"), [1, 2], [12289, 1], "01300100", "<u2"),
    ("strings", ("Expand", '[["it\'s 100 %"], ["\\u00fc\\n"]]', "2, 1", "BYTES"), [2, 1], ["it's 100 %", "\u00fc\n"],
     "0a000000697427732031303020" + "25" + "03000000c3bc0a", None),
    ("an attribute", ("Unsqueeze", "[5]", "0, 2", "INT8", "11"), [1, 1, 1], [5], "05", "|i1"),
    ("half a byte", ("Unsqueeze", "[-1, 2, 3]", "1", "INT4"), [3, 1], [-1, 2, 3], "2f03", None),
    ("complex", ("Unsqueeze", "[1+2i]", "", "COMPLEX64"), [1], [1.0, 2.0], "0000803f00000040", "<c8"),
    ("a number of 64 bits", ("Expand", "[9007199254740993]", "1", "INT64"), [1], [9007199254740993], "0100000000002000", "<i8"),
    ("not finite", ("Expand", "[NaN, -inf]", "2", "FP16"), [2], ["NaN", "-Infinity"], "007e00fc", "<f2"),
    ("no type of numpy", ("Expand", "[1.5]", "2", "BF16"), [2], [1.5, 1.5], "c03fc03f", None),
    ("nothing", ("Expand", "[[], []]", "2, 0", "BOOL"), [2, 0], [], "", "|b1"),
    ("a scalar", ("Unsqueeze", "true", "0", "BOOL"), [1], [True], "01", "|b1"),
]


class Pasted:
    """What a shell makes of the text of the tab `form`, in a folder of its own."""

    def __init__(self, page, form):
        page.get_by_role("tab", name=form).click()
        page.locator("#command", has_text={"JSON": "infer -", "Binary": "answer.bin", "File": ".npy"}[form]).wait_for()
        self.text = page.evaluate("document.getElementById('command').textContent")
        self.folder = tempfile.mkdtemp()
        try:
            done = subprocess.run(["sh", "-eu"], input=self.text.encode(), cwd=self.folder, capture_output=True,
                                  timeout=seconds(20), env=dict(os.environ, LC_ALL="C"))
            self.out, self.status = done.stdout, done.returncode
            self.files = {name: self.read(name) for name in os.listdir(self.folder)}
        finally:
            shutil.rmtree(self.folder)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as f:
            return f.read()


def needs_curl():
    if shutil.which("curl") is None:
        raise Skip("curl is not installed")


def typed_in(page, typed):
    enter(page, *typed)
    assert page.text("#status").startswith("HTTP 200"), page.text("#answer")


@test(rows=CASES)
def json_line(server, typed, shape, values, data, numpy_type):
    needs_curl()
    with playground(server) as page:
        typed_in(page, typed)
        pasted = Pasted(page, "JSON")
        equal(pasted.out.decode(), page.text("#answer"))
        output = strict_json(pasted.out)["outputs"][0]
        equal((output["shape"], output["data"], output["datatype"]), (shape, values, typed[3] if len(typed) > 3 else "FP32"))


@test(rows=CASES)
def binary_line(server, typed, shape, values, data, numpy_type):
    needs_curl()
    with playground(server) as page:
        typed_in(page, typed)
        pasted = Pasted(page, "Binary")
        head = pasted.out.decode("latin-1")
        assert head.startswith("HTTP/1.1 200 "), head
        length = next(int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("inference-header"))
        answer = pasted.files["answer.bin"]
        equal(json.loads(answer[:length])["outputs"][0]["shape"], shape)
        equal(answer[length:].hex(), data)


@test(rows=CASES)
def file_line(server, typed, shape, values, data, numpy_type):
    needs_curl()
    with playground(server) as page:
        typed_in(page, typed)
        pasted = Pasted(page, "File")
        output = "output.npy" if typed[0] == "Expand" else "expanded.npy"
        equal(pasted.out.decode(), "200, %d bytes in %s\n" % (len(pasted.files[output]), output))
        file = pasted.files[output]
        equal(file[:6], b"\x93NUMPY")
        start = 10 + int.from_bytes(file[8:10], "little")
        header = eval(file[10:start], {"__builtins__": {}}, {"False": False, "True": True})  # as numpy reads it
        equal((list(header["shape"]), header["fortran_order"]), (shape, False))
        if numpy_type:
            equal((header["descr"], file[start:].hex()), (numpy_type, data))


@test
def a_long_line_comes_from_a_document(server):
    needs_curl()
    with playground(server) as page:
        values = ["it's number %d" % i for i in range(8000)]
        enter(page, "Unsqueeze", json.dumps(values), "0", "BYTES")
        pasted = Pasted(page, "JSON")
        assert "<<'END'" in pasted.text and len(pasted.text) > 131072, len(pasted.text)
        equal(json.loads(pasted.out)["outputs"][0]["data"], values)


@test
def says_where_there_is_no_line(server):
    with playground(server) as page:
        page.get_by_role("tab", name="File").click()
        enter(page, "Expand", "[300]", "2", "UINT8")
        page.locator("#command", has_text="has no bytes").wait_for()
        enter(page, "Expand", "", "4096", "FP64", None, "4096")
        page.locator("#command", has_text="too many").wait_for()


@test
def tabs_are_walked_with_arrows(server):
    with playground(server) as page:
        page.get_by_role("tab", name="JSON").focus()
        for name in ("Binary", "File", "JSON", "Binary"):
            page.keyboard.press("ArrowRight")
            equal(page.evaluate("document.activeElement.textContent"), name)
            equal(page.get_by_role("tab", name=name).get_attribute("aria-selected"), "true")
        page.keyboard.press("ArrowLeft")
        equal(page.evaluate("document.activeElement.textContent"), "JSON")


@test
def copies(server):
    with playground(server, permissions=["clipboard-read", "clipboard-write"]) as page:
        for part, button in (("command", 0), ("answer", 1)):
            page.locator("[data-copies]").nth(button).click()
            page.get_by_role("button", name="Copied").first.wait_for()
            equal(page.evaluate("navigator.clipboard.readText()"), page.text("#" + part), part)


@test
def copies_where_the_clipboard_is_closed(server):
    with playground(server, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('closed')); }")
        page.locator("[data-copies]").first.click()
        page.get_by_role("button", name="Copied").first.wait_for()
        equal(page.evaluate("navigator.clipboard.readText()"), page.text("#command"))
        run(page)


main()
