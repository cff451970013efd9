"""The examples of compose: an application asks its sidecar over the loopback interface they share, and over a unix socket."""
import json
import os
import shutil
import subprocess

import engine
from frame import main, skip
from harness import equal, test
from wire import seconds

FOLDER = os.path.join(engine.TOP, "docker")
# Where the engine has no bridge, the two live in a namespace without one.
NO_BRIDGE = {"services": {"shaped": {"network_mode": "none"}}}
NO_NETWORK = {"services": {"app": {"network_mode": "none"}}}


def program():
    """Compose as a plugin, or the older program."""
    if not shutil.which("docker"):
        skip("the client of Docker is not installed")
    plugin = subprocess.run(["docker", "compose", "version"], stdin=subprocess.DEVNULL, capture_output=True)
    return ["docker", "compose"] if plugin.returncode == 0 else ["docker-compose"]


COMPOSE = program()
if not shutil.which(COMPOSE[0]):
    skip("docker compose is not installed")


class Project:
    """A compose file with what an engine of our own needs; down at the end."""

    def __init__(self, docker, file, override):
        path = os.path.join(docker.scratch.name, "override.json")
        with open(path, "w", encoding="ascii") as f:
            json.dump(override, f)
        self.docker = docker
        self.command = [*COMPOSE, "-p", "shaped%d" % os.getpid(), "-f", os.path.join(FOLDER, file)]
        if docker.daemon:
            self.command += ["-f", path]

    def __call__(self, *arguments):
        done = subprocess.run([*self.command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds(60), env=self.docker.environment)
        return done.returncode, done.stdout + done.stderr

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self("down", "--volumes", "--timeout", "10")


@test(limit=120, rows=[("loopback", "compose.yaml", NO_BRIDGE), ("unix socket", "compose.unix.yaml", NO_NETWORK)])
def application_asks_its_sidecar(docker, file, override):
    with Project(docker, file, override) as compose:
        status, text = compose("up", "--no-build", "--no-color", "--exit-code-from", "app")
        equal(status, 0, text)
        assert '"data":[1.0,1.0,2.5,2.5,-3.0,-3.0]' in text, text
        names = docker("ps", "--all", "--quiet", "--filter", "label=com.docker.compose.project=shaped%d" % os.getpid(),
                       "--filter", "label=com.docker.compose.service=shaped")
        equal(docker.inspect(names)["State"]["ExitCode"], 0, "shaped drains when the application has ended")


main()
