"""Vectors of L2_NORMALIZATION: tiny and huge sums, zeros alone, one channel, zero points."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.l2_norm import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, s8

SHAPES = ((1, 7), (2, 3, 4, 5), (16, 1), (1, 4000), (40, 3))


def cases() -> list[Case]:
    found = []
    for i, shape in enumerate(SHAPES):
        x = Operand(TensorType(shape, DType.F32))
        out = TensorType((), DType.F32)
        found.append(Case(f"f32_{i}", "l2_norm", Attrs(), (x,), (out,), seed=i))
        for zero_point in (0, -128, 127, 5):
            for pattern in ("random", "ramp", "extremes"):
                name = f"s8_{i}_{zero_point}_{pattern}"
                operand = Operand(s8(shape, 0.05, zero_point), pattern=pattern)
                out = s8((), 1 / 128, 0)
                found.append(Case(name, "l2_norm", Attrs(), (operand,), (out,), seed=i))
    small = np.array([[5, 5], [5, 6], [4, 5], [6, 7], [-128, 127], [8, 5]], np.int8)
    x = Operand(s8(small.shape, 0.05, 5), small)
    for attrs, name in ((Attrs(), "s8_small"), (Attrs(uint8=True), "u8_small")):
        found.append(Case(name, "l2_norm", attrs, (x,), (s8((), 1 / 128, 0),)))
    many = Operand(s8((300, 5), 0.05, -7))  # roots of numbers of every length
    for attrs, name in ((Attrs(), "s8_many"), (Attrs(uint8=True), "u8_many")):
        found.append(Case(name, "l2_norm", attrs, (many,), (s8((), 1 / 128, 0),)))
    return found


def tflite(case: Case) -> TfliteOp | None:
    """Of int8; tests/builtins/old_uint8.py has the others."""
    if case.attrs == Attrs(uint8=True):
        return None
    return TfliteOp("L2_NORMALIZATION", {"fused_activation_function": "NONE"})
