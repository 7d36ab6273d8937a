"""Activations quantized at run time, as TFLite's `portable_tensor_utils.cc` does it.

The twin of `runtime_c/include/mcuc/hybrid.h`. Rule: docs/numerics.md, "Dynamic range".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.numerics.float32 import Floats


@dataclass(frozen=True)
class Quantized:
    """float32 numbers as integers: real = scale * centered.

    Attributes:
        centered: Integers without their zero point, -255 .. 255.
        scale: Of one step.
    """

    centered: npt.NDArray[np.int16]
    scale: np.float32


def quantize(x: npt.ArrayLike, *, asymmetric: bool) -> Quantized:
    """All numbers with one scale; finite."""
    value = np.asarray(x, np.float32)
    if not value.any():
        return Quantized(np.zeros(value.shape, np.int16), np.float32(1))
    return _asymmetric(value) if asymmetric else _symmetric(value)


def _symmetric(value: Floats) -> Quantized:
    largest = np.float32(np.abs(value).max())
    scaled = _round(value * (np.float32(127) / largest))
    return Quantized(np.clip(scaled, -127, 127).astype(np.int16), largest / np.float32(127))


def _asymmetric(value: Floats) -> Quantized:
    zero_too = np.append(value.ravel(), np.float32(0))
    low, high = zero_too.min(), zero_too.max()
    step = (high - low) / np.float32(255)
    below, above = low / step, high / step
    # From the end whose quotient is smaller, which is off by less.
    first, last = np.float32(128), np.float32(127)
    exact = -first - below if first - below < last + above else last - above
    zero = np.clip(_round(exact), -first, last)
    steps = _round(value * (np.float32(1) / step))
    centered = np.clip(steps, -first - zero, last - zero)
    return Quantized(centered.astype(np.int16), step)


def _round(x: npt.ArrayLike) -> Floats:
    """To the nearest integer, halves away from zero: exactly, as no sum is rounded."""
    value = np.asarray(x, np.float32)
    whole = np.trunc(value)
    rest = value - whole
    return whole + (rest >= np.float32(0.5)) - (rest <= np.float32(-0.5))
