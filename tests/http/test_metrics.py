"""GET /metrics: what Prometheus reads there, against what the test has done."""
import os
import re
import shutil
import subprocess
import time

from calls import EXPAND, UNSQUEEZE, expand, expanded, slow
from harness import Server, Skip, equal, eventually, instrumented, main, parallel, seconds, test, under_valgrind
from wire import request_bytes

MIB = 1 << 20
SAMPLE = re.compile(r'([a-z_]+)(?:\{(.*)\})? ([0-9.e+-]+|\+Inf)')
LABEL = re.compile(r'([a-z_]+)="([^"]*)"')


def scrape(server):
    """(name, labels) -> value; labels are a frozenset of pairs. Asks a server, or on a connection."""
    answer = server.request("GET", "/metrics")
    equal((answer.status, answer.get("Content-Type")), (200, "text/plain; version=0.0.4; charset=utf-8"))
    values = {}
    for line in answer.body.decode().splitlines():
        if line.startswith("#"):
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        key = (match.group(1), frozenset(LABEL.findall(match.group(2) or "")))
        assert key not in values, "twice: %s" % line
        values[key] = float(match.group(3))
    return values


def value(values, name, **labels):
    return values.get((name, frozenset(labels.items())), 0)


def grown(before, after, name, **labels):
    return value(after, name, **labels) - value(before, name, **labels)


def requests(before, after):
    """What shaped_requests_total counts between, without the readings themselves: (route, method, status, code) -> number."""
    found = {}
    for (name, labels), now in after.items():
        row = dict(labels)
        if name == "shaped_requests_total" and row["route"] != "/metrics" and now > before.get((name, labels), 0):
            found[row["route"], row["method"], row["status"], row["code"]] = now - before.get((name, labels), 0)
    return found


# ---- its form ------------------------------------------------------------------------------------------------------

