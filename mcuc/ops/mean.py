"""MEAN of int8, int16 or float32 tensors over any axes.

Source: TFLite reference_ops `QuantizedMeanOrSum`; rule in docs/numerics.md, "MEAN": the division by
the number of elements is folded into the multiplier. Means over all rows and columns of a map fold
row by row; any other axes are computed from the whole tensor.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params, ParamValue, Window
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import float32, int8, int16, params
from mcuc.ops.arithmetic import is_float, kernels_on
from mcuc.ops.checks import combined, integer_range, quant_of
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Kernel, OperandSpec, OpSpec, Site, no_macs

MAX_RANK = 5
DTYPES = (DType.S8, DType.S16, DType.F32)
MAX_COUNT = 1 << 23  # a sum of so many bytes, and of their zero points, fits in int32
LOOPS = 3  # kept or reduced groups of axes in a tensor of MAX_RANK

# Position in [N, H, W, C] of each axis, by rank (TensorType.nhwc).
_NHWC_AXES = {0: (), 1: (3,), 2: (2, 3), 3: (0, 2, 3), 4: (0, 1, 2, 3)}


@dataclass(frozen=True)
class Attrs:
    """axes: reduced axes, negative ones count from the end; keep_dims: they stay with size 1."""

    axes: tuple[int, ...]
    keep_dims: bool = False


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    problems.per_tensor(x, "input")
    problems.result_like(x)
    if x is not None:
        _check_axes(problems, x, site.attrs)
    problems.raise_all()
    if not is_float(site):
        _factor(site)
    axes = reduced_axes(site)
    shape = tuple(
        1 if i in axes else size
        for i, size in enumerate(site.input().shape)
        if site.attrs.keep_dims or i not in axes
    )
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _check_axes(problems: Problems, x: TensorType, attrs: Attrs) -> None:
    rank = len(x.shape)
    wrong = [axis for axis in attrs.axes if not -rank <= axis < rank]
    if wrong:
        problems.add("E115", f"axis {wrong[0]} does not exist in the input of rank {rank}")
        return
    if not attrs.axes:
        problems.add("E115", "there is no axis to take the mean over")
    if rank > MAX_RANK:
        problems.add("E114", f"the input has rank {rank}; the most is {MAX_RANK}")
    count = math.prod(x.shape[a] for a in {axis % rank for axis in attrs.axes})
    most = int16.MEAN_LARGEST_COUNT if x.dtype is DType.S16 else MAX_COUNT
    if count > most:
        problems.add("E117", f"a mean of {count} elements; the most is {most}")


def reduced_axes(site: Site) -> frozenset[int]:
    """The reduced axes, counted from the front."""
    assert isinstance(site.attrs, Attrs)
    rank = len(site.input().shape)
    return frozenset(axis % rank for axis in site.attrs.axes)


def _count(site: Site) -> int:
    return math.prod(site.input().shape[axis] for axis in reduced_axes(site))


def _factor(site: Site) -> params.Multiplier:
    """The multiplier from a sum to the mean in the output's scale."""
    count = _count(site)

    def factor(input_scale: float, output_scale: float) -> params.Multiplier:
        return params.mean_multiplier(input_scale, output_scale, count)

    return combined(site, factor, quant_of(site.input()).scale, quant_of(site.output).scale)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    if is_float(site):
        return (_mean_float(site, x),)
    total = x.astype(np.int64).sum(axis=tuple(sorted(reduced_axes(site))))
    zero_points = quant_of(site.input()).zero_point, quant_of(site.output).zero_point
    limits = integer_range(site.output.dtype)
    result = int8.mean(total, _count(site), *zero_points, _factor(site), limits)
    return (result.reshape(site.output.shape).astype(x.dtype),)


def _mean_float(site: Site, x: Array) -> Array:
    """Sums in the order of the elements in memory, over their number."""
    axes = sorted(reduced_axes(site))
    first = np.moveaxis(x, axes, range(len(axes)))
    total = float32.ordered_sum(first.reshape(-1, *first.shape[len(axes) :]))
    return (total / np.float32(_count(site))).reshape(site.output.shape)


def folds(site: Site) -> bool:
    """Whether exactly the rows and columns of the canonical map are reduced."""
    shape = site.input().shape
    if len(shape) not in _NHWC_AXES:
        return False
    axes = reduced_axes(site)
    for axis, place in enumerate(_NHWC_AXES[len(shape)]):
        if shape[axis] > 1 and (axis in axes) != (place in (1, 2)):
            return False
    return True


