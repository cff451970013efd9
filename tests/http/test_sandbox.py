"""What the process gives up, and that it can do all that it must without. Most tests of the other files run with it, too."""
import os
import re
import signal

from calls import EXPAND, UNSQUEEZE, expand, expanded, slow
from certificates import Pair, Secure, folder, trusting
from harness import Server, Skip, equal, eventually, instrumented, main, test
from wire import Connection, request_bytes

MIB = 1 << 20
FILTERS = 2  # one before the event loops are made, one when everything is open


def modes(server):
    """(no new privileges, filters of system calls) of each thread. Containers have a filter already."""
    found = []
    for task in os.listdir("/proc/%d/task" % server.process.pid):
        with open("/proc/%d/task/%s/status" % (server.process.pid, task), encoding="ascii") as f:
            text = f.read()
        filters = re.search(r"^Seccomp_filters:\s*([0-9]+)", text, re.MULTILINE)
        if filters is None:
            raise Skip("this kernel does not tell of filters (it is older than 5.9)")
        found.append((int(re.search(r"^NoNewPrivs:\s*([01])", text, re.MULTILINE).group(1)), int(filters.group(1))))
    return found


def without():
    with Server("--sandbox", "off") as server:
        return modes(server)[0]


def offered(server):
    """Skips where it is left out, or the system does not have it."""
    if instrumented():
        raise Skip("sanitizers and valgrind need calls of their own")
    if "cannot be restricted" in server.stderr():
        raise Skip("there is no seccomp here")


@test
def holds_for_every_thread(server):
    """Those that were there before, loops, and workers that come with the first request."""
    offered(server)
    _, before = without()
    with Server("--loops", "3", "--threads", "4") as many:
        for _ in range(5):
            equal(many.request("POST", UNSQUEEZE, slow(10)[1], slow(10)[0], limit=30).status, 400)
        found = modes(many)
        assert len(found) >= 3 + 4, found
        equal(set(found), {(1, before + FILTERS)})


@test
def can_be_switched_off(server):
    offered(server)
    with Server("--sandbox", "off") as free:
        privileges, filters = modes(free)[0]
        equal(filters, modes(server)[0][1] - FILTERS)
        equal(free.request("GET", "/v2/health/ready").status, 200)


@test(limit=60)
def serves_reloads_and_ends_within(server):
    """TLS, tokens and a unix socket, all at once; files are read anew, and the socket is removed at the end."""
    offered(server)
    with folder() as place:
        pair, second = Pair(place, "first"), Pair(place, "second")
        tokens, path = os.path.join(place, "tokens"), os.path.join(place, "s")
        old, new = "old-token-0123456789", "new-token-0123456789"
        with open(tokens, "w", encoding="ascii") as f:
            f.write(old)
        contexts = [trusting(pair), trusting(second)]
        one = Server(*pair.options(), "--token-file", tokens, "--listen", "unix:" + path, "--threads", "2",
                     "--inline-bytes", "0", "--drain-timeout", "30")
        for context, token in zip(contexts, (old, new)):
            headers = [("Authorization", "Bearer " + token)]
            with Secure(one.address, context, 30) as c, Connection(path, 30) as local:
                for each in (c, local):
                    expanded(each.request("POST", EXPAND, headers, expand(1, 300000)), 1, 300000)
                    equal(each.request("GET", "/metrics", headers).status, 200)
            pair.place(second)
            with open(tokens, "w", encoding="ascii") as f:
                f.write(new)
            before = one.stderr().count("tokens in")
            one.process.send_signal(signal.SIGHUP)
            eventually(lambda: one.stderr().count("tokens in") > before, 10, "it has read them")
        with Secure(one.address, contexts[1], 30) as c:
            c.send(request_bytes("POST", EXPAND, headers, expand(2, 10 * MIB)))
            eventually(lambda: c.silent(0.1) and c.buffer, 10, "the answer has begun")
            one.process.terminate()
            expanded(c.response(), 2, 10 * MIB)
        one.wait_end()
        assert not os.path.exists(path)


main()
