"""Plain requests with numpy: what a page of Python needs, and the way for all types that other clients do not know."""
import io
import json

import environment

environment.enter()

import numpy as np  # noqa: E402
import requests  # noqa: E402

from arrays import TYPES, from_raw, to_raw  # noqa: E402
from examples import check, example, expanded, unsqueezed  # noqa: E402
from harness import equal, main, test  # noqa: E402
from wire import seconds  # noqa: E402

FILE_TYPES = [row for row in TYPES.values() if row.name != "BYTES"]
JSON_TYPES = [row for row in FILE_TYPES if not row.name.startswith("COMPLEX")]


def url(server, path):
    return "http://%s:%d%s" % (*server.address, path)


def post(server, path, **options):
    answer = requests.post(url(server, path), timeout=seconds(20), **options)
    assert answer.status_code == 200, answer.text
    return answer


# ---- tensors as bytes: every type ----------------------------------------------------------------------------------

@test(rows=[(row.name, row) for row in TYPES.values()])
def unsqueezes_raw_bytes(server, row):
    array = example(row.name)
    answer = post(server, "/v2/models/unsqueeze/infer", data=to_raw(array),
                  params={"datatype": row.name, "dims": "3,1", "axes": "0,-1"},
                  headers={"Content-Type": "application/octet-stream"})
    equal((json.loads(answer.headers["Tensor-Shape"]), answer.headers["Tensor-Datatype"]), ([1, 3, 1, 1], row.name))
    check(from_raw(row, (1, 3, 1, 1), answer.content), unsqueezed(array, 0, -1))


@test(rows=[(row.name, row) for row in FILE_TYPES])
def unsqueezes_files_of_numpy(server, row):
    """np.save keeps what ml_dtypes adds as bytes without a name, so that the type is told in the query."""
    array, file = example(row.name), io.BytesIO()
    np.save(file, array)
    answer = post(server, "/v2/models/unsqueeze/infer", data=file.getvalue(), params={"datatype": row.name, "axes": "1"},
                  headers={"Content-Type": "application/x-npy"})
    check(np.load(io.BytesIO(answer.content)).view(row.dtype), unsqueezed(array, 1))


@test
def sends_a_form_with_a_file(server):
    file = io.BytesIO()
    np.save(file, example("FP64"))
    answer = post(server, "/v2/models/expand/infer", files={"input": ("x.npy", file.getvalue()), "shape": (None, "[2,3,2]")})
    check(np.load(io.BytesIO(answer.content)), expanded(example("FP64"), 2, 3, 2))


@test
def streams_both_bodies(server):
    """A generator is sent in chunks; the answer is read as it comes."""
    array = np.arange(1 << 18, dtype=np.float32)
    blob = array.tobytes()
    answer = post(server, "/v2/models/expand/infer", data=(blob[at:at + 65536] for at in range(0, len(blob), 65536)),
                  params={"datatype": "FP32", "dims": str(array.size), "shape": "16,%d" % array.size},
                  headers={"Content-Type": "application/octet-stream"}, stream=True)
    got = b"".join(answer.iter_content(1 << 16))
    check(np.frombuffer(got, np.float32).reshape(16, -1), expanded(array, 16, array.size))


# ---- JSON ----------------------------------------------------------------------------------------------------------

def document(datatype, shape, data, axes=(0,)):
    return {"inputs": [{"name": "data", "datatype": datatype, "shape": shape, "data": data},
                       {"name": "axes", "datatype": "INT64", "shape": [len(axes)], "data": list(axes)}]}


@test(rows=[(row.name, row) for row in JSON_TYPES])
def sends_a_list_of_numbers(server, row):
    """Python's own JSON is exact in all types, 64-bit integers and FP64 included."""
    array = example(row.name)
    kind = int if "INT" in row.name else bool if row.name == "BOOL" else float
    answer = post(server, "/v2/models/unsqueeze/infer",
                  json=document(row.name, [3, 1], [kind(x) for x in array.ravel()]))
    output, = answer.json()["outputs"]
    check(np.array(output["data"], row.dtype).reshape(output["shape"]), unsqueezed(array, 0))


@test
def nests_lists_as_numpy_does(server):
    array = np.arange(12, dtype=np.int64).reshape(3, 2, 2)
    output, = post(server, "/v2/models/unsqueeze/infer",
                   json=document("INT64", list(array.shape), array.tolist(), [-1])).json()["outputs"]
    check(np.array(output["data"]).reshape(output["shape"]), unsqueezed(array, -1))


@test
def sends_what_is_not_finite_as_strings(server):
    output, = post(server, "/v2/models/unsqueeze/infer",
                   json=document("FP32", [3], ["NaN", "Infinity", "-Infinity"])).json()["outputs"]
    equal(output["data"], ["NaN", "Infinity", "-Infinity"])
    check(np.array(output["data"], np.float32), np.array([np.nan, np.inf, -np.inf], np.float32))


@test
def sends_complex_numbers_as_pairs(server):
    array = np.array([1 + 2j, -0.5j], np.complex64)
    output, = post(server, "/v2/models/unsqueeze/infer",
                   json=document("COMPLEX64", [2], array.view(np.float32).tolist())).json()["outputs"]
    check(np.array(output["data"], np.float32).view(np.complex64).reshape(output["shape"]), unsqueezed(array, 0))


# ---- HTTP ----------------------------------------------------------------------------------------------------------

@test
def keeps_a_session(server):
    """Many calls on one connection, compressed answers among them, which requests asks for by itself."""
    array = np.zeros((3, 1), np.float32)
    with requests.Session() as session:
        for n in range(50):
            answer = session.post(url(server, "/v2/models/expand/infer"), timeout=seconds(10), json={"inputs": [
                {"name": "input", "datatype": "FP32", "shape": [3, 1], "data": array.ravel().tolist()},
                {"name": "shape", "datatype": "INT64", "shape": [2], "data": [3, 40 * n]}]})
            output, = answer.json()["outputs"]
            equal((output["shape"], len(output["data"])), ([3, 40 * n], 120 * n))
        equal(answer.headers["Content-Encoding"], "gzip")


@test
def tells_errors_apart(server):
    answer = requests.post(url(server, "/v2/models/unsqueeze/infer"), timeout=seconds(10),
                           json=document("FP32", [1], [1.5], [3]))
    equal((answer.status_code, answer.json()["code"], answer.json()["pointer"]),
          (400, "invalid_axes", "/inputs/1/data/0"))


main(relay=True)
