"""Reductions, running sums, and where extremes stand."""

from __future__ import annotations

from collections.abc import Callable

from mcuc.frontends.tflite.operator import Builtin, Mapped, Operator, Part, Parts
from mcuc.ir.types import DType
from mcuc.ops import arg_max, cumsum, gather, mean, reduce, top_k


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
        is_bool = operator.type().dtype is DType.BOOL
        own = {"sum": "max", "prod": "min"}.get(kind, kind) if is_bool else kind
        return Mapped("reduce", reduce.Attrs(axes, keep, own), operands=1)

    return mapped


def _arg(least: bool) -> Callable[[Operator], Mapped]:
    """Operand 1 is the axis."""

    def mapped(operator: Operator) -> Mapped:
        axis = operator.integer(1, "axis")
        return Mapped("arg_max", arg_max.Attrs(axis, least), operands=1)

    return mapped


def cumsum_(operator: Operator) -> Mapped:
    """CumsumOptions: exclusive, reverse. Operand 1 is the axis."""
    exclusive, reverse = (operator.options.scalar(k, "bool", False) for k in (0, 1))
    axis = operator.integer(1, "axis")
    return Mapped("cumsum", cumsum.Attrs(axis, exclusive, reverse), operands=1)


def top_k_(operator: Operator) -> Parts:
    """Operand 1 is how many. The values are gathered by the indices."""
    rank = len(operator.shape())
    if len(operator.outputs) != 2 or rank == 0:
        raise operator.error("E104", "TOPK_V2 has two results, and an operand with an axis")
    return (
        Part("top_k", top_k.Attrs(operator.integer(1, "number of elements")), (0,), 1),
        Part("gather", gather.Attrs(rank - 1, rank - 1), (0, len(operator.inputs))),
    )


BUILTINS = {
    "ARG_MAX": Builtin(_arg(False)),
    "ARG_MIN": Builtin(_arg(True)),
    "CUMSUM": Builtin(cumsum_, "CumsumOptions"),
    "TOPK_V2": Builtin(top_k_),
    "MEAN": Builtin(mean_, "ReducerOptions"),
    "SUM": Builtin(_reduce("sum"), "ReducerOptions"),
    "REDUCE_MAX": Builtin(_reduce("max"), "ReducerOptions"),
    "REDUCE_MIN": Builtin(_reduce("min"), "ReducerOptions"),
    "REDUCE_PROD": Builtin(_reduce("prod"), "ReducerOptions"),
    "REDUCE_ANY": Builtin(_reduce("max"), "ReducerOptions"),
    "REDUCE_ALL": Builtin(_reduce("min"), "ReducerOptions"),
}
