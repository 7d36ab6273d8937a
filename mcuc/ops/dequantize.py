"""DEQUANTIZE: int8 or uint8 to float32.

Source: TFLite reference_ops `Dequantize`; rule in docs/numerics.md, "DEQUANTIZE": the difference
to the zero point times the scale, one rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8
from mcuc.ops.checks import quant_of
from mcuc.ops.lut import region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, no_macs


@dataclass(frozen=True)
class Attrs:
    """No attributes: the types say everything."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    problems.per_tensor(problems.operand(0, "input", (DType.S8, DType.U8)), "input")
    if site.output.dtype is not DType.F32:
        problems.add("E110", f"the result is {site.output.dtype.value}, not f32")
    problems.raise_all()
    return (TensorType(site.input().shape, DType.F32),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    quant = quant_of(site.input())
    return (int8.dequantize(x, quant.scale, quant.zero_point),)


def pack(site: Site) -> Params:
    quant = quant_of(site.input())
    return Params(
        "mcuc_dequantize_params",
        "dequantize/dequantize.h",
        {
            "channels": site.output.nhwc[3],
            "scale": np.float32(quant.scale).item(),
            "zero_point": quant.zero_point,
        },
    )


def _from_int8(site: Site, target: Target) -> bool:
    return site.input().dtype is DType.S8


def _from_uint8(site: Site, target: Target) -> bool:
    return site.input().dtype is DType.U8


SPEC = OpSpec(
    name="dequantize",
    doc="int8 or uint8 to float32",
    Attrs=Attrs,
    operands=(OperandSpec("x", (DType.S8, DType.U8)),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(
        Kernel(
            symbol="mcuc_dequantize_s8_f32__c",
            source="dequantize/s8_f32__c.c",
            form=Form.PIXEL,
            when=_from_int8,
            pack=pack,
        ),
        Kernel(
            symbol="mcuc_dequantize_u8_f32__c",
            source="dequantize/u8_f32__c.c",
            form=Form.PIXEL,
            when=_from_uint8,
            pack=pack,
        ),
    ),
)
