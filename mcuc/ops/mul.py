"""MUL of two int8, int16 or float32 tensors with broadcast.

Source: TFLite reference_integer_ops `mul.h`; rule in docs/numerics.md, "MUL".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8, int16, params
from mcuc.ops.arithmetic import is_float, is_int16, kernels_on
from mcuc.ops.binary import (
    ARITHMETIC,
    apply_float,
    broadcast_params,
    canonical_binary,
    float_params,
    infer_binary,
    region_binary,
)
from mcuc.ops.checks import activation_range, combined, quant_of
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs


@dataclass(frozen=True)
class Attrs:
    """activation: fused activation, "none", "relu", "relu6" or "relu_n1_to_1"."""

    activation: str = "none"


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    result = infer_binary(site, site.attrs.activation, ARITHMETIC)
    if not is_float(site):
        _rule(site)
    return result


def _rule(site: Site) -> tuple[tuple[int, int, int], params.Multiplier, tuple[int, int]]:
    """(zero points of a, b and the output; factor; clamping range)."""
    assert isinstance(site.attrs, Attrs)
    a, b, out = (quant_of(t) for t in (site.input(0), site.input(1), site.output))
    factor = combined(site, params.mul_multiplier, a.scale, b.scale, out.scale)
    clamp = activation_range(site, site.attrs.activation)
    return (a.zero_point, b.zero_point, out.zero_point), factor, clamp


def ref(site: Site, a: Array, b: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (apply_float(np.multiply, a, b, _activation(site)),)
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


def _activation(site: Site) -> str:
    assert isinstance(site.attrs, Attrs)
    return site.attrs.activation


def pack_float(site: Site) -> Params:
    return float_params(site, _activation(site))


SPEC = OpSpec(
    name="mul",
    doc="Element-wise product with broadcast and fused activation",
    Attrs=Attrs,
    operands=(OperandSpec("a", ARITHMETIC), OperandSpec("b", ARITHMETIC)),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_binary,
    kernels=kernels_on(
        DType.S8,
        Kernel(
            symbol="mcuc_mul_s8_s8_s8__c",
            source="mul/s8_s8_s8__c.c",
            form=Form.PIXEL,
            when=always,
            pack=pack,
            operands=(0, 1),
            inplace=(0, 1),
        ),
        others=(
            *kernels_on(
                DType.S16,
                Kernel(
                    symbol="mcuc_mul_s16_s16_s16__c",
                    source="mul/s16_s16_s16__c.c",
                    form=Form.PIXEL,
                    when=always,
                    pack=pack,
                    operands=(0, 1),
                    inplace=(0, 1),
                ),
            ),
            *kernels_on(
                DType.F32,
                Kernel(
                    symbol="mcuc_mul_f32_f32_f32__c",
                    source="mul/f32_f32_f32__c.c",
                    form=Form.PIXEL,
                    when=always,
                    pack=pack_float,
                    operands=(0, 1),
                    inplace=(0, 1),
                ),
            ),
        ),
    ),
    canonical=canonical_binary,
)
