"""The Kubernetes manifests of docker/kubernetes, and the types they are held against."""
import os
import re

import kserve
import kubernetes_validate
import yaml

import engine

FOLDER = os.path.join(engine.TOP, "docker", "kubernetes")
FILES = sorted(name for name in os.listdir(FOLDER) if name.endswith(".yaml"))
VERSIONS = ["1.29", "1.33", "1.37"]  # 1.29: the first with native sidecars
KSERVE = {"ServingRuntime": kserve.V1alpha1ServingRuntime, "InferenceService": kserve.V1beta1InferenceService}


class Invalid(Exception):
    """What is wrong, and where."""


def read(name):
    with open(os.path.join(FOLDER, name), encoding="ascii") as f:
        return list(yaml.safe_load_all(f))


def documents():
    """(file, document) of all files."""
    return [(name, document) for name in FILES for document in read(name)]


def of_kind(kind):
    document, = [d for _, d in documents() if d["kind"] == kind]
    return document


def pods(document):
    """The pod specifications in a document."""
    if document["kind"] in ("Deployment", "Job"):
        return [document["spec"]["template"]["spec"]]
    return [document["spec"]] if document["kind"] == "ServingRuntime" else []


def containers():
    """(file, pod, container) of all."""
    return [(name, pod, container) for name, document in documents() for pod in pods(document)
            for container in pod.get("initContainers", []) + pod["containers"]]


def validate(document, version):
    """Raises Invalid if a field is unknown or of another type than Kubernetes, or KServe, has it."""
    if document["kind"] in KSERVE:
        walk(document, KSERVE[document["kind"]], document["kind"])
        return
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.ValidationError as e:
        raise Invalid(e) from e


# ---- KServe: the classes of its package tell the fields of its types ------------------------------------------------

SIMPLE = {"str": str, "int": int, "bool": bool, "float": (int, float)}


def find_class(name):
    """Of KServe, else of Kubernetes."""
    import kubernetes.client
    return getattr(kserve, name, None) or getattr(kubernetes.client, name, None)


def walk(value, kind, path):
    """kind: a class with openapi_types, or the name of a type as it stands there."""
    if isinstance(kind, str):
        return walk_named(value, kind, path)
    names = {json_name: name for name, json_name in kind.attribute_map.items()}
    if not isinstance(value, dict):
        raise Invalid("%s: not an object" % path)
    for name, item in value.items():
        if name not in names:
            raise Invalid("%s: %s has no field %s" % (path, kind.__name__, name))
        walk(item, kind.openapi_types[names[name]], "%s.%s" % (path, name))
    return None


def walk_named(value, kind, path):
    collection = re.fullmatch(r"(list|List|dict|Dict)[\[(](?:str, ?)?(.+)[\])]", kind)
    if collection:
        wanted = list if collection.group(1).lower() == "list" else dict
        if not isinstance(value, wanted):
            raise Invalid("%s: not a %s" % (path, wanted.__name__))
        for key, item in enumerate(value) if wanted is list else value.items():
            walk_named(item, collection.group(2), "%s[%s]" % (path, key))
    elif kind in SIMPLE:
        if not isinstance(value, SIMPLE[kind]) or (kind != "bool" and isinstance(value, bool)):
            raise Invalid("%s: %r is no %s" % (path, value, kind))
    elif find_class(kind):
        walk(value, find_class(kind), path)
