"""Python environments with the pinned packages of a list."""
import os
import subprocess
import sys

from measure import Missing

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALL_LIMIT = 600  # seconds


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=INSTALL_LIMIT)
    if done.returncode != 0:
        raise Missing("%s: %s" % (" ".join(command[:4]), " ".join((done.stdout + done.stderr).split())[-300:]))


def environment(directory, listed):
    """The interpreter of an environment with what the file `listed` names, made in `directory` unless it is there."""
    with open(os.path.join(HERE, listed), encoding="ascii") as f:
        wanted = f.read()
    python = os.path.join(directory, "bin", "python")
    stamp = os.path.join(directory, "installed.txt")
    if os.path.exists(stamp):
        with open(stamp, encoding="ascii") as f:
            if f.read() == wanted:
                return python
    print("installing %s into %s" % (listed, directory), file=sys.stderr, flush=True)
    try:
        run([sys.executable, "-m", "venv", "--clear", directory])
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", os.path.join(HERE, listed)])
    except subprocess.TimeoutExpired as e:
        raise Missing("installing %s took too long" % listed) from e
    with open(stamp, "w", encoding="ascii") as f:
        f.write(wanted)
    return python
