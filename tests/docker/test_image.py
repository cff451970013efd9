"""The image: what is in it, how it runs with nothing allowed, its health, its end."""
import json
import os
import re
import tarfile
import threading

from frame import EXPAND, asked, container, curl, expands, health, main, socket_folder, until
from harness import equal, free_port, test
import engine

MEBI = 1 << 20
CLOSED = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--network", "none", "--pids-limit", "64",
          "--memory", "64m"]
ON_SOCKET = ["-e", "SHAPED_LISTEN=unix:/run/shaped/http.sock"]


def closed(docker, folder, *options):
    """A container with nothing allowed, and where its socket will be."""
    mount = ["-v", "%s:/run/shaped" % folder]
    return container(docker, *CLOSED, *ON_SOCKET, *mount, *options), os.path.join(folder, "http.sock")


# ---- what is in it -------------------------------------------------------------------------------------------------

@test
def is_small(docker):
    size = docker.inspect("shaped", "image")["Size"]
    assert size <= 15e6, "%.1f MB" % (size / 1e6)


@test
def says_how_it_is_run(docker):
    config = docker.inspect("shaped", "image")["Config"]
    equal((config["User"], config["StopSignal"], config["Entrypoint"], list(config["ExposedPorts"])),
          ("65534:65534", "SIGTERM", ["/usr/local/bin/shaped"], ["8000/tcp"]))
    equal(config["Healthcheck"]["Test"], ["CMD", "/usr/local/bin/shaped", "--healthcheck"])


@test
def is_labelled_with_the_version(docker):
    labels = docker.inspect("shaped", "image")["Config"]["Labels"]
    with open(os.path.join(engine.TOP, "configure.ac"), encoding="ascii") as f:
        version = re.search(r"AC_INIT\(\[shaped\], \[([^\]]+)\]", f.read()).group(1)
    prefix = "org.opencontainers.image."
    equal((labels[prefix + "title"], labels[prefix + "version"]), ("shaped", version))
    equal(docker("run", "--rm", "--network", "none", "shaped", "--version"), "shaped " + version)


@test
def has_the_program_and_its_libraries_alone(docker):
    name = docker("create", "--network", "none", "shaped")
    try:
        docker("export", "-o", os.path.join(docker.scratch.name, "files.tar"), name)
    finally:
        docker("rm", name)
    with tarfile.open(os.path.join(docker.scratch.name, "files.tar")) as tar:
        files = [item.name for item in tar if item.isfile() and not re.match("(etc|dev)/|.dockerenv", item.name)]
    others = [name for name in files if not re.fullmatch(r"(usr/)?lib(64)?/.*\.so(\.[0-9.]+)?", name)]
    equal(others, ["usr/local/bin/shaped"])


# ---- running -------------------------------------------------------------------------------------------------------

@test
def runs_with_nothing_allowed(docker):
    with socket_folder() as folder:
        running, path = closed(docker, folder)
        with running as name:
            until(lambda: os.path.exists(path), 10, "socket")
            expands(path)
            equal(docker.inspect(name)["State"]["Running"], True)


@test
def becomes_healthy(docker):
    """As `docker run` starts it, with the interval of a test."""
    port = free_port()
    with container(docker, "--network", "host", "-e", "SHAPED_LISTEN=127.0.0.1:%d" % port, "--health-interval", "1s") as name:
        until(lambda: health(docker, name) == "healthy", 10, "healthy")
        equal(curl("http://127.0.0.1:%d/v2/health/ready" % port).returncode, 0)


@test(limit=40)
def becomes_unhealthy_and_healthy_again(docker):
    with socket_folder() as folder:
        running, _ = closed(docker, folder, "--health-interval", "1s", "--health-timeout", "1s", "--health-retries", "1",
                            "--health-start-period", "0s")
        with running as name:
            until(lambda: health(docker, name) == "healthy", 10, "healthy")
            docker("kill", "--signal", "STOP", name)
            until(lambda: health(docker, name) == "unhealthy", 10, "unhealthy")
            docker("kill", "--signal", "CONT", name)
            until(lambda: health(docker, name) == "healthy", 10, "healthy again")


