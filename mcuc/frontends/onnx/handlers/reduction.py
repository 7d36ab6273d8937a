"""Reductions over axes, ArgMax and ArgMin."""

from __future__ import annotations

import numpy as np

from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.types import DType
from mcuc.ops import arg_max

# Operator set from which the axes are an operand.
_SINCE = {"ReduceSum": 13}
_ALL_SINCE = 18


def _axes(operator: Operator) -> tuple[int, ...]:
    """All axes where none is named, or none at all with noop_with_empty_axes."""
    rank = len(operator.shape())
    since = _SINCE.get(operator.proto.op_type, _ALL_SINCE)
    axes = operator.list_of("axes", 1, since)
    if not axes:
        return () if operator.integer("noop_with_empty_axes", 0) else tuple(range(rank))
    return tuple(sorted({operator.axis(axis, rank) for axis in axes}))


def _reduced(operator: Operator, kind: str, x: int) -> int:
    axes = _axes(operator)
    if not axes:
        return x
    return operator.reduced(kind, x, axes, bool(operator.integer("keepdims", 1)))


def _reduce(kind: str, before: str = "", after: str = "") -> Handler:
    """A function, a reduction, a function."""

    def handler(operator: Operator) -> Results:
        x = operator.value()
        if before:
            x = operator.unary(before, x)
        result = _reduced(operator, kind, x)
        return (operator.unary(after, result) if after else result,)

    return handler


def log_sum_exp(operator: Operator) -> Results:
    """M + log(sum(exp(x - m))), m the greatest, so that nothing overflows."""
    x = operator.value()
    axes = _axes(operator)
    if not axes:
        return (x,)
    most = operator.reduced("max", x, axes, keep=True)
    total = operator.reduced(
        "sum", operator.unary("exp", operator.pair("sub", x, most)), axes, True
    )
    result = operator.pair("add", operator.unary("log", total), most)
    if not operator.integer("keepdims", 1):
        shape = [n for i, n in enumerate(operator.shape()) if i not in axes]
        result = operator.graph.reshape(result, shape)
    return (result,)


def _from_the_end(operator: Operator, place: int, size: int) -> int:
    """Size - 1 - place, of few places that a table holds."""
    graph = operator.graph
    count = graph.constant(np.arange(size - 1, -1, -1, dtype=np.int64))
    return graph.gather(count, place, 0)


def _arg(least: bool) -> Handler:
    def handler(operator: Operator) -> Results:
        """The first extreme, or with select_last_index the last, of the axis turned round."""
        graph, x = operator.graph, operator.value()
        rank = len(operator.shape())
        axis = operator.axis(operator.integer("axis", 0), rank)
        last = bool(operator.integer("select_last_index", 0))
        size = operator.shape()[axis]
        if last:
            turned: list[range | None] = [None] * rank
            turned[axis] = range(size - 1, -1, -1)
            x = graph.take(x, turned)
        result = graph.add("arg_max", arg_max.Attrs(axis, least), (x,), DType.S64)
        if last:
            result = _from_the_end(operator, result, size)
        if operator.integer("keepdims", 1):
            shape = list(operator.shape())
            shape[axis] = 1
            result = graph.reshape(result, shape)
        return (result,)

    return handler


HANDLERS: dict[str, Handler] = {
    "ReduceMean": _reduce("mean"),
    "ReduceSum": _reduce("sum"),
    "ReduceMax": _reduce("max"),
    "ReduceMin": _reduce("min"),
    "ReduceProd": _reduce("prod"),
    "ReduceL1": _reduce("sum", before="abs"),
    "ReduceL2": _reduce("sum", before="square", after="sqrt"),
    "ReduceSumSquare": _reduce("sum", before="square"),
    "ReduceLogSum": _reduce("sum", after="log"),
    "ReduceLogSumExp": log_sum_exp,
    "ArgMax": _arg(False),
    "ArgMin": _arg(True),
}
