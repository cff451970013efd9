"""Tensors for the clients, and what numpy makes of them.

The arrays go to the ends of their types: what a client or the server rounds, cuts or swaps shows.
"""
import ml_dtypes
import numpy as np

from arrays import TYPES, objects, same, unpack

# The types that the clients know by numpy's names; all but BF16 also KServe's.
CLIENT_TYPES = ("BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP16", "BF16", "FP32",
                "FP64", "BYTES")
TEXTS = ["", "na\u00efve \u2200x", "\0 \U0001f600"]


def limits(dtype):
    """Three values: the smallest and the largest, and one that shows rounding and the order of bytes."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return [info.min, info.max, info.max // 3]
    if dtype.kind == "b":
        return [True, False, True]
    info = ml_dtypes.finfo(dtype)
    return [info.smallest_subnormal, info.max, dtype.type(-1) / dtype.type(3)]


def example(datatype):
    """Shape (3, 1)."""
    kind = TYPES[datatype]
    if datatype == "BYTES":
        return objects([text.encode() for text in TEXTS], (3, 1))
    if datatype.startswith("COMPLEX"):
        return np.array([complex(0.1, -0.0), complex("nan"), 1e30j], kind.dtype).reshape(3, 1)
    if kind.bits < 8:
        return unpack(kind, (3, 1), b"\xe4\x03")
    if datatype.startswith("FP8"):
        return np.array([0x01, 0x42, 0x7b], np.uint8).view(kind.dtype).reshape(3, 1)
    return np.array(limits(kind.dtype), kind.dtype).reshape(3, 1)


def int64(*values):
    return np.array(values, np.int64)


def expanded(array, *target):
    """Expand, by numpy."""
    return np.ascontiguousarray(np.broadcast_to(array, np.broadcast_shapes(array.shape, target)))


def unsqueezed(array, *axes):
    return np.expand_dims(array, axes)


def check(got, want):
    """Type, shape and every bit. What a client makes of strings may be text."""
    assert same(got, want), "got %s %s %r, want %s %s %r" % (
        got.dtype, got.shape, got.ravel()[:8].tolist(), want.dtype, want.shape, want.ravel()[:8].tolist())
