"""Host-side preparation of requantization parameters from the scales of tensors.

Nothing of this runs on the device. Scales are given as Python floats that hold float32 values
exactly as stored in the file; each function says whether TFLite combines them in float or in
double, because the last bit of the multiplier depends on it (`docs/numerics.md`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcuc.numerics.fixed import INT32_MAX, INT32_MIN

ADD_LEFT_SHIFT = 20
ADD_LEFT_SHIFT_INT16 = 15
SQUARE_LEFT_SHIFT = 7
SOFTMAX_INTEGER_BITS = 5


@dataclass(frozen=True)
class Multiplier:
    """The real factor `multiplier` * 2^(`shift` - 31); a positive shift goes to the left."""

    multiplier: int
    shift: int


@dataclass(frozen=True)
class AddParams:
    """Factors of ADD and SUB: both inputs to a common scale, then to the output's."""

    input1: Multiplier
    input2: Multiplier
    output: Multiplier
    left_shift: int = ADD_LEFT_SHIFT


@dataclass(frozen=True)
class SoftmaxParams:
    """Factor of the difference to the row's maximum, and the least difference that counts."""

    multiplier: int
    left_shift: int
    diff_min: int


def round_half_away(x: float) -> int:
    """C's round(): to the nearest integer, halves away from zero."""
    whole = math.trunc(x)
    rest = x - whole  # exact
    return whole + (rest >= 0.5) - (rest <= -0.5)


def quantize_multiplier(real: float) -> Multiplier:
    """The nearest `Multiplier` of a double (TFLite `QuantizeMultiplier`).

    The multiplier is 0 or has 31 significant bits; factors below about 2^-32 give (0, 0).
    """
    if real == 0.0:
        return Multiplier(0, 0)
    if not math.isfinite(real) or real < 0:
        raise ValueError(f"not a requantization factor: {real}")
    fraction, shift = math.frexp(real)
    fixed = round_half_away(fraction * 2.0**31)
    if fixed == 1 << 31:
        fixed //= 2
        shift += 1
    if shift < -31:
        return Multiplier(0, 0)
    return Multiplier(fixed, shift)


def quantize_multiplier_smaller_than_one(real: float) -> Multiplier:
    """As :func:`quantize_multiplier`, for factors that TFLite requires to lie in (0, 1)."""
    if not 0.0 < real < 1.0:
        raise ValueError(f"the factor {real} is not between 0 and 1")
    return quantize_multiplier(real)


def decompose_double(real: float) -> tuple[int, int]:
    """(mantissa, right_shift) with real = mantissa * 2^-right_shift, mantissa of 53 bits or 0."""
    if real == 0.0:
        return 0, 0
    fraction, exponent = math.frexp(real)
    return int(fraction * 2.0**53), 53 - exponent


def conv_real_multiplier(input_scale: float, filter_scale: float, output_scale: float) -> float:
    """Factor of one output channel of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED: double."""
    return input_scale * filter_scale / output_scale


def conv_multipliers(
    input_scale: float, filter_scales: Sequence[float], output_scale: float
) -> tuple[Multiplier, ...]:
    """One multiplier per filter scale (one for all if the filter is quantized per tensor).

    Trained networks with folded batch normalisation have channels of negative scale; their
    multiplier is that of the magnitude with the sign (checked against the interpreter).
    """
    return tuple(
        _signed_multiplier(conv_real_multiplier(input_scale, scale, output_scale))
        for scale in filter_scales
    )


@functools.lru_cache(maxsize=1 << 16)  # every kernel that might suit a layer asks for them
def _signed_multiplier(real: float) -> Multiplier:
    magnitude = quantize_multiplier(abs(real))
    return Multiplier(-magnitude.multiplier if real < 0 else magnitude.multiplier, magnitude.shift)


def per_tensor_multiplier(
    input_scale: float, filter_scale: float, output_scale: float
) -> Multiplier:
    """TFLite's older per-tensor factor: product in float, quotient in double.

    Used by CONV_2D and DEPTHWISE_CONV_2D of uint8 models, and by a per-tensor FULLY_CONNECTED in
    the `tflm` rule set (`GetQuantizedConvolutionMultipler`).
    """
    product = float(np.float32(input_scale) * np.float32(filter_scale))
    return quantize_multiplier(product / output_scale)


def fully_connected_multiplier_tflm(
    input_scale: float, filter_scale: float, output_scale: float
) -> Multiplier:
    """Factor of a per-tensor FULLY_CONNECTED in the `tflm` rule set."""
    return per_tensor_multiplier(input_scale, filter_scale, output_scale)


def requantize_multiplier(input_scale: float, output_scale: float) -> Multiplier:
    """Factor of QUANTIZE between integer types, and of MEAN and SUM: double."""
    return quantize_multiplier(input_scale / output_scale)


