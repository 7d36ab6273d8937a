"""Lines are equal to the two roundings for every accumulator that can occur."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.numerics import int8
from mcuc.ops import dsp_lines
from mcuc.ops.dsp_lines import Accumulators, Form

OUTPUTS = 24


def accumulators(seed: int, rights: tuple[int, int], reach: int) -> Accumulators:
    rng = np.random.default_rng(seed)
    middle = rng.integers(-reach // 2, reach, OUTPUTS)
    size = rng.integers(0, reach, OUTPUTS)
    multiplier = rng.integers(1 << 30, 1 << 31, OUTPUTS)
    multiplier[:4] = 0, 1 << 30, (1 << 31) - 1, 0
    return Accumulators(middle - size, middle + size, multiplier, rng.integers(*rights, OUTPUTS))


@pytest.mark.parametrize(
    "form",
    [Form(paired=True), Form(), Form(3, paired=True), Form(2, above=1 << 20), Form(2)],
)
@pytest.mark.parametrize(
    ("rights", "reach", "clamp", "zero_point"),
    [
        ((5, 9), 40_000, (-128, 127), -128),
        ((6, 10), 90_000, (-128, 127), -128),
        ((5, 8), 20_000, (-100, 90), -100),
        ((7, 9), 30_000, (17, 127), 5),
        ((9, 30), 40_000, (-128, 127), -128),
    ],
)
def test_lines_are_the_rule(
    form: Form, rights: tuple[int, int], reach: int, clamp: tuple[int, int], zero_point: int
) -> None:
    acc = accumulators(7, rights, reach)
    lines = dsp_lines.of_outputs(acc, zero_point, clamp, form)
    assert lines is not None
    for o in range(OUTPUTS):
        x = np.arange(acc.least[o], acc.most[o] + 1)
        factors = acc.multiplier[o : o + 1], -acc.right[o : o + 1]
        wanted = int8.requantize_conv(x[:, None].astype(np.int32), *factors, zero_point, clamp)
        shift, scale, above = form.of_output(o)
        sums = scale * x + above + lines.added[o]
        product = sums * lines.multiplier[o] >> 32
        total = product + lines.constant[o]
        assert np.abs(total).max() < 1 << 31
        assert np.abs(sums).max() < 1 << 31
        got = np.clip(np.clip(total >> shift, -128, 127), *clamp)
        assert (got == wanted[:, 0]).all(), o


def test_factors_that_have_no_line() -> None:
    acc = accumulators(3, (2, 4), 1000)
    assert dsp_lines.of_outputs(acc, -128, (-128, 127), Form(paired=True)) is None


def test_factors_that_have_lines_of_a_smaller_shift() -> None:
    acc = accumulators(3, (1, 5), 20_000)
    assert dsp_lines.of_outputs(acc, -128, (-128, 127), Form()) is None
    assert dsp_lines.of_outputs(acc, -128, (-128, 127), Form(0)) is not None
