"""The processes that are compared: started on free ports of 127.0.0.1, looked at through /proc, ended by their pid."""
import contextlib
import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from measure import Missing

HERE = os.path.dirname(os.path.abspath(__file__))
PR_SET_PDEATHSIG = 1
START_LIMIT = 60  # seconds; Triton takes several


def die_with_parent():
    """SIGTERM, so that nginx and Triton end their own processes, too."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def tool(name, package=None):
    path = shutil.which(name)
    if path is None:
        raise Missing("%s is not installed (package %s)" % (name, package or name))
    return path


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Peer:
    """A server process. Its own port is found in what it prints, unless it was given one."""

    PORT = re.compile(r"http://127\.0\.0\.1:([0-9]+)")

    def __init__(self, command, port=None, ready="/", cwd=None, env=None):
        self.output = tempfile.TemporaryFile()
        self.begun = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
                                        cwd=cwd, env=dict(os.environ, **(env or {})), preexec_fn=die_with_parent)
        self.pid = self.process.pid
        self.port = port
        try:
            self._wait(ready)
        except BaseException:
            self.stop()
            raise
        self.seconds_to_ready = time.monotonic() - self.begun

    def printed(self):
        return os.pread(self.output.fileno(), 1 << 20, 0).decode("utf-8", "replace")

    def _wait(self, ready):
        while not self._is_ready(ready):
            if self.process.poll() is not None:
                raise RuntimeError("%s ended at once: %s" % (self.process.args[0], self.printed()[-2000:]))
            if time.monotonic() > self.begun + START_LIMIT:
                raise TimeoutError("%s is not ready: %s" % (self.process.args[0], self.printed()[-2000:]))
            time.sleep(0.001)

    def _is_ready(self, target):
        if self.port is None:
            found = self.PORT.search(self.printed())
            if not found:
                return False
            self.port = int(found.group(1))
        try:
            urllib.request.urlopen(self.url(target), timeout=5).close()
        except urllib.error.HTTPError as e:
            return e.code < 500  # it speaks, which is enough for those without a health route
        except OSError:
            return False
        return True

    def url(self, target):
        return "http://127.0.0.1:%d%s" % (self.port, target)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.output.close()

    # -- what it uses

    def cpu(self):
        """Processor time used so far, seconds."""
        ticks = 0
        for pid in self.pids():
            with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def pids(self):
        """Its process and what that has started."""
        found = [self.pid]
        for pid in found:
            for task in os.listdir("/proc/%d/task" % pid):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                    with open("/proc/%d/task/%s/children" % (pid, task), encoding="ascii") as f:
                        found += [int(child) for child in f.read().split()]
        return found

    def _status(self, field):
        total = 0
        for pid in self.pids():
            with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as f:
                total += int(re.search(r"^%s:\s*([0-9]+) kB" % field, f.read(), re.MULTILINE).group(1))
        return total * 1024

    def rss(self):
        """Resident memory, bytes."""
        return self._status("VmRSS")

    def growth(self, run):
        """How far the peak of the resident memory rises over where it was before `run`, bytes."""
        for pid in self.pids():
            with open("/proc/%d/clear_refs" % pid, "w", encoding="ascii") as f:
                f.write("5")  # the peak starts anew
        before = self.rss()
        run()
        return self._status("VmHWM") - before


def shaped(program, *options):
    # nginx writes no log of requests either.
    return Peer([program, "--listen", "127.0.0.1:0", "--log-level", "warning", *options], ready="/v2/health/ready")


def send_loop(program):
    return Peer([program], ready="/0")


def fastapi(python):
    command = [python, "-m", "uvicorn", "fastapi_app:app", "--port", "0", "--no-access-log"]
    return Peer(command, cwd=HERE, ready="/docs", env={"PYTHONDONTWRITEBYTECODE": "1"})


# ---- nginx -------------------------------------------------------------------------------------------------------

NGINX_CONF = """
daemon off;
worker_processes 1;
pid {dir}/nginx.pid;
error_log stderr crit;
{user}
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_max_body_size 1g;
    client_body_temp_path {dir}/body;
    proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi;
    uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ return 200; }}
        location /answer {{ default_type application/octet-stream; return 200 "{answer}"; }}
        location /big {{ sendfile off; root {dir}; }}
    }}
}}
"""


class Nginx(Peer):
    """One worker. `/` answers 200 with nothing, `/answer` with some bytes, `/big` with a file of `big` zero bytes."""

    def __init__(self, parent, answer=0, big=0):
        program = tool("nginx", "nginx")
        self.dir = tempfile.mkdtemp(dir=parent)
        port = free_port()
        user = "user root;" if os.geteuid() == 0 else ""  # else the worker could not read the file
        with open(self.dir + "/nginx.conf", "w", encoding="ascii") as f:
            f.write(NGINX_CONF.format(dir=self.dir, port=port, user=user, answer="x" * answer))
        with open(self.dir + "/big", "wb") as f:
            f.truncate(big)
        super().__init__([program, "-p", self.dir, "-c", self.dir + "/nginx.conf"], port=port)

    def stop(self):
        super().stop()
        shutil.rmtree(self.dir, ignore_errors=True)


# ---- Triton ------------------------------------------------------------------------------------------------------

TRITON_CONF = """
backend: "python"
max_batch_size: 0
input [ { name: "input" data_type: TYPE_FP32 dims: [ -1, -1 ] }, { name: "shape" data_type: TYPE_INT64 dims: [ -1 ] } ]
output [ { name: "output" data_type: TYPE_FP32 dims: [ -1, -1 ] } ]
"""


class Triton(Peer):
    """The server that lies in the package nvidia-pytriton, started without that package's own code: its proxy model
    fails with Python releases newer than the interpreter that is built in, the server and its Python backend do not."""

    def __init__(self, python, parent):
        packages, version = subprocess.run(
            [python, "-c", "import sys, sysconfig; print(sysconfig.get_path('purelib'), '%d.%d' % sys.version_info[:2])"],
            check=True, capture_output=True, text=True).stdout.split()
        self.dir = tempfile.mkdtemp(dir=parent)
        server = packages + "/pytriton/tritonserver"
        self._lay_out(server, version)
        port = free_port()
        command = [server + "/bin/tritonserver", "--model-repository=" + self.dir + "/models",
                   "--backend-directory=" + self.dir + "/backends", "--http-address=127.0.0.1", "--http-port=%d" % port,
                   "--allow-grpc=false", "--allow-metrics=false"]
        path = os.path.dirname(python) + os.pathsep + os.environ["PATH"]  # where its interpreter looks for the library
        env = {"LD_LIBRARY_PATH": packages + "/nvidia_pytriton.libs", "PYTHONPATH": packages, "PATH": path}
        try:
            super().__init__(command, port=port, ready="/v2/health/ready", env=env)
        except (RuntimeError, TimeoutError, OSError) as e:
            shutil.rmtree(self.dir, ignore_errors=True)
            raise Missing("Triton does not start: " + " ".join(str(e).split())[-200:]) from e

    def _lay_out(self, server, version):
        stub = "%s/python_backend_stubs/%s/triton_python_backend_stub" % (server, version)
        if not os.path.exists(stub):
            raise Missing("Triton has no Python backend for Python " + version)
        shutil.copytree(server + "/backends", self.dir + "/backends")
        shutil.copy(stub, self.dir + "/backends/python/")
        os.makedirs(self.dir + "/models/expand/1")
        shutil.copy(HERE + "/triton_model.py", self.dir + "/models/expand/1/model.py")
        with open(self.dir + "/models/expand/config.pbtxt", "w", encoding="ascii") as f:
            f.write(TRITON_CONF)

    def stop(self):
        super().stop()
        shutil.rmtree(self.dir, ignore_errors=True)
