"""A graph that breaks an invariant is an internal error that names the node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mcuc.errors import InternalError
from mcuc.ir.graph import Graph, Value
from mcuc.ops import add, relu
from mcuc.passes.verify import verify_graph
from tests.support.cases import s8
from tests.support.graphs import GraphBuilder

S8 = s8((1, 4))


def valid() -> Graph:
    """%0 input, %1 constant, %2 = relu(%0), %3 = add(%2, %1)."""
    build = GraphBuilder()
    x, c = build.input(S8), build.const(np.zeros((1, 4), np.int8), S8)
    y = build.node("relu", relu.Attrs(), (x,), S8)
    return build.graph(build.node("add", add.Attrs(), (y, c), S8))


def with_value(graph: Graph, v: int, value: Value | None) -> Graph:
    values = dict(graph.values)
    del values[v]
    return replace(graph, values=values if value is None else {**values, v: value})


def with_node(graph: Graph, index: int, **changes: object) -> Graph:
    nodes = list(graph.nodes)
    nodes[index] = replace(nodes[index], **changes)  # type: ignore[arg-type]
    return replace(graph, nodes=tuple(nodes))


def test_valid() -> None:
    verify_graph(valid())


BROKEN: dict[str, tuple[str, str, Callable[[Graph], Graph]]] = {
    "order": ("E921", "node 0, add", lambda g: replace(g, nodes=g.nodes[::-1])),
    "input missing": ("E920", "input %0", lambda g: with_value(g, 0, None)),
    "input twice": ("E920", "twice", lambda g: replace(g, inputs=(0, 0))),
    "input constant": ("E920", "input %1", lambda g: replace(g, inputs=(0, 1))),
    "input not listed": ("E921", "node 0, relu", lambda g: replace(g, inputs=())),
    "operand missing": ("E920", "node 1, add", lambda g: with_value(g, 1, None)),
    "result missing": ("E920", "node 0, relu", lambda g: with_value(g, 2, None)),
    "result twice": ("E921", "node 1, add", lambda g: with_node(g, 1, outputs=(2,))),
    "result input": ("E921", "node 0, relu", lambda g: with_node(g, 0, outputs=(0,))),
    "result constant": ("E921", "node 0, relu", lambda g: with_node(g, 0, outputs=(1,))),
    "output without data": ("E921", "output %9", lambda g: replace(g, outputs=(9,))),
    "type": ("E922", "node 1, add", lambda g: with_value(g, 3, Value(s8((1, 5))))),
    "type of operand": ("E922", "node 0, relu", lambda g: with_value(g, 0, Value(s8((2, 4))))),
    "attributes": ("E922", "node 0", lambda g: with_node(g, 0, attrs=relu.Attrs("tanh"))),
    "constant": (
        "E920",
        "constant %1",
        lambda g: with_value(g, 1, Value(S8, "", np.zeros((1, 5), np.int8))),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    code, text, break_ = BROKEN[name]
    with pytest.raises(InternalError, match=text) as caught:
        verify_graph(break_(valid()))
    assert caught.value.code == code
