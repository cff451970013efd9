"""Clients from PyPI and npm, in environments of their own.

    environment.py DIRECTORY      makes them (make clients-env does)

A test that needs one begins with enter() or directory(), which skips the test if it is not there: no test fetches anything by
itself.
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in "bench", "conformance", "http":
    sys.path.append(os.path.join(HERE, "..", folder))
import pypi  # noqa: E402

# Part: the list of its packages, and options of pip.
PARTS = {
    "python": ("requirements.txt", ()),
    "perf": ("requirements-perf.txt", ("--no-deps",)),  # a program: what its package wants of Python is not used
    "node": ("requirements-node.txt", ()),
}
NPM_LIST = os.path.join(HERE, "typescript", "package.json")


def skip(why):
    """Skips a whole file."""
    print("1..0 # SKIP %s" % why)
    sys.exit(0)


def top():
    return os.path.abspath(os.environ.get("SHAPED_CLIENTS") or "clients-env")


def directory(part):
    """Where a part is installed; skips the test if it is not, or not as its list says now."""
    where, listed = os.path.join(top(), part), PARTS[part][0]
    if not pypi.installed(where, os.path.join(HERE, listed)):
        skip("what %s lists is not installed: make clients-env" % listed)
    return where


def enter():
    """Goes on in the environment of the Python clients."""
    where = directory("python")
    if os.path.realpath(sys.prefix) != os.path.realpath(where):
        python = os.path.join(where, "bin", "python")
        os.execv(python, [python] + sys.argv)


def npm_directory():
    """Where the packages of npm are; skips the test if they are not."""
    where = os.path.join(top(), "npm")
    if not pypi.installed(where, NPM_LIST):
        skip("what typescript/package.json lists is not installed: make clients-env")
    return where


def node_path(where):
    """The environment in which node and npm are found."""
    return dict(os.environ, PATH=os.path.join(where, "bin") + os.pathsep + os.environ["PATH"])


def make_npm(where, node):
    """Installs the packages of npm into `where`, with the node that is in `node`."""
    if pypi.installed(where, NPM_LIST):
        return
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    shutil.copy(NPM_LIST, where)
    pypi.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", where], env=node_path(node))
    shutil.copyfile(NPM_LIST, os.path.join(where, pypi.STAMP))


def steps(where):
    """Each part that is to be installed, and how."""
    for part, (listed, options) in PARTS.items():
        yield part, lambda part=part, listed=listed, options=options: pypi.environment(
            os.path.join(where, part), os.path.join(HERE, listed), options)
    yield "npm", lambda: make_npm(os.path.join(where, "npm"), os.path.join(where, "node"))


def make(where):
    """All that can be installed here; what cannot is named. Whether nothing is missing."""
    missing = 0
    for part, install in steps(where):
        try:
            install()
        except pypi.Missing as e:
            missing += 1
            print("%s: not installed: %s" % (part, e), file=sys.stderr)
    return missing == 0


if __name__ == "__main__":
    sys.exit(0 if make(os.path.abspath(sys.argv[1])) else 1)
