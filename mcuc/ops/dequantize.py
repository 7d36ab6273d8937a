"""DEQUANTIZE: int8, uint8, int16 or float16 to float32.

Source: TFLite reference_ops `Dequantize`; rule in docs/numerics.md, "DEQUANTIZE": the difference
to the zero point times the scale, one rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8
from mcuc.ops.arithmetic import kernel_on
from mcuc.ops.checks import quant_of
from mcuc.ops.lut import region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs

DTYPES = (DType.S8, DType.U8, DType.S16, DType.F16)


@dataclass(frozen=True)
class Attrs:
    """No attributes: the types say everything."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    if x is not None and x.dtype is not DType.F16:
        problems.per_tensor(x, "input")
    if site.output.dtype is not DType.F32:
        problems.add("E110", f"the result is {site.output.dtype.value}, not f32")
    problems.raise_all()
    return (TensorType(site.input().shape, DType.F32),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if site.input().dtype is DType.F16:
        return (x.astype(np.float32),)
    quant = quant_of(site.input())
    return (int8.dequantize(x, quant.scale, quant.zero_point),)


def pack(site: Site) -> Params:
    fields: dict[str, ParamValue] = {"channels": site.output.nhwc[3]}
    quant = site.input().quant
    if quant is not None:
        fields["scale"], fields["zero_point"] = np.float32(quant.scale).item(), quant.zero_point
    kind = "" if quant is not None else "f16_"
    return Params(f"mcuc_dequantize_{kind}params", "dequantize/dequantize.h", fields)


SPEC = OpSpec(
    name="dequantize",
    doc="int8, uint8, int16 or float16 to float32",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=tuple(
        kernel_on(dtype, f"dequantize/{dtype.value}_f32__c.c", Form.PIXEL, pack) for dtype in DTYPES
    ),
)
