"""MUL of two int8, int16 or float32 tensors with broadcast.

Source: TFLite reference_integer_ops `mul.h`; rule in docs/numerics.md, "MUL".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8, int16, params
from mcuc.ops.arithmetic import is_float, is_int16
from mcuc.ops.binary import (
    ARITHMETIC,
    ActivationAttrs,
    activation_of,
    apply_float,
    broadcast_params,
    canonical_binary,
    infer_binary,
    pack_float,
    pair_kernel,
    region_binary,
)
from mcuc.ops.checks import activation_range, combined, quant_of
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs


@dataclass(frozen=True)
class Attrs(ActivationAttrs):
    """Its own type, so that an op cannot be given another's attributes."""


def infer(site: Site) -> tuple[TensorType, ...]:
    result = infer_binary(site, activation_of(site), ARITHMETIC)
    if not is_float(site):
        _rule(site)
    return result


def _rule(site: Site) -> tuple[tuple[int, int, int], params.Multiplier, tuple[int, int]]:
    """(zero points of a, b and the output; factor; clamping range)."""
    a, b, out = (quant_of(t) for t in (site.input(0), site.input(1), site.output))
    factor = combined(site, params.mul_multiplier, a.scale, b.scale, out.scale)
    clamp = activation_range(site, activation_of(site))
    return (a.zero_point, b.zero_point, out.zero_point), factor, clamp


def ref(site: Site, a: Array, b: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (apply_float(np.multiply, a, b, activation_of(site)),)
    zero_points, factor, clamp = _rule(site)
    if is_int16(site):
        return (int16.mul(a, b, factor, clamp),)
    return (int8.mul(a, b, zero_points, factor, clamp),)


def pack(site: Site) -> Params:
    zero_points, factor, clamp = _rule(site)
    fields = {
        "a_offset": -zero_points[0],
        "b_offset": -zero_points[1],
        "out_offset": zero_points[2],
        "multiplier": factor.multiplier,
        "shift": factor.shift,
        "low": clamp[0],
        "high": clamp[1],
    }
    return Params("mcuc_mul_params", "mul/mul.h", {**broadcast_params(site), **fields})


SPEC = OpSpec(
    name="mul",
    doc="Element-wise product with broadcast and fused activation",
    Attrs=Attrs,
    operands=(OperandSpec("a", ARITHMETIC), OperandSpec("b", ARITHMETIC)),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_binary,
    kernels=(
        pair_kernel(DType.S8, "mul/s8_s8_s8__c.c", pack),
        pair_kernel(DType.S16, "mul/s16_s16_s16__c.c", pack),
        pair_kernel(DType.F32, "mul/f32_f32_f32__c.c", pack_float),
    ),
    canonical=canonical_binary,
)
