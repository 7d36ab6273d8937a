"""RELU, RELU6 and RELU_N1_TO_1 of int16 and float32 tensors, and of int8 tensors as a table.

Source: TFLite `activations.cc`, `QuantizedReluX`; rule in docs/numerics.md, "RELU". The input is
requantized to the output's scale and clamped.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32, int8, int16, params
from mcuc.ops.arithmetic import is_float, is_int16, kernel_on, kernels_on
from mcuc.ops.checks import activation_range, combined, quant_of
from mcuc.ops.lut import apply_table, lut_kernel, region_same
from mcuc.ops.problems import Problems
from mcuc.ops.quantize import rescale_params
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs

DTYPES = (DType.S8, DType.S16, DType.F32)
ACTIVATIONS = ("relu", "relu6", "relu_n1_to_1")


@dataclass(frozen=True)
class Attrs:
    """activation: "relu", "relu6" or "relu_n1_to_1"."""

    activation: str = "relu"


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    problems.per_tensor(x, "input")
    problems.result_like(x)
    if site.attrs.activation not in ACTIVATIONS:
        problems.add("E115", f"{site.attrs.activation!r} is none of {', '.join(ACTIVATIONS)}")
    if x is not None and x.dtype is DType.S16 and site.attrs.activation == "relu_n1_to_1":
        problems.add("E110", "RELU_N1_TO_1 of int16 has no rule in TFLite")
    problems.raise_all()
    if not is_float(site):
        _range(site)
        _factor(site)
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def table(site: Site) -> Array:
    """Results [256] int8 over the inputs -128 .. 127."""
    assert isinstance(site.attrs, Attrs)
    x, y = quant_of(site.input()), quant_of(site.output)
    return int8.relu_table(
        site.attrs.activation.upper(), x.scale, x.zero_point, y.scale, y.zero_point
    )


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (float32.clamp(x, _bounds(site)),)
    if is_int16(site):
        return (int16.clamped(int16.rescale(x, _factor(site)), _range(site)),)
    return (apply_table(table(site), x),)


def _range(site: Site) -> tuple[int, int]:
    assert isinstance(site.attrs, Attrs)
    return activation_range(site, site.attrs.activation)


def _factor(site: Site) -> params.Multiplier:
    scales = quant_of(site.input()).scale, quant_of(site.output).scale
    return combined(site, params.relu_multiplier, *scales)


def pack_int16(site: Site) -> Params:
    return rescale_params(site, _factor(site), _range(site))


def _bounds(site: Site) -> tuple[float, float]:
    assert isinstance(site.attrs, Attrs)
    return float32.bounds(site.attrs.activation)


def pack_float(site: Site) -> Params:
    low, high = _bounds(site)
    fields = {"channels": site.output.nhwc[3], "low": low, "high": high}
    return Params("mcuc_relu_f32_params", "relu/relu.h", fields)


SPEC = OpSpec(
    name="relu",
    doc="RELU, RELU6 and RELU_N1_TO_1; int8 as a table",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(
        *kernels_on(DType.S8, lut_kernel(table)),
        kernel_on(DType.S16, "quantize/s16_s16__c.c", Form.PIXEL, pack_int16, inplace=(0,)),
        kernel_on(DType.F32, "relu/f32_f32__c.c", Form.PIXEL, pack_float, inplace=(0,)),
    ),
)
