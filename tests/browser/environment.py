"""The Python environment with Playwright from PyPI, and the browser that it drives.

    environment.py DIRECTORY      makes it (make browser-env does)

A test begins with enter(), which goes on in that environment, or skips the test if it or the browser is not there: no test
fetches anything by itself.
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
for folder in "bench", "http":
    sys.path.append(os.path.join(HERE, "..", folder))
import pypi  # noqa: E402

NAMES = ("chromium", "chromium-browser", "google-chrome")


def program():
    """The browser: named by SHAPED_CHROMIUM, else found; or None."""
    given = os.environ.get("SHAPED_CHROMIUM")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


def skip(why):
    """Skips a whole file."""
    print("1..0 # SKIP %s" % why)
    sys.exit(0)


def enter():
    where = os.path.abspath(os.environ.get("SHAPED_BROWSER") or "browser-env")
    if program() is None:
        skip("chromium is not installed")
    if os.path.realpath(sys.prefix) == os.path.realpath(where):
        return
    if not pypi.installed(where, REQUIREMENTS):
        skip("Playwright is not installed: make browser-env")
    python = os.path.join(where, "bin", "python")
    os.execv(python, [python] + sys.argv)


if __name__ == "__main__":
    try:
        pypi.environment(os.path.abspath(sys.argv[1]), REQUIREMENTS)
    except pypi.Missing as e:
        sys.exit("%s: %s" % (sys.argv[0], e))
