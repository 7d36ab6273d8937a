"""The exponential of float32 is accurate; sums keep their order; what counts as agreement."""

from __future__ import annotations

import numpy as np
import pytest

from mcuc.numerics import float32, hybrid
from mcuc.numerics.agreement import FLOAT_TOLERANCE, agree


def test_exponential_is_off_by_less_than_two_units() -> None:
    x = np.random.default_rng(1).uniform(-87.3, 88.7, 400_000).astype(np.float32)
    wanted = np.exp(x.astype(np.float64))
    unit = np.spacing(wanted.astype(np.float32)).astype(np.float64)
    assert (np.abs(float32.exp(x) - wanted) / unit).max() < 2
    assert float32.exp(np.float32(0)) == 1


def test_exponential_at_its_ends() -> None:
    ends = np.array([-np.inf, -200, -88, 89, 200, np.inf, np.nan], np.float32)
    found = float32.exp(ends)
    assert (found[:3] < 1e-38).all() and np.isinf(found[3:6]).all() and np.isnan(found[6])


def test_sums_go_through_their_elements_in_order() -> None:
    rng = np.random.default_rng(2)
    rows, weights = rng.normal(size=(5, 70)), rng.normal(size=(70, 3))
    found = float32.ordered_product(rows, weights)
    for p in range(5):
        for o in range(3):
            total = np.float32(0)
            for k in range(70):
                total = total + np.float32(rows[p, k]) * np.float32(weights[k, o])
            assert found[p, o] == total


def test_clamp_keeps_what_is_not_a_number() -> None:
    found = float32.clamp([np.nan, -1.0, -0.0, 7.0], (0.0, 6.0))
    assert np.isnan(found[0]) and found[1:].tolist() == [0.0, 0.0, 6.0]
    assert np.signbit(found[2])


@pytest.mark.parametrize("asymmetric", [False, True])
def test_hybrid_quantization_is_near(asymmetric: bool) -> None:
    x = np.random.default_rng(3).normal(size=1000).astype(np.float32)
    found = hybrid.quantize(x, asymmetric=asymmetric)
    error = np.abs(found.centered * found.scale - x)
    assert error.max() <= 0.51 * found.scale
    assert not hybrid.quantize(np.zeros(4), asymmetric=asymmetric).centered.any()


def test_agreement() -> None:
    theirs = np.array([1.0, -4.0, np.inf], np.float32)
    near = theirs + np.float32(0.9 * 4 * FLOAT_TOLERANCE)
    far = theirs + np.float32(2 * 4 * FLOAT_TOLERANCE)
    assert agree(near, theirs) and not agree(far, theirs)
    assert not agree(theirs, theirs.astype(np.float64))
    assert not agree(np.array([1, 2], np.int8), np.array([1, 3], np.int8))
    assert agree(np.array([np.nan], np.float32), np.array([np.nan], np.float32))
    assert not agree(np.array([0.0], np.float32), np.array([np.nan], np.float32))


def test_b37_softmax_of_large_numbers() -> None:
    logits = np.array([[-249.87, -424.13, -460.29, 378.10, -292.61]], np.float32)
    np.testing.assert_allclose(float32.softmax(logits, 1.0), [[0, 0, 0, 1, 0]], atol=1e-37)
    close = float32.softmax(np.array([[7999.99, 8000, 2, 1]], np.float32), 1.0)
    np.testing.assert_allclose(close, [[0.4976, 0.5024, 0, 0]], atol=2e-4)
