"""L2_NORMALIZATION of int8 or float32: every pixel over the root of the sum of its squares.

Sources: TFLite `l2norm.cc`, reference_ops and reference_integer_ops `L2Normalization`. int8 results
have the scale 1/128 and the zero point 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import fixed, float32
from mcuc.numerics.unary import inverse_sqrt_multiplier
from mcuc.ops.arithmetic import is_float, kernel_on
from mcuc.ops.checks import quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, canonical, no_macs

DTYPES = (DType.S8, DType.F32)
SCALE = 1 / 128
MOST = 1 << 15  # squares of a sum of 32 bits
_LEAST = np.float32(1e-6)  # of the root, of float32


@dataclass(frozen=True)
class Attrs:
    """uint8: converted from uint8, whose rule rounds at another place."""

    uint8: bool = False


def _shifts(site: Site) -> tuple[int, int]:
    """To the left, before and behind the product with the root: 128 is the result's 1 / scale."""
    assert isinstance(site.attrs, Attrs)
    return (7, 0) if site.attrs.uint8 else (0, 7)


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    problems.per_tensor(x, "input")
    out = problems.result_like(x)
    if x is not None and not x.shape:
        problems.add("E114", "the input has rank 0; an axis is needed")
    elif x is not None and x.dtype is DType.S8 and x.shape[-1] > MOST:
        problems.add("E117", f"a sum of {x.shape[-1]} squares; at most {MOST}")
    if out is not None and (out.scale != SCALE or out.zero_point != 0):
        problems.add(
            "E205",
            f"a normalization has a result of scale {out.scale:g} and zero point {out.zero_point}",
            why="on int8 it always gives scale 1/128 and zero point 0",
        )
    problems.raise_all()
    return (TensorType(site.input().shape, site.output.dtype, site.output.quant),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if is_float(site):
        value = np.asarray(x, np.float32)
        with np.errstate(all="ignore"):
            total = float32.ordered_sum(np.moveaxis(value * value, -1, 0))
            root = np.sqrt(total)
            root = np.where(root < _LEAST, _LEAST, root)
            return (np.asarray(value / root[..., np.newaxis], np.float32),)
    centered = np.asarray(x, np.int64) - quant_of(site.input()).zero_point
    rows = centered.reshape(-1, x.shape[-1])
    before, behind = _shifts(site)
    result = np.empty(rows.shape, np.int8)
    for row, out in zip(rows, result, strict=True):
        factor = inverse_sqrt_multiplier(int((row * row).sum()))
        shift = factor.shift + behind
        scaled = fixed.multiply_by_quantized_multiplier(row << before, factor.multiplier, shift)
        out[:] = np.clip(scaled, -128, 127)
    return (result.reshape(x.shape),)


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The same pixels with all channels."""
    return (Box(out.y0, out.y1, out.x0, out.x1, 0, canonical(site).inputs[0][2]),)


def pack(site: Site) -> Params:
    zero_point = 0 if is_float(site) else quant_of(site.input()).zero_point
    before, behind = _shifts(site)
    fields = {
        "channels": site.input().nhwc[3],
        "zero_point": zero_point,
        "before": before,
        "behind": behind,
    }
    return Params("mcuc_l2_norm_params", "l2_norm/l2_norm.h", fields)


SPEC = OpSpec(
    name="l2_norm",
    doc="Every pixel over the root of the sum of its squares",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=tuple(
        kernel_on(d, f"l2_norm/{d.value}_{d.value}__c.c", Form.PIXEL, pack, inplace=(0,))
        for d in DTYPES
    ),
)
