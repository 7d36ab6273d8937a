"""Vectors of TOPK_V2's indices: one and all, ties, both types of indices, the least ones.

TFLite's operator has the values beside: tests/builtins/search.py puts both to the interpreter.
"""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from mcuc.ops.top_k import DTYPES, Attrs
from tests.support.cases import Case, Operand
from tests.support.one_op import typed

PLACES = (((1, 10), 3), ((2, 3, 7), 7), ((5,), 1), ((2, 1, 2, 6), 2))


def cases() -> list[Case]:
    found = []
    for i, (shape, k) in enumerate(PLACES):
        for dtype in DTYPES:
            for least in (False, True):
                ties = dtype is not DType.F32 and i % 2 == 1
                x = Operand(typed(shape, dtype), pattern="extremes" if ties else "random")
                out = TensorType((), (DType.S32, DType.S64)[i % 2])
                name = f"{'least' if least else 'most'}_{dtype.value}_{i}"
                found.append(Case(name, "top_k", Attrs(k, least), (x,), (out,), seed=i))
    return found
