"""Operators of uint8 models, whose rules are those of int8 or stand beside them."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from tests.support.cases import Operand
from tests.support.one_op import OneOp, ints, typed
from tests.support.tflite_build import OptionValue

SHAPE = (1, 5, 7, 3)
FUNCTIONS: dict[str, dict[str, OptionValue]] = {
    "TANH": {},
    "GELU": {"approximate": False},
    "LEAKY_RELU": {"alpha": 0.3},
    "HARD_SWISH": {},
    "RELU_0_TO_1": {},
}


def ops() -> list[OneOp]:
    found = []
    for i, (name, options) in enumerate(FUNCTIONS.items()):
        for scale, zero_point in ((0.02, 120), (0.05, 3)):
            x = Operand(typed(SHAPE, DType.U8, (scale, zero_point)), pattern="ramp")
            y = typed(SHAPE, DType.U8, (0.03, 77))
            if name == "TANH":
                y = typed(SHAPE, DType.U8, (1 / 128, 128))
            found.append(OneOp(f"{scale}", name, (x,), (y,), options, i, 2 if i in (0, 2) else 1))
    for depth in (3, 40):
        for zero_point in (128, 9):
            shape = (1, 4, 6, depth)
            x = Operand(typed(shape, DType.U8, (0.05, zero_point)))
            y = typed(shape, DType.U8, (1 / 128, 128))
            found.append(OneOp(f"{depth}_{zero_point}", "L2_NORMALIZATION", (x,), (y,), {}, depth))
    for i, (rows, columns) in enumerate(((9, 13), (3, 4), (10, 14))):
        for flags in ((False, False), (True, False), (False, True)):
            names = ("align_corners", "half_pixel_centers")
            x, y = (typed((1, *size, 3), DType.U8) for size in ((5, 7), (rows, columns)))
            name = f"{i}_{flags}"
            flagged: dict[str, OptionValue] = dict(zip(names, flags, strict=True))
            operands = (Operand(x), ints(rows, columns))
            found.append(OneOp(name, "RESIZE_BILINEAR", operands, (y,), flagged, i, 3))
    for name in ("LESS", "GREATER_EQUAL", "NOT_EQUAL"):
        operand = Operand(typed(SHAPE, DType.U8), pattern="below 9")
        bools = TensorType(SHAPE, DType.BOOL)
        found.append(OneOp("", name, (operand, operand), (bools,), {}, 4))
    return found
