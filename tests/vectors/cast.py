"""Vectors of CAST: all pairs of types."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from mcuc.ops.cast import DTYPES, Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand


def cases() -> list[Case]:
    return [
        Case(
            f"{source.value}_to_{result.value}",
            "cast",
            Attrs(),
            (Operand(TensorType((1, 3, 5, 7), source), pattern=_pattern(source, result)),),
            (TensorType((), result),),
        )
        for source in DTYPES
        for result in DTYPES
        if source is not result
    ]


def _pattern(source: DType, result: DType) -> str:
    """Floats between -4 and 4, of which a byte without a sign holds half."""
    return "ramp" if source is DType.F32 and result is not DType.U8 else "random"


def tflite(case: Case) -> TfliteOp | None:
    if case.name == "f32_to_u32":  # below zero undefined behaviour of TFLite's C++
        return None
    return TfliteOp("CAST")
