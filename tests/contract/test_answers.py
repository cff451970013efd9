"""Each answer that the other black-box tests were given is one that the contract describes, and they were given each kind
that it describes. The tests leave their answers in a folder (tests/http/record.py); this one runs after them.
"""
import base64
import collections
import json
import os

import environment
environment.enter()

FOLDER = os.environ.pop("SHAPED_ANSWERS", "answers")  # read here, not written

from contract import Contract  # noqa: E402
from harness import Server, Skip, equal, main, test  # noqa: E402
from validator import Undocumented, Validator  # noqa: E402

# Codes that no test can cause: a bug, and what /v2/health/ready tells in a document of its own.
NEVER_SEEN = {"internal", "draining"}

# The licence of Swagger UI, which not every program has in it.
NOT_ALWAYS = {("GET /assets/{file}", "text/plain")}


def recorded(name):
    with open(os.path.join(FOLDER, name), encoding="ascii") as f:
        for line in f:
            answer = json.loads(line)
            yield answer, None if answer["body"] is None else base64.b64decode(answer["body"])


with Server() as started:
    CONTRACT = Contract(started.request("GET", "/openapi.json").json())
VALIDATOR = Validator(CONTRACT)
FILES = sorted(os.listdir(FOLDER)) if os.path.isdir(FOLDER) else []
SEEN = collections.Counter()  # (operation, status, media type)
CODES = collections.Counter()


def count(answer, body, operation, media_type):
    SEEN[str(operation), answer["status"], media_type] += 1
    if answer["status"] >= 400 and media_type == "application/json" and body:
        CODES[json.loads(body).get("code")] += 1


@test(rows=[(os.path.splitext(name)[0], name) for name in FILES], limit=120)
def answers_are_documented(server, name):
    wrong, n = [], 0
    for answer, body in recorded(name):
        n += 1
        try:
            operation, media_type = VALIDATOR.answer(answer["method"], answer["target"], answer["status"],
                                                     answer["headers"], body)
            count(answer, body, operation, media_type)
        except (Undocumented, ValueError) as e:
            wrong.append("%s %.100s %d: %s" % (answer["method"], answer["target"], answer["status"], e))
    assert n > 0, "there are no answers"
    equal(wrong[:5], [], "%d of %d answers" % (len(wrong), n))


@test
def every_operation_was_answered(server):
    if not FILES:
        raise Skip("there are no answers in %s: run the other tests first" % FOLDER)
    never = [(str(operation), media_type) for operation in CONTRACT.operations
             for media_type in (operation.response(200) or operation.response(400)).content
             if not any(SEEN[str(operation), status, media_type] for status in (200, 400))]
    equal(sorted(set(never) - NOT_ALWAYS), [])


@test
def every_code_was_seen(server):
    if not FILES:
        raise Skip("there are no answers in %s: run the other tests first" % FOLDER)
    known = set(CONTRACT.schema("Problem")["properties"]["code"]["enum"])
    equal(sorted(known - set(CODES)), sorted(NEVER_SEEN))


main()
