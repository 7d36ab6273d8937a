"""Vectors of TAKE: picks of every axis and rank, repeated, reversed; every element size."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from mcuc.ops.take import attrs_of
from tests.support.cases import Case, Operand, s8

Pick = list[int] | None

# Shape of the input, indices by axis (None = all)
PLACES: tuple[tuple[tuple[int, ...], tuple[Pick, ...]], ...] = (
    ((1, 6, 5, 7), (None, [2, 3, 4], None, None)),
    ((1, 6, 5, 7), (None, None, [1, 2], None)),
    ((1, 6, 5, 7), (None, None, None, [3, 4, 5])),
    ((1, 6, 5, 7), (None, [0, 2, 4], [1, 3], [0, 2, 4, 6])),
    ((1, 6, 5, 7), (None, [5, 4, 3, 2, 1, 0], [4, 2, 0], [6, 0])),
    ((1, 3, 4, 5), (None, [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 3, 3], None)),
    ((1, 3, 4, 5), (None, [1, 0, 0, 1, 2, 2, 1], [0, 1, 2, 3, 0, 1], [0, 1, 2, 3, 4] * 2)),
    ((1, 1, 1, 5), (None, [0, 0, 0], [0, 0], None)),
    ((2, 3, 2, 4), (None, [1], None, [0, 1])),
    ((3, 3, 2, 4), ([2, 0], [1, 2], [1], None)),
    ((3, 3, 2, 4), ([0, 0, 1, 2, 2], None, None, None)),
    ((2, 5, 3), (None, [4, 1], [0, 2])),
    ((2, 5, 3), ([1], [0, 1, 2], None)),
    ((7, 5), ([1, 3, 5], [2, 3])),
    ((9,), ([8, 0, 4],)),
    ((2, 3, 2, 3, 2), (None, [1, 2], [1, 0], None, [1])),
    ((2, 3, 2, 3, 2), ([1, 0], [1, 2], None, [2, 2], None)),
    ((1, 64, 4, 1), (None, list(range(0, 64, 3)), None, None)),
)


def cases() -> list[Case]:
    found = []
    for i, (shape, picks) in enumerate(PLACES):
        for dtype in (DType.S8, DType.F32) if i else tuple(DType):
            quant = s8((), 0.1, 4).quant if dtype in (DType.S8, DType.U8, DType.S16) else None
            operand = Operand(TensorType(shape, dtype, quant))
            out = TensorType((), dtype, quant)
            name = f"{i}_{dtype.value}_{'x'.join(map(str, shape))}"
            found.append(Case(name, "take", attrs_of(shape, picks), (operand,), (out,), seed=i))
    return found
