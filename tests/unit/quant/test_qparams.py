"""Scales and zero points: what must hold whatever a tensor held."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.ir.types import DType
from mcuc.quant.qparams import (
    Range,
    activation_quant,
    quantized_bias,
    quantized_weights,
    weight_scales,
)
from mcuc.quant.ranges import BINS, METHODS, choose_range


@pytest.mark.parametrize("dtype", [DType.S8, DType.S16])
@pytest.mark.parametrize(
    "limits",
    [(0.0, 0.0), (0.5, 0.5), (-0.5, -0.5), (-1e-30, 1e-30), (-3.0, 1e30), (0.0, 6.0), (2.0, 3.0),
     (-1e-3, 0.0)],
)  # fmt: skip
def test_every_range_gives_a_scale_that_is_finite_and_holds_zero(limits, dtype) -> None:
    """B28: a tensor that is constant or 0 on all samples."""
    quant = activation_quant(Range(*limits), dtype)
    info = np.iinfo(dtype.numpy.name)
    assert np.isfinite(quant.scale) and quant.scale > 0
    assert np.float32(quant.scale) == quant.scale
    assert info.min <= quant.zero_point <= info.max
    step = quant.scale
    low, high = ((end - quant.zero_point) * step for end in (int(info.min), int(info.max)))
    assert low <= min(0, limits[0]) + 1.01 * step / 2
    assert high >= max(0, limits[1]) - 1.01 * step / 2


def test_a_bias_beside_tiny_weights_fits() -> None:
    """B25: scale 0.5, weights of 1e-7, a bias of 5: unscaled it would be 1.3e10."""
    weights = np.full((2, 1, 1, 4), 1e-7, np.float32)
    bias = np.array([5.0, -4.5], np.float32)
    scales = weight_scales(weights, 0, bias, 0.5, 0.05, DType.S8)
    integers = quantized_bias(bias, 0.5, scales, DType.S8)
    assert np.abs(integers.astype(np.int64)).max() <= 1 << 30
    real = integers * 0.5 * np.asarray(scales)
    assert np.abs(real - bias).max() < 0.05 / 100
    lost = np.abs(weights[:, 0, 0] - quantized_weights(weights, scales, 0)[:, 0, 0] * scales[0])
    assert (lost.sum(axis=1) * 0.5 * 255 < 0.05).all()  # below one step, whatever the input


@pytest.mark.parametrize("dead", [0.0, 1e-12])
def test_a_dead_channel_keeps_its_bias(dead: float) -> None:
    """B26: a channel without weights, and the bias of its batch normalization."""
    weights = np.ones((1, 3, 3, 2), np.float32)
    weights[..., 1] = dead
    bias = np.array([0.5, 3.0], np.float32)
    scales = weight_scales(weights, 3, bias, 0.02, 0.03, DType.S8)
    real = quantized_bias(bias, 0.02, scales, DType.S8) * 0.02 * np.asarray(scales)
    assert np.abs(real - bias).max() < 0.03 / 100
    assert scales[0] == np.float32(1 / 127)  # the other channel loses nothing
    assert min(0.02 * s / 0.03 for s in scales) > 2.0**-31


@pytest.mark.parametrize("method", sorted(METHODS))
def test_methods_stay_within_what_was_seen(method: str) -> None:
    rng = np.random.default_rng(0)
    numbers = np.append(rng.normal(0, 1, 2_000_000), 50.0)
    seen = Range(float(numbers.min()), float(numbers.max()))
    counts = np.histogram(numbers, BINS, (seen.low, seen.high))[0].astype(np.float64)
    found = choose_range(method, seen, counts)
    assert seen.low <= found.low < 0 < found.high <= seen.high
    assert (found == seen) == (method == "minmax")
    if method != "minmax":
        assert 2 <= found.high < 30  # the outlier goes, the bulk stays


@pytest.mark.parametrize("method", sorted(METHODS))
def test_methods_know_constants_and_nothing(method: str) -> None:
    for seen in (Range(0.0, 0.0), Range(0.0, 2.0)):
        assert choose_range(method, seen, np.zeros(BINS)) == seen
