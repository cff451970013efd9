"""podman with everything it keeps in a folder of its own; containers have the network of the host or none."""
import os
import shutil
import subprocess
import tempfile

from engine import Failed, Unavailable, unmount
from wire import seconds

CONFIGURATION = """
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
netns = "host"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
"""


class Podman:
    def __init__(self):
        if os.geteuid() != 0 or not shutil.which("podman"):
            raise Unavailable("podman is not installed, or this is not root")
        self.folder = tempfile.mkdtemp(prefix="podman-")
        path = os.path.join(self.folder, "containers.conf")
        with open(path, "w", encoding="ascii") as f:
            f.write(CONFIGURATION + ("runtime = \"runc\"\n" if shutil.which("runc") else ""))
        self.environment = dict(os.environ, CONTAINERS_CONF=path)
        places = [("--root", "root"), ("--runroot", "run"), ("--tmpdir", "tmp")]
        self.command = ["podman"] + [word for flag, name in places for word in (flag, os.path.join(self.folder, name))]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("pod", "rm", "--all", "--force")
        self.run("rm", "--all", "--force")
        self.run("rmi", "--all", "--force")
        unmount(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments, limit=60):
        return subprocess.run([*self.command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds(limit), cwd=self.folder, env=self.environment)

    def __call__(self, *arguments, limit=60):
        done = self.run(*arguments, limit=limit)
        if done.returncode != 0:
            raise Failed("podman %s: %s" % (" ".join(arguments), (done.stdout + done.stderr)[-3000:]))
        return done.stdout.strip()
