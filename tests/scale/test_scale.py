"""Three instances behind HAProxy, under load: one is killed, one is drained, both come back."""
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "http"))
from harness import Server, eventually, free_port, instrumented  # noqa: E402
from wire import seconds  # noqa: E402

from balancer import PROGRAM, Balancer  # noqa: E402
from load import Load  # noqa: E402

INSTANCES = ["i0", "i1", "i2"]
PHASE = 1.5  # seconds
GRACE = 0.05  # seconds in which the kernel and the balancer notice that a process is gone


def skip(why):
    print("1..0 # SKIP %s" % why)
    sys.exit(0)


class Story:
    """What happened when, by time.monotonic()."""

    def __init__(self):
        self.ports = [free_port() for _ in range(3)]
        self.servers = [self.start(n) for n in range(3)]

    def start(self, n):
        return Server("--listen", "127.0.0.1:%d" % self.ports[n])

    def play(self):
        with Balancer(self.ports) as balancer, Load(balancer.address, INSTANCES) as self.load:
            self.balancer = balancer
            self.begun = self.wait()
            self.kill()
            self.after_kill = self.wait()
            self.drain()
            self.after_drain = self.wait()
            self.bring_back()
            self.back = self.wait()

    def wait(self):
        """When the wait began."""
        now = time.monotonic()
        time.sleep(seconds(PHASE))
        return now

    def wait_for_reader(self, instance):
        eventually(lambda: self.load.is_reading(instance), 10, "a long answer of %s" % instance)

    def kill(self):
        self.wait_for_reader("i0")
        self.killed = time.monotonic()
        self.servers[0].process.send_signal(signal.SIGKILL)
        self.servers[0].process.wait()

    def drain(self):
        self.wait_for_reader("i1")
        self.terminated = time.monotonic()
        self.servers[1].stop()  # checks its exit status
        self.gone = time.monotonic()

    def bring_back(self):
        for n in 0, 1:
            self.servers[n] = self.start(n)
        eventually(lambda: set(self.balancer.states().values()) == {"UP"}, 10, "all instances up again")

    def stop(self):
        for server in self.servers:
            server.stop()

    # -- what is asked of it

    def lost(self):
        return [o for o in self.load.outcomes() if o.why is not None]

    def lost_otherwise(self):
        """Those that were not in flight when the first instance was killed."""
        return [o for o in self.lost() if not o.began - GRACE <= self.killed <= o.ended]

    def lost_in_drain(self):
        return [o for o in self.lost() if o.ended >= self.terminated]

    def rate(self, begin):
        """Good answers a second in a phase."""
        return len(self.load.good_between(begin, begin + seconds(PHASE))) / seconds(PHASE)

    def instances(self, begin):
        return {o.instance for o in self.load.good_between(begin, begin + seconds(PHASE))}


def report(number, title, good, *told):
    print("%s %d - %s" % ("ok" if good else "not ok", number, title))
    for text in told:
        print("# %s" % (text,))
    return good


def main():
    if PROGRAM is None:
        skip("haproxy is not installed")
    if instrumented():
        skip("under valgrind or a sanitizer the rates would not be the program's own")
    print("1..6", flush=True)
    story = Story()
    try:
        story.play()
        story.stop()
    finally:
        for server in story.servers:
            server.kill()
    before, after, back = story.rate(story.begun), story.rate(story.after_drain), story.rate(story.back)
    results = [
        report(1, "all three instances answer", story.instances(story.begun) == set(INSTANCES),
               "%.0f requests a second, %d in all" % (before, len(story.load.outcomes()))),
        report(2, "killing one loses only what it had in flight", not story.lost_otherwise(), story.lost_otherwise()[:20]),
        report(3, "the long answer of the killed one is lost, and no more than there are clients",
               1 <= len(story.lost()) <= len(story.load.clients), "%d lost: %s" % (len(story.lost()), story.lost()[:20])),
        report(4, "draining one loses nothing", not story.lost_in_drain(), story.lost_in_drain()[:20],
               "gone after %.0f ms; sent again on a new connection: %d" % (
                   1000 * (story.gone - story.terminated), story.load.again())),
        report(5, "one instance goes on alone", story.instances(story.after_drain) == {"i2"} and after > before / 4,
               "%.0f requests a second" % after),
        report(6, "throughput recovers with all three", story.instances(story.back) == set(INSTANCES) and back > before / 4,
               "%.0f requests a second" % back),
    ]
    sys.exit(0 if all(results) else 1)


main()
