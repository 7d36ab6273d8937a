"""TOPK_V2: where the k greatest (or least) elements of the last axis stand, in order.

Source: TFLite `topk_v2.cc`: of equal elements the first comes first. Their values are a GATHER by
the result. NaN has no place in the order.
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

DTYPES = (DType.F32, DType.S8, DType.S16, DType.S32, DType.S64)
RESULTS = (DType.S32, DType.S64)


@dataclass(frozen=True)
class Attrs:
    """k: how many; least: the smallest ones."""

    k: int
    least: bool = False


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    shape: tuple[int, ...] = ()
    if x is not None:
        if x.shape and 1 <= site.attrs.k <= x.shape[-1]:
            shape = (*x.shape[:-1], site.attrs.k)
        else:
            problems.add("E115", f"the first {site.attrs.k} of the last axis of {x.shape}")
        if site.output.dtype not in RESULTS:
            problems.add("E110", f"the result is {site.output.dtype.value}; indices are s32 or s64")
    problems.raise_all()
    return (TensorType(shape, site.output.dtype),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    attrs = site.attrs
    assert isinstance(attrs, Attrs)
    # of integers ~x, which has a value for every x, has the order of -x
    falling = np.negative(x) if x.dtype.kind == "f" else np.invert(x)
    key = x if attrs.least else falling
    order = np.argsort(key, axis=-1, kind="stable")[..., : attrs.k]
    return (order.astype(site.output.dtype.numpy),)


def pack(site: Site) -> Params:
    assert isinstance(site.attrs, Attrs)
    shape = site.input().shape
    return Params(
        "mcuc_top_k_params",
        "top_k/top_k.h",
        {
            "rows": math.prod(shape[:-1]),
            "size": shape[-1],
            "k": site.attrs.k,
            "least": int(site.attrs.least),
            "wide": int(site.output.dtype is DType.S64),
        },
    )


SPEC = OpSpec(
    name="top_k",
    doc="Where the greatest or least elements of the last axis stand, in order",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_whole,
    kernels=tuple(
        kernel_on(dtype, f"top_k/{dtype.value}_s32__c.c", Form.WHOLE, pack) for dtype in DTYPES
    ),
    canonical=canonical_whole,
)
