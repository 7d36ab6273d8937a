"""Vectors of BATCH_MATMUL: both operands swapped or not, broadcast, zero points at their limits."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.batch_matmul import Attrs
from tests.support.binary_cases import Shape
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, as_float, as_int16, s8

# Leading axes of both operands
BATCHES: tuple[tuple[Shape, Shape], ...] = (
    ((), ()),
    ((2,), (2,)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((1,), (4,)),
    ((2, 1, 2), (1, 3, 1)),
)
# Scales and zero points of a, b and the result
QUANTS = (
    ((0.05, 3), (0.04, -7), (0.1, 5)),
    ((0.05, -128), (0.04, 127), (0.9, -128)),
    ((0.5, 127), (0.25, -128), (0.01, 127)),
)


def cases() -> list[Case]:
    found = []
    for i, batches in enumerate(BATCHES):
        for adj_a, adj_b in ((False, False), (True, False), (False, True), (True, True)):
            attrs = Attrs(adj_a, adj_b)
            found.append(_case(f"{i}_{adj_a:d}{adj_b:d}", batches, (3, 5, 4), attrs, 0, i))
    sizes = ((1, 1, 1), (7, 64, 9), (1, 33, 1))
    for i, size in enumerate(sizes):
        found.append(_case(f"size_{i}", BATCHES[1], size, Attrs(False, i > 0), i, i))
        extremes = "extremes" if i else "random"
        found.append(_case(f"{extremes}_{i}", BATCHES[0], size, Attrs(), i, i, extremes))
    some = [case for case in found if case.name[0] in "024s"]
    found += [as_float(case) for case in some]
    found += [as_int16(case) for case in some]
    rng = np.random.default_rng(1)
    data = rng.uniform(-1, 1, (5, 4)).astype(np.float32)
    operands = (
        Operand(TensorType((2, 3, 5), DType.F32)),
        Operand(TensorType((5, 4), DType.F32), data),
    )
    out = TensorType((), DType.F32)
    return [*found, Case("constant", "batch_matmul", Attrs(), operands, (out,))]


def _case(
    name: str,
    batches: tuple[Shape, Shape],
    size: tuple[int, int, int],
    attrs: Attrs,
    quant: int,
    seed: int,
    pattern: str = "random",
) -> Case:
    rows, depth, columns = size
    a = (depth, rows) if attrs.adj_a else (rows, depth)
    b = (columns, depth) if attrs.adj_b else (depth, columns)
    qa, qb, qo = QUANTS[quant]
    operands = (
        Operand(s8((*batches[0], *a), *qa), pattern=pattern),
        Operand(s8((*batches[1], *b), *qb), pattern=pattern),
    )
    return Case(name, "batch_matmul", attrs, operands, (s8((), *qo),), seed=seed)


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    return TfliteOp("BATCH_MATMUL", {"adj_x": case.attrs.adj_a, "adj_y": case.attrs.adj_b})
