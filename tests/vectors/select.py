"""Vectors of SELECT_V2: every broadcast of three operands, every element type, constants."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.select import Attrs
from tests.support.binary_cases import Shape
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand
from tests.support.one_op import typed

# Shapes of the condition and of both choices
PLACES: tuple[tuple[Shape, Shape, Shape], ...] = (
    ((1, 4, 5, 6), (1, 4, 5, 6), (1, 4, 5, 6)),
    ((1, 4, 5, 1), (1, 4, 5, 6), ()),
    ((), (6,), (1, 4, 5, 6)),
    ((1, 4, 1, 1), (1, 1, 5, 6), (6,)),
    ((6,), (1, 4, 1, 6), (1, 1, 5, 1)),
    ((2, 1, 3), (2, 4, 3), (1, 4, 1)),
    ((3, 1, 1, 5), (1, 2, 1, 5), (3, 2, 4, 5)),
    ((1, 1, 4, 4), (2, 3, 4, 4), ()),
    ((13,), (13,), (1,)),
)
DTYPES = (DType.S8, DType.F32, DType.S16, DType.S32, DType.S64, DType.BOOL)


def cases() -> list[Case]:
    found = []
    for i, (condition, yes, no) in enumerate(PLACES):
        for dtype in (DTYPES[i % 6], DTYPES[(i + 1) % 6]):
            operands = (
                Operand(TensorType(condition, DType.BOOL)),
                Operand(typed(yes, dtype)),
                Operand(typed(no, dtype)),
            )
            found.append(_case(f"{i}_{dtype.value}", operands, i))
    x = Operand(TensorType((1, 4, 5, 6), DType.F32))
    low = Operand(TensorType((), DType.F32), np.asarray(-3e4, np.float32))
    mask = Operand(TensorType((1, 1, 5, 6), DType.BOOL), np.arange(30).reshape(1, 1, 5, 6) % 3 > 0)
    condition_ = Operand(TensorType((1, 4, 5, 6), DType.BOOL))
    found.append(_case("constant_choice", (condition_, x, low), 1))
    found.append(_case("constant_mask", (mask, x, low), 2))
    return found


def _case(name: str, operands: tuple[Operand, ...], seed: int) -> Case:
    type_ = operands[1].type
    out = TensorType((), type_.dtype, type_.quant)
    return Case(name, "select", Attrs(), operands, (out,), seed=seed)


def tflite(case: Case) -> TfliteOp:
    return TfliteOp("SELECT_V2")
