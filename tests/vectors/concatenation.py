"""Vectors of CONCATENATION: every axis and rank, many and constant operands (B47, B82)."""

from __future__ import annotations

import numpy as np

from mcuc.ir.types import DType, TensorType
from mcuc.ops.concatenation import Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, as_int16, s8

# Axis, shapes of the operands
JOINS: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...] = (
    (3, ((1, 4, 3, 5), (1, 4, 3, 2))),
    (-1, ((1, 4, 3, 1), (1, 4, 3, 7), (1, 4, 3, 4))),
    (1, ((1, 4, 3, 5), (1, 2, 3, 5), (1, 1, 3, 5))),
    (2, ((1, 4, 3, 5), (1, 4, 1, 5))),
    (-2, ((1, 2, 3, 5), (1, 2, 4, 5))),
    (0, ((1, 2, 3, 4), (2, 2, 3, 4))),
    (3, ((1, 2, 2, 3),)),
    (3, ((2, 3, 2, 4), (2, 3, 2, 3))),
    (1, ((3, 2, 2, 4), (3, 1, 2, 4))),
    (0, ((2, 3, 4), (1, 3, 4))),
    (1, ((2, 3, 4), (2, 1, 4))),
    (2, ((2, 3, 4), (2, 3, 5))),
    (0, ((3, 5), (1, 5))),
    (1, ((3, 5), (3, 2), (3, 1))),
    (0, ((7,), (2,), (1,))),
    (3, tuple((1, 2, 3, c) for c in (1, 2, 3, 4, 5))),
)


def cases() -> list[Case]:
    found = []
    for i, (axis, shapes) in enumerate(JOINS):
        quant = ((0.0468, -1), (0.00392, -128), (0.3, 127))[i % 3]
        operands = tuple(Operand(s8(shape, *quant)) for shape in shapes)
        bug = "b82" if shapes[0][0] > 1 and len(shapes[0]) == 4 else "b47"
        name = f"{bug}_{i}_axis{axis}_rank{len(shapes[0])}_{len(shapes)}_operands"
        found.append(_case(name, axis, operands, s8((), *quant), i))
    rng = np.random.default_rng(3)
    constant = Operand(s8((1, 3, 2, 5), 0.1, 4), rng.integers(-128, 128, (1, 3, 2, 5), np.int8))
    runtime = Operand(s8((1, 3, 2, 5), 0.1, 4))
    for axis in (1, 2, 3):
        out = s8((), 0.1, 4)
        found.append(_case(f"constant_first_axis{axis}", axis, (constant, runtime), out))
        both = (runtime, constant, runtime, constant)
        found.append(_case(f"constant_between_axis{axis}", axis, both, out))
    floats = tuple(Operand(TensorType((1, 2, 3, c), DType.F32)) for c in (1, 3))
    found.append(_case("f32", 3, floats, TensorType((), DType.F32)))
    bytes_ = tuple(
        Operand(TensorType((1, h, 3, 2), DType.U8, s8((), 0.1, 4).quant)) for h in (1, 3)
    )
    found.append(_case("u8", 1, bytes_, TensorType((), DType.U8, s8((), 0.1, 4).quant)))
    found.append(as_int16(found[0]))
    return found


def _case(
    name: str, axis: int, operands: tuple[Operand, ...], out: TensorType, seed: int = 0
) -> Case:
    return Case(name, "concatenation", Attrs(axis), operands, (out,), seed=seed)


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    return TfliteOp("CONCATENATION", {"axis": case.attrs.axis})
