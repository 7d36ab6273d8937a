"""Vectors of DEQUANTIZE: all bytes under twenty quantizations (B119), shapes."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from mcuc.ops.dequantize import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s16
from tests.support.quant_pairs import PAIRS, byte_type

SHAPES = ((1,), (3, 7), (2, 3, 5), (1, 3, 5, 7), (2, 3, 2, 5))
OUT = TensorType((), DType.F32)


def cases() -> list[Case]:
    found = _pairs(0)
    for shape in SHAPES:
        name = f"shape_{'x'.join(map(str, shape))}"
        operand = Operand(byte_type(shape, DType.S8, 0.06, 4))
        found.append(Case(name, "dequantize", Attrs(), (operand,), (OUT,)))
    every = Operand(s16((1, 256, 16, 16), 0.0007), pattern="ramp")
    found.append(Case("s16", "dequantize", Attrs(), (every,), (OUT,)))
    for shape in ((1, 256, 16, 16), (3, 7), (2, 3, 2, 5)):
        pattern = "ramp" if shape[1] == 256 else "random"
        operand = Operand(TensorType(shape, DType.F16), pattern=pattern)
        name = f"f16_{'x'.join(map(str, shape))}"
        found.append(Case(name, "dequantize", Attrs(), (operand,), (OUT,)))
    return found


def reference_only() -> list[Case]:
    """The dtype that `cases` leaves out of each pair."""
    return _pairs(1)


def _pairs(turn: int) -> list[Case]:
    found = []
    for i, (scale, zero_point, _, _) in enumerate(PAIRS):
        dtype = (DType.S8, DType.U8)[(i + turn) % 2]
        operand = Operand(byte_type((1, 4, 4, 16), dtype, scale, zero_point), pattern="ramp")
        name = f"b119_{dtype.value}_{i}"
        found.append(Case(name, "dequantize", Attrs(), (operand,), (OUT,)))
    return found


def tflite(case: Case) -> TfliteOp:
    return TfliteOp("DEQUANTIZE")
