"""Lines and planes that replace rounding rules are the same, and are refused where none is."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.numerics import int8, params
from mcuc.ops import lines


def _line(acc: np.ndarray, line: lines.Line) -> np.ndarray:
    return (((acc * line.multiplier) >> 32) + line.constant) >> line.right


@pytest.mark.parametrize("zero_point", [-128, 0, 127])
@pytest.mark.parametrize("real", [0.249, 0.1, 2.0**-7, 0.0123456789, 3.1e-5, 0.0009765])
def test_a_line_is_the_rule_around_every_step(real: float, zero_point: int) -> None:
    line = lines.of_double(real, zero_point, -128, 127)
    assert line is not None
    centers = (np.arange(-128, 128) - zero_point + 0.5) / real
    acc = (np.floor(centers)[:, None] + np.arange(-3, 4)).ravel().astype(np.int64)
    acc = np.concatenate([acc, np.random.default_rng(1).integers(-(2**31), 2**31, 10000)])
    wanted = int8.requantize_fully_connected(acc[:, None], [real], zero_point)[:, 0]
    assert (np.clip(_line(acc, line), -128, 127) == wanted).all()


@pytest.mark.parametrize("real", [0.25, 0.75, 2.0**-21])
def test_no_line_for_factors_out_of_range(real: float) -> None:
    assert lines.of_double(real, 0, -128, 127) is None


def test_steps_are_the_smallest_that_reach() -> None:
    found = lines.steps(lambda x: np.clip((x + 1) // 3, -2, 2), -2, 2)
    assert found.tolist() == [-4, -1, 2, 5]
    assert lines.steps(lambda x: np.zeros_like(x), -1, 1).tolist() == [-(2**31), 2**31]


def test_a_plane_is_add_on_all_pairs() -> None:
    factors = params.add_params(0.05, 0.07, 0.09)
    plane = lines.of_add((3, -7, 5), factors, (-128, 127))
    assert plane is not None
    byte = np.arange(-128, 128, dtype=np.int64)
    sums = byte[:, None] * plane.a_multiplier + byte * plane.b_multiplier + plane.constant
    assert np.abs(sums).max() < 2**31
    wanted = int8.add(byte[:, None], byte, (3, -7, 5), factors)
    assert (np.clip(sums >> plane.right, -128, 127) == wanted).all()
