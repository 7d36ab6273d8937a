"""CUMSUM: running sums along an axis of float32, int32 or int64.

Source: TFLite reference_ops `CumSum`. Integers wrap around.
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

DTYPES = (DType.F32, DType.S32, DType.S64)


@dataclass(frozen=True)
class Attrs:
    """axis: negative counts from the end; exclusive: without the element itself; reverse: from the
    end.
    """

    axis: int
    exclusive: bool = False
    reverse: bool = False


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    if x is not None:
        rank = len(x.shape)
        if not -rank <= site.attrs.axis < rank:
            problems.add("E115", f"axis {site.attrs.axis} does not exist in rank {rank}")
        if site.output.dtype is not x.dtype:
            problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
    problems.raise_all()
    return (TensorType(site.input().shape, site.output.dtype),)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    attrs = site.attrs
    assert isinstance(attrs, Attrs)
    terms = np.moveaxis(x, attrs.axis, 0)
    order = range(len(terms) - 1, -1, -1) if attrs.reverse else range(len(terms))
    result = np.empty_like(terms)
    total = np.zeros(terms.shape[1:], terms.dtype)
    with np.errstate(all="ignore"):
        for k in order:
            before = total
            total = total + terms[k]
            result[k] = before if attrs.exclusive else total
    return (np.ascontiguousarray(np.moveaxis(result, 0, attrs.axis)),)


def pack(site: Site) -> Params:
    attrs = site.attrs
    assert isinstance(attrs, Attrs)
    shape = site.input().shape
    axis = attrs.axis % len(shape)
    return Params(
        "mcuc_cumsum_params",
        "cumsum/cumsum.h",
        {
            "outer": math.prod(shape[:axis]),
            "size": shape[axis],
            "inner": math.prod(shape[axis + 1 :]),
            "exclusive": int(attrs.exclusive),
            "reverse": int(attrs.reverse),
        },
    )


SPEC = OpSpec(
    name="cumsum",
    doc="Running sums along an axis",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_whole,
    kernels=tuple(
        kernel_on(dtype, f"cumsum/{dtype.value}_{dtype.value}__c.c", Form.WHOLE, pack)
        for dtype in DTYPES
    ),
    canonical=canonical_whole,
)
