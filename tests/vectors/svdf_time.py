"""Vectors of SVDF's second half: ranks, every type of state, with and without bias."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.svdf_time import Attrs
from tests.support.cases import Case, Operand, s8, s16
from tests.vectors.svdf_feature import state_type

# Name, attributes, (units, memory), zero point of the state, of the result, whether there is a bias
PLACES = (("rank_1", Attrs(1), (4, 8), 7, 3, True), ("rank_2", Attrs(2), (5, 3), -128, -7, False),
          ("relu", Attrs(4, "relu"), (3, 10), 127, -128, True),
          ("one", Attrs(1), (1, 1), 0, 0, True))  # fmt: skip


def cases() -> list[Case]:
    return [
        _case(f"{kind}_{name}", kind, attrs, sizes, zeros, biased, i)
        for kind in ("s16", "s8", "f32")
        for i, (name, attrs, sizes, *zeros, biased) in enumerate(PLACES)
    ]


def _case(
    name: str,
    kind: str,
    attrs: Attrs,
    sizes: tuple[int, int],
    zeros: list[int],
    biased: bool,
    seed: int,
) -> Case:
    units, memory = sizes
    shape = (units * attrs.rank, memory)
    rng = np.random.default_rng(seed)
    state = state_type(kind, shape, 0.1, zeros[0])
    if kind == "f32":
        weights = Operand(TensorType(shape, DType.F32), rng.uniform(-1, 1, shape).astype("f4"))
        bias = Operand(TensorType((units,), DType.F32), rng.uniform(-1, 1, units).astype("f4"))
        out = TensorType((), DType.F32)
    else:
        kept = s8(shape, 0.01) if kind == "s8" else s16(shape, 0.0004)
        limit = 127 if kind == "s8" else 32767
        data = rng.integers(-limit, limit + 1, shape).astype(kept.dtype.numpy.name)
        weights = Operand(kept, data)
        numbers = rng.integers(-9000, 9000, units).astype(np.int32)
        bias = Operand(TensorType((units,), DType.S32), numbers)
        out = s8((), 0.09 if kind == "s8" else 0.02, zeros[1])
    operands = (Operand(state), weights, bias if biased else None)
    return Case(name, "svdf_time", attrs, operands, (out,), seed=seed)
