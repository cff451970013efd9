"""The pods of the manifests for Kubernetes, run by `podman play kube`.

What podman has not (a network of pods, native sidecars, groups of volumes) is put in its own terms: the host's network
with a free port, sidecars as containers, volumes with a group as folders. Probes are asked here as Kubernetes asks them: podman would
run those that are programs in a shell, which the image has not.
"""
import copy
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "clients"))
import environment  # noqa: E402

environment.enter()

import yaml  # noqa: E402

import images  # noqa: E402
from engine import Unavailable  # noqa: E402
from frame import EXPAND, EXPANDED, curl, needs_images, run, skip, until  # noqa: E402
from harness import equal, free_port, test  # noqa: E402
from manifests import of_kind, pods  # noqa: E402
from podman import Podman  # noqa: E402


PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


class Pod:
    """A pod that podman can run, of a document of Kubernetes."""

    def __init__(self, podman, document):
        self.podman, self.port = podman, free_port()
        self.name, self.probes = document["metadata"]["name"], []
        self.document = {"apiVersion": "v1", "kind": "Pod", "metadata": document["metadata"],
                         "spec": self.adapted(copy.deepcopy(pods(document)[0]))}
        self.path = os.path.join(podman.folder, self.name + ".yaml")

    def volume(self, group):
        """An emptyDir as Kubernetes makes it with an fsGroup, which podman does not know."""
        path = os.path.join(self.podman.folder, "volume-" + self.name)
        os.mkdir(path)
        os.chown(path, 0, group)
        os.chmod(path, 0o2770)
        return {"path": path, "type": "Directory"}

    def adapted(self, pod):
        for volume in pod.get("volumes", []):
            del volume["emptyDir"]
            volume["hostPath"] = self.volume(pod["securityContext"]["fsGroup"])
        pod["hostNetwork"] = True
        pod["containers"] = pod.pop("initContainers", []) + pod["containers"]
        for container in pod["containers"]:
            container["image"] = "localhost/%s:latest" % container["image"].split(":")[0]
            container.pop("ports", None)
            for kind in PROBES:
                self.probes.append((container["name"], container.pop(kind, {})))
            for item in container["env"]:
                item["value"] = item["value"].replace("0.0.0.0:8000", "127.0.0.1:%d" % self.port)
        return pod

    def __enter__(self):
        with open(self.path, "w", encoding="ascii") as f:
            yaml.safe_dump(self.document, f)
        self.podman("play", "kube", self.path)
        return self

    def __exit__(self, *_):
        self.podman.run("play", "kube", "--down", self.path)

    def probed(self):
        """What each probe of the manifest says, asked as Kubernetes asks."""
        results = []
        for name, probe in self.probes:
            if "exec" in probe:
                results.append(self.podman.run("exec", self.container(name), *probe["exec"]["command"]).returncode == 0)
            elif "httpGet" in probe:
                url = "http://127.0.0.1:%d%s" % (self.port, probe["httpGet"]["path"])
                results.append(curl(url).returncode == 0)
        return results

    def container(self, name):
        return "%s-%s" % (self.name, name)

    def inspect(self, name):
        return json.loads(self.podman("container", "inspect", self.container(name)))[0]


@test(limit=90)
def deployment_serves_closed_and_drains(podman):
    with Pod(podman, of_kind("Deployment")) as pod:
        url = "http://127.0.0.1:%d" % pod.port
        until(lambda: curl(url + "/v2/health/ready").returncode == 0, 15, "ready")
        done = curl(url + "/v2/models/expand/infer", "-d", "@-", body=json.dumps(EXPAND).encode())
        equal(json.loads(done.stdout)["outputs"][0]["data"], EXPANDED)
        equal(pod.probed(), [True, True, True])
        found = pod.inspect("shaped")
        equal((found["Config"]["User"], found["HostConfig"]["ReadonlyRootfs"], found["EffectiveCaps"] or []),
              ("65534:65534", True, []))
        podman("stop", "--time", "20", pod.container("shaped"))
        equal(pod.inspect("shaped")["State"]["ExitCode"], 0)


@test(limit=90)
def job_asks_its_sidecar(podman):
    with Pod(podman, of_kind("Job")) as pod:
        until(lambda: pod.inspect("application")["State"]["Status"] == "exited", 40, "end of the application")
        log = podman("logs", pod.container("application"))
        equal(pod.inspect("application")["State"]["ExitCode"], 0, log)
        equal(json.loads(log[log.index("{"):])["outputs"][0]["data"], [1.0, 1.0, 2.5, 2.5, -3.0, -3.0])
        equal(pod.probed(), [True, True])


def main():
    needs_images()
    try:
        with Podman() as podman:
            for name in images.IMAGES:
                podman("load", "-i", images.file(name), limit=180)
            run(podman)
    except Unavailable as e:
        skip(e)


main()
