"""HAProxy in front of several instances, as a user would set it up: it asks each whether it is ready, and tries another one if a
connection is refused. It never sends a request twice."""
import os
import shutil
import socket
import subprocess
import tempfile

from harness import die_with_parent, eventually, free_port

PROGRAM = shutil.which("haproxy", path=os.environ.get("PATH", "") + os.pathsep + "/usr/sbin")

CONFIGURATION = """
global
    maxconn 500
    nbthread 1
    tune.rcvbuf.server 131072
    tune.sndbuf.client 131072
    stats socket {folder}/stats level user

defaults
    mode http
    timeout connect 2s
    timeout client 30s
    timeout server 30s
    timeout check 5s
    retries 3
    option redispatch 1

frontend front
    bind 127.0.0.1:{port}
    default_backend instances

backend instances
    balance roundrobin
    http-response set-header X-Instance %s
    option httpchk GET /v2/health/ready
    http-check expect status 200
    default-server inter 100ms fastinter 50ms downinter 100ms fall 1 rise 1
{servers}
{preferences}
"""


class Balancer:
    def __init__(self, ports):
        self.folder = tempfile.TemporaryDirectory(prefix="haproxy-")
        self.address = ("127.0.0.1", free_port())
        servers = "\n".join("    server i%d 127.0.0.1:%d check" % pair for pair in enumerate(ports))
        # A client may name the instance it would like; if that is down, it gets another one.
        preferences = "\n".join("    use-server i%d if { req.hdr(X-Prefer) i%d }" % (n, n) for n in range(len(ports)))
        path = os.path.join(self.folder.name, "haproxy.cfg")
        with open(path, "w", encoding="ascii") as f:
            f.write(CONFIGURATION.format(folder=self.folder.name, port=self.address[1], servers=servers,
                                         preferences=preferences))
        checked = subprocess.run([PROGRAM, "-c", "-q", "-f", path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr
        self.process = subprocess.Popen([PROGRAM, "-db", "-f", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)

    def __enter__(self):
        eventually(lambda: self.states() and set(self.states().values()) == {"UP"}, 10, "all instances up")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def states(self):
        """Instance -> "UP" or "DOWN", as its health checks have it."""
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(os.path.join(self.folder.name, "stats"))
                s.sendall(b"show stat\n")
                lines = s.makefile("r", encoding="ascii").read().splitlines()
        except OSError:
            return {}
        rows = [line.split(",") for line in lines if line.startswith("instances,i")]
        return {row[1]: row[17].split()[0] for row in rows}
