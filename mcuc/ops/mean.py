"""MEAN over any axes of tensors of int8, int16, float32, and of int32 and int64 as numbers.

Source: TFLite reference_ops `QuantizedMeanOrSum`; rule in docs/numerics.md, "MEAN": the division by
the number of elements is folded into the multiplier. Of int32 and int64 the sum of 64 bits is
divided, and the rest cut off. Means over all rows and columns of a map fold
row by row; any other axes are computed from the whole tensor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Params, ParamValue
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32, int8, int16, params
from mcuc.ops import axes
from mcuc.ops.arithmetic import is_float
from mcuc.ops.checks import combined, integer_range, quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs

_WHOLE = (DType.S32, DType.S64)
_FOLDING = (DType.S8, DType.S16, DType.F32)
DTYPES = (*_FOLDING, *_WHOLE)


@dataclass(frozen=True)
class Attrs(axes.AxesAttrs):
    """Axes, and whether they stay."""


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    if x is not None and x.dtype in _WHOLE:
        if site.output.dtype is not x.dtype:
            problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
    else:
        problems.per_tensor(x, "input")
        problems.result_like(x)
    if x is not None:
        axes.check_axes(problems, x)
        count = 0 if problems.found else axes.reduced_count(site)
        if x.dtype is DType.S16 and count > int16.MEAN_LARGEST_COUNT:
            problems.add("E117", f"{count} elements; the most is {int16.MEAN_LARGEST_COUNT}")
    problems.raise_all()
    if not _divides(site):
        _factor(site)
    return (TensorType(axes.result_shape(site), site.output.dtype, site.output.quant),)


def _divides(site: Site) -> bool:
    """Whether sums are divided: of all but quantized tensors."""
    return is_float(site) or site.input().dtype in _WHOLE


def _factor(site: Site) -> params.Multiplier:
    """The multiplier from a sum to the mean in the output's scale."""
    count = axes.reduced_count(site)

    def factor(input_scale: float, output_scale: float) -> params.Multiplier:
        return params.mean_multiplier(input_scale, output_scale, count)

    return combined(site, factor, quant_of(site.input()).scale, quant_of(site.output).scale)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (_mean_float(site, x),)
    total = x.astype(np.int64).sum(axis=tuple(sorted(axes.reduced_axes(site))))
    if site.input().dtype in _WHOLE:
        quotient = np.abs(total) // axes.reduced_count(site)
        return ((np.sign(total) * quotient).reshape(site.output.shape).astype(x.dtype),)
    zero_points = quant_of(site.input()).zero_point, quant_of(site.output).zero_point
    limits = integer_range(site.output.dtype)
    result = int8.mean(total, axes.reduced_count(site), *zero_points, _factor(site), limits)
    return (result.reshape(site.output.shape).astype(x.dtype),)


def _mean_float(site: Site, x: Array) -> Array:
    """Sums in the order of the elements in memory, over their number."""
    gone = sorted(axes.reduced_axes(site))
    first = np.moveaxis(x, gone, range(len(gone)))
    total = float32.ordered_sum(first.reshape(-1, *first.shape[len(gone) :]))
    return (total / np.float32(axes.reduced_count(site))).reshape(site.output.shape)


def _rule_params(site: Site) -> dict[str, int]:
    if _divides(site):
        return {"count": axes.reduced_count(site)}
    factor = _factor(site)
    return {
        # The sum of the raw bytes starts here, so that it ends as the sum without zero points.
        "start": -quant_of(site.input()).zero_point * axes.reduced_count(site),
        "out_offset": quant_of(site.output).zero_point,
        "multiplier": factor.multiplier,
        "shift": factor.shift,
    }


def pack_fold(site: Site) -> Params:
    channels = {"channels": site.input().nhwc[3]}
    return _params(site, "", {**channels, **_rule_params(site)})


def _params(site: Site, kind: str, fields: Mapping[str, ParamValue]) -> Params:
    """The record of the kernels of a kind ("" or "nd_") on the site's element type."""
    element = "f32_" if is_float(site) else "whole_" if _divides(site) else ""
    header = "mean/mean_whole.h" if element == "whole_" else "mean/mean.h"
    return Params(f"mcuc_mean_{kind}{element}params", header, fields)


def pack_whole(site: Site) -> Params:
    kept, reduced = axes.loops(site)
    return _params(site, "nd_", {"kept": kept, "reduced": reduced, **_rule_params(site)})


SPEC = OpSpec(
    name="mean",
    doc="Mean over any axes",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=axes.region_reduced,
    kernels=(
        *(
            kernel
            for dtype in _FOLDING
            for kernel in axes.reduction_kernels("mean", dtype, pack_fold, pack_whole)
        ),
        *(axes.whole_kernel("mean", dtype, pack_whole) for dtype in _WHOLE),
    ),
    canonical=axes.canonical_reduced,
)
