"""Element-wise operators of two operands beside ADD and MUL."""

from __future__ import annotations

from collections.abc import Callable

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator
from mcuc.ops import pairwise

_FUSED = {"sub": "SubOptions", "div": "DivOptions"}


def _pairwise(function: str) -> Callable[[Operator], Mapped]:
    """SubOptions, DivOptions: activation."""

    def mapped(operator: Operator) -> Mapped:
        activation = operator.activation(0) if function in _FUSED else "none"
        return Mapped("pairwise", pairwise.Attrs(function, activation))

    return mapped


BUILTINS = {
    name.upper(): Builtin(_pairwise(name), _FUSED.get(name, "")) for name in pairwise.FUNCTIONS
}
