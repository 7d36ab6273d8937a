"""Operators on bool, and choices by bool."""

from __future__ import annotations

from mcuc.ir.types import DType
from tests.support.cases import Operand
from tests.support.one_op import OneOp, typed

SHAPES = ((7,), (1, 3, 4, 5), (2, 3, 2, 2, 3))


def ops() -> list[OneOp]:
    found = []
    for i, shape in enumerate(SHAPES):
        x = typed(shape, DType.BOOL)
        found.append(OneOp(f"{i}", "LOGICAL_NOT", (Operand(x),), (x,), seed=i))
    return found
