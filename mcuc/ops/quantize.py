"""QUANTIZE: float32 to int8, uint8 or int16, and between integer types.

Source: TFLite reference_ops `AffineQuantize` and `Requantize`; rules in docs/numerics.md,
"QUANTIZE". What lies outside of int32 is undefined in TFLite: here it saturates, and NaN
becomes the least value (as the interpreter gives on x86).
"""

from __future__ import annotations

from collections.abc import Callable
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
DTYPES = (DType.F32, DType.S8, DType.U8, DType.S16)
# Element types of the result by the input's.
_RESULTS = {
    DType.F32: (*_BYTES, DType.S16),
    DType.S8: (*_BYTES, DType.S16),
    DType.U8: _BYTES,
    DType.S16: (DType.S16, DType.S8, DType.S32),
}


@dataclass(frozen=True)
class Attrs:
    """No attributes: the types say everything."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    if x is not None and not (x.dtype is DType.S16 and _has_zero_point(x)):
        problems.per_tensor(x, "input")
    known = _BYTES if x is None else _RESULTS[x.dtype]
    dtype = site.output.dtype if site.output.dtype in known else DType.S8
    out = problems.result(dtype)
    if dtype is DType.S32 and out is not None and out.zero_point:
        problems.add("E203", f"the result of 32 bits has the zero point {out.zero_point}")
    problems.raise_all()
    if site.input().dtype is not DType.F32:
        _factor(site)
    return (TensorType(site.input().shape, dtype, site.output.quant),)


def _has_zero_point(x: TensorType) -> bool:
    """Whether an int16 tensor has a zero point, as SOFTMAX of int8 gives one."""
    return x.quant is not None and len(x.quant.scales) == 1 and x.quant.zero_point == -32768


def _factor(site: Site) -> params.Multiplier:
    scales = quant_of(site.input()).scale, quant_of(site.output).scale
    return combined(site, params.requantize_multiplier, *scales)


def table(site: Site) -> Array:
    """Integer input: results [256] over the input dtype's values in ascending order."""
    low, high = integer_range(site.input().dtype)
    return _requantized(site, np.arange(low, high + 1))


def _requantized(site: Site, x: Array) -> Array:
    zero_points = quant_of(site.input()).zero_point, quant_of(site.output).zero_point
    limits = integer_range(site.output.dtype)
    result = int8.requantize(x, *zero_points, _factor(site), limits)
    return result.astype(site.output.dtype.numpy)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if site.input().dtype in _BYTES:
        return (apply_table(table(site), x),)
    if site.input().dtype is DType.S16:
        return (_requantized(site, x),)
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
    return site.input().dtype in _BYTES and site.output.dtype in _BYTES


def rescale_params(site: Site, factor: params.Multiplier, limits: tuple[int, int]) -> Params:
    """The record of the kernels from or to int16."""
    fields = {
        "channels": site.output.nhwc[3],
        "in_zero": quant_of(site.input()).zero_point,
        "multiplier": factor.multiplier,
        "shift": factor.shift,
        "zero_point": quant_of(site.output).zero_point,
        "low": limits[0],
        "high": limits[1],
    }
    return Params("mcuc_quantize_s16_params", "quantize/quantize.h", fields)


def pack_int16(site: Site) -> Params:
    return rescale_params(site, _factor(site), integer_range(site.output.dtype))


def _kernel(source: DType, result: DType, pack: Callable[[Site], Params]) -> Kernel:
    """The kernel from one element type to another."""

    def when(site: Site, target: Target) -> bool:
        return site.input().dtype is source and site.output.dtype is result

    kind = f"{source.value}_{result.value}__c"
    return Kernel(
        symbol=f"mcuc_quantize_{kind}",
        source=f"quantize/{kind}.c",
        form=Form.PIXEL,
        when=when,
        pack=pack,
        inplace=(0,) if source is result else (),
    )


SPEC = OpSpec(
    name="quantize",
    doc="float32 to int8, uint8 or int16, and between integer types of any scale",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_same,
    kernels=(
        lut_kernel(table, _between_bytes),
        *(_kernel(DType.F32, result, pack) for result in _RESULTS[DType.F32]),
        _kernel(DType.S8, DType.S16, pack_int16),
        *(_kernel(DType.S16, result, pack_int16) for result in _RESULTS[DType.S16]),
    ),
)
