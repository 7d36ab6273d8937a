"""Reductions, pairs, unary functions, moves, transposed convolutions refuse with the right code."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from mcuc.errors import Loc, McucError, flatten
from mcuc.ir.types import DType, TensorType
from mcuc.ops import (
    arg_max,
    cast,
    log_softmax,
    pairwise,
    reduce,
    resize_bilinear,
    spec_of,
    take,
    unary,
)
from mcuc.ops.spec import Site
from tests.support.cases import s8

X = s8((1, 4, 4, 8), 0.1, 3)
OTHER = s8((1, 4, 4, 8), 0.2, 3)
F32 = TensorType((1, 4, 4, 8), DType.F32)
BOOL = TensorType((1, 4, 4, 8), DType.BOOL)
S32 = TensorType((), DType.S32)
ALL = (None,) * 4


@dataclass(frozen=True)
class Refusal:
    op: str
    attrs: object
    inputs: tuple[TensorType | None, ...]
    output: TensorType
    code: str


REFUSALS = {
    "sum of int8": Refusal("reduce", reduce.Attrs((1,), False, "sum"), (X,), OTHER, "E110"),
    "product of int8": Refusal("reduce", reduce.Attrs((1,), False, "prod"), (X,), X, "E110"),
    "rescaled maximum": Refusal("reduce", reduce.Attrs((1,), False, "max"), (X,), OTHER, "E207"),
    "no axis": Refusal("reduce", reduce.Attrs((), False, "max"), (X,), X, "E115"),
    "far axis": Refusal("reduce", reduce.Attrs((4,), False, "max"), (X,), X, "E115"),
    "maximum of two scales": Refusal("pairwise", pairwise.Attrs("maximum"), (X, OTHER), X, "E207"),
    "division of int8": Refusal("pairwise", pairwise.Attrs("div"), (X, X), X, "E110"),
    "less than int8": Refusal("pairwise", pairwise.Attrs("less"), (X, X), X, "E110"),
    "slopes too many": Refusal(
        "pairwise",
        pairwise.Attrs("prelu"),
        (TensorType((4, 1), DType.F32), TensorType((4, 8), DType.F32)),
        F32,
        "E111",
    ),
    "no broadcast": Refusal(
        "pairwise", pairwise.Attrs("less"), (F32, TensorType((3,), DType.F32)), BOOL, "E111"
    ),
    "negative with a zero point": Refusal("unary", unary.Attrs("neg"), (X,), X, "E203"),
    "negative rescaled": Refusal("unary", unary.Attrs("neg"), (X,), OTHER, "E207"),
    "sine of int8": Refusal("unary", unary.Attrs("sin"), (X,), X, "E110"),
    "swish of a tiny scale": Refusal(
        "unary", unary.Attrs("hard_swish"), (s8((4,), 1.0),), s8((), 1e-4), "E206"
    ),
    "nothing taken": Refusal("take", take.Attrs((None, (), None, None)), (X,), X, "E116"),
    "taken outside": Refusal("take", take.Attrs((None, (4,), None, None)), (X,), X, "E115"),
    "lists for another rank": Refusal("take", take.Attrs((None,)), (X,), X, "E114"),
    "resize of both flags": Refusal(
        "resize_bilinear", resize_bilinear.Attrs((2, 2), True, True), (X,), X, "E115"
    ),
    "resize to nothing": Refusal("resize_bilinear", resize_bilinear.Attrs((0, 2)), (X,), X, "E115"),
    "resize that rescales": Refusal(
        "resize_bilinear", resize_bilinear.Attrs((2, 2)), (X,), OTHER, "E207"
    ),
    "logarithm of int8": Refusal("log_softmax", log_softmax.Attrs(), (X,), X, "E110"),
    "far index": Refusal("arg_max", arg_max.Attrs(4), (X,), S32, "E115"),
    "index of int8": Refusal("arg_max", arg_max.Attrs(1), (X,), X, "E110"),
    "cast of halves": Refusal("cast", cast.Attrs(), (TensorType((4,), DType.F16),), F32, "E110"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refused_with_code_and_place(name: str) -> None:
    bad = REFUSALS[name]
    loc = Loc("model.tflite", 7, bad.op.upper())
    consts = ALL[: len(bad.inputs)]
    with pytest.raises(McucError) as caught:
        spec_of(bad.op).infer(Site(bad.attrs, bad.inputs, (bad.output,), consts, loc=loc))
    problems = flatten(caught.value)
    assert bad.code in [problem.code for problem in problems]
    assert all(problem.loc == loc for problem in problems)
