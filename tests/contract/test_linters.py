"""Two programs that look for faults in OpenAPI documents find none in the contract, not even what they only warn of."""
import json
import os
import shutil
import subprocess
import tempfile

import environment

PROGRAMS = environment.npm()

from harness import equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

CONFIGURATIONS = {"redocly": "redocly.yaml", "spectral": "spectral.yaml"}
COMMANDS = {
    "redocly": ["lint", "--format=stylish", "--config"],
    "spectral": ["lint", "--fail-severity=hint", "--ruleset"],
}
VARIABLES = dict(os.environ, REDOCLY_TELEMETRY="off", REDOCLY_SUPPRESS_UPDATE_NOTICE="true", NO_COLOR="1")
CLEAN = {"redocly": "Your API description is valid", "spectral": "No results"}


def run(folder, text, program, *arguments):
    """(exit status, report) of a program with a document, which is openapi.yaml in the folder."""
    with open(os.path.join(folder, "openapi.yaml"), "wb") as f:
        f.write(text)
    done = subprocess.run([os.path.join(PROGRAMS, program), *arguments, "openapi.yaml"], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds(100), check=False, env=VARIABLES)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def lint(program, text):
    with tempfile.TemporaryDirectory() as folder:
        configuration = shutil.copy(os.path.join(environment.HERE, CONFIGURATIONS[program]), folder)
        return run(folder, text, program, *COMMANDS[program], configuration)


@test(rows=[(program, program) for program in COMMANDS], limit=100)
def finds_nothing(server, program):
    status, report = lint(program, server.request("GET", "/openapi.yaml").body)
    equal(status, 0, report)
    assert CLEAN[program] in report and "warning" not in report.lower(), report


@test(rows=[(program, program) for program in COMMANDS], limit=100)
def finds_what_is_wrong(server, program):
    text = server.request("GET", "/openapi.yaml").body.replace(b"schemas/Octets\"", b"schemas/Nothing\"", 1)
    status, report = lint(program, text)
    assert status != 0 and "-ref" in report, (status, report)  # no-unresolved-refs, invalid-ref


@test(limit=100)
def is_the_same_as_json(server):
    """As another reader of YAML has it, whose numbers are doubles."""
    with tempfile.TemporaryDirectory() as folder:
        status, report = run(folder, server.request("GET", "/openapi.yaml").body, "redocly", "bundle", "--output", "made.json")
        equal(status, 0, report)
        with open(os.path.join(folder, "made.json"), "rb") as f:
            made, served = (json.loads(text, parse_int=float) for text in (f.read(), server.request("GET", "/openapi.json").body))
    equal(made, served)


main()
