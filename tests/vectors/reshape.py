"""Vectors of RESHAPE, SQUEEZE, EXPAND_DIMS: ranks up, down and through; batches kept and split."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.reshape import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8

SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((1, 4, 3, 5), (1, 60)),
    ((1, 4, 3, 5), (-1,)),
    ((1, 60), (1, 4, 3, 5)),
    ((1, 4, 3, 5), (1, 12, 5)),
    ((1, 12, 5), (1, 3, -1, 5)),
    ((1, 1, 1, 7), (7,)),
    ((7,), (1, 1, 7, 1)),
    ((2, 3, 4, 5), (2, -1)),
    ((2, 3, 4, 5), (6, 20)),
    ((3, 8), (3, 2, 2, 2)),
    ((1,), ()),
    ((2, 3, 4), (4, 3, 2)),
    ((1, 2, 3, 4), (1, 2, 3, 2, 2)),
)


def cases() -> list[Case]:
    found = []
    for before, after in SHAPES:
        name = f"{'x'.join(map(str, before))}_to_{'x'.join(map(str, after)) or 'scalar'}"
        operand = Operand(s8(before, 0.1, 4))
        found.append(Case(name, "reshape", Attrs(after), (operand,), (s8((), 0.1, 4),)))
    operand = Operand(TensorType((1, 2, 3), DType.F32))
    out = TensorType((), DType.F32)
    found.append(Case("f32", "reshape", Attrs((3, 2)), (operand,), (out,)))
    return found


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    return TfliteOp("RESHAPE", {}, (np.asarray(case.attrs.shape, dtype=np.int32),))
