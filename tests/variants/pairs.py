"""Two operands: every broadcast on either side; three of SELECT_V2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mcuc.frontends.tflite.builtins.pairs import BUILTINS as PAIRS
from mcuc.ir.types import DType, TensorType
from tests.support.cases import Operand
from tests.support.one_op import OneOp
from tests.support.type_matrix import kind_of
from tests.variants.making import variant

FULL = (2, 3, 4, 5)
# What is added to a map of FULL, by name: each goes to either side.
BROADCASTS: dict[str, tuple[int, ...]] = {
    "same": FULL,
    "scalar": (),
    "one element": (1, 1, 1, 1),
    "channel vector": (5,),
    "channels of a map": (1, 1, 1, 5),
    "one channel": (2, 3, 4, 1),
    "inner": (3, 1, 5),
    "row": (2, 1, 4, 5),
    "batch": (1, 3, 4, 5),
}
RANKS = ((5,), (3, 5), (2, 3, 5), (2, 1, 3, 2, 2))
_ACTIVATIONS = ("RELU", "RELU6", "RELU_N1_TO_1")
_NEW_SCALES = {"ADD": {"pot_scale_int16": False}, "SUB": {"pot_scale_int16": False}}
_LOGICAL = ("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "EQUAL", "NOT_EQUAL")


def _both(op: str, dtype: DType) -> Iterator[OneOp]:
    out = DType.BOOL if op in _LOGICAL else None
    make = partial(variant, op=op, dtype=dtype, out=out, **_NEW_SCALES.get(op, {}))
    for name, shape in BROADCASTS.items():
        yield make(f"{name} right", shapes=(FULL, shape), result=FULL)
        if shape != FULL:
            yield make(f"{name} left", shapes=(shape, FULL), result=FULL)
    yield make("crosswise", shapes=((2, 3, 1, 5), (1, 3, 4, 1)), result=FULL)
    for shape in RANKS:
        yield make(f"rank {len(shape)}", shapes=(shape, shape), result=shape)
    data = np.arange(1, 6).astype(dtype.numpy)
    known = Operand(kind_of(op, (5,), dtype), data)
    yield make("constant right", shapes=(FULL,), result=FULL, extra=(known,))
    if op in ("ADD", "SUB", "MUL", "DIV") and dtype not in (DType.S32, DType.S64):
        for activation in _ACTIVATIONS:
            yield make(
                activation, shapes=(FULL, FULL), result=FULL, fused_activation_function=activation
            )


def _prelu(dtype: DType) -> Iterator[OneOp]:
    for name, slopes in {"channels": (1, 1, 5), "one": (1, 1, 1), "each": (3, 4, 5)}.items():
        yield variant(name, "PRELU", dtype, (FULL, slopes), FULL)


def _select(dtype: DType) -> Iterator[OneOp]:
    for name, condition, a, b in (
        ("same", FULL, FULL, FULL),
        ("scalar condition", (), FULL, FULL),
        ("condition of one channel", (2, 3, 4, 1), FULL, FULL),
        ("condition of channels", (5,), FULL, FULL),
        ("scalars", FULL, (), ()),
        ("vector left", FULL, (5,), FULL),
        ("vector right", FULL, FULL, (5,)),
        ("crosswise", (3, 1, 1), (2, 1, 4, 1), (1, 1, 1, 5)),
    ):
        chosen = Operand(TensorType(condition, DType.BOOL))
        one = variant(name, "SELECT_V2", dtype, (a, b), FULL)
        yield OneOp(one.name, one.op, (chosen, *one.operands), one.results, version=one.version)


VARIANTS = {
    **{
        op: partial(_both, op)
        for op in ("ADD", "MUL", *PAIRS)
        if op not in ("PRELU", "LOGICAL_NOT")
    },
    "PRELU": _prelu,
    "SELECT_V2": _select,
}
