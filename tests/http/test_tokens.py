"""Bearer tokens: who has none gets nothing but what is open, however it is asked for."""
import os
import re
import signal
import subprocess
import tempfile

from calls import EXPAND, expand, expanded
from harness import PROGRAM, WRAPPER, Server, die_with_parent, environment, equal, eventually, main, seconds, test
from wire import Closed, Connection, request_bytes

MIB = 1 << 20
TOKEN, OTHER, LAST = "first-token-0123456789", "~other.token_+/ABCDEF==", "last-token-abcdefghij"
AUTHORIZED = [("Authorization", "Bearer " + TOKEN)]
MODELS = "/v2/models"
FILE = tempfile.NamedTemporaryFile("w", prefix="shaped-", suffix=".tokens")


def write(text, mode="w"):
    with open(FILE.name, mode) as f:
        f.write(text)


write("# who may\n%s\n\n  %s   # somebody else\r\n%s" % (TOKEN, OTHER, LAST))


def run(*arguments):
    return subprocess.run(WRAPPER + [PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=seconds(20), encoding="utf-8", check=False, env=environment())


def unauthorized(response):
    equal((response.status, response.get("WWW-Authenticate")), (401, 'Bearer realm="shaped"'))
    equal(response.get("Allow"), None)  # what there is to find is not told
    if response.body:  # there is none to HEAD
        equal(response.json()["code"], "unauthorized")


def status(server, method, target, headers=()):
    return server.request(method, target, headers=list(headers)).status


# ---- who may enter -------------------------------------------------------------------------------------------------

@test(rows=[("a token", "Bearer " + TOKEN), ("another", "Bearer " + OTHER), ("the last", "Bearer " + LAST),
            ("the scheme in small letters", "bearer " + TOKEN), ("the scheme in capitals", "BEARER " + TOKEN),
            ("several blanks", "Bearer   " + TOKEN), ("a blank at the end", "Bearer " + TOKEN + " ")])
def lets_in(server, value):
    headers = [("Authorization", value)]
    expanded(server.request("POST", EXPAND, body=expand(1, 3), headers=headers), 1, 3)
    equal(status(server, "GET", MODELS, headers), 200)


@test(rows=[
    ("no token", None), ("an empty value", ""), ("the scheme alone", "Bearer"), ("the scheme and a blank", "Bearer "),
    ("the token alone", TOKEN), ("no blank", "Bearer" + TOKEN), ("another scheme", "Basic " + TOKEN),
    ("one that is as long", "Digest " + TOKEN),
    ("the beginning of a token", "Bearer " + TOKEN[:-1]), ("more than a token", "Bearer " + TOKEN + "x"),
    ("the end of a token", "Bearer " + TOKEN[1:]), ("a token in capitals", "Bearer " + TOKEN.upper()),
    ("without its end marks", "Bearer " + OTHER.rstrip("=")), ("two tokens", "Bearer %s,%s" % (TOKEN, OTHER)),
    ("two tokens apart", "Bearer %s %s" % (OTHER, TOKEN)), ("a quoted token", 'Bearer "%s"' % TOKEN),
    ("a tab instead of the blank", "Bearer\t" + TOKEN), ("a comment of the file", "Bearer #"),
    ("a word of a comment", "Bearer who"), ("many bytes", "Bearer " + "x" * 20000),
    ("bytes above ASCII", "Bearer \xe9\xff" + TOKEN), ("a percent sign", "Bearer " + TOKEN.replace("-", "%2d")),
])
def keeps_out(server, value):
    headers = [] if value is None else [("Authorization", value)]
    unauthorized(server.request("POST", EXPAND, body=expand(1, 3), headers=headers))
    unauthorized(server.request("GET", MODELS, headers=headers))


@test(rows=[("in the query", MODELS + "?access_token=" + TOKEN, []), ("as user and password", MODELS, [
    ("Authorization", "Basic Zmlyc3QtdG9rZW4tMDEyMzQ1Njc4OTo=")]), ("in a cookie", MODELS, [("Cookie", "token=" + TOKEN)]),
            ("for a proxy", MODELS, [("Proxy-Authorization", "Bearer " + TOKEN)]),
            ("in another header", MODELS, [("X-Authorization", "Bearer " + TOKEN), ("Token", TOKEN)])])
def does_not_take_a_token(server, target, headers):
    unauthorized(server.request("GET", target, headers=headers))


@test
def takes_no_two_headers(server):
    for values in ((TOKEN, "x"), ("x", TOKEN), (TOKEN, TOKEN)):
        response = server.request("GET", MODELS, headers=[("Authorization", "Bearer " + value) for value in values])
        equal((response.status, response.json()["code"]), (400, "invalid_header"))


@test
def forgets_the_token_with_the_request(server):
    """One connection may serve several clients, behind a proxy."""
    with server.connect() as c:
        c.send(request_bytes("GET", MODELS, AUTHORIZED) + request_bytes("GET", MODELS) +
               request_bytes("POST", EXPAND, AUTHORIZED, expand(1, 3)) + request_bytes("POST", EXPAND, [], expand(1, 3)) +
               request_bytes("GET", MODELS, AUTHORIZED))
        equal([c.response().status for _ in range(5)], [200, 401, 200, 401, 200])


@test
def does_not_ask_for_a_body_that_it_refuses(server):
    with server.connect() as c:
        c.send(request_bytes("POST", EXPAND, [("Expect", "100-continue"), ("Content-Length", "1000000")]))
        unauthorized(c.response())
    with server.connect() as c:  # but reads one that comes, so that the client can read the answer
        unauthorized(c.request("POST", EXPAND, body=b" " * MIB))
        equal(c.request("GET", MODELS, AUTHORIZED).status, 200)


# ---- what is open --------------------------------------------------------------------------------------------------

HEALTH = [("GET", "/v2/health/live"), ("GET", "/v2/health/ready"), ("GET", "/v2/models/expand/ready"),
          ("GET", "/v2/models/expand/versions/13/ready")]
METRICS = [("GET", "/metrics")]
DOCS = [("GET", "/"), ("GET", "/openapi.json"), ("GET", "/openapi.yaml"), ("GET", "/docs")]
OPERATORS = [("GET", "/v2"), ("GET", "/v2/models"), ("GET", "/v2/models/stats"), ("GET", "/v2/models/expand"),
             ("GET", "/v2/models/expand/versions/13"), ("GET", "/v2/models/expand/config"),
             ("GET", "/v2/models/expand/stats"), ("POST", EXPAND), ("POST", "/v2/models/expand/versions/13/infer"),
             ("POST", "/v2/models/expand/shape"), ("GET", "/v2/repository/index"), ("POST", "/v2/repository/index"),
             ("POST", "/v2/repository/models/expand/load"), ("POST", "/v2/repository/models/expand/unload")]
NOWHERE = [("GET", "/none"), ("GET", "/v2/models/none"), ("DELETE", "/v2/models"), ("POST", "/v2/health/live"),
           ("OPTIONS", "/v2/health/live"), ("OPTIONS", "*"), ("GET", "/v2/models/expand/versions/1/infer")]


@test(rows=[("health, by itself", [], HEALTH), ("nothing", ["--open", "none"], []),
            ("metrics", ["--open", "metrics"], METRICS), ("docs", ["--open", "docs"], DOCS),
            ("all three", ["--open", "docs,health,metrics"], HEALTH + METRICS + DOCS)], limit=60)
def opens(_, options, opened):
    with Server("--token-file", FILE.name, *options) as server, server.connect() as c:
        for method, target in HEALTH + METRICS + DOCS + OPERATORS + NOWHERE:
            got = c.request(method, target)
            if (method, target) in opened:
                assert got.status == 200, (method, target, got)
            else:
                unauthorized(got)
            if method == "GET":
                equal(c.request("HEAD", target).status, got.status, target)
            assert c.request(method, target, AUTHORIZED).status != 401, (method, target)


@test
def knows_every_route(server):
    """None is missing above."""
    routes = {(route["method"], route["path"]) for route in
              server.request("GET", "/", headers=AUTHORIZED).json()["routes"]}
    paths = {path.replace("{model}", "expand").replace("{version}", "13") for _, path in routes}
    missing = paths - {target for _, target in HEALTH + METRICS + DOCS + OPERATORS}
    equal(sorted(path for path in missing if "versions/13" not in path and "{file}" not in path), [])


SPELLINGS = [
    "//v2/models", "/v2//models", "///v2/models", "/v2/models/", "/v2/models//", "/v2/./models", "/./v2/models",
    "/v2/health/../models", "/v2/health/live/../../models", "/v2/health/live/..", "/v2/health/%2e%2e/models",
    "/v2/health%2f..%2fmodels", "/v2/health/live%2f..%2f..%2fmodels", "/v2%2fmodels", "/%2fv2/models", "/%76%32/models",
    "/v2/%6dodels", "/v2/models%00", "/v2/health/live%00/../models", "/v2/models%20", "/V2/models", "/v2/MODELS",
    "/v2/models;x=1", "/v2/models?x", "/v2/models?/v2/health/live", "/v2/models#/v2/health/live", "/v2/models%3f",
    "/v2\\models", "/v2/health\\..\\models", "/v2/health/live;/../models", "http://127.0.0.1/v2/models",
    "http://127.0.0.1//v2/models", "HTTP://x/v2/models", "http://x/v2/health/../models", "http:/v2/models", "//x/v2/models",
    "v2/models", "*", "", "/v2/models/expand", "/v2/models/expand/ready/../config", "/v2/models/expand/config/ready",
    "/v2/models/ready/../expand", "/metrics", "/metrics/", "//metrics", "/%6detrics", "/metrics%2f", "/metrics?a", "/",
    "/docs", "/docs/", "/openapi.json", "/assets/../v2/models", "/%2e/v2/models",
]


@test(rows=[(method, method) for method in ("GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE", "get", "GETS", "CONNECT")],
      limit=60)
def is_not_deceived_by_the_spelling_of_a_path(server, method):
    """Nothing but 401, or 400 for what is no request at all."""
    for target in SPELLINGS:
        try:
            response = server.request(method, target)
        except Closed:
            continue
        assert response.status in (401, 400, 501), (method, target, response)


@test(rows=[("percent signs", "/v2/%68ealth/%6Cive"), ("a slash at the end", "/v2/health/live/"),
            ("the absolute form", "http://127.0.0.1/v2/health/live"), ("a query", "/v2/health/live?x=/v2/models")])
def opens_health_in_every_spelling_of_it(server, target):
    equal(status(server, "GET", target), 200)


@test(rows=[("a method in a header", [("X-HTTP-Method-Override", "GET"), ("X-Original-URL", "/v2/health/live")]),
            ("a path in a header", [("X-Rewrite-URL", "/v2/health/live"), ("X-Forwarded-Prefix", "/v2/health")]),
            ("an address that is trusted elsewhere", [("X-Forwarded-For", "127.0.0.1"), ("Forwarded", "for=127.0.0.1")])])
def is_not_deceived_by(server, headers):
    for method in ("GET", "POST"):
        unauthorized(server.request(method, EXPAND, headers=headers))


@test
def opens_everything_without_a_file(_):
    with Server("--open", "none") as server:
        equal(status(server, "GET", MODELS), 200)
        equal(status(server, "GET", MODELS, [("Authorization", "Bearer x")]), 200)


# ---- the file ------------------------------------------------------------------------------------------------------

def file_with(text):
    f = tempfile.NamedTemporaryFile("wb", prefix="shaped-")
    f.write(text)
    f.flush()
    return f


@test(rows=[("an empty file", b"", "no token"), ("comments alone", b"# a\n\n  # b", "no token"),
            ("two words", b"good-token-0123456789\nhush-hush secret\n", "line 2"),
            ("a word that is none", b"hush(secret)\n", "line 1"), ("quotes", b'"secret"\n', "line 1"),
            ("an end mark within", b"sec=ret\n", "line 1"), ("letters above ASCII", "secr\u00e9t\n".encode(), "line 1"),
            ("NUL", b"secret\0secret\n", "line 1"), ("a line that is too long", b"secret" * 1000, "line 1")])
def does_not_start_with(_, text, says):
    with file_with(text) as f:
        for check in ([], ["--check-config"]):
            done = run("--listen", "127.0.0.1:0", "--token-file", f.name, *check)
            equal((done.returncode, done.stdout), (2, ""))
            assert says in done.stderr and f.name in done.stderr, done.stderr
            for part in ("secr", "hush", "good"):
                assert part not in done.stderr.replace(f.name, ""), done.stderr


@test(rows=[("a file that is not there", "/nonexistent/tokens"), ("a folder", "/")])
def cannot_read(_, name):
    done = run("--listen", "127.0.0.1:0", "--token-file", name)
    equal(done.returncode, 2)
    assert "cannot read " + name in done.stderr, done.stderr


@test
def warns_of_a_token_that_could_be_guessed(_):
    with file_with(b"good-token-0123456789\nbrief\n") as f:
        done = run("--check-config", "--token-file", f.name)
        equal(done.returncode, 0)
        text = done.stderr.replace(f.name, "")
        assert "line 2" in text and "good" not in text and "brief" not in text, text


def reload(server, says):
    before = server.stderr().count(says)
    server.process.send_signal(signal.SIGHUP)
    eventually(lambda: server.stderr().count(says) > before, 10, says)


@test
def reads_the_file_anew(_):
    with file_with(b"one-token-0123456789\n") as f, Server("--token-file", f.name) as server, server.connect() as c:
        def may(token):
            return c.request("GET", MODELS, [("Authorization", "Bearer " + token)]).status == 200

        def replace(text, says):
            with open(f.name, "wb") as new:
                new.write(text)
            reload(server, says)
        one, two = "one-token-0123456789", "two-token-0123456789"
        equal((may(one), may(two)), (True, False))
        replace(("%s\n%s\n" % (one, two)).encode(), "2 tokens")
        equal((may(one), may(two)), (True, True))
        replace(two.encode(), "1 tokens")
        equal((may(one), may(two)), (False, True))
        for bad in (b"", b"hush hush\n"):
            replace(bad, "stay in use")
            equal((may(one), may(two)), (False, True))
        os.unlink(f.name)
        reload(server, "stay in use")
        equal((may(one), may(two)), (False, True))
        replace(one.encode(), "1 tokens")
        equal((may(one), may(two)), (True, False))


@test
def takes_the_signal_while_it_starts(_):
    """A pipe in place of the file holds the start up, until there is another file and the signal that says so."""
    with tempfile.TemporaryDirectory(prefix="shaped-") as folder:
        name, new = os.path.join(folder, "tokens"), os.path.join(folder, "new")
        os.mkfifo(name)
        with open(new, "w") as f:
            f.write("%s\n%s\n" % (TOKEN, OTHER))
        with subprocess.Popen(WRAPPER + [PROGRAM, "--listen", "127.0.0.1:0", "--token-file", name], env=environment(),
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
                              preexec_fn=die_with_parent) as process:
            with open(name, "w") as pipe:
                os.rename(new, name)
                process.send_signal(signal.SIGHUP)
                pipe.write(TOKEN)
            found = []
            for line in process.stderr:
                found += re.findall("([0-9]+) tokens in", line)
                if len(found) == 2:
                    break
            process.terminate()
            process.communicate(timeout=seconds(20))
            equal((found, process.returncode), (["1", "2"], 0))


@test
def tells_nobody(_):
    """Neither good nor bad tokens stand in the log, in answers, or among the metrics."""
    with Server("--token-file", FILE.name, "--log-level", "debug", "--open", "metrics") as server:
        texts = []
        for token in (TOKEN, "wrong-token-0123456789"):
            headers = [("Authorization", "Bearer " + token)]
            for method, target in (("GET", MODELS), ("GET", "/none"), ("POST", EXPAND), ("BREW", "/")):
                response = server.request(method, target, headers=headers)
                texts.append("%s %s" % (response.headers, response.body))
            doubled = server.request("GET", MODELS, headers=headers + headers)
            texts.append("%s" % doubled.body)
        texts += [server.request("GET", "/metrics").body.decode(), server.stderr()]
        for text in texts:
            assert "token-0123" not in text, text[:2000]


@test
def has_a_health_check_with_a_token(_):
    for option in ("health", "none"):
        with Server("--token-file", FILE.name, "--open", option) as server:
            address = "127.0.0.1:%d" % server.address[1]
            equal(run("--healthcheck", "--listen", address, "--token-file", FILE.name).returncode, 0)
            equal(run("--healthcheck", "--listen", address).returncode, 0 if option == "health" else 1)


main("--token-file", FILE.name)
