"""schemathesis reads the contract and finds nothing: no answer that is not in it, nothing refused that it permits or accepted
that it forbids, no crash; with all its checks, operation by operation and from one to the next (stateful).

SHAPED_EXAMPLES is how many requests it makes up for an operation, beside those at the limits of each schema; SHAPED_SEED begins
elsewhere.
"""
import os
import re
import subprocess
import sys
import tempfile

import environment
environment.enter()

from environment import HERE  # noqa: E402
from harness import equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

EXAMPLES, SEED = os.environ.get("SHAPED_EXAMPLES", "10"), os.environ.get("SHAPED_SEED", "1")
AT_LEAST = 500  # requests in all
PHASES = ("Examples", "Coverage", "Fuzzing", "Stateful")
LIMIT = 600 + 30 * int(EXAMPLES)


def schemathesis(server):
    """Its exit status and report."""
    command = [os.path.join(os.path.dirname(sys.executable), "st"), "--config-file", os.path.join(HERE, "schemathesis.toml"),
               "run", "http://127.0.0.1:%d/openapi.json" % server.address[1], "--max-examples", EXAMPLES, "--seed", SEED,
               "--continue-on-failure", "--max-failures", "20", "--request-timeout", str(seconds(10))]
    variables = dict(os.environ, SCHEMATHESIS_HOOKS=os.path.join(HERE, "hooks.py"), PYTHONPATH=HERE)
    with tempfile.TemporaryDirectory() as folder:  # it leaves files where it runs
        run = subprocess.run(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=seconds(LIMIT), check=False)
    return run.returncode, run.stdout.decode("utf-8", "replace")


def told(report):
    """What it says of what it has found, without blank lines."""
    found = re.search(r"^=+ (?:ERRORS|FAILURES) =+$.*", report, re.MULTILINE | re.DOTALL)
    text = found.group() if found else report
    return "\n".join(line[:500] for line in text.splitlines() if line.strip())[:20000]


@test(limit=LIMIT)
def finds_nothing(server):
    status, report = schemathesis(server)
    assert status == 0, "exit status %d\n%s" % (status, told(report))
    ran = re.findall(r"^ *\u2705 +(\w+)$", report, re.MULTILINE)
    equal([phase for phase in PHASES if phase not in ran], [], report[-3000:])
    print("# " + report.splitlines()[-1].strip("= "), "after", re.search(r"([0-9]+ generated.*)", report).group(1))
    generated = int(re.search(r"([0-9]+) generated", report).group(1))
    assert generated >= AT_LEAST, "%d requests are too few" % generated


main()
