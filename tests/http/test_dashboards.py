"""The alert rules and the dashboard that come along: promtool takes them, and they speak of metrics that there are."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from calls import EXPAND, expand
from harness import Skip, equal, main, test

FOLDER = os.path.join(os.environ.get("srcdir", "."), "docker")
METRIC = re.compile(r"\b(?:shaped|process|nv)_[a-z_]+\b")
SELECTOR = re.compile(r"\b((?:shaped|process)_[a-z_]+)(?:\{([^}]*)\})?")
ADDED = {"job", "instance"}  # by Prometheus


def source(*path):
    with open(os.path.join(FOLDER, *path), encoding="utf-8") as f:
        return f.read()


def dashboard():
    return json.loads(source("grafana", "shaped.json"))


def queries():
    """Every query of the dashboard."""
    found = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    return found + [a["expr"] for a in dashboard()["annotations"]["list"]]


def promtool(*arguments):
    tool = shutil.which(os.environ.get("SHAPED_PROMTOOL", "promtool"))
    if tool is None:
        raise Skip("promtool (of Prometheus) is not installed, nor named by SHAPED_PROMTOOL")
    done = subprocess.run([tool, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, check=False)
    equal(done.returncode, 0, done.stdout.decode())
    return done.stdout.decode()


def offered(server):
    """Metric -> names of its labels."""
    server.request("POST", EXPAND, expand(1, 3))
    found = {}
    for line in server.request("GET", "/metrics").body.decode().splitlines():
        if not line.startswith("#"):
            name, labels = re.match(r"([a-z_]+)(?:\{(.*)\})? ", line).groups()
            found.setdefault(name, set()).update(re.findall(r'([a-z_]+)="', labels or ""))
    return found


# ---- alerts --------------------------------------------------------------------------------------------------------

@test
def the_rules_are_valid(_):
    assert "10 rules found" in promtool("check", "rules", os.path.join(FOLDER, "prometheus", "alerts.yml"))


@test
def the_example_of_a_configuration_is_valid(_):
    promtool("check", "config", os.path.join(FOLDER, "prometheus", "prometheus.yml"))


@test(limit=120)
def alerts_fire_where_they_should(_):
    promtool("test", "rules", os.path.join(FOLDER, "prometheus", "alerts_test.yml"))


@test
def each_alert_is_tested(_):
    alerts = re.findall(r"- alert: (\w+)", source("prometheus", "alerts.yml"))
    equal(len(alerts), 10)
    equal(set(re.findall(r'alertname="(\w+)"', source("prometheus", "alerts_test.yml"))), set(alerts))


@test
def the_options_that_alerts_advise_exist(_):
    advised = set(re.findall(r"--[a-z-]+", source("prometheus", "alerts.yml")))
    assert advised, "none"
    with open(os.path.join(FOLDER, "..", "README.md"), encoding="utf-8") as f:
        readme = f.read()
    equal({flag for flag in advised if "`%s " % flag not in readme}, set())


# ---- the dashboard -------------------------------------------------------------------------------------------------

@test
def the_dashboard_is_in_order(_):
    """Every panel has an id of its own, a title and a query, and none lies on another."""
    panels = dashboard()["panels"]
    equal(len({p["id"] for p in panels}), len(panels))
    equal(len({p["title"] for p in panels}), len(panels))
    covered = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24 and not covered & cells, panel["title"]
        covered |= cells
        assert panel["targets"] and len({t["refId"] for t in panel["targets"]}) == len(panel["targets"])


@test(limit=60)
def the_queries_are_valid(_):
    """As rules, which is what promtool can check, with Grafana's variables filled in."""
    rules = [{"record": "test:query%d" % i, "expr": q.replace("$__rate_interval", "5m").replace("$instance", ".*")}
             for i, q in enumerate(queries())]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as f:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, f)  # JSON is YAML
        f.flush()
        assert "%d rules found" % len(rules) in promtool("check", "rules", f.name)


# ---- both ----------------------------------------------------------------------------------------------------------

@test(rows=[("alerts", lambda: [source("prometheus", "alerts.yml")]), ("tests of alerts",
            lambda: [source("prometheus", "alerts_test.yml")]), ("dashboard", queries)])
def speaks_of_what_there_is(server, texts):
    metrics = offered(server)
    for text in texts():
        for name, labels in SELECTOR.findall(text):
            assert name in metrics, "%s is no metric" % name
            unknown = set(re.findall(r"(\w+)(?:=~|!=|=)", labels)) - metrics[name] - ADDED
            assert not unknown, (name, unknown)


@test
def shows_every_metric(server):
    """Nothing is counted for nobody."""
    shown = set(METRIC.findall(" ".join(queries()) + source("prometheus", "alerts.yml")))
    families = {re.sub(r"_(bucket|sum|count)$", "", name) for name in shown}
    unseen = {re.sub(r"_(bucket|sum|count)$", "", name) for name in offered(server)} - families
    equal(unseen - {"shaped_requests_begun_total", "shaped_requests_ended_total",  # shown as those in flight
                    "shaped_event_loops", "shaped_draining", "process_virtual_memory_bytes", "process_threads"}, set())


main()
