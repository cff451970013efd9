"""Builds the images of docker/ and keeps them as files, for the tests.

    images.py DIRECTORY           builds (make images does)

The Dockerfiles are built as they stand. Where their base image cannot be pulled, one of the same name is made of Debian's own
packages. A test begins with file(), which skips it if there is no image of the sources as they are: no test builds by itself.
"""
import os
import shutil
import subprocess
import sys

import engine

BASE = "debian:bookworm-slim"
# Name: the Dockerfile and the folder that it sees, below the top.
IMAGES = {
    "shaped": ("docker/Dockerfile", "."),
    "shaped-app": ("docker/app/Dockerfile", "docker/app"),
}
HOOKS = "/usr/share/mmdebstrap/hooks/merged-usr"
LIMIT = 900  # seconds


def log(text):
    print(text, file=sys.stderr, flush=True)


def directory():
    return os.path.abspath(os.environ.get("SHAPED_IMAGES") or "images")


def file(name):
    """The image as docker save writes it; None if it is not there."""
    path = os.path.join(directory(), name + ".tar")
    return path if os.path.exists(path) else None


def make_base(path):
    """A small Debian as a tar file, about as the image of that name is."""
    if not shutil.which("mmdebstrap"):
        raise engine.Unavailable("%s cannot be pulled, and mmdebstrap is not installed" % BASE)
    log("making %s of Debian's packages" % BASE)
    left_out = ["--dpkgopt=path-exclude=/usr/share/%s/*" % name for name in ("doc", "locale", "man")]
    options = ["--mode=root", "--format=tar", "--variant=minbase", "--components=main", "--include=usr-is-merged",
               "--hook-dir=" + HOOKS, "--customize-hook=rm -rf \"$1\"/var/lib/apt/lists/* \"$1\"/var/cache/apt/*"]
    subprocess.run(["mmdebstrap", "--quiet", *options, *left_out, "bookworm", path + ".new"], stdin=subprocess.DEVNULL,
                   check=True, timeout=LIMIT)
    os.rename(path + ".new", path)


def provide_base(docker, where):
    if docker.has_image(BASE) or (docker.daemon is None and docker.run("pull", BASE, limit=300).returncode == 0):
        return
    path = os.path.join(where, "base.tar")
    if not os.path.exists(path):
        make_base(path)
    docker("import", "-c", "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "-c", "CMD [\"bash\"]",
           path, BASE, limit=300)


def build(where):
    with engine.Engine() as docker:
        provide_base(docker, where)
        for name, (dockerfile, context) in IMAGES.items():
            log("building %s" % name)
            docker("build", "--network", "host", "-t", name, "-f", os.path.join(engine.TOP, dockerfile),
                   os.path.join(engine.TOP, context), limit=LIMIT)
            path = os.path.join(where, name + ".tar")
            docker("save", "-o", path + ".new", name, limit=300)
            os.rename(path + ".new", path)


def main(where):
    os.makedirs(where, exist_ok=True)
    for name in IMAGES:  # one that is older than its sources must not be tested
        path = os.path.join(where, name + ".tar")
        if os.path.exists(path):
            os.unlink(path)
    try:
        build(where)
    except engine.Unavailable as e:
        log("skipped: there are no images: %s" % e)
    except (engine.Failed, subprocess.SubprocessError) as e:
        sys.exit("the images cannot be built: %s" % e)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
