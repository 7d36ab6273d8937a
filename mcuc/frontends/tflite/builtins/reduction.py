"""MEAN."""

from __future__ import annotations

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator
from mcuc.ops import mean


def mean_(operator: Operator) -> Mapped:
    """ReducerOptions: keep_dims. Operand 1 holds the axes."""
    axes = operator.integers(1, "list of axes")
    keep = operator.options.scalar(0, "bool", False)
    return Mapped("mean", mean.Attrs(axes=axes, keep_dims=keep), operands=1)


BUILTINS = {"MEAN": Builtin(mean_, "ReducerOptions")}