def relu_multiplier(input_scale: float, output_scale: float) -> Multiplier:
    """Factor of RELU, RELU6, RELU_N1_TO_1: float quotient."""
    return quantize_multiplier(float(np.float32(input_scale) / np.float32(output_scale)))


def mul_multiplier(scale1: float, scale2: float, output_scale: float) -> Multiplier:
    """Factor of MUL: product and quotient in float."""
    real = np.float32(scale1) * np.float32(scale2) / np.float32(output_scale)
    return quantize_multiplier(float(real))


def add_params(
    scale1: float, scale2: float, output_scale: float, left_shift: int = ADD_LEFT_SHIFT
) -> AddParams:
    """Factors of ADD and SUB: double. `left_shift`: fractional bits of the common scale."""
    twice_max = 2.0 * max(scale1, scale2)
    return AddParams(
        quantize_multiplier_smaller_than_one(scale1 / twice_max),
        quantize_multiplier_smaller_than_one(scale2 / twice_max),
        quantize_multiplier_smaller_than_one(twice_max / (2.0**left_shift * output_scale)),
        left_shift,
    )


def squared_difference_params(scale1: float, scale2: float, output_scale: float) -> AddParams:
    """Factors of SQUARED_DIFFERENCE: double; the common scale has 7 fractional bits."""
    twice_max = 2.0 * max(scale1, scale2)
    steps = float(np.float32(1 << 2 * SQUARE_LEFT_SHIFT) * np.float32(output_scale))
    return AddParams(
        quantize_multiplier_smaller_than_one(scale1 / twice_max),
        quantize_multiplier_smaller_than_one(scale2 / twice_max),
        quantize_multiplier(twice_max * twice_max / steps),
        SQUARE_LEFT_SHIFT,
    )


def mean_multiplier(input_scale: float, output_scale: float, count: int) -> Multiplier:
    """Factor of MEAN with the division by `count` >= 1 folded in (truncated, as TFLite does)."""
    base = requantize_multiplier(input_scale, output_scale)
    shift = min(count.bit_length() - 1, 32, 31 + base.shift)
    if shift < 0:
        raise ValueError(f"MEAN cannot rescale by {input_scale / output_scale}")
    return Multiplier((base.multiplier << shift) // count, base.shift - shift)


def calculate_input_radius(integer_bits: int, left_shift: int, total_bits: int = 31) -> int:
    """Largest input difference that a left shift keeps in range (`CalculateInputRadius`)."""
    return ((1 << integer_bits) - 1) * (1 << (total_bits - integer_bits)) >> left_shift


def preprocess_softmax_scaling(beta: float, input_scale: float) -> SoftmaxParams:
    """Parameters of the int8 SOFTMAX (`PreprocessSoftmaxScaling`, 5 integer bits): double."""
    limit = 2.0**31 - 1.0
    real = min(beta * input_scale * 2.0 ** (31 - SOFTMAX_INTEGER_BITS), limit)
    if real <= 1.0:
        raise ValueError(f"SOFTMAX: the input scale {input_scale} times beta {beta} is too small")
    factor = quantize_multiplier(real)
    radius = calculate_input_radius(SOFTMAX_INTEGER_BITS, factor.shift)
    return SoftmaxParams(factor.multiplier, factor.shift, -radius)


def quantize_bound(bound: float, scale: float, zero_point: int) -> int:
    """zero_point + round(bound / scale), quotient in float, halves away from zero."""
    quotient = float(np.float32(bound) / np.float32(scale))
    if not INT32_MIN <= quotient <= INT32_MAX:
        raise ValueError(f"the bound {bound} does not fit the scale {scale}")
    return zero_point + round_half_away(quotient)


def calculate_activation_range(
    activation: str, scale: float, zero_point: int, lowest: int, highest: int
) -> tuple[int, int]:
    """Clamping range of a fused activation (`CalculateActivationRangeQuantized`).

    Args:
        activation: ``NONE``, ``RELU``, ``RELU6`` or ``RELU_N1_TO_1``.
        scale: of the output.
        zero_point: of the output.
        lowest: least value of the output's dtype.
        highest: greatest value of the output's dtype.
    """
    bounds = {
        "NONE": (-math.inf, math.inf),
        "RELU": (0.0, math.inf),
        "RELU6": (0.0, 6.0),
        "RELU_N1_TO_1": (-1.0, 1.0),
    }
    low, high = bounds[activation]
    if low > -math.inf:
        lowest = max(lowest, quantize_bound(low, scale, zero_point))
    if high < math.inf:
        highest = min(highest, quantize_bound(high, scale, zero_point))
    return lowest, highest


def calculate_activation_range_int8(
    activation: str, scale: float, zero_point: int
) -> tuple[int, int]:
    """:func:`calculate_activation_range` of an int8 output."""
    return calculate_activation_range(activation, scale, zero_point, -128, 127)
