"""Vectors of the LSTM: sequences of one and many steps, gates that saturate, cells at their limit.

TFLite judges it in whole models (tests/e2e/test_state.py): the op's operands are no tensors of a
file one by one.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.lstm import Attrs
from tests.support.cases import Case, Operand, s8

# Name, steps, depth, units, scale of the weights, cell's exponent, clip, zero point of x
PLACES: tuple[tuple[str, int, int, int, float, int, float, int], ...] = (
    ("one_step", 1, 3, 2, 0.01, -12, 0.0, 0),
    ("mnist", 28, 28, 20, 0.005, -12, 10.0, -128),
    ("saturated", 9, 5, 7, 0.3, -12, 0.0, 5),
    ("clipped", 9, 5, 7, 0.1, -12, 0.5, 5),
    ("wide_cell", 12, 4, 5, 0.05, -9, 0.0, 127),
    ("narrow_cell", 12, 4, 5, 0.05, -15, 0.0, -128),
    ("one_unit", 5, 1, 1, 0.1, -11, 0.0, 1),
)


def cases() -> list[Case]:
    return [_case(*place, seed=i) for i, place in enumerate(PLACES)]


def _case(
    name: str,
    steps: int,
    depth: int,
    units: int,
    scale: float,
    exponent: int,
    clip: float,
    zero_point: int,
    seed: int,
) -> Case:
    rng = np.random.default_rng(seed)
    operands = [
        Operand(s8((steps, depth), 0.02, zero_point)),
        Operand(s8((3, units), 0.0078)),
    ]
    for columns in (depth, units):
        for gate in range(4):
            data = rng.integers(-127, 128, (units, columns)).astype(np.int8)
            operands.append(Operand(s8((units, columns), scale * (1 + gate / 3)), data))
    for _ in range(4):
        bias = rng.integers(-5000, 5000, units).astype(np.int32)
        operands.append(Operand(TensorType((units,), DType.S32), bias))
    attrs = Attrs(2.0**exponent, 0.0078, clip)
    return Case(name, "lstm", attrs, tuple(operands), (s8((), 0.0078),), seed=seed)
