"""Random calls of Expand and Unsqueeze: every version, every type it permits, ranks 0 to 6, sizes of 0, bits of all kinds.

A case is made from (seed, index) alone, so that one can be made again.
"""
import random

import numpy as np

from arrays import TYPES, objects

SET_15 = ["BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP16", "FP32", "FP64",
          "BYTES", "COMPLEX64", "COMPLEX128"]
SET_16 = SET_15 + ["BF16"]
SET_22 = SET_16 + ["FP8_E4M3FN", "FP8_E4M3FNUZ", "FP8_E5M2", "FP8_E5M2FNUZ", "INT4", "UINT4"]
SET_23 = SET_22 + ["FP4_E2M1"]
SET_24 = SET_23 + ["FP8_E8M0"]
SET_26 = SET_24 + ["INT2", "UINT2"]
# (operator, version): types, as the ONNX schemas have them.
VERSIONS = {
    ("expand", 8): SET_15, ("expand", 13): SET_16, ("unsqueeze", 1): SET_15, ("unsqueeze", 11): SET_15,
    ("unsqueeze", 13): SET_16, ("unsqueeze", 21): SET_22, ("unsqueeze", 23): SET_23, ("unsqueeze", 24): SET_24,
    ("unsqueeze", 25): SET_26,
}
NAMES = {"expand": ("input", "shape", "output"), "unsqueeze": ("data", "axes", "expanded")}
MOST_IN, MOST_OUT = 3000, 40000  # elements
ALPHABET = ["", "a", "\u00e9", "\u20ac", "\U0001f600", "\"", "\\", "\n", "\0b", " ", "zz"]


class Case:
    """One call. `small` are the values of shape or axes; `data` is made by fill(), when the form to send it in is known."""

    def __init__(self, seed, index):
        self.random = random.Random("%s:%d" % (seed, index))
        self.op, self.version = self.random.choice(sorted(VERSIONS))
        self.kind = TYPES[self.random.choice(VERSIONS[self.op, self.version])]
        self.shape = random_shape(self.random)
        self.small = (target_shape if self.op == "expand" else axes)(self)
        self.data = None

    def fill(self, plain):
        """Makes the data; plain: such that JSON and .npy can carry it."""
        self.data = random_data(self.random, self.kind, self.shape, plain)

    def __str__(self):
        return "%s %d, %s %s, %s %s" % (self.op, self.version, self.kind.name, list(self.shape), NAMES[self.op][1],
                                        self.small)


# ---- shapes --------------------------------------------------------------------------------------------------------

def size(rng):
    return rng.choice([0, 1, 1, 1, 2, 2, 3, 4, 5, 7, 16])


def product(sizes):
    total = 1
    for n in sizes:
        total *= n
    return total


def random_shape(rng):
    while True:
        shape = tuple(size(rng) for _ in range(rng.randint(0, 6)))
        if product(shape) <= MOST_IN:
            return shape


def target_shape(case):
    """Mostly one that fits; sometimes of another rank, sometimes wrong."""
    rng = case.random
    while True:
        target = [rng.choice([n, 1, n if n != 1 else size(rng)]) for n in case.shape]
        target = target[rng.randint(0, len(target)):] if rng.random() < 0.2 else target
        if rng.random() < 0.5:
            target = [size(rng) for _ in range(rng.randint(0, 6 - min(6, len(target))))] + target
        if target and rng.random() < 0.08:
            target[rng.randrange(len(target))] = rng.choice([-1, 3, 5, 0, -2**63])
        longest = max(len(target), len(case.shape))
        if product(max(a, b) for a, b in zip([1] * (longest - len(target)) + target,
                                             [1] * (longest - len(case.shape)) + list(case.shape))) <= MOST_OUT:
            return target


def axes(case):
    """Mostly in range and different; each as it is or counted from the end."""
    rng = case.random
    count = rng.choice([0, 1, 1, 2, 2, 3, 4])
    rank = len(case.shape) + count
    found = rng.sample(range(rank), count)
    if case.version > 1 or rng.random() < 0.05:
        found = [axis - rank if rng.random() < 0.4 else axis for axis in found]
    if found and rng.random() < 0.08:
        found[0] = rng.choice([rank, -rank - 1, found[-1], 2**63 - 1, -2**63])
    return found


# ---- data ----------------------------------------------------------------------------------------------------------

# The NaN that JSON's "NaN" stands for, of each type that has one.
CANONICAL = {"FP16": 0x7e00, "BF16": 0x7fc0, "FP32": 0x7fc00000, "FP64": 0x7ff8 << 48, "FP8_E4M3FN": 0x7f,
             "FP8_E4M3FNUZ": 0x80, "FP8_E5M2": 0x7e, "FP8_E5M2FNUZ": 0x80, "FP8_E8M0": 0xff}
PARTS = {"COMPLEX64": TYPES["FP32"], "COMPLEX128": TYPES["FP64"]}


def random_bits(rng, kind, count, plain):
    """Numbers of any bits, among them many that are special in some type: 0, -0, the least, the largest, NaN."""
    width = max(kind.bits, 8)
    mask = 1 if kind.name == "BOOL" else (1 << kind.bits) - 1
    bits = np.frombuffer(rng.randbytes(count * width // 8), "<u%d" % (width // 8)).copy() & mask
    special = [0, 1, 1 << (kind.bits - 1), mask, CANONICAL.get(kind.name, 0)]
    for i in range(count):
        if rng.random() < 0.2:
            bits[i] = rng.choice(special) & mask
    numbers = bits.view(kind.dtype)
    if plain and kind.name in CANONICAL:
        with np.errstate(invalid="ignore"):  # NaNs that signal
            bits[np.isnan(numbers.astype(np.float64))] = CANONICAL[kind.name]
    return numbers


def random_string(rng, plain):
    text = "".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, 4)))
    if plain:
        return text.encode().rstrip(b"\0")
    return text.encode() if rng.random() < 0.5 else rng.randbytes(rng.randint(0, 6))


def random_data(rng, kind, shape, plain):
    count = product(shape)
    if kind.name == "BYTES":
        return objects([random_string(rng, plain) for _ in range(count)], shape)
    part = PARTS.get(kind.name, kind)
    return random_bits(rng, part, count * (kind.bits // part.bits), plain).view(kind.dtype).reshape(shape)
