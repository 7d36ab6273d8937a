"""Operators that look for elements: TOPK_V2."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from tests.support.cases import Operand
from tests.support.one_op import OneOp, ints, typed


def ops() -> list[OneOp]:
    found = []
    for dtype in (DType.F32, DType.S8, DType.S16, DType.S32, DType.S64):
        for shape, k in (((1, 10), 3), ((2, 3, 7), 7), ((5,), 1)):
            results = (typed((*shape[:-1], k), dtype), TensorType((*shape[:-1], k), DType.S32))
            x = Operand(typed(shape, dtype), pattern="extremes" if k == 7 else "random")
            if dtype is DType.F32:
                x = Operand(x.type)  # no order with NaN
            name = f"{shape}_{dtype.value}"
            found.append(OneOp(name, "TOPK_V2", (x, ints(k)), results, seed=k))
    return found
