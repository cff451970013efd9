"""The manifests for Kubernetes: valid, closed, and fitting each other."""
import copy
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "clients"))
import environment  # noqa: E402

environment.enter()

from harness import TESTS, Tap, equal, test  # noqa: E402
from manifests import (FILES, VERSIONS, Invalid, containers, documents, of_kind, pods, read, validate)  # noqa: E402


def is_valid(document, version):
    try:
        validate(document, version)
    except Invalid:
        return False
    return True


# ---- form ----------------------------------------------------------------------------------------------------------

@test(rows=[("%s, Kubernetes %s" % (name, version), name, version) for name in FILES for version in VERSIONS
            if name != "kustomization.yaml"])
def is_valid_for(name, version):
    for document in read(name):
        validate(document, version)


def spoilt(document):
    """Copies with one field misspelt or of a wrong type: of each kind of document something else."""
    for path, value in (("spec.template.spec.containers.0.readinessProbes", {}),
                        ("spec.template.spec.containers.0.ports", "8000"),
                        ("spec.containers.0.readonlyRootFilesystem", True), ("spec.containers.0.image", 7),
                        ("spec.predictor.models", {}), ("spec.predictor.model.modelFormat.names", "x"),
                        ("spec.ports.0.targetPorts", 1), ("spec.minReplica", 1), ("spec.maxUnavailables", 1)):
        copied = copy.deepcopy(document)
        *way, last = path.split(".")
        try:
            place = copied
            for step in way:
                place = place[int(step) if step.isdigit() else step]
        except (KeyError, IndexError):
            continue
        place[last] = value
        yield path, copied


@test(rows=[("%s of %s" % (document["kind"], name), document) for name, document in documents()
            if name != "kustomization.yaml"])
def faults_are_found(document):
    found = [path for path, copied in spoilt(document) if not is_valid(copied, VERSIONS[-1])]
    equal(found, [path for path, _ in spoilt(document)])
    assert found


@test
def kustomization_names_what_a_cluster_needs():
    listed, = read("kustomization.yaml")
    equal(sorted(listed["resources"]), ["autoscaler.yaml", "deployment.yaml", "disruption.yaml", "service.yaml"])


# ---- closed --------------------------------------------------------------------------------------------------------

@test(rows=[("%s in %s" % (container["name"], name), pod, container) for name, pod, container in containers()])
def may_do_nothing_more_than_it_needs(pod, container):
    own, shared = container["securityContext"], pod.get("securityContext", {})
    both = dict(shared, **own)
    equal((both["runAsNonRoot"], both["runAsUser"] > 0, both["seccompProfile"]), (True, True, {"type": "RuntimeDefault"}))
    equal((own["allowPrivilegeEscalation"], own["readOnlyRootFilesystem"], own["capabilities"]),
          (False, True, {"drop": ["ALL"]}))
    assert "memory" in container["resources"]["limits"] and set(container["resources"]["requests"]) == {"cpu", "memory"}


@test(rows=[(document["kind"], pod) for _, document in documents() for pod in pods(document)
            if document["kind"] != "ServingRuntime"])
def pod_gets_no_token_and_no_variables_of_services(pod):
    equal((pod["automountServiceAccountToken"], pod["enableServiceLinks"]), (False, False))


# ---- fit -----------------------------------------------------------------------------------------------------------

@test
def service_and_budget_select_the_pods():
    labels = of_kind("Deployment")["spec"]["template"]["metadata"]["labels"]
    for selector in (of_kind("Deployment")["spec"]["selector"]["matchLabels"], of_kind("Service")["spec"]["selector"],
                     of_kind("PodDisruptionBudget")["spec"]["selector"]["matchLabels"]):
        equal(selector, labels)


@test
def autoscaler_scales_the_deployment():
    target = of_kind("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    deployment = of_kind("Deployment")
    equal(target, {"apiVersion": deployment["apiVersion"], "kind": "Deployment", "name": deployment["metadata"]["name"]})
    equal("replicas" in deployment["spec"], False, "an apply would undo the autoscaler")


@test
def service_runs_on_the_runtime():
    model = of_kind("InferenceService")["spec"]["predictor"]["model"]
    runtime = of_kind("ServingRuntime")
    equal((model["runtime"], model["modelFormat"]), (runtime["metadata"]["name"], runtime["spec"]["supportedModelFormats"][0]))


@test
def grace_is_longer_than_a_drain():
    pod = pods(of_kind("Deployment"))[0]
    told = {item["name"]: item["value"] for item in pod["containers"][0]["env"]}
    delay, whole = float(told["SHAPED_DRAIN_DELAY"]), float(told["SHAPED_DRAIN_TIMEOUT"])
    assert delay + 8 <= whole < pod["terminationGracePeriodSeconds"]


def main():
    tap = Tap()
    tap.line("1..%d" % len(TESTS))
    for title, function, arguments, limit in TESTS:
        tap.result(title, lambda: function(*arguments), limit)
    sys.exit(1 if tap.failed else 0)


main()
