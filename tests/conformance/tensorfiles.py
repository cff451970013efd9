"""Arrays as the files that the server reads and writes: TensorProto, .npy, raw bytes and JSON text."""
import io
import json
import warnings

import numpy as np
import onnx

from arrays import BY_NUMBER, TYPES, byte_strings, objects, pack, to_raw, type_of
from onnx_files import blob

# ---- JSON ----------------------------------------------------------------------------------------------------------

SPECIAL = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def json_number(x):
    return SPECIAL.get(repr(x), x)


def to_json(array):
    """The values, flat. A complex number is two."""
    kind = type_of(array)
    if kind.name == "BYTES":
        return [x.decode() for x in byte_strings(array)]
    if kind.name in ("COMPLEX64", "COMPLEX128"):
        array = array.ravel().view(array.real.dtype)
    if kind.name == "BOOL":
        return array.ravel().tolist()
    if kind.name.startswith(("INT", "UINT")):
        return [int(x) for x in array.ravel()]
    return [json_number(float(x)) for x in array.ravel()]


def nested(values, shape):
    """Flat values as lists in lists."""
    if not shape:
        return values[0]
    step = len(values) // shape[0] if shape[0] else 0
    return [nested(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def float_of(x):
    """Numbers, and the three strings."""
    if isinstance(x, str) and x not in SPECIAL.values():
        raise ValueError("the string %r is no number" % x)
    return float(x)


def from_json(kind, shape, values):
    """Raises ValueError for values that are not as the type's answers are written."""
    if kind.name == "BYTES":
        return objects([x.encode() for x in values], shape)
    if kind.name == "BOOL":
        allowed = bool
    elif kind.name.startswith(("INT", "UINT")):
        allowed = int
    else:
        allowed = float
        values = [float_of(x) for x in values]
    if not all(isinstance(x, allowed) for x in values):
        raise ValueError("values that are not %s" % kind.name)
    if kind.name.startswith("COMPLEX"):
        return np.array(values, "<f%d" % (kind.bits // 16)).view(kind.dtype).reshape(shape)
    if kind.name == "FP8_E8M0":
        return powers_of_two(values).view(kind.dtype).reshape(shape)
    wide = kind.dtype if allowed in (int, bool) and kind.bits >= 8 else np.dtype(np.float64)
    return np.array(values, wide).astype(kind.dtype).reshape(shape)


def powers_of_two(values):
    """Codes of FP8_E8M0. Apart, since ml_dtypes 0.6 takes 5.9e-39 for 2^-126, to which 2^-127 is nearer."""
    table = 2.0 ** np.arange(-127, 128)
    return np.array([255 if x != x else np.abs(table - x).argmin() for x in values], np.uint8)


# ---- TensorProto ---------------------------------------------------------------------------------------------------

# The field that has a type's values when raw_data has not; int32_data, but for these. Packed floats are their own bytes:
# Python's float cannot carry all of them.
FLOAT_FIELDS = {"FP32": 4, "COMPLEX64": 4, "FP64": 10, "COMPLEX128": 10}
FIELDS = {"INT64": "int64_data", "UINT32": "uint64_data", "UINT64": "uint64_data"}


def field_values(array):
    kind = type_of(array)
    if kind.bits < 8:
        return list(pack(array))
    if kind.name in FIELDS:
        return array.ravel().tolist()
    signed = kind.name in ("INT8", "INT16", "INT32")
    return np.ascontiguousarray(array).ravel().view("<%s%d" % ("i" if signed else "u", kind.bits // 8)).tolist()


def to_protobuf(array, typed=False):
    kind = type_of(array)
    proto = onnx.TensorProto(dims=array.shape, data_type=kind.number, name="t")
    if kind.name == "BYTES":
        proto.string_data.extend(byte_strings(array))
    elif typed and kind.name in FLOAT_FIELDS:
        return proto.SerializeToString() + blob(FLOAT_FIELDS[kind.name], to_raw(array))
    elif typed:
        getattr(proto, FIELDS.get(kind.name, "int32_data")).extend(field_values(array))
    else:
        proto.raw_data = to_raw(array)
    return proto.SerializeToString()


def from_protobuf(body):
    """As the onnx package reads it."""
    proto = onnx.TensorProto.FromString(body)
    if BY_NUMBER[proto.data_type].name == "BYTES":
        return objects(list(proto.string_data), tuple(proto.dims))
    return onnx.numpy_helper.to_array(proto)


# ---- .npy ----------------------------------------------------------------------------------------------------------

# What a file of these types tells of itself; files of the others that ml_dtypes has need the type beside them.
NPY_TELLS = {"BF16", "FP8_E5M2"}


def npy_ambiguous(kind):
    return kind.dtype.type.__module__ == "ml_dtypes" and kind.name not in NPY_TELLS


def to_npy(array, rng):
    """In any order of bytes and of indices, and any version of the format."""
    if array.dtype == object:
        array = strings_for_npy(array, rng)
    elif array.dtype.isbuiltin == 1 and rng.random() < 0.2:
        array = array.astype(array.dtype.newbyteorder(">"))
    if array.shape and rng.random() < 0.2:
        array = np.asfortranarray(array)
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # metadata of ml_dtypes is lost, versions 2 and 3 are newer than need be
        np.lib.format.write_array(out, array, version=rng.choice([(1, 0), (1, 0), (2, 0), (3, 0)]))
    return out.getvalue()


def strings_for_npy(array, rng):
    values = byte_strings(array)
    if rng.random() < 0.5:
        return np.array([x.decode() for x in values], dtype="U" if values else "U1").reshape(array.shape)
    return np.array(values, dtype="S" if values else "S1").reshape(array.shape)


def from_npy(body, kind):
    array = np.load(io.BytesIO(body))
    if array.dtype.kind in "SU":
        return objects(byte_strings(array), array.shape)
    return array.view(kind.dtype) if array.dtype.kind == "V" else array


def to_text(array):
    """JSON, nested, so that it tells its shape."""
    return json.dumps(nested(to_json(array), array.shape)).encode()


def int64s(values):
    return np.array(values, TYPES["INT64"].dtype)
