"""The contract and the code know the same: what is in one and not in the other fails here.

The code's side comes from its tables: from what the server prints of them, else from the source. The contract's side is
what the server serves.
"""
import base64
import json
import re
import subprocess

from contract import Contract, source, sources

from harness import PROGRAM, environment, equal, main, test

PROBLEMS = {code: int(status) for status, code in
            re.findall(r'^ +X\([A-Z_]+, +([0-9]+), "([a-z_]+)"', source("api", "problem.h"), re.MULTILINE)}
FRAMING = {"Connection", "Content-Length", "Expect", "Host", "Transfer-Encoding"}  # HTTP's own
DTYPES = re.findall(r'^ +X\(([A-Z0-9_]+), +[0-9]+, "([A-Z0-9]+)"', source("ops", "dtype.h"), re.MULTILINE)


def table(text, name):
    """The strings of a table of the source: of `name = { ... };`, or of a macro."""
    found = re.search(r"%s(?:\[\w*\] = \{|\(X\)).*?(?:^ *\};$|\n\n)" % re.escape(name), text, re.MULTILINE | re.DOTALL)
    return re.findall(r'"([^"]+)"', found.group())


def members(text):
    """The names in the tables of members that the decoder of documents reads."""
    return set(re.findall(r'DECODER_MEMBER\("(\w+)", (?:read|codec_json)_\w+\)', text))


def contract_of(server):
    return Contract(server.request("GET", "/openapi.json").json())


def versions(server):
    """[(model, version, metadata)], newest last, as the server tells of them."""
    found = []
    for model in server.request("GET", "/v2/models").json()["models"]:
        base = "/v2/models/" + model
        for version in server.request("GET", base).json()["versions"]:
            found.append((model, version, server.request("GET", "%s/versions/%s" % (base, version)).json()))
    return found


# ---- files

@test
def is_served_as_it_is_written(server):
    equal(server.request("GET", "/openapi.yaml").body.decode(), source("api", "openapi.yaml"))


@test
def is_the_same_as_a_file_of_the_pages(server):
    for name in "openapi.json", "openapi.yaml":
        equal(server.request("GET", "/assets/" + name).body, server.request("GET", "/" + name).body, name)
    equal(server.request("GET", "/assets/playground.html").body,
          server.request("GET", "/", headers={"Accept": "text/html"}).body)


@test
def has_the_version_of_the_program(server):
    info = contract_of(server).document["info"]
    equal(info["version"], server.request("GET", "/v2").json()["version"])
    run = subprocess.run([PROGRAM, "--version"], env=environment(), stdout=subprocess.PIPE, check=True, timeout=20)
    assert info["version"] in run.stdout.decode(), run.stdout


# ---- routes

def expanded(routes, models):
    """Routes with each model in place of {model}: the contract may speak of each for itself."""
    return sorted({(method, path.replace("{model}", model)) for method, path in routes for model in models})


@test
def has_the_routes(server):
    contract = contract_of(server)
    models = contract.schema("ModelName")["enum"]
    routes = [(r["method"], r["path"]) for r in server.request("GET", "/").json()["routes"]]
    equal(expanded([(o.method, o.path) for o in contract.operations], models), expanded(routes, models))


@test
def says_which_routes_take_a_body(server):
    rows = re.findall(r'^    \{"(\w+)", (?:(OF_\w+) )?"([^"]*)".*, ([A-Z0-9_ |]+)\},$', source("api", "dispatch.c"), re.MULTILINE)
    base = {"": "", "OF_MODEL": "/v2/models/{model}", "OF_VERSION": "/v2/models/{model}/versions/{version}"}
    flags = {(method, base[of] + rest): flags for method, of, rest, flags in rows}
    for operation in contract_of(server).operations:
        path = re.sub("/models/(expand|unsqueeze)/", "/models/{model}/", operation.path)
        if (operation.method, path) in flags:  # two rows are written another way: they take none
            equal(operation.body is not None, "ROUTE_BODY" in flags[operation.method, path], str(operation))


# ---- models, versions, types