def canonical_mean(site: Site) -> Canonical:
    """[H, W, C] -> [1, 1, C] for each batch element where the mean folds; else all as one map."""
    n, h, w, c = site.input().nhwc
    if folds(site):
        return Canonical(batch=n, inputs=((h, w, c),), output=(1, 1, c), batched=(True,))
    out = site.output.nhwc
    return Canonical(
        batch=1,
        inputs=((n * h, w, c),),
        output=(out[0] * out[1], out[2], out[3]),
        batched=(False,),
    )


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The whole map; of a folded one only the channels wanted."""
    whole = Box.of(canonical_mean(site).inputs[0])
    if not folds(site):
        return (whole,)
    return (Box(whole.y0, whole.y1, whole.x0, whole.x1, out.c0, out.c1),)


def _rule_params(site: Site) -> dict[str, int]:
    if is_float(site):
        return {"count": _count(site)}
    factor = _factor(site)
    return {
        # The sum of the raw bytes starts here, so that it ends as the sum without zero points.
        "start": -quant_of(site.input()).zero_point * _count(site),
        "out_offset": quant_of(site.output).zero_point,
        "multiplier": factor.multiplier,
        "shift": factor.shift,
    }


def pack_fold(site: Site) -> Params:
    channels = {"channels": site.input().nhwc[3]}
    return _params(site, "", {**channels, **_rule_params(site)})


def _params(site: Site, kind: str, fields: Mapping[str, ParamValue]) -> Params:
    """The record of the kernels of a kind ("" or "nd_") on the site's element type."""
    element = "f32_" if is_float(site) else ""
    return Params(f"mcuc_mean_{kind}{element}params", "mean/mean.h", fields)


def window(site: Site) -> Window:
    height, width, _ = canonical_mean(site).inputs[0]
    return Window(kernel=(height, width))


def acc_bytes(site: Site) -> int:
    return 4 * site.input().nhwc[3]


def pack_whole(site: Site) -> Params:
    """Loops of (size, stride in elements) over kept and over reduced axes, outermost first."""
    loops: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    axes = reduced_axes(site)
    stride = 1
    last: int | None = None
    for axis, size in reversed(list(enumerate(site.input().shape))):
        kind = int(axis in axes)
        if size > 1:
            if kind == last:  # together with the axis behind it one longer loop
                inner = loops[kind].pop(0)
                loops[kind].insert(0, (size * inner[0], inner[1]))
            else:
                loops[kind].insert(0, (size, stride))
            last = kind
        stride *= size
    tables = [
        np.asarray([(1, 0)] * (LOOPS - len(loop)) + loop, dtype=np.int32).ravel() for loop in loops
    ]
    fields = {"kept": tables[0], "reduced": tables[1]}
    return _params(site, "nd_", {**fields, **_rule_params(site)})


def _can_fold(site: Site, target: Target) -> bool:
    return folds(site)


def _is_whole(site: Site, target: Target) -> bool:
    # A fold of a batch is executed slice by slice, which the tables of the whole form are not for.
    return not folds(site) or site.input().nhwc[0] == 1


_INT16 = kernels_on(
    DType.S16,
    Kernel(
        symbol="mcuc_mean_s16_s16__c",
        source="mean/s16_s16__c.c",
        form=Form.FOLD,
        when=_can_fold,
        pack=pack_fold,
        window=window,
        acc_bytes=acc_bytes,
    ),
    Kernel(
        symbol="mcuc_mean_s16_s16_nd__c",
        source="mean/s16_s16_nd__c.c",
        form=Form.WHOLE,
        when=_is_whole,
        pack=pack_whole,
    ),
)
_FLOAT = kernels_on(
    DType.F32,
    Kernel(
        symbol="mcuc_mean_f32_f32__c",
        source="mean/f32_f32__c.c",
        form=Form.FOLD,
        when=_can_fold,
        pack=pack_fold,
        window=window,
        acc_bytes=acc_bytes,
    ),
    Kernel(
        symbol="mcuc_mean_f32_f32_nd__c",
        source="mean/f32_f32_nd__c.c",
        form=Form.WHOLE,
        when=_is_whole,
        pack=pack_whole,
    ),
)
SPEC = OpSpec(
    name="mean",
    doc="Mean over any axes",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=kernels_on(
        DType.S8,
        Kernel(
            symbol="mcuc_mean_s8_s8__c",
            source="mean/s8_s8__c.c",
            form=Form.FOLD,
            when=_can_fold,
            pack=pack_fold,
            window=window,
            acc_bytes=acc_bytes,
        ),
        Kernel(
            symbol="mcuc_mean_s8_s8_nd__c",
            source="mean/s8_s8_nd__c.c",
            form=Form.WHOLE,
            when=_is_whole,
            pack=pack_whole,
        ),
        others=(*_INT16, *_FLOAT),
    ),
    canonical=canonical_mean,
)
