"""A client in TypeScript: its types are generated from the contract that the server serves, it compiles, and it runs."""
import json
import os
import shutil
import subprocess
import tempfile

import environment

NODE, PACKAGES = environment.directory("node"), environment.npm_directory()

from harness import equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

SOURCES = os.path.join(environment.HERE, "typescript")
# Beside node_modules, where the compiler and node look for packages.
FOLDER = tempfile.TemporaryDirectory(dir=PACKAGES)


def node(program, *arguments):
    """Runs a program of npm, or a script, in the folder."""
    path = os.path.join(PACKAGES, "node_modules", program)
    command = [os.path.join(NODE, "bin", "node"), path if os.path.exists(path) else program, *arguments]
    return subprocess.run(command, cwd=FOLDER.name, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=seconds(80), env=environment.node_path(NODE))


def succeeds(done):
    equal(done.returncode, 0, done.stdout + done.stderr)


def compile_sources():
    return node("typescript/bin/tsc", "--project", "tsconfig.json")


@test(limit=90)
def generates_types_from_the_contract(server):
    for name in os.listdir(SOURCES):
        shutil.copy(os.path.join(SOURCES, name), FOLDER.name)
    succeeds(node("openapi-typescript/bin/cli.js", "http://%s:%d/openapi.yaml" % server.address, "-o", "contract.d.ts"))


@test(limit=90)
def compiles(server):
    succeeds(compile_sources())


@test(limit=90)
def refuses_wrong_calls(server):
    """wrong.ts expects an error at each of its calls; without that expectation the compiler finds as many."""
    path = os.path.join(FOLDER.name, "wrong.ts")
    with open(path, encoding="ascii") as f:
        text = f.read()
    with open(path, "w", encoding="ascii") as f:
        f.write(text.replace("@ts-expect-error", "expected"))
    done = compile_sources()
    lines = {line.split("(")[1].split(",")[0] for line in done.stdout.splitlines() if line.startswith("wrong.ts(")}
    equal((len(lines), done.returncode), (text.count("@ts-expect-error"), 2), done.stdout)


@test(limit=90)
def runs(server):
    done = node("out/client.js", "http://%s:%d" % server.address)
    succeeds(done)
    equal(json.loads(done.stdout), {
        "live": True,
        "models": ["expand", "unsqueeze"],
        "versions": ["1", "11", "13", "21", "23", "24", "25"],
        "expanded": {"model_name": "expand", "model_version": "13", "outputs": [
            {"name": "output", "datatype": "FP32", "shape": [3, 2], "data": [1, 1, 2.5, 2.5, -3, -3]}]},
        "unsqueezed": {"model_name": "unsqueeze", "model_version": "11", "outputs": [
            {"name": "expanded", "datatype": "BYTES", "shape": [1, 2, 1], "data": ["na\u00efve", "\u2200x"]}]},
        "raw": {"shape": "[1,2]", "values": ["-1", "9007199254740993"]},
        "rounded": {"model_name": "unsqueeze", "model_version": "25", "outputs": [
            {"name": "expanded", "datatype": "INT64", "shape": [1, 2], "data": [-1, 9007199254740992]}]},
        "refused": {"data": None, "status": 400, "code": "invalid_shape", "pointer": "/inputs/1/data/0"}})


main(relay=True)
