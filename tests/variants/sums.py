"""Functions of one operand, over every rank; reductions over every set of axes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from mcuc.ir.types import DType
from tests.support.one_op import OneOp, ints
from tests.support.tflite_build import OptionValue
from tests.support.type_matrix import MAKERS
from tests.variants.making import variant

SHAPE = (2, 3, 4, 5)
RANKS = ((7,), (3, 7), (2, 3, 7), SHAPE, (2, 1, 3, 2, 2))
FUNCTIONS = (
    *("ABS", "COS", "EXP", "FLOOR", "GELU", "HARD_SWISH", "L2_NORMALIZATION", "LEAKY_RELU", "LOG"),
    *("LOGICAL_NOT", "LOGISTIC", "LOG_SOFTMAX", "NEG", "RELU", "RELU6", "RELU_0_TO_1", "TANH"),
    *("RELU_N1_TO_1", "RSQRT", "SIGN", "SIN", "SOFTMAX", "SQRT", "SQUARE", "QUANTIZE"),
    *("DEQUANTIZE", "ZEROS_LIKE"),
)
REDUCTIONS = ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL")
AXES = [a for n in range(1, 5) for a in itertools.combinations(range(4), n)]


def _function(op: str, dtype: DType) -> Iterator[OneOp]:
    usual = MAKERS[op](dtype)
    pattern = next(x.pattern for x in usual.operands if x is not None)
    options: list[dict[str, OptionValue]] = [dict(usual.options)]
    if op == "GELU" and dtype is not DType.S16:
        options = [{"approximate": True}, {"approximate": False}]
    for shape, own in itertools.product(RANKS, options):
        out = usual.results[0].dtype
        name = f"rank {len(shape)} {own}"
        yield variant(name, op, dtype, (shape,), shape, (), pattern, out, **own)


def _reduction(op: str, dtype: DType) -> Iterator[OneOp]:
    for axes, keep in itertools.product(AXES, (False, True)):
        yield _reduced(op, dtype, SHAPE, axes, keep)
    yield _reduced(op, dtype, SHAPE, (-1,), False)
    yield _reduced(op, dtype, SHAPE, (2, 1), False)
    for shape in ((7,), (3, 7), (2, 3, 7)):
        for axis in range(len(shape)):
            yield _reduced(op, dtype, shape, (axis,), True)


def _reduced(
    op: str, dtype: DType, shape: tuple[int, ...], axes: tuple[int, ...], keep: bool
) -> OneOp:
    gone = {axis % len(shape) for axis in axes}
    left = [1 if i in gone else n for i, n in enumerate(shape) if keep or i not in gone]
    return variant(
        f"{shape} axes {axes} keep {keep}", op, dtype, (shape,), left, (ints(axes),), keep_dims=keep
    )


def _search(op: str, dtype: DType) -> Iterator[OneOp]:
    for shape in ((7,), (3, 7), SHAPE):
        for axis in (*range(len(shape)), -1):
            left = [n for i, n in enumerate(shape) if i != axis % len(shape)]
            name = f"{shape} axis {axis}"
            options = {"output_type": 2}
            yield variant(name, op, dtype, (shape,), left, (ints(axis),), out=DType.S32, **options)


def _cumsum(dtype: DType) -> Iterator[OneOp]:
    for axis, exclusive, reverse in itertools.product(range(-1, 4), (False, True), (False, True)):
        name = f"axis {axis} {exclusive} {reverse}"
        flags = {"exclusive": exclusive, "reverse": reverse}
        yield variant(name, "CUMSUM", dtype, (SHAPE,), SHAPE, (ints(axis),), **flags)


def _top(dtype: DType) -> Iterator[OneOp]:
    for shape, k in itertools.product(((7,), (3, 7), SHAPE), (1, 2, 5)):
        one = variant(f"{shape} {k}", "TOPK_V2", dtype, (shape,), (*shape[:-1], k), (ints(k),))
        where = variant("", "TOPK_V2", DType.S32, (shape,), (*shape[:-1], k)).results
        yield OneOp(one.name, one.op, one.operands, (*one.results, *where), {}, 1, one.version)


VARIANTS = {
    **{op: partial(_function, op) for op in FUNCTIONS},
    **{op: partial(_reduction, op) for op in REDUCTIONS},
    "ARG_MAX": partial(_search, "ARG_MAX"),
    "ARG_MIN": partial(_search, "ARG_MIN"),
    "CUMSUM": _cumsum,
    "TOPK_V2": _top,
}
