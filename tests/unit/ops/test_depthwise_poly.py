"""Which layers may be computed as products of polynomials."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.ops import depthwise_poly
from mcuc.ops.spec import Site
from tests.support.cases import Case
from tests.support.weighted_cases import depthwise

X = (1, 8, 8, 4)


def site_of(case: Case) -> Site:
    graph = case.graph()
    return Site.of(graph, graph.nodes[0], case.numerics)


@pytest.mark.parametrize(
    ("weight", "bias", "holds"),
    [
        # 49 * 127 * 127 or 128 and what lines may add, 2^16, against 2^20
        (127, 0, True),
        (127, (1 << 20) - (1 << 16) - 49 * 127 * 127 - 1, True),
        (127, (1 << 20) - (1 << 16) - 49 * 127 * 127, False),
        (-127, (1 << 20) - (1 << 16) - 49 * 127 * 128 - 1, True),
        (-127, (1 << 20) - (1 << 16) - 49 * 127 * 128, False),
        (127, -(1 << 20) + (1 << 16) + 49 * 127 * 128, True),
        (127, -(1 << 20) + (1 << 16) + 49 * 127 * 128 - 1, False),
        (1, 1 << 20, False),
    ],
)
def test_fields_hold_their_sums(weight: int, bias: int, holds: bool) -> None:
    given = [0, bias, 0, 0]
    case = depthwise("limit", X, (7, 7), x_zero=0, weights=[weight], bias=given)
    assert depthwise_poly.suits(site_of(case), 7) is holds


def test_shifts_that_only_lines_have() -> None:
    options = {"w_scale": [0.02, 0.01, 0.01, 0.01], "x_scale": 0.05, "out_scale": 0.0033}
    rounded = depthwise("rounded", X, (5, 5), out_zero=0, **options)
    lines = depthwise("lines", X, (5, 5), out_zero=-128, **options)
    assert not depthwise_poly.suits(site_of(rounded), 5)
    assert depthwise_poly.suits(site_of(lines), 5)
    assert depthwise_poly.pack(site_of(lines)).fields["lines"] == 1


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("size", [5, 7])
def test_words_are_neighbouring_taps(size: int, stride: int) -> None:
    case = depthwise("words", X, (size, size), stride=(stride, stride), pad="SAME", x_zero=0)
    site = site_of(case)
    words = np.asarray(depthwise_poly.pack(site).fields["weights"]).astype(np.int64)
    second = (words + (1 << 20)) >> 21
    first = words - (second << 21)
    weights = site.const(1)[0].transpose(2, 0, 1).astype(np.int64)
    taps = np.stack([second, first], axis=3).reshape(*words.shape[:2], -1)
    even = -(-size // 2 // stride) * 2 if stride == 2 else size
    found = [taps[..., :even], taps[..., even:]] if stride == 2 else [taps]
    for i, part in enumerate(found):
        wanted = weights[:, :, i::stride]
        assert (part[..., : wanted.shape[2]] == wanted).all()
        assert not part[..., wanted.shape[2] :].any()
