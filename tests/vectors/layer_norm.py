"""Vectors of layer normalization: one channel and many, constant pixels, with and without factors.

TFLite has no such operator: tests/numerics/test_layer_norm.py compares the rule with doubles.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
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


def cases() -> list[Case]:
    return [_case(*place, seed=i) for i, place in enumerate(PLACES)]


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
