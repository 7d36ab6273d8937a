"""The encodings are those that msf-CNN counts: its layer by layer bytes come out."""

from __future__ import annotations

import pytest

from benchmarks.msf_cnn import CHAINS, graph_of, operands_and_output


@pytest.mark.parametrize("name", CHAINS)
def test_layer_by_layer_is_what_msf_cnn_publishes(name: str) -> None:
    chain = CHAINS[name]
    assert operands_and_output(graph_of(name, chain)) == chain.layer_by_layer
