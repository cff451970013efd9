"""The two load generators: wrk for small answers, client.c for large ones."""
import contextlib
import json
import os
import subprocess
import tempfile

from peers import die_with_parent, tool

TICK = 0.01  # seconds: less processor time is not told

WRK_SCRIPT = """
local file = io.open("%(body)s", "rb")
wrk.method = "%(method)s"
wrk.body = file:read("*a")
%(headers)s
function done(summary, latency, requests)
    local e = summary.errors
    io.write(string.format('RESULT {"rate": %%f, "requests": %%d, "p50": %%f, "p99": %%f, "errors": %%d}\\n',
        summary.requests / summary.duration * 1e6, summary.requests, latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
end
"""


class Load:
    """Writes requests to files of `directory` and runs the generators with them."""

    def __init__(self, directory, client):
        self.directory = directory
        self.client_program = client

    def _file(self, content, suffix):
        fd, path = tempfile.mkstemp(dir=self.directory, suffix=suffix)
        with os.fdopen(fd, "wb") as f:
            f.write(content)
        return path

    def wrk(self, peer, request, connections, seconds):
        """Returns {"rate": requests a second, "work": requests a second of the peer's processor time, "p50": us,
        "p99": us}. Every answer must be a 200."""
        body = self._file(request.body, ".body")
        headers = "\n".join('wrk.headers["%s"] = "%s"' % pair for pair in request.headers.items())
        script = self._file((WRK_SCRIPT % {"body": body, "method": request.method, "headers": headers}).encode(), ".lua")
        command = [tool("wrk"), "-t", "1", "-c", str(connections), "-d", "%.0fs" % max(1, seconds), "--timeout",
                   "60s", "-s", script, peer.url(request.target)]  # an answer that takes long is no error
        before = peer.cpu()
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
        used = peer.cpu() - before
        os.unlink(body)
        os.unlink(script)
        lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        if not lines:
            raise RuntimeError("wrk: " + done.stdout + done.stderr)
        result = json.loads(lines[0][len("RESULT "):])
        if result.pop("errors"):
            raise RuntimeError("wrk saw errors: " + done.stdout)
        result["work"] = result.pop("requests") / max(used, TICK)
        return result

    def _client(self, peer, request, arguments):
        path = self._file(request.http(), ".http")
        return path, [self.client_program, *arguments, "-z", str(request.zeros), str(peer.port), path]

    def client(self, peer, request, *arguments, limit=120):
        """Returns what client.c says, "rate": bytes a second of all answers' bodies, and "work": bytes a second of the
        peer's processor time."""
        path, command = self._client(peer, request, arguments)
        before = peer.cpu()
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        used = peer.cpu() - before
        os.unlink(path)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        result = json.loads(done.stdout)
        result["rate"] = result["bytes"] / result["seconds"]
        result["work"] = result["bytes"] / max(used, TICK)
        return result

    @contextlib.contextmanager
    def streaming(self, peer, request, connections):
        """Clients that take answers without end while the block runs."""
        path, command = self._client(peer, request, ["-c", str(connections), "-s", "3600"])
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent)
        try:
            yield
            if process.poll() is not None:
                raise RuntimeError("the streaming clients ended: status %d" % process.returncode)
        finally:
            process.kill()
            process.wait()
            os.unlink(path)
