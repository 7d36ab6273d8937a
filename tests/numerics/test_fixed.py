"""The numpy primitives against exact rationals, and proof that the vectors notice mistakes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mcuc.numerics import fixed
from tests.numerics import fraction_oracle
from tests.numerics.vectors import vectors

EXACT = (
    "saturating_left_shift",
    "saturating_rounding_doubling_high_mul",
    "rounding_divide_by_pot",
    "multiply_by_quantized_multiplier",
    "multiply_by_quantized_multiplier_single",
    "count_leading_zeros",
    "multiply_by_double",
    "divide_rounding_half_away",
    "divide_rounding_half_up",
)


def _columns(function: str) -> list[np.ndarray[Any, Any]]:
    return list(np.asarray(vectors(function), dtype=np.int64).T)


def _oracle(function: str) -> np.ndarray[Any, Any]:
    exact = getattr(fraction_oracle, function)
    return np.asarray([exact(*v) for v in vectors(function)], dtype=np.int64)


@pytest.mark.parametrize("function", EXACT)
def test_equals_exact_rationals(function: str) -> None:
    got = getattr(fixed, function)(*_columns(function))
    wrong = np.flatnonzero(got != _oracle(function))
    assert not wrong.size, vectors(function)[wrong[0]]


def _high_mul_half_down(a: Any, b: Any) -> Any:
    return np.minimum((a * b + (1 << 30) - 1) >> 31, fixed.INT32_MAX)


def _high_mul_half_away(a: Any, b: Any) -> Any:
    p = a * b
    return np.minimum(np.sign(p) * ((np.abs(p) + (1 << 30)) >> 31), fixed.INT32_MAX)


def _high_mul_unsaturated(a: Any, b: Any) -> Any:
    return (a * b + (1 << 30)) >> 31


def _divide_half_up(x: Any, exponent: Any) -> Any:
    e = np.minimum(exponent, 34)
    return (x + ((np.int64(1) << e) >> 1)) >> e


def _divide_half_even(x: Any, exponent: Any) -> Any:
    return np.rint(x / 2.0**exponent).astype(np.int64)


def _double_half_even(x: Any, mantissa: Any, shift: Any) -> Any:
    with np.errstate(over="ignore", under="ignore"):
        real = np.ldexp(x.astype(float) * mantissa.astype(float), -shift)
    return np.rint(np.clip(real, -(2.0**31), 2.0**31 - 1)).astype(np.int64)


def _double_adding_one_half(x: Any, mantissa: Any, shift: Any) -> Any:
    with np.errstate(over="ignore", under="ignore"):
        real = np.clip(
            np.ldexp(x.astype(float) * mantissa.astype(float), -shift), -(2.0**31), 2.0**31 - 1
        )
    return (np.sign(real) * np.floor(np.abs(real) + 0.5)).astype(np.int64)


def _average_truncating(x: Any, divisor: Any) -> Any:
    return np.sign(x) * (np.abs(x) // divisor)


MUTATIONS: list[tuple[str, Callable[..., Any]]] = [
    ("saturating_rounding_doubling_high_mul", _high_mul_half_down),
    ("saturating_rounding_doubling_high_mul", _high_mul_half_away),
    ("saturating_rounding_doubling_high_mul", _high_mul_unsaturated),
    ("rounding_divide_by_pot", _divide_half_up),
    ("rounding_divide_by_pot", _divide_half_even),
    ("multiply_by_quantized_multiplier", fixed.multiply_by_quantized_multiplier_single),
    ("multiply_by_quantized_multiplier_single", fixed.multiply_by_quantized_multiplier),
    ("multiply_by_double", _double_half_even),
    ("multiply_by_double", _double_adding_one_half),
    ("divide_rounding_half_away", _average_truncating),
    ("divide_rounding_half_away", fixed.divide_rounding_half_up),
    ("divide_rounding_half_up", fixed.divide_rounding_half_away),
]


@pytest.mark.parametrize(("function", "mutant"), MUTATIONS)
def test_vectors_detect_wrong_rounding(function: str, mutant: Callable[..., Any]) -> None:
    assert (mutant(*_columns(function)) != _oracle(function)).any()


def test_vectors_detect_a_missing_rounding_to_double() -> None:
    def once(x: int, mantissa: int, shift: int) -> int:
        exact = x * mantissa * fraction_oracle.power(-shift)
        return fraction_oracle.saturate(fraction_oracle.half_away(exact))

    wrong = [once(*v) for v in vectors("multiply_by_double")]
    assert (np.asarray(wrong) != _oracle("multiply_by_double")).any()


@pytest.mark.parametrize("mutant", [_divide_half_up, _divide_half_even])
def test_vectors_detect_a_mutant_inside_the_double_rounding(
    mutant: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixed, "rounding_divide_by_pot", mutant)
    function = "multiply_by_quantized_multiplier"
    got = fixed.multiply_by_quantized_multiplier(*_columns(function))
    assert (got != _oracle(function)).any()


def test_exp_is_accurate() -> None:
    (raw,) = _columns("exp_on_negative_values")
    wanted = np.exp(raw / 2.0**26) * 2.0**31
    assert np.abs(fixed.exp_on_negative_values(raw) - wanted).max() < 2**31 * 1e-6


def test_reciprocal_is_accurate() -> None:
    for value, bits in vectors("get_reciprocal"):
        scale, over_unit = fixed.get_reciprocal(value, bits)
        real = float(scale) * 2.0 ** -(31 + int(over_unit))
        assert math.isclose(real, 2.0 ** (31 - bits) / value, rel_tol=1e-7)


def test_arguments_broadcast() -> None:
    x = np.arange(6).reshape(2, 3)
    result = fixed.multiply_by_quantized_multiplier(x, [2**30, 2**30, HALF], [1, 0, 0])
    assert result.tolist() == [[0, 1, 1], [3, 2, 3]]


HALF = 2**30  # 1/2 in Q0.31
