"""What the playground draws by itself, the rule and where each element comes from, is what the operators do."""
import environment

environment.enter()

import itertools  # noqa: E402
import math  # noqa: E402
import random  # noqa: E402

from harness import equal, main, test  # noqa: E402
from playground import playground  # noqa: E402

EXPAND = """async ([dims, list]) => {
    const { expandRule, sourceFinder } = await import('/assets/tensor.js');
    const columns = expandRule(dims.map(String), list.map(String));
    return [columns.map(c => c.output), columns.map(c => c.verdict), sources(columns, dims)];
"""
UNSQUEEZE = EXPAND.replace("expandRule", "unsqueezeRule")
SOURCES = """
    function sources(columns, dims) {
        const sizes = columns.map(c => Number(c.output));
        if (columns.some(c => c.output === null)) return null;
        let all = [[]];
        for (const size of sizes)
            all = all.flatMap(index => Array.from({ length: size }, (_, i) => [...index, i]));
        return all.map(sourceFinder(columns, dims.map(String)));
    }
}"""


def post(server, model, dims, second):
    name, other = {"expand": ("input", "shape"), "unsqueeze": ("data", "axes")}[model]
    answer = server.request("POST", "/v2/models/%s/infer" % model, {"inputs": [
        {"name": name, "datatype": "INT32", "shape": dims, "data": list(range(math.prod(dims)))},
        {"name": other, "datatype": "INT64", "shape": [len(second)], "data": second}]})
    return answer.json()["outputs"][0] if answer.status == 200 else None


def check(page, server, model, dims, second):
    """Shape and elements, numbered from 0: those of the server are those of the page."""
    output, verdicts, sources = page.evaluate((EXPAND if model == "expand" else UNSQUEEZE) + SOURCES, [dims, second])
    want, what = post(server, model, dims, second), "%s %s %s" % (model, dims, second)
    if want is None:
        assert None in output or set(verdicts) & {"conflict", "twice", "open"}, "%s: %s" % (what, verdicts)
    else:
        equal((output, sources), ([str(n) for n in want["shape"]], want["data"]), what)
    return want is not None


@test(limit=120)
def expand(server):
    rng = random.Random(8)
    with playground(server) as page:
        fine = sum(check(page, server, "expand", [rng.choice([0, 1, 1, 2, 3]) for _ in range(rng.randrange(5))],
                         [rng.choice([0, 1, 1, 2, 3]) for _ in range(rng.randrange(5))]) for _ in range(150))
        assert 30 < fine < 120, fine


@test(limit=120)
def unsqueeze(server):
    with playground(server) as page:
        for dims in ([], [3], [2, 0], [2, 3]):
            for axes in itertools.chain.from_iterable(itertools.product(range(-4, 4), repeat=n) for n in range(3)):
                check(page, server, "unsqueeze", dims, list(axes))


main()
