"""Two programs that look for faults in OpenAPI documents find none in the contract, not even what they only warn of."""
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
CLEAN = {"redocly": "Your API description is valid", "spectral": "No results"}


def lint(program, text):
    """(exit status, report) of a document."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "openapi.yaml")
        with open(path, "wb") as f:
            f.write(text)
        configuration = shutil.copy(os.path.join(environment.HERE, CONFIGURATIONS[program]), folder)
        command = [os.path.join(PROGRAMS, program), *COMMANDS[program], configuration, path]
        run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=seconds(100), check=False, env=dict(os.environ, REDOCLY_TELEMETRY="off", NO_COLOR="1",
                                                                         REDOCLY_SUPPRESS_UPDATE_NOTICE="true"))
    return run.returncode, run.stdout.decode("utf-8", "replace")


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


main()
