"""Options as a user meets them: from the environment, checked without serving, and asked about by a health check."""
import socket
import subprocess
import time

from calls import EXPAND, expand
from harness import PROGRAM, WRAPPER, Server, environment, equal, main, parallel, seconds, test


def run(*arguments, **variables):
    return subprocess.run(WRAPPER + [PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=seconds(20), encoding="utf-8", check=False, env=environment(**variables))


def healthcheck(address, *options):
    return run("--healthcheck", "--listen", address, *options)


# ---- the environment -----------------------------------------------------------------------------------------------

@test
def takes_options_from_the_environment(_):
    with Server(env={"SHAPED_MAX_REQUEST_BYTES": "20"}) as small:
        response = small.request("POST", EXPAND, body=expand(1, 3))
        equal((response.status, response.json()["code"]), (413, "request_too_large"))


@test
def lets_the_command_line_count_more(_):
    with Server("--max-request-bytes", "1M", env={"SHAPED_MAX_REQUEST_BYTES": "20"}) as large:
        equal(large.request("POST", EXPAND, body=expand(1, 3)).status, 200)


@test(rows=[("a variable that is no option", "SHAPED_MAX_REQUEST_BYTE", "1M"),
            ("a bad value", "SHAPED_MAX_REQUEST_BYTES", "many")])
def does_not_start_with(_, name, value):
    done = run(**{name: value})
    equal((done.returncode, done.stdout), (2, ""))
    assert name in done.stderr and done.stderr.count("\n") == 1, done.stderr


@test
def starts_beside_a_kubernetes_service_of_its_name(_):
    with Server(env={"SHAPED_PORT": "tcp://10.0.0.1:8000", "SHAPED_SERVICE_HOST": "10.0.0.1"}) as one:
        equal(one.request("GET", "/v2/health/ready").status, 200)


# ---- checking ------------------------------------------------------------------------------------------------------

@test
def checks_without_serving(server):
    done = run("--check-config", "--listen", "127.0.0.1:%d" % server.address[1])  # which is taken
    equal((done.returncode, done.stderr), (0, ""))
    equal(done.stdout.count("\n"), 1)


@test
def finds_a_bad_option_when_it_checks(_):
    done = run("--check-config", "--threads", "many")
    equal((done.returncode, done.stdout), (2, ""))


# ---- health --------------------------------------------------------------------------------------------------------

@test
def finds_a_server_that_is_ready(server):
    done = healthcheck("127.0.0.1:%d" % server.address[1])
    equal((done.returncode, done.stdout, done.stderr), (0, "", ""))


@test
def reaches_a_server_at_every_address(_):
    """0.0.0.0 and :: are no addresses to connect to elsewhere."""
    with Server("--listen", "0.0.0.0:0") as one:
        port = one.stderr().rpartition("http://0.0.0.0:")[2].split()[0]
        equal(healthcheck("0.0.0.0:" + port).returncode, 0)


@test
def asks_where_the_environment_says(server):
    equal(run("--healthcheck", SHAPED_LISTEN="127.0.0.1:%d" % server.address[1]).returncode, 0)


def unused_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@test
def finds_that_there_is_no_server(_):
    done = healthcheck("127.0.0.1:%d" % unused_port())
    equal((done.returncode, done.stdout), (1, ""))
    assert "healthcheck: cannot connect" in done.stderr, done.stderr


@test
def cannot_guess_a_port(_):
    done = healthcheck("127.0.0.1:0")
    equal(done.returncode, 1)
    assert "port 0" in done.stderr, done.stderr


def ask_a_peer(answer, hold):
    """What the health check says to a server that answers so, or nothing."""
    listener = socket.create_server(("127.0.0.1", 0))
    outcome = []

    def serve():
        peer, _ = listener.accept()
        peer.recv(65536)
        peer.sendall(answer)
        if not hold:
            peer.close()
        while hold and not outcome:
            time.sleep(0.05)
        peer.close()

    def check():
        try:
            outcome.append(healthcheck("127.0.0.1:%d" % listener.getsockname()[1]))
        except BaseException as e:
            outcome.append(e)
            raise

    parallel([serve, check])
    listener.close()
    return outcome[0]


@test(rows=[("a server that drains", b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", "503"),
            ("something else", b"220 mail.example.org ESMTP\r\n", "220 mail"),
            ("half a line", b"HTTP/1.1 20", "HTTP/1.1 20"),
            ("a server that says nothing", b"", "no answer")])
def is_not_content_with(_, answer, says):
    done = ask_a_peer(answer, hold=False)
    equal(done.returncode, 1)
    assert "not ready" in done.stderr and says in done.stderr, done.stderr


@test(rows=[("nothing", b""), ("half a line", b"HTTP/1.1 2")])
def does_not_wait_for_ever_for(_, answer):
    started = time.monotonic()
    done = ask_a_peer(answer, hold=True)
    equal(done.returncode, 1)
    assert "no answer in time" in done.stderr, done.stderr
    assert 2 < time.monotonic() - started < seconds(8)


main()
