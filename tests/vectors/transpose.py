"""Vectors of TRANSPOSE: all permutations of ranks up to 4, one of 5, wide elements."""

from __future__ import annotations

import itertools

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.transpose import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8

SHAPES = ((6,), (4, 7), (2, 3, 5), (2, 3, 4, 5))
SPECIAL: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((1, 4, 5, 6), (0, 3, 1, 2)),
    ((1, 6, 4, 5), (0, 2, 3, 1)),
    ((1, 1, 5, 6), (0, 2, 1, 3)),
    ((1, 4, 1, 6), (0, 3, 1, 2)),
    ((1, 4, 5, 6), (-4, -1, -3, -2)),
    ((2, 3, 2, 3, 2), (4, 2, 0, 3, 1)),
    ((1, 2, 3, 2, 4), (0, 3, 1, 2, 4)),
)


def cases() -> list[Case]:
    found = [
        _case(shape, perm, DType.S8)
        for shape in SHAPES
        for perm in itertools.permutations(range(len(shape)))
    ]
    found += [_case(shape, perm, DType.S8) for shape, perm in SPECIAL]
    for dtype in (DType.F32, DType.S32, DType.S16, DType.U8, DType.S64, DType.BOOL):
        found += [_case((2, 3, 4, 5), perm, dtype) for perm in ((0, 3, 1, 2), (3, 1, 0, 2))]
    return found


def _case(shape: tuple[int, ...], perm: tuple[int, ...], dtype: DType) -> Case:
    size = "x".join(map(str, shape))
    name = f"{dtype.value}_{size}_perm_{'_'.join(map(str, perm)).replace('-', 'm')}"
    quant = s8((), 0.1, 0).quant if dtype in (DType.S8, DType.U8, DType.S16) else None
    operand = Operand(TensorType(shape, dtype, quant))
    return Case(name, "transpose", Attrs(perm), (operand,), (TensorType((), dtype, quant),))


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    return TfliteOp("TRANSPOSE", {}, (np.asarray(case.attrs.perm, dtype=np.int32),))
