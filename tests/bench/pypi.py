"""Python environments with the pinned packages of a list."""
import os
import shutil
import subprocess
import sys

from measure import Missing

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALL_LIMIT = 600  # seconds
STAMP = "installed.txt"  # in an environment: the list it was made from


def run(command, env=None):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=INSTALL_LIMIT, env=env)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Missing(str(e)) from e
    if done.returncode != 0:
        raise Missing("%s: %s" % (" ".join(command[:4]), " ".join((done.stdout + done.stderr).split())[-300:]))


def installed(directory, listed):
    """Whether `directory` is an environment with what the file `listed` names now."""
    try:
        with open(os.path.join(directory, STAMP), encoding="ascii") as have, \
                open(os.path.join(HERE, listed), encoding="ascii") as wanted:
            return have.read() == wanted.read()
    except OSError:
        return False


def environment(directory, listed, options=()):
    """The interpreter of an environment with what the file `listed` names, made in `directory` unless it is there. With
    options of pip."""
    python = os.path.join(directory, "bin", "python")
    listed = os.path.join(HERE, listed)
    if installed(directory, listed):
        return python
    print("installing %s into %s" % (os.path.basename(listed), directory), file=sys.stderr, flush=True)
    run([sys.executable, "-m", "venv", "--clear", directory])
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options, "-r", listed])
    shutil.copyfile(listed, os.path.join(directory, STAMP))
    return python
