"""Vectors of layer normalization: one channel and many, constant pixels, with and without factors.

TFLite has no such operator: tests/numerics/test_layer_norm.py compares the rule with doubles.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops.layer_norm import Attrs
from tests.support.cases import Case, Operand

# Name, shape, pattern, epsilon, whether there are scale and bias
PLACES: tuple[tuple[str, tuple[int, ...], str, float, bool, bool], ...] = (
    ("tokens", (1, 9, 32), "random", 1e-5, True, True),
    ("map", (2, 3, 4, 7), "random", 1e-12, True, False),
    ("plain", (5, 17), "ramp", 1e-5, False, False),
    ("line", (33,), "random", 1e-3, True, True),
    ("one_channel", (1, 4, 4, 1), "random", 1e-5, True, True),
)


# Name, shape, pattern, epsilon, scale of the input, scale and zero point of the result
INTEGERS: tuple[tuple[str, tuple[int, ...], str, float, float, float, int], ...] = (
    ("tokens", (1, 9, 32), "random", 1e-5, 0.02, 0.03, 5),
    ("ramp", (1, 8, 16, 8), "ramp", 1e-12, 0.5, 0.02, -128),
    ("line", (33,), "random", 1e-3, 1e-4, 0.01, 127),
    ("extremes", (2, 3, 64), "extremes", 1e-5, 0.05, 0.001, 0),
    ("one_channel", (1, 4, 4, 1), "random", 1e-5, 0.05, 0.02, 3),
    ("epsilon", (1, 5, 12), "random", 100.0, 1e-6, 0.02, 0),
)


def cases() -> list[Case]:
    floats = [_case(*place, seed=i) for i, place in enumerate(PLACES)]
    return floats + [
        _integer_case(dtype, *place, seed=i)
        for dtype in (DType.S8, DType.S16)
        for i, place in enumerate(INTEGERS)
    ]


def _integer_case(
    dtype: DType,
    name: str,
    shape: tuple[int, ...],
    pattern: str,
    epsilon: float,
    x_scale: float,
    y_scale: float,
    y_zero: int,
    seed: int,
) -> Case:
    rng = np.random.default_rng(seed)
    finer = 1.0 if dtype is DType.S8 else 1 / 256
    x = TensorType(shape, dtype, Quant((float(np.float32(x_scale * finer)),), (0,)))
    zero = y_zero if dtype is DType.S8 else 0
    y = TensorType((), dtype, Quant((float(np.float32(y_scale * finer)),), (zero,)))
    operands = [Operand(x, pattern=pattern)]
    for _ in range(2):
        data = rng.uniform(-2, 2, shape[-1]).astype(np.float32)
        operands.append(Operand(TensorType(data.shape, DType.F32), data))
    title = f"{dtype.value}_{name}"
    return Case(title, "layer_norm", Attrs(epsilon), tuple(operands), (y,), seed=seed)


def _case(
    name: str,
    shape: tuple[int, ...],
    pattern: str,
    epsilon: float,
    scaled: bool,
    biased: bool,
    seed: int,
) -> Case:
    rng = np.random.default_rng(seed)
    operands: list[Operand | None] = [Operand(TensorType(shape, DType.F32), pattern=pattern)]
    for wanted in (scaled, biased):
        data = rng.uniform(-2, 2, shape[-1]).astype(np.float32)
        type_ = TensorType(data.shape, DType.F32)
        operands.append(Operand(type_, data) if wanted else None)
    out = TensorType((), DType.F32)
    return Case(name, "layer_norm", Attrs(epsilon), tuple(operands), (out,), seed=seed)
