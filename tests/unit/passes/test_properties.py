"""Exact passes keep the reference outputs and the invariants, on random graphs and inputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcuc.ir.graph import Graph
from mcuc.ops.interpret import run_reference
from mcuc.passes.flatten import flatten_pass
from mcuc.passes.fold_constants import FOLD_CONSTANTS
from mcuc.passes.fuse_pad import FUSE_PAD
from mcuc.passes.merge_duplicates import MERGE_DUPLICATES
from mcuc.passes.positive_scales import POSITIVE_SCALES
from mcuc.passes.remove_channels import remove_channels_pass
from mcuc.passes.remove_dead_nodes import REMOVE_DEAD_NODES
from mcuc.passes.remove_identities import remove_identities_pass
from mcuc.passes.small_factors import SMALL_FACTORS
from mcuc.passes.spec import Pass
from mcuc.passes.transpose_to_reshape import TRANSPOSE_TO_RESHAPE
from mcuc.passes.verify import verify_graph
from tests.support.graphs import graphs, random_inputs

REMOVE_CHANNELS = remove_channels_pass("litert-2.3")
EXACT = (
    REMOVE_DEAD_NODES,
    FOLD_CONSTANTS,
    FUSE_PAD,
    TRANSPOSE_TO_RESHAPE,
    POSITIVE_SCALES,
    SMALL_FACTORS,
    REMOVE_CHANNELS,
    MERGE_DUPLICATES,
    remove_identities_pass("litert-2.3"),
    flatten_pass("litert-2.3"),
)
CALM = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check(graph: Graph, passes: tuple[Pass, ...], seed: int) -> None:
    verify_graph(graph)
    inputs = random_inputs(graph, seed)
    wanted = run_reference(graph, inputs)
    for step in passes:
        before = graph
        graph = step.fn(graph)
        verify_graph(graph)
        assert graph.inputs == before.inputs and graph.outputs == before.outputs
        if step.fn(graph) is not graph:
            assert len(step.fn(graph).nodes) <= len(graph.nodes)
        for a, b in zip(run_reference(graph, inputs), wanted, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=step.name)


@pytest.mark.parametrize("step", EXACT, ids=lambda step: step.name)
def test_one_pass(step: Pass) -> None:
    assert step.exactness == "exact"

    @CALM
    @given(graph=graphs(), seed=st.integers(0, 1000))
    def run(graph: Graph, seed: int) -> None:
        check(graph, (step,), seed)

    run()


@CALM
@given(graph=graphs(), order=st.permutations(EXACT), seed=st.integers(0, 1000))
def test_passes_in_any_order(graph: Graph, order: list[Pass], seed: int) -> None:
    check(graph, tuple(order), seed)


@settings(parent=CALM, max_examples=30)
@given(graph=graphs())
def test_nothing_dead_is_left(graph: Graph) -> None:
    left = REMOVE_DEAD_NODES.fn(graph)
    read = {v for node in left.nodes for v in node.inputs} | set(left.outputs)
    assert all(set(node.outputs) & read for node in left.nodes)
    assert set(left.values) <= read | set(left.inputs) | {
        v for node in left.nodes for v in node.outputs
    }
