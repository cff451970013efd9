"""What the tests of the contract need from PyPI (requirements.txt) and npm (npm/package.json).

    environment.py DIRECTORY      fetches it (make contract-env does)

A test that needs it begins with enter() or npm(), which skips the test if it is not there: no test fetches anything by itself.
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
PACKAGES = os.path.join(HERE, "npm", "package.json")
for folder in "bench", "http":
    sys.path.append(os.path.join(HERE, "..", folder))
import pypi  # noqa: E402


def skip(why):
    """Skips a whole file."""
    print("1..0 # SKIP %s" % why)
    sys.exit(0)


def part(name, listed, top=None):
    """Where a part is, named by SHAPED_CONTRACT, else in the build directory; and whether it is what is listed now."""
    where = os.path.join(os.path.abspath(top or os.environ.get("SHAPED_CONTRACT") or "contract-env"), name)
    return where, pypi.installed(where, listed)


def enter():
    """Goes on in the Python environment."""
    where, there = part("python", REQUIREMENTS)
    if os.path.realpath(sys.prefix) == os.path.realpath(where):
        return
    if not there:
        skip("what tests/contract/requirements.txt lists is not installed: make contract-env")
    python = os.path.join(where, "bin", "python")
    os.execv(python, [python] + sys.argv)


def npm():
    """The folder with the programs of npm."""
    where, there = part("npm", PACKAGES)
    if not there:
        skip("what tests/contract/npm/package.json lists is not installed: make contract-env")
    return os.path.join(where, "node_modules", ".bin")


def make_npm(where):
    if shutil.which("npm") is None:
        raise pypi.Missing("there is no npm")
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    shutil.copy(PACKAGES, where)
    pypi.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", where])
    shutil.copyfile(PACKAGES, os.path.join(where, pypi.STAMP))


def make(top):
    """Fetches both; what cannot be had is named. Whether nothing is missing."""
    missing = 0
    for name, listed, install in (("python", REQUIREMENTS, lambda where: pypi.environment(where, REQUIREMENTS)),
                                  ("npm", PACKAGES, make_npm)):
        where, there = part(name, listed, top)
        try:
            if not there:
                install(where)
        except pypi.Missing as e:
            missing += 1
            print("%s: not installed: %s" % (name, e), file=sys.stderr)
    return missing == 0


if __name__ == "__main__":
    sys.exit(0 if make(sys.argv[1]) else 1)
