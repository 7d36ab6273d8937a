"""Requantization parameters from scales: exact values, fix-ups and limits."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from mcuc.numerics import params
from mcuc.numerics.params import Multiplier, quantize_multiplier
from tests.numerics.fraction_oracle import half_away, power


@pytest.mark.parametrize(
    ("real", "expected"),
    [
        (0.0, Multiplier(0, 0)),
        (1.0, Multiplier(2**30, 1)),
        (0.5, Multiplier(2**30, 0)),
        (math.nextafter(1.0, 0.0), Multiplier(2**30, 1)),  # 2^31 after rounding: fixed up
        (1.0 - 2.0**-32, Multiplier(2**30, 1)),  # a tie, away from zero, fixed up
        (1.0 - 2.0**-31, Multiplier(2**31 - 1, 0)),
        (2.0**-32, Multiplier(2**30, -31)),
        (math.nextafter(2.0**-32, 0.0), Multiplier(2**30, -31)),  # rounds up into the range
        (0.75 * 2.0**-32, Multiplier(0, 0)),
        (3e9, Multiplier(1500000000, 32)),
    ],
)
def test_quantize_multiplier(real: float, expected: Multiplier) -> None:
    assert quantize_multiplier(real) == expected


def test_quantize_multiplier_is_the_nearest_of_31_bits() -> None:
    rng = random.Random(2)
    for _ in range(2000):
        real = math.ldexp(rng.uniform(0.5, 1.0), rng.randrange(-30, 20))
        m = quantize_multiplier(real)
        assert 2**30 <= m.multiplier < 2**31
        assert half_away(Fraction(real) * power(31 - m.shift)) == m.multiplier


@pytest.mark.parametrize("real", [-1.0, math.inf, math.nan])
def test_quantize_multiplier_refuses(real: float) -> None:
    with pytest.raises(ValueError, match="factor"):
        quantize_multiplier(real)


@pytest.mark.parametrize("real", [0.0, 1.0, 1.5])
def test_smaller_than_one_refuses(real: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        params.quantize_multiplier_smaller_than_one(real)


def test_decompose_double_is_exact() -> None:
    rng = random.Random(4)
    for _ in range(1000):
        real = math.ldexp(rng.uniform(0.5, 1.0), rng.randrange(-90, 90))
        mantissa, right_shift = params.decompose_double(real)
        assert 2**52 <= mantissa < 2**53
        assert mantissa * power(-right_shift) == Fraction(real)
    assert params.decompose_double(0.0) == (0, 0)


@pytest.mark.parametrize(
    ("value", "expected"), [(0.5, 1), (-0.5, -1), (1.5, 2), (-2.5, -3), (0.49999999999999994, 0)]
)
def test_round_half_away(value: float, expected: int) -> None:
    assert params.round_half_away(value) == expected


@pytest.mark.parametrize(
    ("activation", "scale", "zero_point", "expected"),
    [
        ("NONE", 0.5, 3, (-128, 127)),
        ("RELU", 0.5, 3, (3, 127)),
        ("RELU6", 0.5, 3, (3, 15)),
        ("RELU_N1_TO_1", 0.5, 3, (1, 5)),
        ("RELU6", 0.01, -128, (-128, 127)),
        ("RELU6", 4.0, 0, (0, 2)),  # 1.5 rounds away from zero
        ("RELU_N1_TO_1", 2.0, 0, (-1, 1)),  # so do both halves
    ],
)
def test_activation_range(
    activation: str, scale: float, zero_point: int, expected: tuple[int, int]
) -> None:
    assert params.calculate_activation_range_int8(activation, scale, zero_point) == expected


def test_softmax_refuses_a_vanishing_scale() -> None:
    with pytest.raises(ValueError, match="too small"):
        params.preprocess_softmax_scaling(1.0, 2.0**-27)


def test_softmax_caps_a_large_scale() -> None:
    capped = params.preprocess_softmax_scaling(1.0, 100.0)
    assert capped == params.SoftmaxParams(2**31 - 1, 31, 0)


def test_mean_folds_the_count_truncated() -> None:
    assert params.mean_multiplier(1.0, 1.0, 3) == Multiplier((2**30 << 1) // 3, 0)
    assert params.mean_multiplier(1.0, 1.0, 1) == Multiplier(2**30, 1)
