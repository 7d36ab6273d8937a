"""What an op's `region` leaves out does not matter: other data there gives the same output box."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from mcuc.ir.graph import Array, Node
from mcuc.ir.program import Box
from mcuc.ops import registry, spec_of
from mcuc.ops.spec import Canonical, OpSpec, Site
from tests.support.case_model import reference
from tests.support.cases import Case

BOXES = 3


@pytest.mark.parametrize("op", sorted(registry()))
def test_only_the_region_matters(op: str) -> None:
    module = importlib.import_module(f"tests.vectors.{op}")
    rng = np.random.default_rng(5)
    spec = spec_of(op)
    judged = 0
    for case in module.cases() if hasattr(module, "cases") else module.CASES:
        graph = case.graph()
        (node,) = graph.nodes
        site = Site.of(graph, node, case.numerics)
        for _ in range(BOXES):
            judge(case, spec, site, node, rng)
            judged += 1
    assert judged


def judge(case: Case, spec: OpSpec, site: Site, node: Node, rng: np.random.Generator) -> None:
    shapes = spec.canonical(site)
    box = random_box(rng, shapes.output)
    regions = spec.region(site, box)
    given = case.inputs(1)[0]
    other = case.inputs(2)[1]
    changed = []
    runtime = [i for i, v in enumerate(node.inputs) if v is not None and site.consts[i] is None]
    for position, x, y in zip(runtime, given, other, strict=True):
        region = regions[position]
        if region is not None:
            assert Box.of(shapes.inputs[position]).contains(region), (case.name, region)
        changed.append(merged(x, y, shapes, position, region))
    before, after = (
        reference(case, v)[0].reshape(-1, *shapes.output)[:, box.y0 : box.y1, box.x0 : box.x1]
        for v in (given, changed)
    )
    wanted, got = (y[..., box.c0 : box.c1] for y in (before, after))
    assert wanted.tobytes() == got.tobytes(), (case.name, box, regions)


def merged(
    inside: Array, outside: Array, shapes: Canonical, position: int, region: Box | None
) -> Array:
    """`inside` within the region of each slice, `outside` elsewhere."""
    shape = (-1, *shapes.inputs[position])
    result = outside.reshape(shape).copy()
    if region is not None:
        place = (
            slice(None),
            slice(region.y0, region.y1),
            slice(region.x0, region.x1),
            slice(region.c0, region.c1),
        )
        result[place] = inside.reshape(shape)[place]
    return result.reshape(inside.shape)


def random_box(rng: np.random.Generator, shape: tuple[int, int, int]) -> Box:
    limits: list[int] = []
    for size in shape:
        first = int(rng.integers(size))
        limits += (first, int(rng.integers(first, size)) + 1)
    return Box(*limits)
