"""LOGISTIC (sigmoid) of int8 tensors, as a table.

Source: TFLite `LUTPopulate<int8_t>` over 1 / (1 + exp(-x)) in float32; rule in docs/numerics.md,
"LOGISTIC". Any output scale is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.ir.graph import Array
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8
from mcuc.ops.checks import quant_of
from mcuc.ops.lut import apply_table, lut_kernel, region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs


@dataclass(frozen=True)
class Attrs:
    """No attributes."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", (DType.S8,))
    problems.per_tensor(x, "input")
    problems.result()
    problems.raise_all()
    return (TensorType(site.input().shape, DType.S8, site.output.quant),)


def table(site: Site) -> Array:
    """Results [256] int8 over the inputs -128 .. 127."""
    x, y = quant_of(site.input()), quant_of(site.output)
    return int8.logistic_table(x.scale, x.zero_point, y.scale, y.zero_point)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    return (apply_table(table(site), x),)


SPEC = OpSpec(
    name="logistic",
    doc="Sigmoid, as a table",
    Attrs=Attrs,
    operands=(OperandSpec("x", (DType.S8,)),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(lut_kernel(table),),
)
