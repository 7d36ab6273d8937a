"""The arithmetic of operators on int16 activations (and int8 weights), as `int8` has that of int8.

Zero points are 0. Rules, with their TFLite sources: docs/numerics.md, "Operators on int16".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.numerics import fixed
from mcuc.numerics.fixed import Ints
from mcuc.numerics.params import (
    AddParams,
    Multiplier,
    decompose_double,
    quantize_multiplier,
)

Int16s = npt.NDArray[np.int16]
Doubles = npt.NDArray[Any]  # of float64, or float32 where that is what TFLite computes in
Real = Any
Range = tuple[int, int]

INT16_RANGE: Range = (-32768, 32767)
# Accumulators stay below this: their products with 15 bits must fit in 62.
LARGEST_ACCUMULATOR = 1 << 47
# More would not fit in the 32 bits of a sum of int16.
SOFTMAX_LONGEST_ROW = MEAN_LARGEST_COUNT = 65535
_STEPS = 512  # of a table


def requantize_conv(acc: npt.ArrayLike, factors: tuple[Ints, Ints], clamp: Range) -> Int16s:
    """Accumulators [..., C] of 64 bits to outputs: CONV_2D, DEPTHWISE_CONV_2D.

    Args:
        acc: Below LARGEST_ACCUMULATOR.
        factors: [C] of `reduced`.
        clamp: From the fused activation.
    """
    multiplier, right = factors
    return clamped(fixed.multiply_long_by_reduced(acc, multiplier, right), clamp)


def reduced(multiplier: Ints, shift: Ints) -> tuple[Ints, Ints]:
    """A multiplier of 15 bits and a shift to the right, of one of 31 bits and a shift to the left.

    Raises:
        ValueError: if a shift leaves what TFLite allows.
    """
    short = np.where(multiplier < 0x7FFF0000, (multiplier + (1 << 15)) >> 16, 0x7FFF)
    if shift.max() > 7 or shift.min() < -31:
        raise ValueError("the factor of a 64-bit accumulator must be between 2^-32 and 2^7")
    return short, 15 - shift


def requantize_fully_connected(acc: Ints, real_multiplier: Doubles, clamp: Range) -> Int16s:
    """Accumulators [..., C] to outputs: FULLY_CONNECTED; a double, or [C] doubles."""
    parts = np.asarray([decompose_double(float(r)) for r in real_multiplier], dtype=np.int64)
    return clamped(fixed.multiply_long_by_double(acc, parts[:, 0], parts[:, 1]), clamp)


def add(
    a: npt.ArrayLike, b: npt.ArrayLike, params: AddParams, clamp: Range, sign: int = 1
) -> Int16s:
    """ADD of two arrays that broadcast; with the sign -1 SUB."""
    left, right = (
        rescale(_ints(x) << params.left_shift, factor)
        for x, factor in ((a, params.input1), (b, params.input2))
    )
    return clamped(rescale(left + sign * right, params.output), clamp)


def mul(a: npt.ArrayLike, b: npt.ArrayLike, factor: Multiplier, clamp: Range) -> Int16s:
    """MUL of two arrays that broadcast."""
    return clamped(rescale(_ints(a) * _ints(b), factor), clamp)


def rescale(x: npt.ArrayLike, factor: Multiplier) -> Ints:
    """X times a factor, with two roundings."""
    return fixed.multiply_by_quantized_multiplier(x, factor.multiplier, factor.shift)


def clamped(x: Ints, clamp: Range = INT16_RANGE) -> Int16s:
    """Integers within a range."""
    return np.clip(x, *clamp).astype(np.int16)


def softmax_multiplier(beta: float, input_scale: float) -> Multiplier:
    """From a distance to the maximum to steps of 10/65535."""
    return quantize_multiplier(beta * input_scale / (10.0 / 65535.0))


def exp_table() -> Int16s:
    """Exp over [-10, 0], as a table for `look_up`."""
    return table(np.exp, 10.0 / 65535.0, 32767)


def reciprocal_table() -> Int16s:
    """1 / (1 + x) over [0, 1], as a table for `look_up`."""
    return table(lambda x: 1.0 / (1.0 + x), 1.0 / 65535.0, -32768)


def softmax(x: npt.ArrayLike, factor: Multiplier) -> Int16s:
    """SOFTMAX over the last axis; the output has scale 1/32768."""
    value = _ints(x)
    distance = value - value.max(axis=-1, keepdims=True)
    exps = look_up(np.clip(rescale(distance, factor) + 32767, *INT16_RANGE), exp_table())
    total = exps.sum(axis=-1, keepdims=True)
    headroom = fixed.count_leading_zeros(total)
    shifted = ((total << (headroom - 1)) + (1 << 13)) >> 14
    place = np.clip(shifted - (1 << 15) - (1 << 16), *INT16_RANGE)
    right = 31 - headroom
    product = exps * look_up(place, reciprocal_table())
    return clamped((product + (np.int64(1) << (right - 1))) >> right, (0, 32767))


def table(function: Callable[[Doubles], Doubles], scale: float, zero_point: int) -> Int16s:
    """[513] samples of a function of int16, in steps of 1/32768 (`LUTPopulateInt16`).

    Each is moved by half of the error that linear interpolation makes between it and the next.
    """
    low, high = (np.float64(scale * (limit - zero_point)) for limit in INT16_RANGE)
    return _samples(function, low, high, np.float64(32768.0))


def function_table(
    function: Callable[[Doubles], Doubles], input_scale: float, output_scale: float
) -> Int16s:
    """[513] samples of a function of real numbers, without zero points (`LUTPopulate`).

    The steps are in float32; the double result of the function rounded is that of any libm.
    """

    def single(x: Doubles) -> Doubles:
        with np.errstate(all="ignore"):
            return np.asarray(function(x.astype(np.float64)), np.float32)

    scales = np.float32(input_scale), np.float32(output_scale)
    (low, high), (least, most) = ([s * np.float32(limit) for limit in INT16_RANGE] for s in scales)
    return _samples(single, low, high, np.float32(65536) / (most - least))


def _samples(
    function: Callable[[Doubles], Doubles], low: Real, high: Real, inverse: Real
) -> Int16s:
    """At 512 steps from `low` to `high` and at `high`, times `inverse`; in the type of these."""
    kind = type(low)
    step = (high - low) / kind(_STEPS)
    i = np.arange(_STEPS).astype(kind)
    places = (low + i * step, low + i * step + step / kind(2), low + (i + kind(1)) * step)
    here, middle, after = (function(place) * inverse for place in places)
    sample = _round(here)
    error = _round((after + sample) / kind(2)) - _round(middle)
    samples = sample - _round(error / kind(2))
    last = _round(function(np.asarray([high])) * inverse)
    found: Int16s = np.clip(np.append(samples, last), *INT16_RANGE).astype(np.int16)
    return found


def look_up(x: Ints, samples: Int16s) -> Ints:
    """Linear interpolation in a `table`."""
    index = 256 + (x >> 7)
    base, following = _ints(samples[index]), _ints(samples[index + 1])
    result: Ints = base + (((following - base) * (x & 127) + 64) >> 7)
    return result


def _round(x: Doubles) -> Doubles:
    """To the nearest integer, halves away from zero."""
    rounded: Doubles = np.trunc(x + np.copysign(x.dtype.type(0.5), x))
    return rounded


def _ints(x: npt.ArrayLike) -> Ints:
    return np.asarray(x, dtype=np.int64)