@test
def has_the_models_and_versions(server):
    contract, known = contract_of(server), versions(server)
    equal(contract.schema("ModelName")["enum"], sorted({model for model, _, _ in known}))
    for model in contract.schema("ModelName")["enum"]:
        equal(contract.schema(model.capitalize() + "Version")["enum"], [v for m, v, _ in known if m == model])
    equal(contract.schema("VersionNumber")["enum"], sorted({v for _, v, _ in known}, key=int))


@test
def has_the_types(server):
    contract = contract_of(server)
    equal(contract.schema("Datatype")["enum"], [name for name, _ in DTYPES])
    equal(contract.schema("DatatypeAlias")["enum"], [onnx for name, onnx in DTYPES if onnx != name])
    expand = [m["properties"]["types"].split(",") for model, _, m in versions(server) if model == "expand"][-1]
    equal(contract.schema("ExpandDatatypeName")["enum"],
          expand + [onnx for name, onnx in DTYPES if onnx != name and name in expand])


@test
def tells_the_types_of_every_version(server):
    lines, before = [], None
    for model, version, metadata in versions(server):
        types, added = metadata["properties"]["types"], metadata["properties"]["types_added"]
        names = [t["name"] for t in metadata["inputs"] + metadata["outputs"]]
        cell = types if model != before else "+ " + added if added else "the same"
        lines.append("| %s %s | `%s`, `%s` → `%s` | %s |" % (metadata["properties"]["operator"], version, *names,
                                                             cell.replace(",", ", ")))
        before = model
    tag = contract_of(server).document["tags"][0]["description"].splitlines()
    equal([line for line in tag if re.match(r"\| [A-Z]", line)], lines)


@test
def has_the_limits(server):
    contract = contract_of(server)
    rank = int(re.search(r"#define SHAPE_MAX_RANK +([0-9]+)", source("ops", "shape.h")).group(1))
    equal([contract.schema(name)["maxItems"] for name in ("Sizes", "SymbolicSizes", "WholeNumbers")], [rank] * 3)
    longest = int(re.search(r"#define SYMBOLS_MAX_BYTES +([0-9]+)", source("api", "symbols.h")).group(1))
    equal([part["maxLength"] for part in contract.schema("SymbolicSize")["anyOf"] if "maxLength" in part], [longest])


# ---- errors

def responses(contract):
    """(where, status, response) of everything that can be answered."""
    for operation in contract.operations:
        for status in operation.statuses():
            yield operation.path, status, operation.response(status)
    for status in contract.document["x-elsewhere"]:
        yield "elsewhere", int(status), contract.elsewhere(status)


def codes(contract, response):
    """The error codes that an answer may have, as the narrowest of its schemas says."""
    found = None
    for schema in contract.walk(response.content.get("application/json", {}).get("schema")):
        code = schema.get("properties", {}).get("code", {})
        allowed = set(code.get("enum", [code["const"]] if "const" in code else []))
        if allowed and (found is None or len(allowed) < len(found)):
            found = allowed
    return found or set()


@test
def has_the_error_codes(server):
    equal(contract_of(server).schema("Problem")["properties"]["code"]["enum"], list(PROBLEMS))


@test
def has_each_code_with_its_status(server):
    contract, found = contract_of(server), {}
    for where, status, response in responses(contract):
        for code in codes(contract, response):
            equal(status, PROBLEMS[code], "%s at %s" % (code, where))
            found[code] = status
    equal(sorted(found), sorted(PROBLEMS))


@test
def has_no_status_that_there_is_not(server):
    known = set(PROBLEMS.values()) | {int(s) for s in re.findall(r"status = ([0-9]{3});", sources("api"))}
    found = {status for _, status, _ in responses(contract_of(server))}
    equal(sorted(found), sorted(known | {200}))


# ---- parameters, headers, media types

def named(contract, place):
    parameters = [p for o in contract.operations for p in o.parameters]
    parameters += [contract.resolve(p) for p in contract.everywhere("parameters")]
    return {p["name"] for p in parameters if p["in"] == place}


@test
def has_the_parameters_of_the_query(server):
    names = set(re.findall(r'bytes_equal\(name, "(\w+)"\)', source("api", "query.c")))
    small = {m["inputs"][1]["name"] for _, _, m in versions(server)}
    equal(sorted(named(contract_of(server), "query")), sorted(names | small))


