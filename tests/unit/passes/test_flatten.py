"""Flattened maps that a FULLY_CONNECTED reads by rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ops import reshape
from mcuc.ops.interpret import run_reference
from mcuc.passes.flatten import flatten_pass
from mcuc.passes.remove_dead_nodes import remove_dead_nodes
from mcuc.passes.verify import verify_graph
from tests.support.cases import Case
from tests.support.graphs import random_inputs
from tests.support.weighted_cases import dense

FLATTEN = flatten_pass("litert-2.3").fn


def flattened(case: Case, shape: tuple[int, ...]) -> Graph:
    """The case's node behind a RESHAPE of an input of this shape."""
    graph = case.graph()
    (node,) = graph.nodes
    x = node.inputs[0]
    flat = graph.type(x)
    source = max(graph.values) + 1
    values = {**graph.values, source: Value(replace(flat, shape=shape), "map")}
    move = Node("reshape", (source,), (x,), reshape.Attrs(flat.shape), node.loc)
    return replace(graph, nodes=(move, node), values=values, inputs=(source,))


def test_a_flattened_map_is_read_by_rows() -> None:
    graph = flattened(dense("dense", (1, 48), 5, 48), (1, 4, 6, 2))
    made = remove_dead_nodes(FLATTEN(graph))
    verify_graph(made)
    assert [node.op for node in made.nodes] == ["fully_connected_rows"]
    inputs = random_inputs(graph, 1)
    for a, b in zip(run_reference(graph, inputs), run_reference(made, inputs), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("case", "shape"),
    [
        (dense("one_row", (1, 48), 5, 48), (1, 1, 24, 2)),
        (dense("batch", (2, 24), 5, 24), (2, 4, 6, 1)),
        (dense("two_rows", (2, 24), 5, 24), (1, 4, 6, 2)),
        (dense("no_line", (1, 48), 5, 48, out_scale=1e-6), (1, 4, 6, 2)),
        (dense("weights_zero_point", (1, 48), 5, 48, w_scale=0.02, w_zero=3), (1, 4, 6, 2)),
    ],
    ids=lambda value: value.name if isinstance(value, Case) else "",
)
def test_others_stay(case: Case, shape: tuple[int, ...]) -> None:
    graph = flattened(case, shape)
    assert FLATTEN(graph) is graph