@test
def is_clean(server):
    """promtool knows the format and the conventions of names."""
    tool = shutil.which(os.environ.get("SHAPED_PROMTOOL", "promtool"))
    if tool is None:
        raise Skip("promtool (of Prometheus) is not installed, nor named by SHAPED_PROMTOOL")
    server.request("POST", EXPAND, expand(1, 3))
    server.request("GET", "/nope")
    text = server.request("GET", "/metrics").body
    checked = subprocess.run([tool, "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=60, check=False)
    equal((checked.returncode, checked.stdout.decode()), (0, ""))


@test
def has_a_type_for_each_name(server):
    text = server.request("GET", "/metrics").body.decode()
    types = re.findall(r"^# TYPE ([a-z_]+) (counter|gauge|histogram)$", text, re.MULTILINE)
    equal(len(types), len({name for name, _ in types}))
    helps = re.findall(r"^# HELP ([a-z_]+) [A-Z0-9].*\.$", text, re.MULTILINE)
    equal(helps, [name for name, _ in types])
    names = {re.sub(r"_(bucket|sum|count)$", "", name) for name, _ in scrape(server)}
    equal(names, {name for name, _ in types})


@test
def answers_head(server):
    answer = server.request("HEAD", "/metrics")
    equal((answer.status, answer.body), (200, b""))
    assert int(answer.get("Content-Length")) > 1000


# ---- requests ------------------------------------------------------------------------------------------------------

def ask_variously(server):
    for i in range(3):
        expanded(server.request("POST", EXPAND, expand(i, 3)), i, 3)
    server.request("POST", EXPAND, b"{")
    server.request("POST", "/v2/models/expand/versions/8/infer", expand(1, 1 << 50))
    server.request("POST", EXPAND, b"x" * 100, [("Content-Encoding", "br")])
    server.request("GET", "/v2/health/live")
    server.request("HEAD", "/v2/health/live")
    server.request("GET", "/openapi.json", headers={"If-None-Match": "*"})
    server.request("GET", "/nope")
    server.request("DELETE", "/v2")
    server.request("BREW", "/coffee")
    server.request("POST", "/v2/models/nope/infer", b"{}")


@test
def counts_requests(server):
    infer, any_version = "/v2/models/{model}/infer", "/v2/models/{model}/versions/{version}/infer"
    before = scrape(server)
    ask_variously(server)
    equal(requests(before, scrape(server)), {
        (infer, "POST", "200", ""): 3,
        (infer, "POST", "400", "malformed_json"): 1,
        (any_version, "POST", "413", "output_too_large"): 1,
        (infer, "POST", "415", "unsupported_encoding"): 1,
        ("/v2/health/live", "GET", "200", ""): 1,
        ("/v2/health/live", "HEAD", "200", ""): 1,
        ("/openapi.json", "GET", "304", ""): 1,
        ("", "GET", "404", "unknown_path"): 1,
        ("", "other", "405", "method_not_allowed"): 1,
        ("", "other", "404", "unknown_path"): 1,
        (infer, "POST", "404", "unknown_model"): 1,
    })


@test
def counts_itself(server):
    before, after = scrape(server), scrape(server)
    equal(grown(before, after, "shaped_requests_total", route="/metrics", method="GET", status="200", code=""), 1.0)
    equal(value(after, "shaped_requests_in_flight"), 1.0)  # this one


@test
def does_not_grow_with_what_clients_send(server):
    scrape(server)
    for name in ("/a", "/b"):
        server.request("GET", name)
    size = len(scrape(server))
    for i in range(50):
        server.request("GET", "/path/%d" % i)
        server.request("GET", "/v2/models/model%d" % i)
        server.request("POST", EXPAND, expand(i, i))
    after = scrape(server)
    assert len(after) <= size + 3, len(after) - size
    assert not any("/path" in str(key) or "model1" in str(key) for key in after)


@test
def counts_bytes_of_bodies(server):
    before = scrape(server)
    sent, got = 0, 0
    for size in (3, 10 * MIB):
        body = expand(1, size)
        sent += len(body)
        got += len(server.request("POST", EXPAND, body, limit=30).body)
    got += len(server.request("GET", "/v2").body) + len(server.request("GET", "/nope").body)
    server.request("HEAD", "/v2")
    got += len(server.request("GET", "/metrics").body)
    sent += len(b"x" * 1000)
    got += len(server.request("POST", "/nope", b"x" * 1000).body)
    after = scrape(server)
    equal(grown(before, after, "shaped_request_body_bytes_total"), float(sent))
    first = len(server.request("GET", "/metrics").body)  # as long as the one of `before`, but for its digits
    assert 0 < grown(before, after, "shaped_response_body_bytes_total") - got < 2 * first


@test
def counts_what_is_not_finished(server):
    before = scrape(server)
    with server.connect() as c:
        c.send(request_bytes("POST", EXPAND, [], expand(1, 2))[:-2])
    with server.connect() as c:
        c.send(request_bytes("POST", EXPAND, [], expand(1, 100 * MIB)))
        c.socket.recv(1000)

    def both():
        after = scrape(server)
        return (grown(before, after, "shaped_requests_unanswered_total"),
                grown(before, after, "shaped_answers_incomplete_total")) == (1, 1)
    eventually(both, 5, "an unanswered request and an incomplete answer")
    eventually(lambda: value(scrape(server), "shaped_requests_in_flight") == 1, 5, "nothing in flight")


# ---- durations -----------------------------------------------------------------------------------------------------

def histogram(values, name, **labels):
    """Its cumulative buckets by bound, count, sum."""
    buckets = {}
    for (metric, pairs), number in values.items():
        row = dict(pairs)
        bound = row.pop("le", None)
        if metric == name + "_bucket" and row == labels:
            buckets[float(bound)] = number
    return buckets, value(values, name + "_count", **labels), value(values, name + "_sum", **labels)


@test
def measures_every_phase(server):
    before = scrape(server)
    for i in range(5):
        expanded(server.request("POST", EXPAND, expand(i, 3)), i, 3)
    equal(server.request("POST", EXPAND, b"{").status, 400)
    equal(server.request("POST", UNSQUEEZE, slow(30)[1], slow(30)[0]).status, 400)
    server.request("GET", "/v2")  # no operator: not measured
    after = scrape(server)
    rows = [("shaped_request_duration_seconds", {})]
    rows += [("shaped_request_phase_seconds", {"phase": p}) for p in ("read", "queue", "compute", "encode", "send")]
    sums = []
    for name, labels in rows:
        buckets, count, total = histogram(after, name, **labels)
        old_buckets, old_count, old_total = histogram(before, name, **labels)
        equal(count - old_count, 7.0, name)
        equal(len(buckets), 15)
        bounds = sorted(buckets)
        equal(bounds[-1], float("inf"))
        assert all(buckets[a] <= buckets[b] for a, b in zip(bounds, bounds[1:])), buckets
        equal(buckets[float("inf")], count)
        lowest = sum((buckets[b] - old_buckets[b] - (buckets[a] - old_buckets[a])) * a
                     for a, b in zip([0] + bounds, bounds) if a > 0)
        assert lowest <= total - old_total, (name, labels, lowest, total - old_total)
        sums.append(total - old_total)
    assert 0 < sum(sums[1:]) <= sums[0] * 1.01, sums
    assert sums[3] > 0.5 * sums[0], "the slow request was computing: %s" % sums


# ---- operators -----------------------------------------------------------------------------------------------------

@test(rows=[("one loop", "1"), ("three loops", "3")])
def sums_up_what_statistics_tell(_, loops):
    with Server("--loops", loops) as several:
        before = scrape(several)

        def some():
            for _ in range(10):
                several.request("POST", EXPAND, expand(1, 3))
                several.request("POST", "/v2/models/expand/versions/8/infer", b"{")
        parallel([some] * 4)
        # a request is counted when its answer has left, perhaps after another loop has answered
        eventually(lambda: sum(requests(before, scrape(several)).values()) == 80, 5, "all are counted")
        after = scrape(several)
        stats = several.request("GET", "/v2/models/stats").json()["model_stats"]
    for row in stats:
        labels = {"model": row["name"], "version": row["version"]}
        for outcome, name in (("success", "success"), ("failure", "fail")):
            equal(value(after, "shaped_operator_requests_total", outcome=outcome, **labels),
                  float(row["inference_stats"][name]["count"]), str(labels))
        for step, name in (("decode", "compute_input"), ("infer", "compute_infer"), ("encode", "compute_output"),
                           ("queue", "queue")):
            told = value(after, "shaped_operator_seconds_total", step=step, **labels)
            assert abs(told - row["inference_stats"][name]["ns"] / 1e9) < 1e-9
    equal(grown(before, after, "shaped_operator_requests_total", model="expand", version="13", outcome="success"), 40.0)
    equal(grown(before, after, "shaped_operator_requests_total", model="expand", version="8", outcome="failure"), 40.0)
    equal(requests(before, after), {("/v2/models/{model}/infer", "POST", "200", ""): 40,
                                    ("/v2/models/{model}/versions/{version}/infer", "POST", "400", "malformed_json"): 40})
    equal(value(after, "shaped_event_loops"), float(loops))


TRITON = {"nv_inference_" + name for name in (
    "request_success", "request_failure", "count", "exec_count", "request_duration_us", "queue_duration_us",
    "compute_input_duration_us", "compute_infer_duration_us", "compute_output_duration_us")}


@test
def has_the_names_of_triton_if_asked_to(server):
    assert not any(name.startswith("nv_") for name, _ in scrape(server))
    with Server("--metrics-compat", "triton") as compatible:
        compatible.request("POST", EXPAND, expand(1, 3))
        compatible.request("POST", EXPAND, b"{")
        values = scrape(compatible)
    equal({name for name, _ in values if name.startswith("nv_")}, TRITON)
    newest = {"model": "expand", "version": "13"}
    for name, want in (("request_success", 1), ("request_failure", 1), ("count", 1), ("exec_count", 1)):
        equal(value(values, "nv_inference_" + name, **newest), float(want), name)
    assert value(values, "nv_inference_request_duration_us", **newest) > 0


# ---- the process ---------------------------------------------------------------------------------------------------

@test
def tells_of_the_process(server):
    held = [server.connect() for _ in range(20)]
    for c in held:
        c.request("GET", "/v2/health/live")
    values = scrape(server)
    equal(value(values, "shaped_connections"), 21.0)
    assert abs(value(values, "process_open_fds") - server.fds()) <= 1
    assert abs(value(values, "process_cpu_seconds_total") - server.cpu()) < 1
    if not instrumented():
        assert abs(value(values, "process_resident_memory_bytes") - server.rss()) < 8 * MIB
    assert abs(time.time() - value(values, "process_start_time_seconds")) < 600
    started = os.stat("/proc/%d" % server.process.pid).st_mtime
    assert abs(value(values, "process_start_time_seconds") - started) < 60
    assert value(values, "process_max_fds") > 100
    equal(value(values, "process_threads"), float(server.threads()))
    info = [dict(labels) for name, labels in values if name == "shaped_build_info"]
    equal(len(info), 1)
    equal(info[0]["version"], server.request("GET", "/v2").json()["version"])
    for c in held:
        c.close()


@test
def started_once(server):
    """A start that moves by a millisecond would look like a restart to Prometheus."""
    with server.connect() as c:
        equal(len({value(scrape(c), "process_start_time_seconds") for _ in range(300)}), 1)


@test
def tells_of_the_pool_and_the_budget(_):
    if under_valgrind():
        raise Skip("jobs are over before valgrind lets them be seen")
    with Server("--threads", "1", "--memory-budget", "256M", "--max-inflight", "7") as one:
        idle = scrape(one)
        equal(value(idle, "shaped_memory_budget_bytes"), 256.0 * MIB)
        equal(value(idle, "shaped_pool_threads"), 1.0)
        equal(value(idle, "shaped_pool_jobs_limit"), 7.0)
        equal((value(idle, "shaped_pool_jobs_running"), value(idle, "shaped_pool_jobs_waiting")), (0.0, 0.0))
        slow(100)
        calls = [one.connect(30) for _ in range(3)]
        for c in calls:
            c.send(request_bytes("POST", UNSQUEEZE, *slow(100)))

        def busy():
            now = scrape(one)
            return (value(now, "shaped_pool_jobs_running"), value(now, "shaped_pool_jobs_waiting")) == (1, 2)
        eventually(busy, 10, "one job runs, two wait")
        for c in calls:
            equal(c.response().status, 400)
            c.close()
        with one.connect() as c:
            c.send(request_bytes("POST", EXPAND, [("Content-Length", str(150 * MIB))]) + b" " * (10 * MIB))
            eventually(lambda: value(scrape(one), "shaped_memory_used_bytes") > 150 * MIB, 5, "memory is used")
            equal(one.request("POST", EXPAND, b"x" * (120 * MIB)).status, 503)
            assert value(scrape(one), "shaped_memory_refused_total") >= 1
        eventually(lambda: value(scrape(one), "shaped_memory_used_bytes") < MIB, 5, "memory is back")


@test
def counts_refused_connections_by_reason(_):
    with Server("--max-address-connections", "2", "--count-loopback", "on", "--header-timeout", "0.3") as server:
        held = [server.connect() for _ in range(2)]
        for c in held:
            c.request("GET", "/v2/health/live")
        for _ in range(3):
            with server.connect() as c:
                assert c.closed(5)
        time.sleep(seconds(0.3))  # it has been looked at since its last request
        held[0].send(b"GET /")
        assert held[0].closed(5)
        values = scrape(held[1])
        equal(value(values, "shaped_connections_refused_total", reason="address_limit"), 3.0)
        equal(value(values, "shaped_connections_refused_total", reason="header_timeout"), 1.0)
        equal(value(values, "shaped_connections_refused_total", reason="slow_body"), 0.0)
        held[1].close()


main()
