"""Orders of branches: valid, never worse than the given one, and the best where all are tried."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings

from mcuc.ir.graph import Graph
from mcuc.ops import max_pool2d, relu
from mcuc.schedule import order
from tests.support.cases import s8
from tests.support.graphs import GraphBuilder, graphs


def valid(graph: Graph) -> bool:
    known = {*graph.inputs, *(v for v, value in graph.values.items() if value.const is not None)}
    for node in graph.nodes:
        if not {v for v in node.inputs if v is not None} <= known:
            return False
        known |= set(node.outputs)
    return True


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_the_order_is_the_best_of_all(graph: Graph) -> None:
    found = order.reorder(graph)
    assert valid(found)
    assert sorted(map(id, found.nodes)) == sorted(map(id, graph.nodes))
    if len(graph.nodes) <= 6:
        others = (replace(graph, nodes=nodes) for nodes in itertools.permutations(graph.nodes))
        least = min(order.peak_bytes(other) for other in others if valid(other))
        assert order.peak_bytes(found) == least


@settings(max_examples=30, deadline=None)
@given(graphs())
def test_without_room_for_states_it_is_never_worse(graph: Graph) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "STATE_LIMIT", 2)
        found = order.reorder(graph)
    assert valid(found)
    assert order.peak_bytes(found) <= order.peak_bytes(graph)


def test_many_independent_branches_take_no_time() -> None:
    build = GraphBuilder()
    type_ = s8((1, 2, 2, 3), 0.05)
    outputs = []
    for i in range(200):
        x = build.input(type_, f"x{i}")
        y = build.node("relu", relu.Attrs("relu"), (x,), type_)
        outputs.append(build.node("relu", relu.Attrs("relu"), (y,), type_))
    graph = build.graph(*outputs)
    started = time.monotonic()
    assert valid(order.reorder(graph))
    assert time.monotonic() - started < 10


def test_where_one_node_needs_as_much_as_all_nothing_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build = GraphBuilder()
    wide, tiny = s8((1, 8, 8, 3), 0.05), s8((1, 1, 1, 3), 0.05)
    y = build.node("relu", relu.Attrs("relu"), (build.input(wide, "x"),), wide)
    small = build.node("max_pool2d", max_pool2d.Attrs((8, 8), (8, 8)), (y,), tiny)
    outputs = []
    for _ in range(20):
        z = build.node("relu", relu.Attrs("relu"), (small,), tiny)
        outputs.append(build.node("relu", relu.Attrs("relu6"), (z,), tiny))
    graph = build.graph(*outputs)
    monkeypatch.setattr(order._Search, "_exact", lambda self, limit: pytest.fail("searched"))
    assert order.reorder(graph) is graph
