"""The tool that makes JSON of the contract: it takes YAML as YAML 1.2's readers do, and refuses what they take in different
ways."""
import json
import os
import subprocess
import sys
import tempfile

import environment
environment.enter()

from harness import equal, main, test  # noqa: E402

TOOL = os.path.join(environment.HERE, "..", "..", "api", "yaml_to_json.py")


def convert(text):
    """(exit status, output) for a YAML document."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as f:
        f.write(text)
        f.flush()
        run = subprocess.run([sys.executable, TOOL, f.name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=30, check=False)
    return run.returncode, run.stdout.decode()


@test(rows=[
    ("words that YAML 1.1 takes for others", "[yes, no, on, off, y, ~]", ["yes", "no", "on", "off", "y", "~"]),
    ("a date", "2026-01-02", "2026-01-02"), ("sixties", "1:30", "1:30"), ("octal", "[010, 0o10]", ["010", "0o10"]),
    ("underscores", "1_000", "1_000"), ("versions", "[3.1.0, 3.1]", ["3.1.0", 3.1]),
    ("numbers", "[0, -7, 1e2, 2.5, -0.0, 9223372036854775807]", [0, -7, 100.0, 2.5, -0.0, 2 ** 63 - 1]),
    ("what is not finite", "[.nan, .inf, NaN]", [".nan", ".inf", "NaN"]),
    ("constants", "[true, false, null, True]", [True, False, None, "True"]),
    ("no ASCII", "[na\u00efve, '\u2200x']", ["na\u00efve", "\u2200x"]),
    ("folded", "a: >-\n  one\n  two\n", {"a": "one two"}), ("a quoted number as key", "'200': x", {"200": "x"}),
])
def makes(_, text, value):
    status, output = convert(text)
    equal((status, json.dumps(json.loads(output))), (0, json.dumps(value)))


@test(rows=[("a key twice", "a: 1\na: 2\n"), ("a key twice, further down", "b: {a: 1, c: 2, a: 1}"), ("a number as key", "200: x"),
            ("an anchor of itself", "&a [*a]"), ("a tag", "!!python/name:os.system x"), ("no YAML", "[1, 2")])
def refuses(_, text):
    status, output = convert(text)
    assert status != 0 and output == "", (status, output)


main()
