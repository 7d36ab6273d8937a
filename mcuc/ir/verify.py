"""The invariants of a graph. Run after every pass; a violation is a bug of ours.

The types of results are inferred again by a function that the caller brings, because the ops stand
above the IR (`mcuc.passes.verify` brings theirs).
"""

from __future__ import annotations

from collections.abc import Callable

from mcuc.errors import InternalError, McucError
from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import TensorType

Infer = Callable[[Graph, Node], tuple[TensorType, ...]]


def verify(graph: Graph, infer: Infer) -> None:
    """Checks that a graph is well formed.

    * Inputs are run-time values, each listed once; constants fit their types.
    * Each value is computed once, before it is read; inputs and constants are not computed.
    * Outputs have data.
    * Results have the types that their operators infer, states those of what takes their place.

    Raises:
        InternalError: E920 values, E921 order, E922 types; names the node.
    """
    ready = _check_inputs(graph)
    _check_constants(graph)
    for index, node in enumerate(graph.nodes):
        for v in node.inputs:
            if v is None:
                continue
            if v not in graph.values:
                raise _broken("E920", f"operand %{v} does not exist", index, node)
            if v not in ready and graph.values[v].const is None:
                raise _broken("E921", f"operand %{v} is read before it is computed", index, node)
        for v in node.outputs:
            _check_result(graph, index, node, v, ready)
            ready.add(v)
        _check_types(graph, index, node, infer)
    for state in graph.states:
        before, after = graph.type(state.source), graph.values[state.result].type
        if before != after:
            raise InternalError(
                "E922", f"the state %{state.source} is {before}, what a run leaves {after}"
            )
    for v in graph.results:
        if v not in graph.values or (v not in ready and graph.values[v].const is None):
            raise InternalError("E921", f"graph output %{v} has no data")


def _broken(code: str, what: str, index: int, node: Node) -> InternalError:
    return InternalError(code, f"node {index}, {node.op}: {what}", loc=node.loc)


def _check_inputs(graph: Graph) -> set[int]:
    ready: set[int] = set()
    for v in graph.sources:
        if v not in graph.values:
            raise InternalError("E920", f"graph input %{v} does not exist")
        if v in ready:
            raise InternalError("E920", f"graph input %{v} is listed twice")
        if graph.values[v].const is not None:
            raise InternalError("E920", f"graph input %{v} is a constant")
        ready.add(v)
    return ready


def _check_constants(graph: Graph) -> None:
    for v, value in graph.values.items():
        const = value.const
        if const is None:
            continue
        fits = const.shape == value.type.shape and const.dtype == value.type.dtype.numpy
        if not fits:
            what = f"constant %{v} is {const.dtype} {const.shape}, not {value.type}"
            raise InternalError("E920", what)


def _check_result(graph: Graph, index: int, node: Node, v: int, ready: set[int]) -> None:
    if v not in graph.values:
        raise _broken("E920", f"result %{v} does not exist", index, node)
    if v in ready:
        raise _broken("E921", f"result %{v} is an input or was computed before", index, node)
    if graph.values[v].const is not None:
        raise _broken("E921", f"result %{v} is a constant", index, node)


def _check_types(graph: Graph, index: int, node: Node, infer: Infer) -> None:
    try:
        inferred = infer(graph, node)
    except McucError as error:
        raise _broken("E922", f"its types are not accepted: {error}", index, node) from error
    stated = graph.output_types(node)
    if inferred != stated:
        was, now = (", ".join(map(str, types)) for types in (stated, inferred))
        raise _broken("E922", f"its results are {was}; it computes {now}", index, node)
