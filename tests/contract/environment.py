"""The Python environment with what the tests of the contract need from PyPI.

    environment.py DIRECTORY      makes it (make contract-env does)

A test that needs it begins with enter(), which goes on in that environment, or skips the test if there is none: no test
fetches anything by itself.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
sys.path.append(os.path.join(HERE, "..", "bench"))
import pypi  # noqa: E402


def directory():
    """Named by SHAPED_CONTRACT, else in the build directory."""
    return os.path.abspath(os.environ.get("SHAPED_CONTRACT") or "contract-env")


def enter():
    where = directory()
    if os.path.realpath(sys.prefix) == os.path.realpath(where):
        return
    if not pypi.installed(where, REQUIREMENTS):
        print("1..0 # SKIP what tests/contract/requirements.txt lists is not installed: make contract-env")
        sys.exit(0)
    python = os.path.join(where, "bin", "python")
    os.execv(python, [python] + sys.argv)


if __name__ == "__main__":
    try:
        pypi.environment(os.path.abspath(sys.argv[1]), REQUIREMENTS)
    except pypi.Missing as e:
        sys.exit("%s: %s" % (sys.argv[0], e))
