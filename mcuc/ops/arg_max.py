"""ARG_MAX and ARG_MIN along one axis of int8, int32, float32 or bool: where the extreme stands
first.

Source: TFLite reference_ops `ArgMinMax`, which compares the stored integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.arithmetic import kernel_on
from mcuc.ops.problems import Problems
from mcuc.ops.spec import OperandSpec, OpSpec, Site, no_macs
from mcuc.ops.whole import canonical_whole, region_whole

# bool: as int8, which keeps the order of 0 and 1
_KERNELS = {DType.S8: "s8", DType.F32: "f32", DType.S32: "s32", DType.BOOL: "s8"}
DTYPES = tuple(_KERNELS)
RESULTS = (DType.S32, DType.S64)


@dataclass(frozen=True)
class Attrs:
    """axis: negative counts from the end; least: ARG_MIN."""

    axis: int
    least: bool = False


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    shape: tuple[int, ...] = ()
    if x is not None:
        rank = len(x.shape)
        if -rank <= site.attrs.axis < rank:
            axis = site.attrs.axis % rank
            shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        else:
            problems.add("E115", f"axis {site.attrs.axis} does not exist in rank {rank}")
        if site.output.dtype not in RESULTS:
            problems.add("E110", f"the result is {site.output.dtype.value}; indices are s32 or s64")
    problems.raise_all()
    return (TensorType(shape, site.output.dtype),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    assert isinstance(site.attrs, Attrs)
    find = np.argmin if site.attrs.least else np.argmax
    return (np.asarray(find(x, axis=site.attrs.axis)).astype(site.output.dtype.numpy),)


def pack(site: Site) -> Params:
    assert isinstance(site.attrs, Attrs)
    shape = site.input().shape
    axis = site.attrs.axis % len(shape)
    return Params(
        "mcuc_arg_max_params",
        "arg_max/arg_max.h",
        {
            "outer": math.prod(shape[:axis]),
            "size": shape[axis],
            "inner": math.prod(shape[axis + 1 :]),
            "least": int(site.attrs.least),
            "wide": int(site.output.dtype is DType.S64),
        },
    )


SPEC = OpSpec(
    name="arg_max",
    doc="ARG_MAX and ARG_MIN: where along an axis the extreme stands first",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_whole,
    kernels=tuple(
        kernel_on(dtype, f"arg_max/{name}_s32__c.c", Form.WHOLE, pack)
        for dtype, name in _KERNELS.items()
    ),
    canonical=canonical_whole,
)
