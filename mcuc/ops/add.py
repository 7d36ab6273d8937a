"""ADD of two int8, int16 or float32 tensors with broadcast.

Source: TFLite reference_integer_ops `add.h`; rule in docs/numerics.md, "ADD". Both operands are
brought to a common scale of twice the larger one with 20 fractional bits, added, and requantized.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8, int16, params
from mcuc.ops import lines
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


def _rule(site: Site) -> tuple[tuple[int, int, int], params.AddParams, tuple[int, int]]:
    """(zero points of a, b and the output; factors; clamping range)."""
    a, b, out = (quant_of(t) for t in (site.input(0), site.input(1), site.output))
    bits = params.ADD_LEFT_SHIFT_INT16 if is_int16(site) else params.ADD_LEFT_SHIFT
    factors = combined(site, params.add_params, a.scale, b.scale, out.scale, bits)
    clamp = activation_range(site, activation_of(site))
    return (a.zero_point, b.zero_point, out.zero_point), factors, clamp


def ref(site: Site, a: Array, b: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (apply_float(np.add, a, b, activation_of(site)),)
    zero_points, factors, clamp = _rule(site)
    if is_int16(site):
        return (int16.add(a, b, factors, clamp),)
    return (int8.add(a, b, zero_points, factors, clamp),)


def pack(site: Site) -> Params:
    zero_points, factors, clamp = _rule(site)
    # Every factor is below one, so the kernel has right shifts only.
    fields = {
        "a_offset": -zero_points[0],
        "a_multiplier": factors.input1.multiplier,
        "a_right": -factors.input1.shift,
        "b_offset": -zero_points[1],
        "b_multiplier": factors.input2.multiplier,
        "b_right": -factors.input2.shift,
        "out_offset": zero_points[2],
        "multiplier": factors.output.multiplier,
        "right": -factors.output.shift,
        "low": clamp[0],
        "high": clamp[1],
    }
    return Params("mcuc_add_params", "add/add.h", {**broadcast_params(site), **fields})


def _plane(site: Site) -> lines.Plane | None:
    return lines.of_add(*_rule(site))


def is_plane(site: Site, target: Target) -> bool:
    """Two multiplications give what the rule does, for all pairs of bytes."""
    return _plane(site) is not None


def is_plane_of_runs(site: Site, target: Target) -> bool:
    """Helium, a plane, and operands that both have all channels."""
    fields = broadcast_params(site)
    return target.mve and fields["a_step"] == fields["b_step"] == 1 and is_plane(site, target)


def pack_plane(site: Site) -> Params:
    plane = _plane(site)
    assert plane is not None
    _, _, (low, high) = _rule(site)
    fields = {
        "a_multiplier": plane.a_multiplier,
        "b_multiplier": plane.b_multiplier,
        "constant": plane.constant,
        "right": plane.right,
        "low": low,
        "high": high,
    }
    fields = {**broadcast_params(site), **fields}
    return Params("mcuc_add_plane_params", "add/add.h", fields, (lines.PLANE,))


SPEC = OpSpec(
    name="add",
    doc="Element-wise sum with broadcast and fused activation",
    Attrs=Attrs,
    operands=(OperandSpec("a", ARITHMETIC), OperandSpec("b", ARITHMETIC)),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_binary,
    kernels=(
        pair_kernel(DType.S8, "add/s8_s8_s8_plane__mve_16.c", pack_plane, is_plane_of_runs),
        pair_kernel(DType.S8, "add/s8_s8_s8_plane__c.c", pack_plane, is_plane),
        pair_kernel(DType.S8, "add/s8_s8_s8__c.c", pack),
        pair_kernel(DType.S16, "add/s16_s16_s16__c.c", pack),
        pair_kernel(DType.F32, "add/f32_f32_f32__c.c", pack_float),
    ),
    canonical=canonical_binary,
)
