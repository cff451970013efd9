"""The README is true: each of its commands gives what it prints, and its tables say what the program says.

A console block is commands and their output. A command is a line that begins with "$ ", with the lines that follow it as
long as they are indented by four blanks; it runs in a shell, in a folder that all blocks share.
"""
import os
import re
import shutil
import subprocess
import tempfile

from harness import PROGRAM, Skip, environment, equal, main, test
from tensors import TYPES, VERSIONS
from wire import seconds

TOP = os.environ.get("srcdir", ".")
ADDRESS = "127.0.0.1:8000"


def read(*names):
    with open(os.path.join(TOP, *names), encoding="utf-8") as f:
        return f.read()


def examples(text):
    """(command, output) of all console blocks, in order."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                found.append([line[2:], ""])
            else:
                found[-1][0 if line.startswith("    ") else 1] += line
    return [(command, output) for command, output in found]


def table(heading):
    """The rows of the first table below a heading, as lists of cells without marks."""
    section = README.split("\n## %s\n" % heading, 1)[1]
    lines = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE).group().splitlines()
    rows = [line.strip("|").split("|") for line in lines]
    return [[cell.strip().replace("`", "") for cell in row] for row in rows[2:]]


README = read("README.md")
EXAMPLES = examples(README)
FOLDER = tempfile.TemporaryDirectory()
with open(os.path.join(FOLDER.name, ".curlrc"), "w", encoding="ascii") as rc:
    rc.write("silent\nshow-error\n")  # not every command needs to say so


@test(rows=[(" ".join(command.split())[:100], command, output) for command, output in EXAMPLES])
def gives_what_it_prints(server, command, output):
    if shutil.which("curl") is None:
        raise Skip("curl is not installed")
    address = "127.0.0.1:%d" % server.address[1]
    run = subprocess.run(["sh", "-c", command.replace(ADDRESS, address)], cwd=FOLDER.name, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds(20), check=False,
                         env=dict(os.environ, CURL_HOME=FOLDER.name))
    got = run.stdout.decode("utf-8").replace(address, ADDRESS)
    equal(got.replace("\r\n", "\n").rstrip("\n"), output.rstrip("\n"), "exit status %d" % run.returncode)


@test
def has_enough_examples(server):
    curls = [command for command, _ in EXAMPLES if "curl" in command]
    equal((len(curls) >= 6, all(ADDRESS in command for command in curls)), (True, True))


def problems():
    """Code -> status, from the table in the source."""
    rows = re.findall(r'^ +X\([A-Z_]+, +([0-9]+), "([a-z_]+)"', read("api", "problem.h"), re.MULTILINE)
    return {code: status for status, code in rows}


@test
def lists_every_kind_of_error(server):
    equal({row[0]: row[1] for row in table("Errors")}, problems())


@test
def shows_every_kind_of_error_of_a_client(server):
    shown = set(re.findall(r'"code":"([a-z_]+)"', "".join(output for _, output in EXAMPLES)))
    clients = {code for code, status in problems().items() if status[0] == "4"}
    equal(sorted(clients - shown), ["head_too_large", "unauthorized"], "these need a line of 30 KB, and a file of tokens")


@test
def lists_the_types_of_every_version(server):
    listed = {}
    for version, types in ((row[0], row[2]) for row in table("Operators")):
        operator, number = version.split()
        listed.setdefault(operator.lower(), {})[int(number)] = types
    want = {}
    for model, versions in VERSIONS.items():
        older = set()
        for version, types in versions.items():
            new = [t for t in TYPES if t in types - older]
            want.setdefault(model, {})[version] = ("+ " if older and new else "") + (", ".join(new) or "the same")
            older = types
    equal(listed, want)


@test
def lists_every_option(server):
    text = subprocess.run([PROGRAM, "--help=all"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=seconds(20),
                          check=True, env=environment()).stdout.decode()
    options = re.findall(r"^  --([a-z-]+) [^ ]+ .*\(([^)]*)\)$", text, re.MULTILINE)
    equal({row[0].split()[0][2:]: row[1] for row in table("Options")}, dict(options))


main(relay=True)