@test
def listens_for_others_by_itself(docker):
    """No option: 0.0.0.0:8000. Seen from a container in the same network namespace."""
    with container(docker, "--network", "none") as name:
        until(lambda: docker.run("exec", name, "/usr/local/bin/shaped", "--healthcheck").returncode == 0, 10, "ready")
        answer = docker("run", "--rm", "--network", "container:" + name, "shaped-app")
        equal(json.loads(answer)["outputs"][0]["data"], [1.0, 1.0, 2.5, 2.5, -3.0, -3.0])


@test
def tells_what_is_wrong_with_an_option(docker):
    done = docker.run("run", "--rm", "--network", "none", "-e", "SHAPED_THREADS=many", "shaped")
    equal((done.returncode, "SHAPED_THREADS" in done.stderr), (2, True), done.stderr)


# ---- limits and end ------------------------------------------------------------------------------------------------

@test
def streams_more_than_its_memory(docker):
    """512 MiB out of a container of 64 MiB."""
    with socket_folder() as folder:
        running, path = closed(docker, folder)
        with running as name:
            until(lambda: os.path.exists(path), 10, "socket")
            done = curl("--unix-socket", path, "-o", "/dev/null", "-w", "%{size_download}", "-d", "@-",
                        "http://localhost/v2/models/expand/infer?", body=json.dumps(
                            dict(EXPAND, outputs=[{"name": "output", "parameters": {"binary_data": True}}],
                                 inputs=[EXPAND["inputs"][0], {"name": "shape", "datatype": "INT64", "shape": [3],
                                                               "data": [64, 2, MEBI]}])).encode())
            assert int(done.stdout) > 512 * MEBI, done
            equal(docker.inspect(name)["State"]["OOMKilled"], False)


@test
def refuses_what_its_memory_cannot_hold(docker):
    """The limits come from the control group's: a 4xx or 503, and it goes on."""
    body = b'{"inputs":[{"name":"input","datatype":"FP32","shape":[1],"data":[' + b" " * (100 * MEBI) + b"1]}]}"
    with socket_folder() as folder:
        running, path = closed(docker, folder)
        with running as name:
            until(lambda: os.path.exists(path), 10, "socket")
            done = curl("--unix-socket", path, "-w", "%{http_code}", "--data-binary", "@-",
                        "http://localhost/v2/models/expand/infer", body=body)
            assert done.stdout.endswith((b"413", b"503")), done.stdout[-500:]
            expands(path)
            equal(docker.inspect(name)["State"]["OOMKilled"], False)


@test(limit=60)
def finishes_what_runs_when_it_is_stopped(docker):
    """docker stop in the middle of an answer: the answer is whole, the exit status 0."""
    with socket_folder() as folder:
        running, path = closed(docker, folder)
        with running as name:
            until(lambda: os.path.exists(path), 10, "socket")
            got = {}

            def read():
                target = "http://localhost/v2/models/expand/infer?datatype=FP32&dims=1&shape=%d" % (16 * MEBI)
                done = curl("--unix-socket", path, "--limit-rate", "24M", "-o", "/dev/null", "-w", "%{size_download}",
                            "-H", "Content-Type: application/octet-stream", "--data-binary", "@-", target, body=b"abcd")
                got.update(status=done.returncode, size=int(done.stdout))
            reader = threading.Thread(target=read)
            reader.start()
            until(lambda: asked(path, "/v2/models/expand/stats")["model_stats"][-1]["inference_count"] > 0
                  or not reader.is_alive(), 10, "the call has begun")
            assert reader.is_alive(), "the answer is there before the end begins"
            docker("stop", "--time", "10", name)
            reader.join()
            equal(got, {"status": 0, "size": 64 * MEBI})
            equal(docker.inspect(name)["State"]["ExitCode"], 0)


main()
