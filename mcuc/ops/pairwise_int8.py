"""SUB of int8 and int16, SQUARED_DIFFERENCE and PRELU of int8, which rescale: rules and records.

Sources: TFLite `sub.cc`, `squared_difference.cc`, `prelu.cc` with `reference/prelu.h`; formulas in
docs/numerics.md. The arithmetic is that of `mcuc.numerics.int8`.
"""

from __future__ import annotations

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, ParamValue
from mcuc.numerics import int8, int16, params
from mcuc.ops.arithmetic import is_int16
from mcuc.ops.binary import broadcast_params
from mcuc.ops.checks import activation_range, combined, quant_of
from mcuc.ops.spec import Site

HEADER = "pairwise/pairwise.h"
DIFFERENCES = ("sub", "squared_difference")


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


def check(site: Site, function: str) -> None:
    """Requires scales that can be combined."""
    if function in DIFFERENCES:
        _differences(site, function)
    else:
        _prelu(site)


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
