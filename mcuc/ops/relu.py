"""RELU, RELU6 and RELU_N1_TO_1 of int8 tensors, as a table.

Source: TFLite `activations.cc`, `QuantizedReluX`; rule in docs/numerics.md, "RELU". The input is
requantized to the output's scale and clamped.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.ir.graph import Array
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8, params
from mcuc.ops.checks import activation_range, combined, quant_of
from mcuc.ops.lut import apply_table, lut_kernel, region_same
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs

ACTIVATIONS = ("relu", "relu6", "relu_n1_to_1")


@dataclass(frozen=True)
class Attrs:
    """activation: "relu", "relu6" or "relu_n1_to_1"."""

    activation: str = "relu"


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", (DType.S8,))
    problems.per_tensor(x, "input")
    problems.result()
    if site.attrs.activation not in ACTIVATIONS:
        problems.add("E115", f"{site.attrs.activation!r} is none of {', '.join(ACTIVATIONS)}")
    problems.raise_all()
    activation_range(site, site.attrs.activation)
    combined(
        site, params.relu_multiplier, quant_of(site.input()).scale, quant_of(site.output).scale
    )
    return (TensorType(site.input().shape, DType.S8, site.output.quant),)


def table(site: Site) -> Array:
    """Results [256] int8 over the inputs -128 .. 127."""
    assert isinstance(site.attrs, Attrs)
    x, y = quant_of(site.input()), quant_of(site.output)
    return int8.relu_table(
        site.attrs.activation.upper(), x.scale, x.zero_point, y.scale, y.zero_point
    )


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    return (apply_table(table(site), x),)


SPEC = OpSpec(
    name="relu",
    doc="RELU, RELU6 and RELU_N1_TO_1, as a table",
    Attrs=Attrs,
    operands=(OperandSpec("x", (DType.S8,)),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(lut_kernel(table),),
)
