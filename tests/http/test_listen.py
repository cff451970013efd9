"""Where it listens: several addresses, IPv6, unix sockets, and sockets that were opened for it."""
import contextlib
import fcntl
import os
import signal
import socket
import stat
import subprocess
import tempfile
import time

from calls import EXPAND, expand, expanded
from harness import PROGRAM, WRAPPER, Server, Skip, die_with_parent, environment, equal, eventually, main, seconds, test
from wire import Connection, request_bytes

MIB = 1 << 20
READY = request_bytes("GET", "/v2/health/ready")


def run(*arguments, **options):
    return subprocess.run(WRAPPER + [PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=seconds(20), encoding="utf-8", check=False, env=environment(), **options)


class Folder(tempfile.TemporaryDirectory):
    """A folder whose name is short enough for sockets in it."""

    def __init__(self):
        super().__init__(prefix="shaped-", dir="/tmp")

    def __enter__(self):
        return os.path.join(super().__enter__(), "s")


@contextlib.contextmanager
def os_open(name):
    fd = os.open(name, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)


def is_ready(address):
    with Connection(address) as c:
        response = c.request("GET", "/v2/health/ready")
        return response.status == 200


def named(server):
    return [line.rpartition("listening on ")[2] for line in server.stderr().splitlines() if "listening on " in line]


def port_of(name):
    return int(name.rpartition(":")[2])


# ---- addresses -----------------------------------------------------------------------------------------------------

@test
def listens_on_all_that_are_named(_):
    with Folder() as path, Server("--listen", "127.0.0.2:0,unix:" + path) as server:
        names = named(server)
        equal([name.rpartition(":")[0] for name in names], ["http://127.0.0.1", "http://127.0.0.2", "unix"])
        for address in (server.address, ("127.0.0.2", port_of(names[1])), path):
            assert is_ready(address), address


@test
def listens_on_ipv6(_):
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            pass
    except OSError as e:
        raise Skip("no IPv6 here: %s" % e) from None
    with Server("--listen", "[::1]:0") as server:
        name = named(server)[1]
        assert name.startswith("http://[::1]:"), name
        assert is_ready(("::1", port_of(name)))
        equal(run("--healthcheck", "--listen", "[::1]:%d" % port_of(name)).returncode, 0)


@test
def does_not_start_when_one_of_them_fails(server):
    with Folder() as path:
        done = run("--listen", "unix:" + path, "--listen", "127.0.0.1:%d" % server.address[1])
        equal(done.returncode, 1)
        assert not os.path.exists(path), "the socket is left behind"


# ---- unix sockets --------------------------------------------------------------------------------------------------

@test
def serves_on_a_unix_socket(_):
    """Small, large, and in several pieces; all of HTTP works there."""
    with Folder() as path, Server("--listen", "unix:" + path) as server:
        with Connection(path, 30) as c:
            expanded(c.request("POST", EXPAND, body=expand(1, 3)), 1, 3)
            expanded(c.request("POST", EXPAND, body=expand(2, 10 * MIB)), 2, 10 * MIB)
            body = expand(3, 3) + b" " * 3 * MIB
            expanded(c.request("POST", EXPAND, body=body), 3, 3)
            equal(c.request("GET", "/none").status, 404)
        before = server.fds()
        for _ in range(50):
            assert is_ready(path)
        eventually(lambda: server.fds() <= before, 5, "descriptors are back")
        equal(run("--healthcheck", "--listen", "unix:" + path).returncode, 0)
    equal(run("--healthcheck", "--listen", "unix:" + path).returncode, 1)


@test(rows=[("by default", [], 0o660), ("as told", ["--socket-mode", "0600"], 0o600),
            ("for all, whatever the umask", ["--socket-mode", "666"], 0o666)])
def gives_the_socket_its_permissions(_, options, mode):
    before = os.umask(0o077)
    try:
        with Folder() as path, Server("--listen", "unix:" + path, *options):
            equal(stat.S_IMODE(os.stat(path).st_mode), mode)
    finally:
        os.umask(before)


@test
def removes_the_socket_at_the_end(_):
    with Folder() as path:
        with Server("--listen", "unix:" + path):
            assert os.path.exists(path)
        assert not os.path.exists(path)


@test
def replaces_a_socket_that_is_left_over(_):
    with Folder() as path:
        dead = Server("--listen", "unix:" + path)
        dead.kill()
        assert stat.S_ISSOCK(os.stat(path).st_mode)
        with Server("--listen", "unix:" + path):
            assert is_ready(path)


@test
def waits_for_another_server_that_makes_its_socket(_):
    """Servers lock the folder, since a socket that does not listen yet looks like one that is left over."""
    with Folder() as path:
        with socket.socket(socket.AF_UNIX) as other, os_open(os.path.dirname(path)) as folder:
            fcntl.flock(folder, fcntl.LOCK_EX)
            other.bind(path)
            late = subprocess.Popen(WRAPPER + [PROGRAM, "--listen", "unix:" + path], env=environment(),
                                    stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
                                    preexec_fn=die_with_parent)
            time.sleep(0.3)
            other.listen()
            fcntl.flock(folder, fcntl.LOCK_UN)
            text = late.communicate(timeout=seconds(20))[1]
        equal(late.returncode, 1)
        assert "another server listens on it" in text, text


@test
def does_not_wait_for_ever(_):
    with Folder() as path, os_open(os.path.dirname(path)) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with Server("--listen", "unix:" + path):
            assert is_ready(path)


@test
def does_not_replace_a_socket_that_is_in_use(_):
    with Folder() as path, Server("--listen", "unix:" + path):
        done = run("--listen", "unix:" + path)
        equal(done.returncode, 1)
        assert "another server listens on it" in done.stderr, done.stderr
        assert is_ready(path)


@test
def does_not_replace_a_socket_whose_backlog_is_full(_):
    with Folder() as path, socket.socket(socket.AF_UNIX) as busy:
        busy.bind(path)
        busy.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for s in waiting:
            s.setblocking(False)
            s.connect_ex(path)
        equal(run("--listen", "unix:" + path).returncode, 1)
        for s in waiting:
            s.close()


@test
def does_not_replace_a_file(_):
    with Folder() as path:
        with open(path, "w", encoding="ascii") as f:
            f.write("precious")
        done = run("--listen", "unix:" + path)
        equal(done.returncode, 1)
        assert "no socket" in done.stderr, done.stderr
        with open(path, encoding="ascii") as f:
            equal(f.read(), "precious")


@test
def cannot_listen_where_there_is_no_folder(_):
    with Folder() as path:
        done = run("--listen", "unix:%s/none/s" % path)
        equal(done.returncode, 1)
        assert "cannot listen on unix:" in done.stderr, done.stderr


@test
def removes_only_the_socket_that_it_made(_):
    with Folder() as path:
        first = Server("--listen", "unix:" + path)
        os.unlink(path)
        with Server("--listen", "unix:" + path):
            first.stop()
            assert is_ready(path)


@test
def makes_room_for_its_successor(_):
    """While one finishes what it has, the next starts at the same path."""
    with Folder() as path:
        first = Server("--listen", "unix:" + path, "--drain-timeout", "30")
        with Connection(path, 30) as busy:
            busy.send(request_bytes("POST", EXPAND, [], expand(2, 10 * MIB)))
            eventually(lambda: busy.silent(0.1) and busy.buffer, 10, "the answer has begun")
            first.process.terminate()
            eventually(lambda: not os.path.exists(path), 5, "the first gives up its socket")
            with Server("--listen", "unix:" + path):
                expanded(busy.response(), 2, 10 * MIB)
                first.wait_end()
                assert is_ready(path)


@test
def answers_who_waits_at_a_unix_socket_when_it_ends(_):
    with Folder() as path:
        server = Server("--listen", "unix:" + path)
        os.kill(server.process.pid, signal.SIGSTOP)
        eventually(lambda: server.state() == "T", 5, "it has stopped")
        waiting = [Connection(path) for _ in range(100)]
        for c in waiting:
            c.send(READY)
        server.process.terminate()
        os.kill(server.process.pid, signal.SIGCONT)
        for c in waiting:
            assert c.response().status in (200, 503)
            c.close()
        server.wait_end()


# ---- socket activation ---------------------------------------------------------------------------------------------

class Activated:
    """The program as systemd starts it: with sockets at descriptor 3 and on."""

    def __init__(self, sockets, *options, pid="$$", count=None):
        line = 'LISTEN_PID=%s LISTEN_FDS=%s exec "$@"' % (pid, len(sockets) if count is None else count)
        fds = [os.dup(s.fileno()) for s in sockets]

        def place():
            for i, fd in enumerate(fds):
                os.dup2(fd, 3 + i)
                os.set_inheritable(3 + i, True)
        high = [os.dup2(fd, 100 + i) for i, fd in enumerate(fds)]  # so that placing one does not cover another
        for fd in fds:
            os.close(fd)
        fds = high
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(["sh", "-c", line, "sh", *WRAPPER, PROGRAM, *options], env=environment(),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors,
                                        preexec_fn=place, close_fds=False)
        for fd in high:
            os.close(fd)

    def stderr(self):
        return os.pread(self.errors.fileno(), 1 << 20, 0).decode()

    def __enter__(self):
        eventually(lambda: "listening on" in self.stderr() or self.process.poll() is not None, 20, "it listens")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            status = self.process.wait(seconds(20))
        finally:
            self.process.kill()
        equal(status, 0, self.stderr())


@test
def takes_over_the_sockets_of_systemd(_):
    """And does not listen at the default address beside them."""
    with Folder() as path, socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as local:
        local.bind(path)
        local.listen()
        with Activated([tcp, local]) as one:
            for address in (tcp.getsockname(), path):
                assert is_ready(address), address
            equal(named(one), ["http://127.0.0.1:%d" % tcp.getsockname()[1], "unix:" + path])
        assert os.path.exists(path), "it is not ours to remove"


@test
def listens_beside_the_sockets_of_systemd_when_told(_):
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        with Activated([tcp], "--listen", "127.0.0.2:0") as one:
            eventually(lambda: len(named(one)) == 2, 10, "both")
            assert is_ready(tcp.getsockname())
            assert is_ready(("127.0.0.2", port_of(named(one)[1])))


@test
def leaves_sockets_alone_that_are_for_another_process(_):
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        with Activated([tcp], "--listen", "127.0.0.2:0", pid="1") as one:
            equal([name.rpartition(":")[0] for name in named(one)], ["http://127.0.0.2"])


@test
def does_not_take_over_what_is_no_listener(_):
    with socket.socket() as idle:
        one = Activated([idle])
        equal(one.process.wait(seconds(20)), 1)
        assert "no listening stream socket" in one.stderr(), one.stderr()


main()
