"""How a variant is written down: an operator with operands of one element type."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from mcuc.ir.types import DType, Quant, TensorType
from tests.support.cases import Operand
from tests.support.one_op import OneOp
from tests.support.tflite_build import OptionValue
from tests.support.type_matrix import FIXED, MAKERS, kind_of

Shape = Sequence[int]
Variants = Callable[[DType], Iterable[OneOp]]

_TYPES = Path(__file__).resolve().parents[2] / "docs" / "tflite_types.md"
# Operators whose only version the interpreter calls 1.
_FIRST = (
    *("COS", "FLOOR", "HARD_SWISH", "NEG", "POW", "RELU_0_TO_1", "RELU_N1_TO_1", "SIN", "SQUARE"),
    *("REDUCE_ANY", "ZEROS_LIKE"),
)


@functools.cache
def types_of(op: str) -> tuple[DType, ...]:
    """The element types of an operator that the interpreter and mcuc run."""
    row = re.search(rf"^\| {op} \| ([^|]*) \|", _TYPES.read_text("utf-8"), re.MULTILINE)
    return tuple(DType(word) for word in row[1].split()) if row else ()


def variant(
    name: str,
    op: str,
    dtype: DType,
    shapes: Sequence[Shape],
    result: Shape,
    extra: Sequence[Operand | None] = (),
    pattern: str = "random",
    out: DType | None = None,
    results: int = 1,
    **options: OptionValue,
) -> OneOp:
    """Run-time operands of one element type, constants `extra` behind them."""
    fixed = FIXED.get((op, dtype))
    into = kind_of(op, result, dtype if out is None else out)
    if fixed is not None:
        into = TensorType(into.shape, into.dtype, Quant(*fixed))
    operands = (*(Operand(kind_of(op, shape, dtype), pattern=pattern) for shape in shapes), *extra)
    version = 1 if op in _FIRST else MAKERS[op](dtype).version
    name = f"{name} {dtype.value}"
    return OneOp(name, op, operands, (into,) * results, options, len(name), version)
