"""LOG_SOFTMAX of float32 over the last axis.

Source: TFLite reference_ops `LogSoftmax`. The form on int8 is not supported: its rule rests on
gemmlowp's logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float_functions
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, canonical, no_macs


@dataclass(frozen=True)
class Attrs:
    """No attributes."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", (DType.F32,))
    if x is not None and site.output.dtype is not DType.F32:
        problems.add("E110", f"the result is {site.output.dtype.value}, not f32")
    problems.raise_all()
    return (TensorType(site.input().shape, DType.F32),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    with np.errstate(all="ignore"):
        return (float_functions.log_softmax(x).reshape(site.output.shape),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The same pixels with all channels."""
    return (Box(out.y0, out.y1, out.x0, out.x1, 0, canonical(site).inputs[0][2]),)


def pack(site: Site) -> Params:
    fields = {"channels": site.input().nhwc[3]}
    return Params("mcuc_log_softmax_params", "log_softmax/log_softmax.h", fields)


SPEC = OpSpec(
    name="log_softmax",
    doc="Logarithm of the softmax over the last axis",
    Attrs=Attrs,
    operands=(OperandSpec("x", (DType.F32,)),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_log_softmax_f32_f32__c",
            source="log_softmax/f32_f32__c.c",
            form=Form.PIXEL,
            when=always,
            pack=pack,
            inplace=(0,),
        ),
    ),
)
