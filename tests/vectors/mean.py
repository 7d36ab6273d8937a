"""Vectors of MEAN: all sets of axes (B44), counts, equal and unequal quantization, limits (B82)."""

from __future__ import annotations

import itertools

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.mean import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, as_float, as_int16, s8

# Shape, axes, keep_dims
PLACES: tuple[tuple[tuple[int, ...], tuple[int, ...], bool], ...] = (
    ((1, 3, 3, 3), (3,), True),
    ((1, 3, 3, 3), (1, 2), True),
    ((1, 3, 3, 3), (1, 2), False),
    ((1, 3, 3, 3), (-1,), False),
    ((1, 3, 3, 3), (-1, 2), False),
    ((1, 4, 3, 5), (2, 1), False),
    ((1, 4, 3, 5), (-3, -2), True),
    ((1, 4, 3, 5), (1, 1, 2), True),
    ((1, 7, 7, 12), (1, 2), False),
    ((1, 1, 1, 9), (1, 2), False),
    ((1, 1, 8, 9), (2,), False),
    ((1, 8, 1, 9), (1,), True),
    ((2, 3, 4, 5), (1, 2), False),
    ((3, 4, 3, 2), (1, 2), True),
    ((2, 3, 4, 5), (0, 1, 2), False),
    ((2, 5, 6), (1,), False),
    ((2, 5, 6), (0,), True),
    ((2, 5, 6), (0, 2), False),
    ((7, 6), (0,), False),
    ((7, 6), (1,), True),
    ((9,), (0,), False),
    ((9,), (0,), True),
)
# (input scale, zero point), (output scale, zero point)
QUANTS = (
    ((0.05, 3), (0.05, 3)),
    ((0.05, -128), (0.05, -128)),
    ((0.05, 127), (0.05, 127)),
    ((0.05, 127), (0.02, -128)),
    ((0.05, -128), (0.03, 127)),
    ((0.02, -7), (0.05, 11)),
    ((0.5, 0), (0.01, 0)),
    ((0.011, 20), (0.9, -20)),
)


def cases() -> list[Case]:
    found = []
    for i, (shape, axes, keep) in enumerate(PLACES):
        size = "x".join(map(str, shape))
        bug = "b82" if shape[0] > 1 and len(shape) == 4 else "b44"
        name = f"{bug}_{size}_axis{'_'.join(map(str, axes))}{'_keep' if keep else ''}"
        found.append(_case(name, Operand(s8(shape, 0.05, -9)), Attrs(axes, keep), (0.04, 6), i))
    for count in range(1, 5):
        for axes in itertools.combinations(range(4), count):
            name = f"b44_axes_{''.join(map(str, axes))}"
            x = Operand(s8((2, 3, 4, 5), 0.05, -9))
            found.append(_case(name, x, Attrs(axes), (0.05, -9), count))
    found += [twin(case) for twin in (as_float, as_int16) for case in list(found)]
    found += _quants("extremes")
    for i, (shape, axes, keep) in enumerate(PLACES):
        dtype = (DType.S32, DType.S64)[i % 2]
        kind = TensorType(shape, dtype)
        out = TensorType((), dtype)
        name = f"{dtype.value}_{i}"
        found.append(Case(name, "mean", Attrs(axes, keep), (Operand(kind),), (out,), seed=i))
    large = Operand(s8((1, 64, 64, 3), 0.05, -128), pattern="extremes")
    found.append(_case("count_4096", large, Attrs((1, 2)), (0.05, -128)))
    return found


def reference_only() -> list[Case]:
    return _quants("random") + _quants("ramp")


def _quants(pattern: str) -> list[Case]:
    attrs = Attrs((1, 2) if pattern != "ramp" else (3,))
    return [
        _case(
            f"quant_{i}_{pattern}",
            Operand(s8((1, 5, 5, 11), *quant), pattern=pattern),
            attrs,
            out,
            i,
        )
        for i, (quant, out) in enumerate(QUANTS)
    ]


def _case(name: str, x: Operand, attrs: Attrs, out: tuple[float, int], seed: int = 0) -> Case:
    return Case(name, "mean", attrs, (x,), (s8((), *out),), seed=seed)


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    axes = np.asarray(case.attrs.axes, dtype=np.int32)
    return TfliteOp("MEAN", {"keep_dims": case.attrs.keep_dims}, (axes,))
