"""Vectors of SVDF's first half: every type of state, one filter and many, factors that saturate.

TFLite judges both halves in whole models: tests/e2e/test_svdf.py.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.svdf_feature import Attrs
from tests.support.cases import Case, Operand, s8, s16

# Name, (filters, memory, depth), scale of the state, its zero point
PLACES = (("small", (4, 3, 5), 0.02, 7), ("saturated", (3, 2, 33), 0.0002, -128),
          ("one", (1, 1, 1), 0.01, 127), ("keyword", (16, 8, 20), 0.3, -50))  # fmt: skip


def cases() -> list[Case]:
    return [
        _case(f"{kind}_{name}", kind, sizes, scale, zero, i)
        for kind in ("s16", "s8", "f32")
        for i, (name, sizes, scale, zero) in enumerate(PLACES)
    ]


def state_type(kind: str, shape: tuple[int, ...], scale: float, zero_point: int) -> TensorType:
    """The state's type by the name of its element type."""
    if kind == "f32":
        return TensorType(shape, DType.F32)
    return s8(shape, scale, zero_point) if kind == "s8" else s16(shape, scale / 256)


def _case(
    name: str, kind: str, sizes: tuple[int, int, int], scale: float, zero: int, seed: int
) -> Case:
    filters, memory, depth = sizes
    rng = np.random.default_rng(seed)
    state = state_type(kind, (filters, memory), scale, zero)
    if kind == "f32":
        data = rng.uniform(-1, 1, (filters, depth)).astype(np.float32)
        x, weights = TensorType((1, depth), DType.F32), TensorType(data.shape, DType.F32)
    else:
        data = rng.integers(-127, 128, (filters, depth)).astype(np.int8)
        x, weights = s8((1, depth), 0.05, -3), s8(data.shape, 0.01)
    operands = (Operand(x), Operand(state), Operand(weights, data))
    return Case(name, "svdf_feature", Attrs(), operands, (state,), seed=seed)
