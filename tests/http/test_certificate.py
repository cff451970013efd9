"""The certificate: what is refused at the start, and how it is exchanged while the server runs."""
import os
import shutil
import signal
import ssl
import subprocess
import threading
import time

from calls import EXPAND, expand, expanded
from certificates import Pair, Secure, finish, folder, server_pair, trusting
from harness import PROGRAM, WRAPPER, Server, environment, equal, eventually, main, parallel, seconds, test
from wire import Connection


def run(*arguments):
    return subprocess.run(WRAPPER + [PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=seconds(20), encoding="utf-8", check=False, env=environment())


# ---- start ---------------------------------------------------------------------------------------------------------

def bad_pairs(place):
    """(what is wrong, options) of pairs that are none."""
    one, other = Pair(place, "one"), Pair(place, "other")
    empty, locked = os.path.join(place, "empty"), os.path.join(place, "locked")
    with open(empty, "wb"):
        pass
    with open(one.key, "rb") as whole, open(os.path.join(place, "cut"), "wb") as cut:
        cut.write(whole.read()[:100])
    subprocess.run(["openssl", "pkcs8", "-topk8", "-in", one.key, "-out", locked, "-passout", "pass:x"], check=True,
                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds(20))
    return {
        "a file that is not there": (one.certificate, os.path.join(place, "none")),
        "a folder": (place, one.key),
        "an empty file": (empty, one.key),
        "another's key": (one.certificate, other.key),
        "half a key": (one.certificate, os.path.join(place, "cut")),
        "the files exchanged": (one.key, one.certificate),
        "a key with a password": (one.certificate, locked),
    }


@test(limit=90)
def does_not_start_with_a_bad_pair(_):
    with folder() as place:
        for what, (certificate, key) in bad_pairs(place).items():
            for check in ([], ["--check-config"]):
                done = run("--listen", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-key", key, *check)
                equal((done.returncode, done.stdout), (2, ""), what)
                assert certificate in done.stderr or key in done.stderr, (what, done.stderr)
                assert "listening" not in done.stderr, (what, done.stderr)


@test(rows=[("a certificate alone", ["--tls-certificate", "x"]), ("a key alone", ["--tls-key", "x"])])
def does_not_start_with(_, options):
    done = run(*options)
    equal(done.returncode, 2)
    assert "--tls-certificate and --tls-key go together" in done.stderr, done.stderr


@test
def finds_a_good_pair_when_it_checks(_):
    done = run("--check-config", *PAIR.options())
    equal((done.returncode, done.stderr), (0, ""))


# ---- exchanging it -------------------------------------------------------------------------------------------------

class Exchange:
    """A server with a pair of its own, `first`, and another to put in its place."""

    def __enter__(self):
        self.place = folder()
        name = self.place.__enter__()
        self.first, self.second, self.files = Pair(name, "first"), Pair(name, "second"), Pair(name, "files")
        self.files.place(self.first)
        self.server = Server(*self.files.options())
        self.contexts = {pair.name: trusting(pair) for pair in (self.first, self.second)}
        return self

    def __exit__(self, kind, *_):
        self.server.__exit__(kind)
        self.place.__exit__(None, None, None)

    def reload(self, says):
        before = self.server.stderr().count(says)
        self.server.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.server.stderr().count(says) > before, 10, says)

    def shown(self):
        for context in self.contexts.values():
            try:
                with Secure(self.server.address, context) as c:
                    return c.shown()
            except ssl.SSLCertVerificationError:
                continue
        raise AssertionError("neither of the two")


@test
def reads_the_pair_anew(_):
    """New connections get the new one; those that are there go on."""
    with Exchange() as x:
        with Secure(x.server.address, x.contexts["first"]) as old:
            equal((old.shown(), x.shown()), ("first", "first"))
            x.files.place(x.second)
            equal(x.shown(), "first")  # not before it is told
            x.reload("is valid until")
            equal(x.shown(), "second")
            expanded(old.request("POST", EXPAND, body=expand(1, 3)), 1, 3)
        x.files.place(x.first)
        x.reload("is valid until")
        equal(x.shown(), "first")


@test
def keeps_the_old_pair_when_the_new_one_is_bad(_):
    with Exchange() as x:
        shutil.copyfile(x.second.certificate, x.files.certificate)  # and not its key
        x.reload("stays in use")
        equal(x.shown(), "first")
        os.unlink(x.files.key)
        x.reload("stays in use")
        equal(x.shown(), "first")
        x.files.place(x.second)
        x.reload("is valid until")
        equal(x.shown(), "second")


@test
def takes_a_handshake_to_its_end_with_the_pair_it_began_with(_):
    with Exchange() as x:
        with Connection(x.server.address) as c:
            box = trusting(x.first).wrap_bio(incoming := ssl.MemoryBIO(), outgoing := ssl.MemoryBIO(),
                                             server_hostname="localhost")
            finish(box)
            hello = outgoing.read()
            c.send(hello[:50])
            time.sleep(0.1)
            x.files.place(x.second)
            x.reload("is valid until")
            c.send(hello[50:])
            c.socket.settimeout(seconds(10))
            while not finish(box):
                c.send(outgoing.read())
                incoming.write(c.socket.recv(65536))
            equal(dict(part[0] for part in box.getpeercert()["subject"])["commonName"], "first")


@test(limit=60)
def loses_nothing_while_it_is_exchanged(_):
    with Exchange() as x:
        context = ssl.create_default_context()
        context.load_verify_locations(x.first.certificate)
        context.load_verify_locations(x.second.certificate)
        context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
        over = threading.Event()

        def ask():
            while not over.is_set():
                with Secure(x.server.address, context, 30) as c:
                    for size in (3, 50000):
                        expanded(c.request("POST", EXPAND, body=expand(1, size)), 1, size)

        def exchange():
            try:
                for i in range(20):
                    x.files.place((x.second, x.first)[i % 2])
                    x.reload("is valid until")
            finally:
                over.set()
        parallel([ask, ask, ask, exchange])


@test
def says_that_there_is_nothing_to_read_anew(_):
    with Server() as plain:
        plain.process.send_signal(signal.SIGHUP)
        eventually(lambda: "nothing to read anew" in plain.stderr(), 5, "it says so")
        equal(plain.request("GET", "/v2/health/ready").status, 200)


with server_pair() as PAIR:
    main(*PAIR.options())
