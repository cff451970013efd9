"""Certificates for the tests, made by the command line tool of OpenSSL, and connections with TLS."""
import contextlib
import os
import shutil
import ssl
import subprocess
import tempfile

from harness import Skip
from wire import Connection, seconds

KINDS = {
    "EC": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "RSA": ["-newkey", "rsa:2048"],
    "Ed25519": ["-newkey", "ed25519"],
}


def openssl(*arguments):
    if shutil.which("openssl") is None:
        raise Skip("openssl is not installed")
    subprocess.run(["openssl", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   timeout=seconds(60), check=True)


class Pair:
    """A certificate for localhost and 127.0.0.1, and its key, as files in a folder; signed by itself or by `issuer`."""

    def __init__(self, folder, name, kind="EC", issuer=None, authority=False):
        self.name = name
        self.certificate, self.key = (os.path.join(folder, name + end) for end in (".crt", ".key"))
        by = ["-CA", issuer.certificate, "-CAkey", issuer.key] if issuer is not None else []
        names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        openssl("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=" + name, "-keyout", self.key,
                "-out", self.certificate, *KINDS[kind], *([] if authority else names), *by,
                "-addext", "basicConstraints=critical,CA:" + ("TRUE" if authority else "FALSE"))

    def options(self):
        return ["--tls-certificate", self.certificate, "--tls-key", self.key]

    def place(self, other):
        """Puts another pair's files where these are."""
        for mine, theirs in ((self.certificate, other.certificate), (self.key, other.key)):
            shutil.copyfile(theirs, mine + ".new")
            os.replace(mine + ".new", mine)


def folder():
    return tempfile.TemporaryDirectory(prefix="shaped-")


@contextlib.contextmanager
def server_pair():
    """The pair of a whole file of tests; without openssl these are skipped."""
    with folder() as where:
        try:
            pair = Pair(where, "server")
        except Skip as reason:
            print("1..0 # SKIP %s" % reason)
            raise SystemExit(0) from None
        yield pair


def trusting(pair):
    """A client's context that trusts this certificate alone, and checks names."""
    context = ssl.create_default_context(cafile=pair.certificate)
    context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)  # openssl req makes what that does not like
    return context


class Secure(Connection):
    """A connection with TLS."""

    def __init__(self, address, context, limit=10):
        super().__init__(address, limit)
        try:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost", suppress_ragged_eofs=False)
        except BaseException:
            self.socket.close()
            raise

    def shown(self):
        """The common name of the server's certificate."""
        return dict(part[0] for part in self.socket.getpeercert()["subject"])["commonName"]


def finish(box):
    """Goes on with a handshake; whether it is over."""
    try:
        box.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True
