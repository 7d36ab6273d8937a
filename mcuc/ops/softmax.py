"""SOFTMAX over the last axis of int8, int16 or float32 tensors.

Source: TFLite reference_ops `Softmax` for quantized tensors (gemmlowp fixed point); rule in
docs/numerics.md, "SOFTMAX". exp() of each possible distance to the maximum is a table made on the
host, so the device needs neither float nor the exponential.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params, ParamValue
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import fixed, float32, int8, int16, params
from mcuc.ops.arithmetic import is_float, is_int16, kernel_on
from mcuc.ops.checks import combined, quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs

DTYPES = (DType.S8, DType.S16, DType.F32)
# Scale and zero point of the result, by element type of input and result.
OUTPUTS = {
    (DType.S8, DType.S8): (1.0 / 256, -128),
    (DType.S8, DType.S16): (1.0 / 65536, -32768),
    (DType.S16, DType.S16): (1.0 / 32768, 0),
}
LONGEST = {DType.S8: int8.SOFTMAX_LONGEST_ROW, DType.S16: int16.SOFTMAX_LONGEST_ROW}
SCALE_TOLERANCE = 1e-3  # relative; TFLite's own


@dataclass(frozen=True)
class Attrs:
    """beta: factor of the logits before the exponential."""

    beta: float = 1.0


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    problems.per_tensor(x, "input")
    if x is not None and not x.shape:
        problems.add("E114", "the input has rank 0; softmax needs an axis")
    elif x is not None and x.shape[-1] > LONGEST.get(x.dtype, x.shape[-1]):
        problems.add(
            "E117",
            f"softmax over {x.shape[-1]} classes; the most is {LONGEST[x.dtype]}",
            why="the sum of the exponentials must fit in 32 bits",
        )
    _check_result(problems, x)
    _check_beta(problems)
    problems.raise_all()
    if is_int16(site):
        _factor(site)
    elif not is_float(site):
        _rule(site)
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def _check_result(problems: Problems, x: TensorType | None) -> None:
    given = problems.site.output
    wide = x is not None and (x.dtype, given.dtype) == (DType.S8, DType.S16)
    out = given.quant if wide and given.quant is not None else problems.result_like(x)
    if out is None or x is None:
        return
    scale, zero_point = OUTPUTS[x.dtype, given.dtype]
    close = math.isclose(out.scale, scale, rel_tol=SCALE_TOLERANCE)
    if not close or out.zero_point != zero_point:
        problems.add(
            "E205",
            f"softmax has a result of scale {out.scale:g} and zero point {out.zero_point}",
            why=f"softmax of this type always gives scale {scale:g} and zero point {zero_point}",
            help="convert the model again with TFLite, which writes these values",
        )


def _beta(site: Site) -> float:
    assert isinstance(site.attrs, Attrs)
    return site.attrs.beta


def _check_beta(problems: Problems) -> None:
    beta = _beta(problems.site)
    if not (math.isfinite(beta) and beta > 0):
        problems.add("E115", f"softmax has beta {beta:g}; it must be positive")


def _rule(site: Site) -> params.SoftmaxParams:
    scale = quant_of(site.input()).scale
    return combined(site, params.preprocess_softmax_scaling, _beta(site), scale)


def _factor(site: Site) -> params.Multiplier:
    scale = quant_of(site.input()).scale
    return combined(site, int16.softmax_multiplier, _beta(site), scale)


def exp_table(rule: params.SoftmaxParams) -> Array:
    """exp(-scale * d) in Q0.31 for the distances d = 0 .. 255 to the maximum; [256] int32.

    0 where the distance is too large to count; the rule gives such elements the result 0 as well.
    """
    distance = np.arange(256)
    counts = -distance >= rule.diff_min
    scaled = fixed.multiply_by_quantized_multiplier(
        np.where(counts, -distance, 0), rule.multiplier, rule.left_shift
    )
    return np.where(counts, fixed.exp_on_negative_values(scaled), 0).astype(np.int32)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (float32.softmax(x, _beta(site)),)
    if is_int16(site):
        return (int16.softmax(x, _factor(site)),)
    return (int8.softmax(x, _rule(site), site.output.dtype.numpy.itemsize * 8),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    """All channels of the same pixels."""
    return (Box(out.y0, out.y1, out.x0, out.x1, 0, site.input().nhwc[3]),)


def pack(site: Site) -> Params:
    return Params(
        "mcuc_softmax_params",
        "softmax/softmax.h",
        {"channels": site.output.nhwc[3], "exp": exp_table(_rule(site))},
    )


def pack_int16(site: Site) -> Params:
    factor = _factor(site)
    fields: dict[str, ParamValue] = {
        "channels": site.output.nhwc[3],
        "multiplier": factor.multiplier,
        "shift": factor.shift,
        "exp": int16.exp_table(),
        "reciprocal": int16.reciprocal_table(),
    }
    return Params("mcuc_softmax_s16_params", "softmax/softmax.h", fields)


def pack_float(site: Site) -> Params:
    fields = {"channels": site.output.nhwc[3], "beta": _beta(site)}
    return Params("mcuc_softmax_f32_params", "softmax/softmax.h", fields)


def _narrow(site: Site, target: Target) -> bool:
    return site.output.dtype is DType.S8


def _wide(site: Site, target: Target) -> bool:
    return site.output.dtype is DType.S16


SPEC = OpSpec(
    name="softmax",
    doc="Softmax over the last axis",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        kernel_on(DType.S8, "softmax/s8_s8__c.c", Form.PIXEL, pack, when=_narrow, inplace=(0,)),
        kernel_on(DType.S8, "softmax/s8_s16__c.c", Form.PIXEL, pack, when=_wide),
        kernel_on(DType.S16, "softmax/s16_s16__c.c", Form.PIXEL, pack_int16, inplace=(0,)),
        kernel_on(DType.F32, "softmax/f32_f32__c.c", Form.PIXEL, pack_float, inplace=(0,)),
    ),
)
