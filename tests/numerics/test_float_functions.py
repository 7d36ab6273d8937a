"""Functions of float32 that TFLite has no operator for, against the same in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from mcuc.numerics import float_bends
from mcuc.ops.unary import FLOATS
from tests.vectors.unary import NUMBERS, ONNX_ONLY, attrs_with_numbers

Doubles = npt.NDArray[np.float64]
ERRORS = {"erf": 6e-7, "mish": 5e-7}  # of the larger of the result and 1; elsewhere:
ERROR = 2.5e-7
ALPHA = {name: np.float32(numbers[0]).astype(float) for name, numbers in NUMBERS.items()}
BETA = {name: np.float32(numbers[-1]).astype(float) for name, numbers in NUMBERS.items()}


def elu(x: Doubles, alpha: float) -> Doubles:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


# Function of doubles and range of its argument
EXACT: dict[str, tuple[Callable[[Doubles], Doubles], float, float]] = {
    "ceil": (np.ceil, -9, 9),
    "round": (np.rint, -9, 9),
    "reciprocal": (np.reciprocal, 1e-3, 9),
    "softsign": (lambda x: x / (1 + np.abs(x)), -9, 9),
    "hard_sigmoid": (
        lambda x: np.clip(ALPHA["hard_sigmoid"] * x + BETA["hard_sigmoid"], 0, 1),
        -9,
        9,
    ),
    "thresholded_relu": (lambda x: np.where(x > ALPHA["thresholded_relu"], x, 0), -2, 2),
    "clip": (lambda x: np.clip(x, ALPHA["clip"], BETA["clip"]), -2, 2),
    "erf": (np.vectorize(math.erf), -4, 4),
    "softplus": (lambda x: np.logaddexp(0, x), -30, 30),
    "mish": (lambda x: x * np.tanh(np.logaddexp(0, x)), -30, 30),
    "elu": (lambda x: elu(x, ALPHA["elu"]), -30, 9),
    "selu": (lambda x: BETA["selu"] * elu(x, ALPHA["selu"]), -30, 9),
    "celu": (lambda x: np.where(x > 0, x, elu(x / ALPHA["celu"], ALPHA["celu"])), -30, 9),
    "tan": (np.tan, -1.55, 1.55),
    "asin": (np.arcsin, -1, 1),
    "acos": (np.arccos, -1, 1),
    "atan": (np.arctan, -30, 30),
    "sinh": (np.sinh, -30, 30),
    "cosh": (np.cosh, -30, 30),
    "asinh": (np.arcsinh, -30, 30),
    "acosh": (np.arccosh, 1, 30),
    "atanh": (np.arctanh, -0.9999, 0.9999),
}


def test_every_function_is_compared() -> None:
    assert set(EXACT) == set(ONNX_ONLY)


@pytest.mark.parametrize("name", EXACT)
def test_functions_are_near_those_of_doubles(name: str) -> None:
    exact, low, high = EXACT[name]
    x = np.random.default_rng(1).uniform(low, high, 100_000).astype(np.float32)
    wanted = exact(x.astype(np.float64))
    with np.errstate(all="ignore"):
        found = FLOATS[name](x, attrs_with_numbers(name)).astype(np.float64)
    error = np.abs(found - wanted) / np.maximum(1, np.abs(wanted))
    assert error.max() < ERRORS.get(name, ERROR)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 5.0, -1.0, -3.0, 0.5, 1.7, -2.3, 0.01])
def test_powers_are_near_those_of_doubles(exponent: float) -> None:
    x = np.random.default_rng(2).uniform(1e-3, 20, 100_000).astype(np.float32)
    wanted = x.astype(np.float64) ** float(np.float32(exponent))
    found = float_bends.power(x, np.float32(exponent)).astype(np.float64)
    assert (np.abs(found - wanted) / wanted).max() < 2e-6


def test_powers_at_their_ends() -> None:
    with np.errstate(all="ignore"):
        base = [0.0, 0.0, 0.0, -2.0, -2.0, -8.0, -1.5]
        exponent = [2.0, 0.0, -1.5, 3.0, 0.3, -1.0, 35.0]
        found = float_bends.power(base, exponent)
    assert found[:4].tolist() == [0.0, 1.0, np.inf, -8.0]
    assert np.isnan(found[4]) and found[5] == -0.125
    assert found[6] == pytest.approx(-(1.5**35), rel=1e-5)
