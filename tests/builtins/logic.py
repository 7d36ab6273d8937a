"""Operators on bool, and choices by bool."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from tests.support.cases import Operand
from tests.support.one_op import OneOp, typed

SHAPES = ((7,), (1, 3, 4, 5), (2, 3, 2, 2, 3))


def ops() -> list[OneOp]:
    found = []
    for i, shape in enumerate(SHAPES):
        x = typed(shape, DType.BOOL)
        found.append(OneOp(f"{i}", "LOGICAL_NOT", (Operand(x),), (x,), seed=i))
    condition = Operand(TensorType((3,), DType.BOOL))
    for dtype in (DType.S8, DType.F32, DType.S32):
        for shape in ((3, 2, 4), (3,)):
            x = typed(shape, dtype)
            operands = (condition, Operand(x), Operand(x))
            found.append(OneOp(f"{shape}_{dtype.value}", "SELECT", operands, (x,)))
    return found
