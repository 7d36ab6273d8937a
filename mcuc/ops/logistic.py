"""LOGISTIC (sigmoid) of int16 and float32 tensors, and of int8 tensors as a table.

Source: TFLite `LUTPopulate<int8_t>` over 1 / (1 + exp(-x)) in float32; rule in docs/numerics.md,
"LOGISTIC". Any output scale of int8 is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32, int8, sigmoid
from mcuc.ops.arithmetic import is_float, is_int16, kernel_on, kernels_on
from mcuc.ops.checks import combined, quant_of
from mcuc.ops.lut import apply_table, lut_kernel, region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs

DTYPES = (DType.S8, DType.S16, DType.F32)
INT16_SCALE = 1.0 / 32768


@dataclass(frozen=True)
class Attrs:
    """No attributes."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    problems.per_tensor(x, "input")
    out = problems.result_like(x)
    if out is not None and site.output.dtype is DType.S16 and out.scale != INT16_SCALE:
        problems.add("E205", f"the int16 result has the scale {out.scale:g}, not 1/32768")
    problems.raise_all()
    if is_int16(site):
        _factor(site)
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def table(site: Site) -> Array:
    """Results [256] int8 over the inputs -128 .. 127."""
    x, y = quant_of(site.input()), quant_of(site.output)
    return int8.logistic_table(x.scale, x.zero_point, y.scale, y.zero_point)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (float32.logistic(x),)
    if is_int16(site):
        return (sigmoid.logistic(x, *_factor(site)),)
    return (apply_table(table(site), x),)


def _factor(site: Site) -> tuple[int, int]:
    return combined(site, sigmoid.factor, quant_of(site.input()).scale)


def pack_int16(site: Site) -> Params:
    multiplier, right = _factor(site)
    fields: dict[str, ParamValue] = {
        "channels": site.output.nhwc[3],
        "multiplier": multiplier,
        "right": right,
        "samples": np.asarray(sigmoid.TABLE, np.uint16),
    }
    return Params("mcuc_logistic_s16_params", "logistic/logistic.h", fields)


def pack_float(site: Site) -> Params:
    fields = {"channels": site.output.nhwc[3]}
    return Params("mcuc_logistic_f32_params", "logistic/logistic.h", fields)


SPEC = OpSpec(
    name="logistic",
    doc="Sigmoid; int8 as a table",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(
        *kernels_on(DType.S8, lut_kernel(table)),
        kernel_on(DType.S16, "logistic/s16_s16__c.c", Form.PIXEL, pack_int16, inplace=(0,)),
        kernel_on(DType.F32, "logistic/f32_f32__c.c", Form.PIXEL, pack_float, inplace=(0,)),
    ),
)
