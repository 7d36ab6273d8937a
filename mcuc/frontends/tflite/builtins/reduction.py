"""MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD."""

from __future__ import annotations

from collections.abc import Callable

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator
from mcuc.ops import arg_max, mean, reduce


def mean_(operator: Operator) -> Mapped:
    """ReducerOptions: keep_dims. Operand 1 holds the axes."""
    axes = operator.integers(1, "list of axes")
    keep = operator.options.scalar(0, "bool", False)
    return Mapped("mean", mean.Attrs(axes=axes, keep_dims=keep), operands=1)


def _reduce(kind: str) -> Callable[[Operator], Mapped]:
    """As MEAN."""

    def mapped(operator: Operator) -> Mapped:
        axes = operator.integers(1, "list of axes")
        keep = operator.options.scalar(0, "bool", False)
        return Mapped("reduce", reduce.Attrs(axes, keep, kind), operands=1)

    return mapped


def _arg(least: bool) -> Callable[[Operator], Mapped]:
    """Operand 1 is the axis."""

    def mapped(operator: Operator) -> Mapped:
        axis = operator.integer(1, "axis")
        return Mapped("arg_max", arg_max.Attrs(axis, least), operands=1)

    return mapped


BUILTINS = {
    "ARG_MAX": Builtin(_arg(False)),
    "ARG_MIN": Builtin(_arg(True)),
    "MEAN": Builtin(mean_, "ReducerOptions"),
    "SUM": Builtin(_reduce("sum"), "ReducerOptions"),
    "REDUCE_MAX": Builtin(_reduce("max"), "ReducerOptions"),
    "REDUCE_MIN": Builtin(_reduce("min"), "ReducerOptions"),
    "REDUCE_PROD": Builtin(_reduce("prod"), "ReducerOptions"),
}
