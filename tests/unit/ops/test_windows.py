"""Padding and the region rule against loops over every element."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mcuc.ir.program import Box, Window
from mcuc.ops import conv2d, depthwise_conv2d, fully_connected, pad, registry
from mcuc.ops.spec import Site
from mcuc.ops.windows import explicit_pad, output_size, same_padding, window_region
from tests.support.cases import Case, fill, per_channel, s8
from tests.vectors import average_pool2d as average_cases
from tests.vectors import conv2d as conv_cases
from tests.vectors import depthwise_conv2d as depthwise_cases
from tests.vectors import fully_connected as dense_cases
from tests.vectors import max_pool2d as max_cases
from tests.vectors import pad as pad_cases


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation", "expected"),
    [
        (224, 3, 2, 1, (0, 1)),
        (225, 3, 2, 1, (1, 1)),
        (32, 7, 4, 1, (1, 2)),
        (32, 4, 4, 1, (0, 0)),
        (5, 1, 4, 1, (0, 0)),
        (8, 3, 1, 2, (2, 2)),
        (1, 4, 1, 1, (1, 2)),
    ],
)
def test_same_padding(size: int, kernel: int, stride: int, dilation: int, expected: object) -> None:
    assert same_padding(size, kernel, stride, dilation) == expected


def test_same_has_ceil_of_size_over_stride_outputs() -> None:
    for size, kernel, stride, dilation in itertools.product(
        range(1, 12), range(1, 6), range(1, 6), range(1, 4)
    ):
        window = Window((kernel, 1), (stride, 1), (dilation, 1))
        found = explicit_pad("SAME", (size, 1), (kernel, 1), (stride, 1), (dilation, 1))
        assert output_size((size, 1), window, found)[0] == -(-size // stride)


def test_unknown_padding_is_an_error() -> None:
    with pytest.raises(ValueError, match="CAUSAL"):
        explicit_pad("CAUSAL", (4, 4), (3, 3), (1, 1))


def test_region_of_padding_alone_is_nothing() -> None:
    window = Window((2, 2), pad=(3, 0))
    assert window_region(Box(0, 1, 0, 1, 0, 1), window, (4, 4, 1), (0, 1)) is None
    assert window_region(Box(0, 3, 0, 1, 0, 1), window, (4, 4, 1), (0, 1)) == Box(0, 1, 0, 2, 0, 1)


SMALL = [
    case
    for module in (
        average_cases,
        conv_cases,
        dense_cases,
        depthwise_cases,
        max_cases,
        pad_cases,
    )
    for case in module.CASES
    if case.operands[0] is not None and case.operands[0].type.elements < 600
]


@pytest.mark.parametrize("case", SMALL, ids=lambda case: f"{case.op}-{case.name}")
def test_elements_outside_the_region_do_not_matter(case: Case) -> None:
    """Changing all of the input but the region of an output box leaves the box as it is."""
    graph = case.graph()
    site = Site.of(graph, graph.nodes[0], case.numerics)
    spec = registry()[case.op]
    shapes = spec.canonical(site)
    (x,) = case.inputs()[0]
    constants = site.consts[1:]
    (before,) = spec.ref(site, x, *constants)
    batch = shapes.batch
    maps = before.reshape(batch, *shapes.output)
    rng = np.random.default_rng(case.seed)
    for _ in range(4):
        box = _some_box(rng, shapes.output)
        found = spec.region(site, box)
        assert len(found) == len(site.inputs) and not any(found[1:])
        region = found[0]
        changed = fill(rng, site.input(), "random").reshape(batch, *shapes.inputs[0])
        if region is not None:
            assert Box.of(shapes.inputs[0]).contains(region)
            inside = np.s_[:, region.y0 : region.y1, region.x0 : region.x1, region.c0 : region.c1]
            changed[inside] = x.reshape(changed.shape)[inside]
        (after,) = spec.ref(site, changed.reshape(x.shape), *constants)
        cut = np.s_[:, box.y0 : box.y1, box.x0 : box.x1, box.c0 : box.c1]
        assert np.array_equal(after.reshape(maps.shape)[cut], maps[cut])


def _some_box(rng: np.random.Generator, shape: tuple[int, int, int]) -> Box:
    bounds = []
    for size in shape:
        first = int(rng.integers(0, size))
        bounds += [first, int(rng.integers(first + 1, size + 1))]
    return Box(*bounds)


def test_regions_are_tight() -> None:
    weights = np.zeros((4, 3, 3, 2), np.int8)
    types = (s8((1, 9, 9, 4)), per_channel((4, 3, 3, 2), [0.1] * 4, 0))
    attrs = conv2d.Attrs(stride=(2, 2), pad=(1, 1, 1, 1))
    site = Site(attrs, types, (s8((1, 5, 5, 4)),), (None, weights))
    box = conv2d.region(site, Box(1, 3, 0, 1, 2, 3))[0]
    assert box == Box(1, 6, 0, 2, 2, 4)  # the second group only
    types = (s8((1, 9, 9, 3)), s8((1, 3, 3, 12)))
    depthwise = depthwise_conv2d.Attrs(dilation=(2, 1))
    site = Site(depthwise, types, (s8((1, 5, 7, 12)),), (None, np.zeros((1, 3, 3, 12), np.int8)))
    assert depthwise_conv2d.region(site, Box(0, 1, 6, 7, 3, 5))[0] == Box(0, 5, 6, 9, 0, 2)
    types = (s8((3, 8)), s8((5, 8)))
    site = Site(fully_connected.Attrs(), types, (s8((3, 5)),), (None, np.zeros((5, 8), np.int8)))
    assert fully_connected.region(site, Box(0, 1, 1, 2, 0, 5))[0] == Box(0, 1, 1, 2, 0, 8)
    case = next(c for c in pad_cases.CASES if c.name == "rows_and_columns")
    graph = case.graph()
    assert pad.region(Site.of(graph, graph.nodes[0]), Box(0, 1, 0, 9, 0, 3))[0] is None
