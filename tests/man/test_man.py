"""The manual pages: well-formed, and true: options as --help has them, examples that work."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "http"))
from files import npy, read_npy  # noqa: E402
from harness import PROGRAM, Skip, environment, equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

MANUALS = os.path.join(HERE, "..", "..", "man")
PROGRAMS = {"shaped": PROGRAM, "shaped-conform": PROGRAM + "-conform"}
ROWS = [(name, name) for name in PROGRAMS]
LINES, COLUMNS = 24, 80  # of a screen


def source(name):
    with open(os.path.join(MANUALS, name + ".1"), encoding="ascii") as f:
        return f.read()


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=seconds(20), env=environment(), **options)


def tool(name):
    if not shutil.which(name):
        raise Skip("%s is not installed" % name)
    return name


def help_text(name, flag="--help"):
    if not os.path.exists(PROGRAMS[name]):
        raise Skip("%s is not built" % name)
    done = run([PROGRAMS[name], flag])
    equal(done.returncode, 0)
    return done.stdout


# ---- form ----------------------------------------------------------------------------------------------------------

@test(rows=ROWS)
def is_clean_under_mandoc(server, name):
    done = run([tool("mandoc"), "-Tlint", "-Wwarning", os.path.join(MANUALS, name + ".1")])
    equal((done.returncode, done.stdout), (0, ""))


@test(rows=ROWS)
def is_clean_under_groff(server, name):
    done = run([tool("groff"), "-ww", "-mdoc", "-Tascii", "-z", os.path.join(MANUALS, name + ".1")])
    equal((done.returncode, done.stdout), (0, ""))


@test
def linters_find_faults(server):
    with tempfile.NamedTemporaryFile("w", suffix=".1") as f:
        f.write(source("shaped").replace(".Sh NAME", ".Xx NAME"))
        f.flush()
        for command in (["mandoc", "-Tlint", "-Wwarning"], ["groff", "-ww", "-mdoc", "-Tascii", "-z"]):
            if shutil.which(command[0]):
                assert run(command + [f.name]).stdout, command


@test(rows=ROWS)
def has_the_usual_sections(server, name):
    sections = re.findall(r"^\.Sh (.*)$", source(name), re.MULTILINE)
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
        assert section in sections, sections


# ---- options -------------------------------------------------------------------------------------------------------

def in_manual(name):
    """Option -> (argument, default)."""
    options = {}
    for item in re.split(r"^\.It Fl -", source(name), flags=re.MULTILINE)[1:]:
        flag, argument = re.match(r"([a-z-]+)(?: (?:Ar|Cm) (.+))?\n", item).groups()
        default = re.search(r"^Default: (\S+)\.$", item, re.MULTILINE)
        assert flag not in options, flag
        options[flag] = (argument and argument.replace(" ", ""), default and default.group(1))
    return options


def in_help(text):
    found = re.findall(r"^  --([a-z-]+)(?: ([A-Z]+|[a-z|,]+))?(?:, --([a-z]+)$| .*?(?:\((\S+)\))?$)", text, re.MULTILINE)
    options = {}
    for flag, argument, second, default in found:
        options[flag] = (argument or None, argument and default or None)
        if second:
            options[second] = (None, None)
    return options


@test(rows=[("shaped", "shaped", "--help=all"), ("shaped-conform", "shaped-conform", "--help")])
def tells_the_options_that_there_are(server, name, flag):
    want = in_help(help_text(name, flag))
    assert len(want) > 5, want
    have = in_manual(name)
    wrong = sorted(flag for flag in have.keys() | want.keys() if have.get(flag) != want.get(flag))
    equal([(flag, have.get(flag)) for flag in wrong], [(flag, want.get(flag)) for flag in wrong], "man/%s.1" % name)


@test
def tells_the_groups_of_options(server):
    groups = re.findall(r"^([A-Z][a-z ]+)$", help_text("shaped", "--help=all"), re.MULTILINE)
    equal(re.findall(r"^\.Ss (.*)$", source("shaped"), re.MULTILINE), groups + ["Other than serving"])


@test(rows=ROWS)
def short_help_fits_on_a_screen(server, name):
    """With the command above it and the prompt below."""
    lines = help_text(name).splitlines()
    assert len(lines) <= LINES - 2, "%d lines" % len(lines)
    equal([line for line in lines if len(line) > COLUMNS], [])


@test
def long_help_is_as_wide_as_a_screen(server):
    equal([line for line in help_text("shaped", "--help=all").splitlines() if len(line) > COLUMNS], [])


# ---- examples ------------------------------------------------------------------------------------------------------

EXAMPLES = [example.replace("\\e", "\\") for block in re.findall(r"(?s)\n\.Bd -literal[^\n]*\n(.*?)\n\.Ed", source("shaped"))
            for example in re.findall(r"(?ms)^curl http.*|^curl '.*", block)]


@test(rows=[(example.split()[1], example) for example in EXAMPLES])
def example_works(server, example):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "x.npy"), "wb") as f:
            f.write(npy("<f4", (2,), bytes(8)))
        command = example.replace("127.0.0.1:8000", "%s:%d" % server.address)
        done = run(["sh", "-c", command.replace("curl ", "curl -q -sS --fail-with-body --noproxy '*' ", 1)], cwd=folder)
        equal(done.returncode, 0, done.stdout)
        if "y.npy" in example:
            with open(os.path.join(folder, "y.npy"), "rb") as f:
                equal(read_npy(f.read())[:2], ("<f4", [1, 2, 1]))


@test
def has_examples(server):
    equal(len(EXAMPLES), 2)


main()
