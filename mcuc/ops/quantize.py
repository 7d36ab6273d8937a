"""QUANTIZE: float32 to int8 or uint8, and between the two integer types.

Source: TFLite reference_ops `AffineQuantize` and `Requantize`; rules in docs/numerics.md,
"QUANTIZE". What lies outside of int32 is undefined in TFLite: here it saturates, and NaN
becomes the least value (as the interpreter gives on x86).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8, params
from mcuc.ops.checks import combined, integer_range, quant_of
from mcuc.ops.lut import apply_table, lut_kernel, region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, no_macs

_BYTES = (DType.S8, DType.U8)


@dataclass(frozen=True)
class Attrs:
    """No attributes: the types say everything."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", (DType.F32, DType.S8, DType.U8))
    if x is not None and x.dtype is not DType.F32:
        problems.per_tensor(x, "input")
    dtype = site.output.dtype if site.output.dtype in _BYTES else DType.S8
    problems.result(dtype)
    problems.raise_all()
    if site.input().dtype is not DType.F32:
        scales = quant_of(site.input()).scale, quant_of(site.output).scale
        combined(site, params.requantize_multiplier, *scales)
    return (TensorType(site.input().shape, dtype, site.output.quant),)


def table(site: Site) -> Array:
    """Integer input: results [256] over the input dtype's values in ascending order."""
    x, y = quant_of(site.input()), quant_of(site.output)
    low, high = integer_range(site.input().dtype)
    result = int8.requantize(
        np.arange(low, high + 1),
        x.zero_point,
        y.zero_point,
        params.requantize_multiplier(x.scale, y.scale),
        integer_range(site.output.dtype),
    )
    return result.astype(site.output.dtype.numpy)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if site.input().dtype is not DType.F32:
        return (apply_table(table(site), x),)
    quant = quant_of(site.output)
    numbers = np.where(np.isnan(x.astype(np.float32)), np.float32(-np.inf), x.astype(np.float32))
    result = int8.quantize(numbers, quant.scale, quant.zero_point, integer_range(site.output.dtype))
    return (result.astype(site.output.dtype.numpy),)


def pack(site: Site) -> Params:
    """Float input: the division is done on the device, as the rule has it."""
    quant = quant_of(site.output)
    return Params(
        "mcuc_quantize_params",
        "quantize/quantize.h",
        {
            "channels": site.output.nhwc[3],
            "scale": np.float32(quant.scale).item(),
            "zero_point": quant.zero_point,
        },
    )


def _between_bytes(site: Site, target: Target) -> bool:
    return site.input().dtype is not DType.F32


def _to_int8(site: Site, target: Target) -> bool:
    return site.input().dtype is DType.F32 and site.output.dtype is DType.S8


def _to_uint8(site: Site, target: Target) -> bool:
    return site.input().dtype is DType.F32 and site.output.dtype is DType.U8


SPEC = OpSpec(
    name="quantize",
    doc="float32 to int8 or uint8, and between int8 and uint8 of any scale",
    Attrs=Attrs,
    operands=(OperandSpec("x", (DType.F32, DType.S8, DType.U8)),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(
        lut_kernel(table, _between_bytes),
        Kernel(
            symbol="mcuc_quantize_f32_s8__c",
            source="quantize/f32_s8__c.c",
            form=Form.PIXEL,
            when=_to_int8,
            pack=pack,
        ),
        Kernel(
            symbol="mcuc_quantize_f32_u8__c",
            source="quantize/f32_u8__c.c",
            form=Form.PIXEL,
            when=_to_uint8,
            pack=pack,
        ),
    ),
)
