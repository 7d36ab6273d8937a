"""SUB of int8 and int16, SQUARED_DIFFERENCE and PRELU of int8, which rescale: rules and records.

Comparisons of quantized tensors too, which TFLite makes at a common scale of 1/256: steps finer
than that are rounded away. Of int16 only EQUAL and NOT_EQUAL; the others compare stored integers.

Sources: TFLite `sub.cc`, `squared_difference.cc`, `prelu.cc` with `reference/prelu.h`,
`comparisons.cc`; formulas in docs/numerics.md. The arithmetic is that of `mcuc.numerics.int8`.
"""

from __future__ import annotations

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8, int16, params
from mcuc.numerics.fixed import multiply_by_quantized_multiplier
from mcuc.ops.arithmetic import is_int16
from mcuc.ops.binary import broadcast_params
from mcuc.ops.checks import activation_range, combined, quant_of
from mcuc.ops.spec import Site

HEADER = "pairwise/pairwise.h"
DIFFERENCES = ("sub", "squared_difference")
_EQUALITIES = ("equal", "not_equal")
_ORDERS = ("less", "less_equal", "greater", "greater_equal")
_COMPARISON_BITS = 8  # of the fraction, at the common scale


def _zeros(site: Site) -> tuple[int, int, int]:
    """Zero points of a, b and the output."""
    a, b, out = (quant_of(t).zero_point for t in (site.input(0), site.input(1), site.output))
    return a, b, out


def _scales(site: Site) -> tuple[float, float, float]:
    a, b, out = (quant_of(t).scale for t in (site.input(0), site.input(1), site.output))
    return a, b, out


def _differences(site: Site, function: str) -> params.AddParams:
    bits = params.ADD_LEFT_SHIFT_INT16 if is_int16(site) else params.ADD_LEFT_SHIFT

    def sub(a: float, b: float, out: float) -> params.AddParams:
        return params.add_params(a, b, out, bits)

    rule = sub if function == "sub" else params.squared_difference_params
    return combined(site, rule, *_scales(site))


def _prelu(site: Site) -> tuple[params.Multiplier, params.Multiplier]:
    """From x, and from x times a slope, to the output."""
    a, b, out = _scales(site)
    return (
        combined(site, params.relu_multiplier, a, out),
        combined(site, params.mul_multiplier, a, b, out),
    )


def rescales(a: TensorType, function: str) -> bool:
    """Whether TFLite compares such operands at a common scale."""
    orders = _ORDERS if a.dtype is DType.S8 else ()
    return a.quant is not None and function in (*_EQUALITIES, *orders)


def is_rescaled(site: Site, function: str) -> bool:
    """Whether a comparison can tell another result than that of the stored integers."""
    if site.input().dtype not in (DType.S8, DType.S16) or not rescales(site.input(), function):
        return False
    a, b = (quant_of(site.input(i)) for i in (0, 1))
    alike = (a.scale, a.zero_point) == (b.scale, b.zero_point)
    return not alike or a.scale * (1 << _COMPARISON_BITS) < 1


def _compared(site: Site) -> tuple[params.Multiplier, params.Multiplier]:
    """To the common scale, of either operand."""
    a, b = (quant_of(site.input(i)).scale for i in (0, 1))
    return combined(
        site, lambda x, y: (params.quantize_multiplier(x), params.quantize_multiplier(y)), a, b
    )


def at_common_scale(site: Site, a: Array, b: Array) -> list[Array]:
    """Both operands of a comparison, as TFLite compares them."""
    found: list[Array] = []
    for position, (x, factor) in enumerate(zip((a, b), _compared(site), strict=True)):
        zero_point = quant_of(site.input(position)).zero_point
        wide = (np.asarray(x, np.int64) - zero_point) << _COMPARISON_BITS
        found.append(multiply_by_quantized_multiplier(wide, factor.multiplier, factor.shift))
    return found


def pack_comparison(site: Site, number: int) -> Params:
    """The record of a comparison at a common scale; number: of the function."""
    a, b = _compared(site)
    fields: dict[str, ParamValue] = {
        **broadcast_params(site),
        "function": number,
        "a_zero": quant_of(site.input(0)).zero_point,
        "a_multiplier": a.multiplier,
        "a_shift": a.shift,
        "b_zero": quant_of(site.input(1)).zero_point,
        "b_multiplier": b.multiplier,
        "b_shift": b.shift,
    }
    return Params("mcuc_pairwise_scaled_params", HEADER, fields)


def check(site: Site, function: str) -> None:
    """Requires scales that can be combined."""
    if function in DIFFERENCES:
        _differences(site, function)
    elif function == "prelu":
        _prelu(site)
    else:
        _compared(site)


def ref(site: Site, function: str, activation: str, a: Array, b: Array) -> Array:
    """The result of two int8 arrays that broadcast."""
    zeros = _zeros(site)
    if function == "prelu":
        return int8.prelu(a, b, zeros, *_prelu(site))
    factors = _differences(site, function)
    if function == "sub":
        clamp = activation_range(site, activation)
        if is_int16(site):
            return int16.add(a, b, factors, clamp, -1)
        return int8.sub(a, b, zeros, factors, clamp)
    return int8.squared_difference(a, b, zeros, factors)


def pack_differences(site: Site, function: str, activation: str) -> Params:
    """The record of SUB and SQUARED_DIFFERENCE."""
    zeros, factors = _zeros(site), _differences(site, function)
    low, high = activation_range(site, activation)
    fields: dict[str, ParamValue] = {
        **broadcast_params(site),
        "a_zero": zeros[0],
        "a_multiplier": factors.input1.multiplier,
        "a_shift": factors.input1.shift,
        "b_zero": zeros[1],
        "b_multiplier": factors.input2.multiplier,
        "b_shift": factors.input2.shift,
        "out_offset": zeros[2],
        "multiplier": factors.output.multiplier,
        "shift": factors.output.shift,
        "low": low,
        "high": high,
    }
    return Params("mcuc_pairwise_sub_params", HEADER, fields)


def pack_prelu(site: Site) -> Params:
    """The record of PRELU."""
    zeros, (above, below) = _zeros(site), _prelu(site)
    fields: dict[str, ParamValue] = {
        **broadcast_params(site),
        "a_zero": zeros[0],
        "b_zero": zeros[1],
        "out_offset": zeros[2],
        "multiplier": above.multiplier,
        "shift": above.shift,
        "below_multiplier": below.multiplier,
        "below_shift": below.shift,
    }
    return Params("mcuc_pairwise_prelu_params", HEADER, fields)
