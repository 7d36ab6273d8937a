"""Vectors of LOG_SOFTMAX: ranks, depths, large differences."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from mcuc.ops.log_softmax import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand

SHAPES = ((1, 10), (7,), (3, 1), (2, 5, 4), (1, 3, 4, 33), (2, 2, 3, 5))


def cases() -> list[Case]:
    return [
        Case(
            f"{pattern}_{'x'.join(map(str, shape))}",
            "log_softmax",
            Attrs(),
            (Operand(TensorType(shape, DType.F32), pattern=pattern),),
            (TensorType((), DType.F32),),
        )
        for shape in SHAPES
        for pattern in ("random", "ramp")
    ]


def tflite(case: Case) -> TfliteOp:
    return TfliteOp("LOG_SOFTMAX")
