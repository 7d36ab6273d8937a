"""LOGISTIC (sigmoid) of float32 tensors, and of int8 tensors as a table.

Source: TFLite `LUTPopulate<int8_t>` over 1 / (1 + exp(-x)) in float32; rule in docs/numerics.md,
"LOGISTIC". Any output scale is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32, int8
from mcuc.ops.arithmetic import is_float, kernels_on
from mcuc.ops.checks import quant_of
from mcuc.ops.lut import apply_table, lut_kernel, region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs

DTYPES = (DType.S8, DType.F32)


@dataclass(frozen=True)
class Attrs:
    """No attributes."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    problems.per_tensor(x, "input")
    problems.result_like(x)
    problems.raise_all()
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def table(site: Site) -> Array:
    """Results [256] int8 over the inputs -128 .. 127."""
    x, y = quant_of(site.input()), quant_of(site.output)
    return int8.logistic_table(x.scale, x.zero_point, y.scale, y.zero_point)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (float32.logistic(x),)
    return (apply_table(table(site), x),)


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
    kernels=kernels_on(
        DType.S8,
        lut_kernel(table),
        others=kernels_on(
            DType.F32,
            Kernel(
                symbol="mcuc_logistic_f32_f32__c",
                source="logistic/f32_f32__c.c",
                form=Form.PIXEL,
                when=always,
                pack=pack_float,
                inplace=(0,),
            ),
        ),
    ),
)