@test
def has_the_headers_of_requests(server):
    known = set(table(source("api", "dispatch.h"), "API_HEADER_TABLE"))
    known |= set(re.findall(r'ROW\(KNOWN_\w+, "([A-Za-z-]+)"\)', source("src", "http_head.c"))) - FRAMING
    described = {"Accept", "Content-Type"}  # these two are no parameters in OpenAPI, but the media types themselves
    described |= {"Authorization"}  # and this is the security scheme
    equal(sorted(named(contract_of(server), "header") | described), sorted(known))


@test
def has_the_headers_of_answers(server):
    texts = sources("api") + sources("src")
    known = set(re.findall(r'(?:reply|response)_header\([^,]+, "([A-Za-z-]+)"', texts))
    known |= {"Inference-Header-Content-Length"}  # by api_header_name
    found = {name for _, _, response in responses(contract_of(server)) for name in response.headers}
    equal(sorted(found | {"Content-Type"}), sorted(known - FRAMING))


@test
def has_the_media_types_of_requests(server):
    text = source("api", "body.c")
    octets = re.search(r'^#define OCTETS +("[^"]+")$', text, re.MULTILINE).group(1)
    readers = set(re.findall(r'^    \{BYTES_LITERAL\("([a-z-]+/[a-z-]+)"\), read_\w+\}', text.replace("OCTETS", octets), re.MULTILINE))
    for operation in contract_of(server).operations:
        if operation.path.endswith(("/infer", "/shape")):
            equal(sorted(operation.body["content"]), sorted(readers | {"application/json"}), str(operation))


@test
def has_the_media_types_of_answers(server):
    forms = set(re.findall(r'\[FORM_\w+\] = \{"([a-z-]+/[a-z-]+)"', source("api", "answer.c")))
    for operation in contract_of(server).operations:
        if operation.path.endswith("/infer"):
            equal(sorted(operation.response(200).content), sorted(forms), str(operation))


# ---- members of documents

def properties(contract, schema):
    return {name for part in contract.walk(schema) for name in part.get("properties", {})}


@test
def has_the_members_of_requests(server):
    contract = contract_of(server)
    decoders = "".join(source("api", "codec_json_%s.c" % part) for part in ("decode", "input"))
    read = members(decoders)
    attributes = {i["name"] for model, version, _ in versions(server) for i in
                  server.request("GET", "/v2/models/%s/versions/%s/config" % (model, version)).json()["input"] if i["optional"]}
    documented = set()
    for operation in contract.operations:
        if operation.path.endswith(("/infer", "/shape")):
            documented |= properties(contract, operation.body["content"]["application/json"]["schema"])
    equal(sorted(documented), sorted(read | attributes))


@test
def names_the_members_that_are_refused(server):
    refused = re.findall(r'DECODER_MEMBER\("(\w+)", decoder_not_offered\)', source("api", "codec_json_decoder.h"))
    text = contract_of(server).schema("InputParameters")["description"]
    equal([name for name in refused if name not in text], [])
    assert refused


def shown(response):
    """The members that the examples of an answer have, at any depth."""
    examples = [e for media in response.content.values() for e in media.get("examples", {}).values()]
    texts = [base64.b64decode(e["value"]).decode("latin-1") if "x-base64" in e else json.dumps(e["value"]) for e in examples]
    return {name for text in texts for name in re.findall(r'"(\w+)":', text)}


@test
def has_no_member_of_an_answer_that_never_comes(server):
    """Each is required, so that a validated answer shows it, or in an example, which is a test."""
    contract = contract_of(server)
    for operation in contract.operations:
        for status in operation.statuses():
            response = operation.response(status)
            schema = response.content.get("application/json", {}).get("schema")
            for part in contract.walk(schema) if operation.path != "/openapi.json" else ():
                optional = set(part.get("properties", {})) - set(part.get("required", ()))
                narrows = optional == {"code"}  # another schema, which requires it
                equal(sorted(() if narrows else optional - shown(response)), [], "%s %d" % (operation, status))


main()
