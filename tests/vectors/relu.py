"""Vectors of RELU, RELU6, RELU_N1_TO_1: all bytes under twenty quantizations (B119), shapes."""

from __future__ import annotations

from mcuc.ops.relu import ACTIVATIONS, Attrs
from tests.support.case_model import TfliteOp
from tests.support.cases import Case, Operand, as_float, as_int16, s8
from tests.support.quant_pairs import PAIRS

SHAPES = ((1,), (3, 7), (2, 3, 5), (1, 3, 5, 7), (2, 3, 2, 5))


def cases() -> list[Case]:
    found = _pairs(0)
    for i, shape in enumerate(SHAPES):
        name = f"shape_{'x'.join(map(str, shape))}"
        operand = Operand(s8(shape, 0.06, 4))
        attrs = Attrs(ACTIVATIONS[i % 3])
        found.append(Case(name, "relu", attrs, (operand,), (s8((), 0.04, -60),)))
    wide = Operand(s8((1, 8, 16, 16)), pattern="ramp")
    reals = [Case(f"wide_{a}", "relu", Attrs(a), (wide,), (s8(()),)) for a in ACTIVATIONS]
    twins = [*found[-len(SHAPES) :], *reals]
    sixteen = [as_int16(case) for case in twins if case.attrs != Attrs("relu_n1_to_1")]
    return [*found, *(as_float(case) for case in twins), *sixteen]


def reference_only() -> list[Case]:
    """The activations that `cases` leaves out of each pair."""
    return _pairs(1) + _pairs(2)


def _pairs(turn: int) -> list[Case]:
    found = []
    for i, (scale, zero_point, out_scale, out_zero_point) in enumerate(PAIRS):
        activation = ACTIVATIONS[(i + turn) % 3]
        operand = Operand(s8((1, 4, 4, 16), scale, zero_point), pattern="ramp")
        out = s8((), out_scale, out_zero_point)
        name = f"b119_{activation}_pair_{i}"
        found.append(Case(name, "relu", Attrs(activation), (operand,), (out,)))
    return found


def tflite(case: Case) -> TfliteOp:
    assert isinstance(case.attrs, Attrs)
    return TfliteOp(case.attrs.activation.upper())
