"""Replays the collected real-world cases, where they are: a folder with cases.jsonl and replay.py, named by SHAPED_CASES or
found beside the source tree. Each case is one result.

Cases that cannot pass yet are skipped by name, with the reason; any other case that the replay skips counts as failed, so
that none disappears.
"""
import json
import os
import re
import subprocess
import sys

from harness import Server, instrumented
from wire import TIME_SCALE

FOLDER = os.environ.get("SHAPED_CASES") or os.path.join(os.environ.get("srcdir", "."), "..", "shared", "cases")

# Case -> why it is skipped.
EXPECTED_SKIPS = {}

# The same for what a libmicrohttpd from 1.0 on does otherwise, without asking us.
OTHERWISE_FROM_1_0 = {"B-HF-21": "libmicrohttpd closes the connection at once where a request line should be and is none"}

LINE = re.compile(r"(ok|not ok) [0-9]+ - (\S+)(.*)")


def load():
    with open(os.path.join(FOLDER, "cases.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def replay(server, cases):
    """Case -> (passed, text, skipped) as the replay says."""
    command = [sys.executable, os.path.join(FOLDER, "replay.py"), "--tap", "--url", "http://127.0.0.1:%d" % server.address[1],
               "--timeout", "%g" % (15 * TIME_SCALE), "--body-limit", str(256 << 20)]
    if not instrumented():
        command += ["--pid", str(server.process.pid)]
    for case in cases:
        command += ["--id", case["id"]]
    found = {}
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=900 * TIME_SCALE, check=False)
    for line in run.stdout.decode().splitlines():
        match = LINE.match(line)
        if match:
            found[match.group(2)] = (match.group(1) == "ok", match.group(3).strip(), "# SKIP" in line)
    return found


def library(server):
    """The version of libmicrohttpd, as a list of numbers."""
    text = server.request("GET", "/metrics").body.decode()
    return [int(part) for part in re.search('libmicrohttpd="([0-9.]+)"', text).group(1).split(".")]


def judge(case, found, otherwise):
    """The TAP line of a case, without its number."""
    name = case["id"]
    title = "- %s %s" % (name, case["summary"].replace("#", "\\#"))
    if name not in found:
        return "not ok", "%s: not replayed" % title
    passed, text, skipped = found[name]
    if skipped and name in EXPECTED_SKIPS:
        return "ok", "%s # SKIP %s" % (title, EXPECTED_SKIPS[name])
    if skipped:
        return "not ok", "%s: skipped without our knowing why: %s" % (title, text.replace("#", ""))
    if not passed and name in otherwise:
        return "ok", "%s # SKIP %s" % (title, otherwise[name])
    return "ok" if passed else "not ok", title if passed else "- %s %s" % (name, text)


def main():
    if not os.path.exists(os.path.join(FOLDER, "replay.py")):
        print("1..0 # SKIP there are no cases in %s" % FOLDER)
        return 0
    cases = load()
    print("1..%d" % (len(cases) + 1))
    with Server(stop_within=30) as server:
        otherwise = OTHERWISE_FROM_1_0 if library(server) >= [1, 0] else {}
        found = replay(server, cases)
    failed = 0
    for number, case in enumerate(cases, 1):
        verdict, text = judge(case, found, otherwise)
        failed += verdict != "ok"
        print(verdict, number, text.encode("ascii", "backslashreplace").decode())
    print("ok %d - the server stops cleanly" % (len(cases) + 1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
