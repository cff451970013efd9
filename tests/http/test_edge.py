"""HTTP at its edges: framing, early refusals, connections, and the traps of the installed libmicrohttpd."""
import http.client
import socket
import time

from calls import EXPAND, UNSQUEEZE, expand, expanded, slow
from harness import Server, equal, eventually, instrumented, main, parallel, seconds, test
from wire import Closed, request_bytes

LIVE = {"live": True}
MIB = 1 << 20


def is_live(server):
    equal(server.request("GET", "/v2/health/live").json(), LIVE)


def head(method, target, *lines, version="HTTP/1.1", host=True):
    lines = (["Host: t"] if host else []) + list(lines)
    return "\r\n".join(["%s %s %s" % (method, target, version), *lines, "", ""]).encode("latin-1")


def answers(connection, most=10):
    """All final answers until the server closes, at most `most`."""
    found = []
    try:
        while len(found) < most:
            response = connection.response()
            if response.status >= 200:
                found.append(response)
    except Closed:
        assert not connection.buffer, "bytes that are no answer: %r" % connection.buffer[:200]
    return found


# ---- heads of every size against every kind of answer --------------------------------------------------------------

def pad_value(n):
    return [("X-Pad", "z" * n)]


def pad_lines(n):
    return [("a", "b")] * (n // 6)


def pad_cookies(n):
    return [("Cookie", "; ".join(["c=d"] * (n // 5)))] if n >= 5 else []


KINDS = [  # what, method, target, body, status
    ("a small answer", "GET", "/v2/health/live", None, 200),
    ("a document", "GET", "/v2/models/unsqueeze", None, 200),
    ("no such path", "GET", "/nope", None, 404),
    ("a wrong method", "PUT", "/v2/health/live", None, 405),
    ("HEAD", "HEAD", "/v2/health/live", None, 200),
    ("an operator", "POST", EXPAND, expand(1, 10), 200),
    ("a streamed answer", "POST", EXPAND, expand(1, 100000), 200),
    ("a request that fails", "POST", EXPAND, b"{", 400),
    ("an output over the limit", "POST", EXPAND, expand(1, 1 << 40), 413),
    ("a refused upload", "POST", "/nope", b"x" * 5000, 404),
    ("an upload for the pool", "POST", EXPAND, expand(1, 10) + b" " * 20000, 200),
]
SIZES = list(range(0, 30000, 2999)) + list(range(30000, 34000, 61)) + [40000, 65536, 200000]


def of_size(server, method, target, headers, body):
    """Status of the answer; the connection must not just be closed, however near the head is to what fits."""
    with server.connect() as connection:
        connection.send(request_bytes(method, target, headers, body))
        return connection.response(method).status


@test(rows=KINDS, limit=120)
def answers_heads_of_every_size(server, method, target, body, status):
    for size in SIZES:
        got = of_size(server, method, target, pad_value(size), body)
        assert got == status or (got == 431 and size > 28000), (size, got)
    is_live(server)


@test(rows=[("lines", pad_lines), ("cookies", pad_cookies)], limit=120)
def answers_heads_of_many(server, pad):
    for size in list(range(0, 6000, 37)) + [20000, 300000]:
        for _, method, target, body, status in (KINDS[0], KINDS[6]):
            got = of_size(server, method, target, pad(size), body)
            assert got in (status, 431), (size, got)
    is_live(server)


@test
def answers_targets_of_every_size(server):
    for size in SIZES:
        for query in ("/v2/health/live?" + "q" * size, "/v2/health/live?" + "&" * (size // 16), "/" + "p" * size):
            got = of_size(server, "GET", query, [], None)
            assert got in (200, 404) or (got in (400, 414, 431) and size > 6000), (size, query[:20], got)
    is_live(server)


@test(rows=[("the least", 4096), ("more than the default", 200_000)], limit=120)
def answers_heads_up_to_another_limit(_, limit):
    around = list(range(limit - 2000, limit + 2000, 61))
    with Server("--max-header-bytes", str(limit)) as other:
        for _, method, target, body, status in KINDS:
            for size in [0, limit // 2, *around, 3 * limit]:
                got = of_size(other, method, target, pad_value(size), body)
                assert got == status or (got == 431 and size > limit - 2500), (target, size, got)
        is_live(other)


# ---- connections ---------------------------------------------------------------------------------------------------

@test
def keeps_a_connection_through_errors(server):
    with server.connect() as c:
        for _ in range(20):
            equal(c.request("GET", "/v2/health/live").json(), LIVE)
            equal(c.request("GET", "/nope").status, 404)
            equal(c.request("POST", "/nope", body=b"x" * 100000).status, 404)
            equal(c.request("DELETE", "/v2").status, 405)
            equal(c.request("POST", EXPAND, body=b"{").status, 400)
            equal(c.request("HEAD", "/v2").body, b"")
            expanded(c.request("POST", EXPAND, body=expand(1.5, 50000)), 1.5, 50000)
            expanded(c.request("POST", EXPAND, body=expand(2.5, 3) + b" " * 30000), 2.5, 3)


@test(rows=[("as asked for", "HTTP/1.1", ["Connection: close"]), ("as HTTP/1.0 does", "HTTP/1.0", [])])
def closes(server, version, lines):
    with server.connect() as c:
        c.send(head("GET", "/v2/health/live", *lines, version=version))
        equal(c.response().json(), LIVE)
        assert c.closed(2)


@test(rows=[("small", 3, b""), ("streamed", 40000, b""), ("through the pool", 3, b" " * 10000)])
def answers_in_order(server, size, padding):
    """Requests that come in one piece."""
    n = 30
    with server.connect() as c:
        c.send(b"".join(request_bytes("POST", EXPAND, [], expand(i, size) + padding) for i in range(n)))
        for i in range(n):
            expanded(c.response(), i, size)


@test
def answers_bytes_that_come_one_by_one(server):
    with server.connect() as c:
        for byte in request_bytes("POST", EXPAND, [], expand(1, 2)):
            c.send(bytes([byte]))
        expanded(c.response(), 1, 2)


# The client sends all it has and closes its side: an answer if there can be one, and then the end, soon.
@test(rows=[
    ("a whole request", head("GET", "/v2/health/live"), 1),
    ("two", head("GET", "/v2/health/live") * 2, 2),
    ("for the pool", request_bytes("POST", EXPAND, [], expand(1, 2) + b" " * 20000), 1),
    ("for the pool, in one read", request_bytes("POST", EXPAND, [], expand(1, 2) + b" " * 10000), 1),
    ("a large answer", request_bytes("POST", EXPAND, [], expand(1, MIB)), 1),
    ("half a head", head("GET", "/v2/health/live")[:-2], 0),
    ("half a body", request_bytes("POST", EXPAND, [], expand(1, 2))[:-2], 0),
    ("a part of a refused body", request_bytes("POST", "/nope", [], b"x" * 100)[:-2], 0),
    ("nothing", b"", 0),
])
def serves_a_half_closed_connection(server, data, count):
    for i in range(6):
        with server.connect() as c:
            c.socket.sendall(data, socket.MSG_MORE * (i % 2))  # bytes and FIN together, or by chance
            c.socket.shutdown(socket.SHUT_WR)
            started = time.monotonic()
            equal([r.status for r in answers(c)], [200] * count)
            assert time.monotonic() - started < seconds(3)


@test(limit=60)
def forgets_clients_that_leave(server):
    before = server.fds()
    for count, data in ((50, b""), (50, b"GET /v2 HT"), (50, request_bytes("POST", EXPAND, [], b"x" * 200)[:-100]),
                        (50, request_bytes("POST", EXPAND, [], expand(1, 10 * MIB))),
                        (10, request_bytes("POST", UNSQUEEZE, *slow(2)))):  # which a worker does, all the same
        for _ in range(count):
            with server.connect() as c:
                c.send(data)
    eventually(lambda: server.fds() <= before, 20, "descriptors are back")
    is_live(server)


# ---- bodies --------------------------------------------------------------------------------------------------------

@test(rows=[("of a length", False), ("in chunks", True)], limit=60)
def never_takes_busy_for_stuck(server, chunked):
    """Many clients ask again and again, with bodies that do not come in one piece: each is met in the middle of one, and each
    time at the same byte, as if it had never gone on."""
    body = expand(3, 2000, False)
    body += b" " * (16400 - len(body))
    whole = request_bytes("POST", EXPAND, [], body)
    if chunked:
        whole = b"POST %s HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n%s" % (
            EXPAND.encode(), b"".join(chunks(body, 8200)))
    end = time.monotonic() + seconds(3)

    def ask():
        with server.connect() as c:
            while time.monotonic() < end:
                c.send(whole)
                equal(c.response().status, 200)
    parallel([ask] * 64)


def chunks(body, size, extension=b""):
    pieces = [body[i:i + size] for i in range(0, len(body), size)] + [b""]
    return [b"%X%s\r\n%s\r\n" % (len(p), extension, p) for p in pieces]


@test(rows=[("of any size", 1000), ("of one byte", 1), ("at once", 1 << 20)])
def reads_chunks(server, size):
    with server.connect() as c:
        for _ in range(3):
            c.send(head("POST", EXPAND, "Transfer-Encoding: CHUNKED"))
            c.send(b"".join(chunks(expand(1, 5) + b" " * 3000, size)))
            expanded(c.response(), 1, 5)


@test
def reads_or_refuses_chunks_with_extensions(server):
    """libmicrohttpd 1.0.1 takes the LF after an extension for data, and then finds the chunk malformed."""
    with server.connect() as c:
        c.send(head("POST", EXPAND, "Transfer-Encoding: chunked"))
        c.send(b"".join(chunks(expand(1, 5), 7, b";name=value")))
        response = c.response()
        if response.status != 400:
            expanded(response, 1, 5)


@test
def reads_chunks_with_trailers(server):
    with server.connect() as c:
        body = b"".join(chunks(expand(1, 5), 10))[:-2] + b"X-Checksum: 1\r\n\r\n"
        c.send(head("POST", EXPAND, "Transfer-Encoding: chunked") + body)
        expanded(c.response(), 1, 5)
        equal(c.request("GET", "/v2/health/live").json(), LIVE)


@test
def gives_up_chunk_lines_that_never_end(server):
    """libmicrohttpd 0.9 then runs in a circle."""
    used = server.cpu()
    with server.connect() as c:
        c.send(head("POST", EXPAND, "Transfer-Encoding: chunked") + b"5;" + b"x" * 100000)
        assert all(r.status == 400 for r in answers(c))
    assert server.cpu() - used < seconds(2)
    is_live(server)


@test
def expects_nothing_when_told_to_continue(server):
    with server.connect() as c:
        body = expand(1, 5)
        c.send(head("POST", EXPAND, "Expect: 100-continue", "Content-Length: %d" % len(body)))
        equal(c.response().status, 100)
        c.send(body)
        expanded(c.response(), 1, 5)


# ---- refusals by the head ------------------------------------------------------------------------------------------

HIDDEN = head("GET", "/v2/health/live")
DOUBLED = ["Content-Type: a/b", "Content-Type: a/c"]  # a mistake, but not one of framing
TWO = "a second request is never seen"


# Whatever two readers could understand differently: one answer, and nothing of what follows is taken for a request.
@test(rows=[
    ("both lengths", head("POST", EXPAND, "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n"),
    ("both, the other way", head("POST", EXPAND, "Transfer-Encoding: chunked", "Content-Length: 5") + b"0\r\n\r\n"),
    ("both, behind a doubled header", head("POST", EXPAND, *DOUBLED, "Content-Length: 5", "Transfer-Encoding: chunked") +
     b"0\r\n\r\n"),
    ("no host, beside a doubled header", head("GET", "/v2", *DOUBLED, host=False)),
    ("both, on GET", head("GET", "/v2", "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n"),
    ("two lengths", head("POST", EXPAND, "Content-Length: 5", "Content-Length: 0")),
    ("two equal lengths", head("POST", EXPAND, "Content-Length: 5", "Content-length: 5") + b"12345"),
    ("a list of lengths", head("POST", EXPAND, "Content-Length: 5, 5") + b"12345"),
    ("a signed length", head("POST", EXPAND, "Content-Length: +5") + b"12345"),
    ("a negative length", head("POST", EXPAND, "Content-Length: -5") + b"12345"),
    ("a hexadecimal length", head("POST", EXPAND, "Content-Length: 0x5") + b"12345"),
    ("an empty length", head("POST", EXPAND, "Content-Length:")),
    ("a folded length", head("POST", EXPAND, "Content-Leng: 5", " th") + b"12345"),
    ("two codings", head("POST", EXPAND, "Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n"),
    ("chunked twice", head("POST", EXPAND, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + b"0\r\n\r\n"),
    ("identity", head("POST", EXPAND, "Transfer-Encoding: identity")),
    ("an unknown coding", head("POST", EXPAND, "Transfer-Encoding: xchunked") + b"0\r\n\r\n"),
    ("a quoted coding", head("POST", EXPAND, 'Transfer-Encoding: "chunked"') + b"0\r\n\r\n"),
    ("a vertical tab", head("POST", EXPAND, "Transfer-Encoding: \x0bchunked") + b"0\r\n\r\n"),
    ("chunked in HTTP/1.0", head("POST", EXPAND, "Transfer-Encoding: chunked", version="HTTP/1.0") + b"0\r\n\r\n"),
    ("two hosts", head("GET", "/v2", "Host: u")),
    ("no host", head("GET", "/v2", host=False)),
    ("a host with a space", head("GET", "/v2", "Host: a b", host=False)),
    ("a host with a path", head("GET", "/v2", "Host: a/v2", host=False)),
    ("a host with a user", head("GET", "/v2", "Host: a@b", host=False)),
    ("a host with a letter that is not ASCII", head("GET", "/v2", "Host: \xe9", host=False)),
    ("a space before the colon", head("POST", EXPAND, "Content-Length : 5") + b"12345"),
    ("a space before the first colon", head("GET", "/v2", "Host : t", host=False)),
    ("no name", head("GET", "/v2", ": value")),
    ("a name that is no token", head("GET", "/v2", "X(Y: value")),
    ("no colon", head("GET", "/v2", "nonsense")),
    ("a folded line", head("GET", "/v2", "X-A: b", " c")),
    ("a folded last line", head("GET", "/v2", "X-A: b", "\tc")),
    ("a NUL in a value", head("GET", "/v2", "X-A: b\0c", "X-B: d")),
    ("a NUL in the last value", head("GET", "/v2", "X-A: b\0c")),
    ("a NUL in a name", head("GET", "/v2", "X\0A: b")),
    ("a CR in a value", head("GET", "/v2", "X-A: b\rc")),
    ("a CR that hides a header", head("POST", EXPAND, "X-A: b\rTransfer-Encoding: chunked")),
    ("a control character", head("GET", "/v2", "X-A: b\x01c")),
    ("a space in the target", head("GET", "/v2 /x")),
    ("two spaces", head("GET", " /v2")),
    ("no version", b"GET /v2\r\nHost: t\r\n\r\n"),
    ("a chunk size that is none", head("POST", EXPAND, "Transfer-Encoding: chunked") + b"x\r\n\r\n"),
    ("a negative chunk size", head("POST", EXPAND, "Transfer-Encoding: chunked") + b"-1\r\n\r\n"),
    ("no end of a chunk", head("POST", EXPAND, "Transfer-Encoding: chunked") + b"1\r\nabc\r\n"),
])
def refuses_what_is_ambiguous(server, data):
    with server.connect() as c:
        c.send(data + HIDDEN)
        equal([r.status for r in answers(c)], [400], TWO)


@test
def takes_no_target_with_a_nul(server):
    """Answered by 0.9.75, just closed by 1.0.1."""
    with server.connect() as c:
        c.send(head("GET", "/v2\0/x") + HIDDEN)
        assert [r.status for r in answers(c)] in ([400], [])


@test(rows=[(name, name, value) for name, value in (
    ("Content-Type", "application/json"), ("Content-Encoding", "identity"), ("Inference-Header-Content-Length", "5"))])
def refuses_doubled(server, name, value):
    with server.connect() as c:
        response = c.request("POST", EXPAND, [(name, value), (name, value)], b"12345")
        equal(response.status, 400)
        assert name in response.json()["error"], response
        equal(c.request("GET", "/v2/health/live").json(), LIVE)


@test(rows=[(host,) * 2 for host in ("", "t ", "a_b.example:80", "a:", "127.0.0.1", "[::1]:8000", "%41~!$&'()*+,;=")])
def takes_every_host(server, host):
    with server.connect() as c:
        c.send(head("GET", "/v2/health/live", "Host: " + host, host=False))
        equal(c.response().json(), LIVE)


# RFC 9110 section 5.5: blanks around a value are none of it.
@test(rows=[("a space", " "), ("many", " \t  ")])
def takes_values_without_the_blanks_around_them(server, blanks):
    def around(text):
        return blanks + text + blanks
    body = expand(1.5, 3)
    pairs = [("Content-Type", "application/json"), ("Content-Encoding", "identity"),
             ("Inference-Header-Content-Length", str(len(body))), ("X-Request-Id", "a-1")]
    response = server.request("POST", EXPAND, body=body, headers=[(name, around(value)) for name, value in pairs])
    expanded(response, 1.5, 3)
    equal(response.get("X-Request-Id"), "a-1")
    trace = "0af7651916cd43dd8448eb211c80319c"
    response = server.request("GET", "/v2", headers=[("traceparent", around("00-%s-b7ad6b7169203331-01" % trace))])
    equal(response.get("X-Request-Id"), trace)


@test
def joins_lists_over_several_lines(server):
    for pairs in ([("Accept", "text/html"), ("Accept", "application/json")], [("Accept-Encoding", "gzip")] * 2):
        equal(server.request("GET", "/v2", headers=pairs).status, 200)


# ---- refusals of a body that is still to come ----------------------------------------------------------------------

@test
def refuses_at_once_what_asks_first(server):
    for target, length, status in (("/nope", 100, 404), (EXPAND, 1 << 40, 413), ("/v2", 5, 405)):
        with server.connect() as c:
            c.send(head("POST", target, "Expect: 100-continue", "Content-Length: %d" % length))
            equal(c.response().status, status)
            assert c.closed(2)
    with server.connect() as c:
        c.send(head("POST", EXPAND, *DOUBLED, "Expect: 100-continue", "Content-Length: 100"))
        equal(c.response().status, 400)
        assert c.closed(2)


@test(rows=[("%d bytes" % n, n) for n in (1, 1000, 100000, 3 * MIB, 20 * MIB, 100 * MIB)], limit=60)
def answers_clients_that_send_first(server, size):
    """http.client writes the whole body before it reads; it must get its answer, every time."""
    body = b"x" * size
    for _ in range(8 if size < 20 * MIB else 2):
        client = http.client.HTTPConnection(*server.address, timeout=seconds(20))
        client.request("POST", "/nope", body)
        equal(client.getresponse().status, 404)
        client.close()


@test(limit=60)
def answers_a_client_that_sends_too_much(server):
    with Server("--max-request-bytes", "1000") as small:
        for size, status in ((1000, 400), (1001, 413), (5 * MIB, 413), (70 * MIB, 413)):
            for coding in ("Content-Length: %d" % size, "Transfer-Encoding: chunked"):
                with small.connect() as c:
                    c.send(head("POST", EXPAND, coding))
                    c.send(b"x" * size if "Length" in coding else b"".join(chunks(b"x" * size, 65536)))
                    equal(c.response().status, status, (size, coding))
        equal(small.request("POST", EXPAND, body=b"x" * 1000).status, 400)


@test
def refuses_the_body_of_any_request_over_the_limit(server):
    with Server("--max-request-bytes", "1000") as small, small.connect() as c:
        equal(c.request("GET", "/v2", body=b"x" * 1000).status, 200)
        equal(c.request("GET", "/v2", body=b"x" * 1001).status, 413)


@test
def answers_an_upload_without_end(server):
    """64 MiB are awaited; then the answer comes while the client is still sending, and the connection ends."""
    with server.connect() as c:
        c.send(head("POST", "/nope", "Transfer-Encoding: chunked"))
        chunk = b"%X\r\n%s\r\n" % (MIB, b"x" * MIB)
        sent = 0
        while sent < 200 and c.silent(0.001):
            c.send(chunk)
            sent += 1
        assert 60 < sent < 200, sent
        equal(c.response().status, 404)
        assert c.closed(2)
    if not instrumented():
        assert server.peak_rss() < 200 * MIB, server.peak_rss()


@test
def answers_an_upload_that_stands_still(server):
    for begin, status in ((request_bytes("POST", "/nope", [], b"x" * 100), 404),
                          (head("POST", EXPAND, *DOUBLED, "Content-Length: 100") + b"x" * 100, 400)):
        with server.connect(20) as c:
            c.send(begin[:-50])
            assert c.silent(1)
            equal(c.response().status, status)
            assert c.closed(2)


# ---- slow and idle clients -----------------------------------------------------------------------------------------

@test(limit=60)
def serves_others_beside_slow_readers(server):
    slow_ones = [server.connect() for _ in range(5)]
    for c in slow_ones:
        c.send(request_bytes("POST", EXPAND, [], expand(1, 100 * MIB)))
    started = time.monotonic()
    for i in range(100):
        expanded(server.request("POST", EXPAND, body=expand(i, 4)), i, 4)
    assert time.monotonic() - started < seconds(5)
    for c in slow_ones:
        c.close()


@test(limit=60)
def uses_no_time_while_nobody_takes_or_sends(server):
    """Answers that nobody reads, uploads that stand still, idle connections: none of them may spin."""
    held = [server.connect() for _ in range(4)]
    held[0].send(request_bytes("POST", EXPAND, [], expand(1, 100 * MIB)))
    held[1].send(head("POST", EXPAND, "Transfer-Encoding: chunked") + b"FFFF\r\nabc")
    held[2].send(request_bytes("POST", "/nope", [], b"x" * 1000)[:-10])
    time.sleep(0.5)
    used = server.cpu()
    time.sleep(2)
    assert server.cpu() - used < 0.2, server.cpu() - used
    for c in held:
        c.close()


@test
def streams_to_the_last_byte(server):
    for size in (16383, 16384, 16385, 100000, 40 * MIB // 4 + 1):
        expanded(server.request("POST", EXPAND, body=expand(3, size), limit=30), 3, size)


main("--max-output-bytes", "4G")
