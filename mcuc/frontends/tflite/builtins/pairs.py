"""Element-wise operators of two operands beside ADD and MUL."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcuc.frontends.tflite.builtins.elementwise import check_scales
from mcuc.frontends.tflite.operator import Builtin, Known, Mapped, Operator, Part, Parts
from mcuc.ir.types import DType, TensorType
from mcuc.ops import pairwise

_FUSED = {"sub": "SubOptions", "div": "DivOptions"}


def _pairwise(function: str) -> Callable[[Operator], Mapped]:
    """SubOptions, DivOptions: activation."""

    def mapped(operator: Operator) -> Mapped:
        if function == "sub":
            check_scales(operator)
        activation = operator.activation(0) if function in _FUSED else "none"
        return Mapped("pairwise", pairwise.Attrs(function, activation))

    return mapped


def logical_not(operator: Operator) -> Parts:
    """Whether the operand equals false."""
    false = TensorType((), DType.BOOL)
    return (
        Known(np.zeros((), np.bool_), false),
        Part("pairwise", pairwise.Attrs("equal"), (0, len(operator.inputs))),
    )


BUILTINS = {
    **{
        name.upper(): Builtin(_pairwise(name), _FUSED.get(name, ""))
        for name in pairwise.FUNCTIONS
        if name not in ("add", "mul")  # ops of their own, apart from int32
    },
    "LOGICAL_NOT": Builtin(logical_not),
}
