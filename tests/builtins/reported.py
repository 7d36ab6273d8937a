"""Single operators that went wrong in other tools, with the numbers of their reports."""

from __future__ import annotations

from mcuc.ir.types import DType, TensorType
from tests.support.cases import Operand
from tests.support.one_op import OneOp, ints, typed

RAMP = (1, 256)
SWISH = (0.13308307528495789, -23), (0.075572937726974487, -123)
LEAKY = (0.02, -5), (0.015, 10)


def ops() -> list[OneOp]:
    x = Operand(typed(RAMP, DType.S8, SWISH[0]), pattern="ramp")
    found = [OneOp("b31", "HARD_SWISH", (x,), (typed(RAMP, DType.S8, SWISH[1]),))]
    x = Operand(typed(RAMP, DType.S8, LEAKY[0]), pattern="ramp")
    found += [
        OneOp(f"b32_{a}", "LEAKY_RELU", (x,), (typed(RAMP, DType.S8, LEAKY[1]),), {"alpha": a})
        for a in (0.1, 0.3)
    ]
    return [*found, *(_maximum(axes, keep) for axes in ((1,), (1, 2), (3,)) for keep in (0, 1))]


def _maximum(axes: tuple[int, ...], keep: int) -> OneOp:
    shape = (1, 5, 4, 3)
    kept = tuple(1 if i in axes else n for i, n in enumerate(shape))
    left = kept if keep else tuple(n for i, n in enumerate(shape) if i not in axes)
    name = "_".join(["b46", *map(str, axes), "kept"[: 4 * keep]])
    quant = (0.1, 4)
    result: TensorType = typed(left, DType.S8, quant)
    x = Operand(typed(shape, DType.S8, quant))
    return OneOp(name, "REDUCE_MAX", (x, ints(axes)), (result,), {"keep_dims": bool(keep)})
