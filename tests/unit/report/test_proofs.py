"""What was proven of a layer's constants is in the report, and holds for its accumulators."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcuc.ir.graph import Graph, Node
from mcuc.ir.target import HOST
from mcuc.ops.checks import quant_of
from mcuc.ops.spec import Site
from mcuc.plan.solve import plan_memory
from mcuc.report.document import Footprint, Origin, document
from mcuc.schedule.lower import lower
from tests.support.networks import Network

PAGE = Path(__file__).resolve().parents[3] / "docs" / "report.md"
CORES = {
    "dsp": replace(HOST, dsp=True),
    "helium": replace(HOST, dsp=True, mve=True),
    "neither": HOST,
}


def network(zero_point: int = -128) -> Graph:
    """Convolutions, 7x7 and 3x3 depthwise, an addition; none goes below a zero point of -128."""
    net = Network("proofs", (1, 12, 12, 3), zero_point)
    net.conv(8, (3, 3), activation="relu")
    skip = net.depthwise((7, 7), pad="SAME", activation="relu")
    net.conv(8, (1, 1))
    net.add(skip)
    net.depthwise((3, 3))
    return net.graph()


def layers(core: str, graph: Graph) -> list[dict[str, Any]]:
    program = lower(graph, CORES[core])
    plan = plan_memory(program)
    nothing = Footprint(None, None, None, None, {}, "")
    origin = Origin("", "", "", "", "", {}, "")
    made = document(origin, graph, program, plan, 0, 0, nothing, {})
    return list(made["layers"])


@pytest.mark.parametrize("core", CORES)
def test_all_claims_are_explained(core: str) -> None:
    claims = {proof["claim"] for layer in layers(core, network()) for proof in layer["proofs"]}
    assert claims
    row = re.compile(r"^\| `(\w+)` \| .* \| `mcuc/ops/", re.MULTILINE)
    assert claims <= set(row.findall(PAGE.read_text("utf-8")))


@pytest.mark.parametrize(("zero_point", "lines"), [(-128, {"lines"}), (3, set())])
def test_every_kernel_has_its_proofs(zero_point: int, lines: set[str]) -> None:
    found = {
        layer["kernel"]: {proof["claim"] for proof in layer["proofs"]}
        for layer in layers("dsp", network(zero_point))
    }
    assert found["mcuc_conv2d_s8_s8_s8_1x1__dsp_3x2"] == {"pairs"} | lines
    assert found["mcuc_add_s8_s8_s8_plane__c"] == {"plane"}
    if lines:
        assert found["mcuc_depthwise_conv2d_s8_s8_s8_k7__dsp_6x1"] == {"fields", "lines"}


@pytest.mark.parametrize("core", CORES)
def test_bounds_hold_for_every_input(core: str) -> None:
    """Inputs that drive each output to its ends, and random ones."""
    graph = network()
    rng = np.random.default_rng(3)
    for node, layer in zip(graph.nodes, layers(core, graph), strict=True):
        if node.op != "conv2d":
            continue
        weights, bias, zero = _constants(graph, node)
        ends = [np.where((weights > 0) ^ low, 127, -128) for low in (False, True)]
        for x in (*ends, rng.integers(-128, 128, weights.shape)):
            acc = bias + (weights * (x - zero)).sum(axis=1)
            for proof in layer["proofs"]:
                assert proof["outputs"] == len(weights)
                assert proof["least"] <= acc.min()
                assert acc.max() <= proof["most"]


def _constants(graph: Graph, node: Node) -> tuple[np.ndarray, np.ndarray, int]:
    """Weights [outputs, depth], biases, and the input's zero point."""
    site = Site.of(graph, node)
    weights, bias = (site.const(i).astype(np.int64) for i in (1, 2))
    return weights.reshape(len(weights), -1), bias, quant_of(site.input()).zero_point
