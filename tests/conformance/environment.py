"""The Python environment with onnx, numpy and onnxruntime from PyPI, which some tests here need.

    environment.py DIRECTORY      makes it (make conformance-venv does)

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
    """Named by SHAPED_VENV, else in the build directory."""
    return os.path.abspath(os.environ.get("SHAPED_VENV") or "conformance-venv")


def enter():
    where = directory()
    if os.path.realpath(sys.prefix) == os.path.realpath(where):
        return
    if not pypi.installed(where, REQUIREMENTS):
        print("1..0 # SKIP onnx, numpy and onnxruntime are not installed: make conformance-venv")
        sys.exit(0)
    python = os.path.join(where, "bin", "python")
    os.execv(python, [python] + sys.argv)


if __name__ == "__main__":
    try:
        pypi.environment(os.path.abspath(sys.argv[1]), REQUIREMENTS)
    except pypi.Missing as e:
        sys.exit("%s: %s" % (sys.argv[0], e))
