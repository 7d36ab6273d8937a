"""Vectors of weighted sums of rows and columns: linear and cubic, larger and smaller, odd places.

TFLite has no such operator: tests/numerics/test_resample.py compares it with a matrix product.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.resample import Attrs, Taps, cubic, linear, whole
from tests.support.cases import Case, Operand


def centers(size: int, out: int) -> list[float]:
    """Where the middles of `out` pixels lie among `size`."""
    return [(i + 0.5) * size / out - 0.5 for i in range(out)]


def cases() -> list[Case]:
    backwards = linear([3.2, 1.5, -1.0, 9.0], 4)
    single = Taps(((2,), (0,)), ((0.25,), (-1.5,)))
    places = {
        "linear_up": ((1, 4, 5, 3), linear(centers(4, 7), 4), linear(centers(5, 10), 5)),
        "linear_down": ((2, 8, 6, 2), linear(centers(8, 3), 8), linear(centers(6, 1), 6)),
        "cubic_up": ((1, 5, 4, 1), cubic(centers(5, 9), 5), cubic(centers(4, 6), 4, -0.5)),
        "cubic_inside": ((1, 5, 4, 3), whole(5), cubic(centers(4, 7), 4, outside=False)),
        "mixed": ((1, 4, 5, 5), backwards, cubic(centers(5, 3), 5)),
        "single": ((1, 3, 3, 2), single, whole(3)),
    }
    return [_case(name, *place) for name, place in places.items()]


def _case(name: str, shape: tuple[int, ...], rows: Taps, columns: Taps) -> Case:
    x = Operand(TensorType(shape, DType.F32))
    out = TensorType((), DType.F32)
    return Case(name, "resample", Attrs(rows, columns), (x,), (out,), seed=len(name))


def matrix(taps: Taps, size: int) -> np.ndarray:
    """[out, size] in doubles."""
    result = np.zeros((len(taps.places), size))
    for row, places, weights in zip(result, taps.places, taps.weights, strict=True):
        for place, weight in zip(places, weights, strict=True):
            row[place] += float(np.float32(weight))
    return result
