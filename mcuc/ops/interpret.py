"""Executes a graph with the ops' references: what the model means, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

from mcuc.errors import InternalError
from mcuc.ir.graph import Array, Graph
from mcuc.ops import spec_of
from mcuc.ops.spec import NUMERICS, Site


@overload
def run_reference(
    graph: Graph,
    inputs: Sequence[Array],
    numerics: str = ...,
    keep_all: Literal[False] = ...,
    memory: dict[int, Array] | None = ...,
) -> list[Array]: ...


@overload
def run_reference(
    graph: Graph,
    inputs: Sequence[Array],
    numerics: str = ...,
    *,
    keep_all: Literal[True],
    memory: dict[int, Array] | None = ...,
) -> dict[int, Array]: ...


def run_reference(
    graph: Graph,
    inputs: Sequence[Array],
    numerics: str = NUMERICS[0],
    keep_all: bool = False,
    memory: dict[int, Array] | None = None,
) -> list[Array] | dict[int, Array]:
    """Runs a graph once.

    Args:
        graph: A valid graph.
        inputs: One array per graph input, in order, of its shape and element type.
        numerics: Rule set.
        keep_all: Return every tensor instead of the outputs.
        memory: State by the id of its source, as the run before left it, empty at first; it is
            brought up to date. None is a first run.

    Returns:
        The outputs in order, or with `keep_all` all tensors by value id, constants included.

    Raises:
        ValueError: if the inputs do not fit the graph.
        InternalError: E911 if a reference gives another shape or element type than its node has.
    """
    _check_inputs(graph, inputs)
    known = {v: value.const for v, value in graph.values.items() if value.const is not None}
    known.update(zip(graph.inputs, inputs, strict=True))
    found = {} if memory is None else memory
    known.update({s.source: found.get(s.source, s.initial) for s in graph.states})
    wanted = {*graph.results, *graph.sources}
    last_use = {v: i for i, node in enumerate(graph.nodes) for v in node.inputs if v is not None}
    for i, node in enumerate(graph.nodes):
        site = Site.of(graph, node, numerics)
        operands = [None if v is None else known[v] for v in node.inputs]
        results = spec_of(node.op).ref(site, *operands)
        for v, result in zip(node.outputs, results, strict=True):
            type_ = graph.type(v)
            if result.shape != type_.shape or result.dtype != type_.dtype.numpy:
                raise InternalError(
                    "E911",
                    f"{node.op} gave {result.dtype} {result.shape} instead of {type_}",
                    loc=node.loc,
                )
            known[v] = result
        if not keep_all:
            for operand in {v for v in node.inputs if v is not None}:
                if last_use[operand] == i and operand not in wanted:
                    del known[operand]
    found.update({s.source: known[s.result] for s in graph.states})
    return known if keep_all else [known[v] for v in graph.outputs]


def _check_inputs(graph: Graph, inputs: Sequence[Array]) -> None:
    if len(inputs) != len(graph.inputs):
        raise ValueError(f"the graph has {len(graph.inputs)} inputs, {len(inputs)} were given")
    for v, array in zip(graph.inputs, inputs, strict=True):
        type_ = graph.type(v)
        if array.shape != type_.shape or array.dtype != type_.dtype.numpy:
            raise ValueError(f"input {v} is {array.dtype} {array.shape}, not {type_}")
