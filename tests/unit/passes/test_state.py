"""Passes leave alone what outlives a run: the next one reads it whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mcuc.ir.graph import Graph, State, Value
from mcuc.passes.merge_duplicates import merge_duplicates
from mcuc.passes.remove_channels import remove_channels
from mcuc.passes.remove_identities import remove_identities
from tests.support.networks import Network

SHAPE = (1, 4, 4, 8)


def remembering(net: Network, result: int) -> Graph:
    """The network's value as state of the shape SHAPE; the output is made of the state before."""
    source = max(net.values) + 1
    net.values[source] = Value(net.values[result].type, "state")
    net.last = source
    net.conv(4, (1, 1))
    state = State(source, result, np.zeros(SHAPE, np.int8))
    return replace(net.graph(), states=(state,))


def of_a_convolution() -> Graph:
    """Nothing in the run itself reads the channels that the next one wants."""
    net = Network("unread", SHAPE)
    net.conv(8, (1, 1))
    return remembering(net, net.last)


def of_a_duplicate() -> Graph:
    net = Network("twice", SHAPE)
    first = net.relu()
    net.last = 0
    second = net.relu()
    net.last = first
    net.conv(4, (1, 1))
    graph = remembering(net, second)
    return replace(graph, outputs=(*graph.outputs, first))


def of_an_identity() -> Graph:
    net = Network("same", SHAPE, zero_point=-128)
    net.relu()
    return remembering(net, net.last)


@pytest.mark.parametrize("rewrite", [remove_channels, merge_duplicates, remove_identities])
@pytest.mark.parametrize("build", [of_a_convolution, of_a_duplicate, of_an_identity])
def test_state_stays_whole(build, rewrite) -> None:
    graph = build()
    made = rewrite(graph)
    (state,) = made.states
    assert state == graph.states[0]
    assert made.type(state.result) == made.type(state.source) == graph.type(state.result)
    assert state.result in {v for node in made.nodes for v in node.outputs}
