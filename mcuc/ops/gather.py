"""GATHER and GATHER_ND: slices of a tensor by indices that are computed at run time.

Sources: TFLite `gather.cc`, `gather_nd.cc`. Both refuse indices outside of the tensor when they
run; ONNX counts negative ones from the end. Here they count from the end, and what is outside even
so is taken as the nearest index inside: a firmware has nobody to tell. Elements are moved as they
are, so quantized operand and result must be quantized alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always, no_macs
from mcuc.ops.whole import canonical_whole, region_whole

INDICES = (DType.S32, DType.S64)
_QUANTIZED = (DType.S8, DType.U8, DType.S16)


@dataclass(frozen=True)
class Attrs:
    """Where the indices point.

    Attributes:
        axis: GATHER: the axis they count along, from the front.
        batch_dims: Leading axes that both operands share.
        several: GATHER_ND: the last axis of the indices counts along as many axes as it is long,
            the first behind the shared ones.
    """

    axis: int = 0
    batch_dims: int = 0
    several: bool = False


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", tuple(DType))
    indices = problems.operand(1, "list of indices", INDICES)
    shape: tuple[int, ...] = ()
    if x is not None and indices is not None:
        shape = _shape(problems, x.shape, indices.shape, site.attrs)
    if x is not None and site.output.dtype is not x.dtype:
        problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
    elif x is not None and x.dtype in _QUANTIZED:
        quant = problems.per_tensor(x, "input")
        problems.same_quant(quant, problems.result_like(x), "input and output of a gather")
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _shape(
    problems: Problems, x: tuple[int, ...], indices: tuple[int, ...], attrs: Attrs
) -> tuple[int, ...]:
    shared, axis = attrs.batch_dims, attrs.batch_dims if attrs.several else attrs.axis
    most = min(len(x) - 1, axis, len(indices) - int(attrs.several))
    if not 0 <= shared <= most or axis >= len(x) or x[:shared] != indices[:shared]:
        problems.add(
            "E115",
            f"axis {axis} and {shared} shared axes of the shapes {x} and {indices}",
            why="a gather needs an axis of the input behind the axes that both share",
        )
        return ()
    if not attrs.several:
        return (*x[:axis], *indices[shared:], *x[axis + 1 :])
    if not 1 <= indices[-1] <= len(x) - shared:
        problems.add("E115", f"indices of {indices[-1]} axes into the shape {x}")
        return ()
    return (*indices[:-1], *x[shared + indices[-1] :])


@dataclass(frozen=True)
class Loops:
    """The input as [batch][outer][sizes ...][inner], the indices as [batch][count][len(sizes)]."""

    batch: int
    outer: int
    sizes: tuple[int, ...]
    inner: int
    count: int


def loops(site: Site) -> Loops:
    """How both tensors are gone through."""
    attrs = site.attrs
    assert isinstance(attrs, Attrs)
    x, indices = site.input(0).shape, site.input(1).shape
    shared = attrs.batch_dims
    axis = shared if attrs.several else attrs.axis
    depth = indices[-1] if attrs.several else 1
    batch = math.prod(x[:shared])
    return Loops(
        batch=batch,
        outer=math.prod(x[shared:axis]),
        sizes=x[axis : axis + depth],
        inner=math.prod(x[axis + depth :]),
        count=math.prod(indices) // batch // depth,
    )


def ref(site: Site, x: Array, indices: Array) -> tuple[Array, ...]:
    run = loops(site)
    flat = x.reshape(run.batch, run.outer, math.prod(run.sizes), run.inner)
    wanted = indices.reshape(run.batch, run.count, len(run.sizes)).astype(np.int64)
    place: npt.NDArray[np.int64] = np.zeros((run.batch, run.count), np.int64)
    for k, size in enumerate(run.sizes):
        index = wanted[..., k]
        index = np.where(index < 0, index + size, index)
        place = place * size + np.clip(index, 0, size - 1)
    batches = [flat[b][:, place[b]] for b in range(run.batch)]
    return (np.stack(batches).reshape(site.output.shape),)


def pack(site: Site) -> Params:
    run = loops(site)
    return Params(
        "mcuc_gather_params",
        "gather/gather.h",
        {
            "batch": run.batch,
            "outer": run.outer,
            "count": run.count,
            "depth": len(run.sizes),
            "sizes": np.asarray(run.sizes, np.int32),
            "slice": run.inner * site.output.dtype.size_bytes,
            "wide": int(site.input(1).dtype is DType.S64),
        },
    )


SPEC = OpSpec(
    name="gather",
    doc="GATHER and GATHER_ND by indices that are computed at run time",
    Attrs=Attrs,
    operands=(OperandSpec("x", tuple(DType)), OperandSpec("indices", INDICES)),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region_whole,
    kernels=(
        Kernel(
            symbol="mcuc_gather_s8_s32_s8__c",
            source="gather/s8_s32_s8__c.c",
            form=Form.WHOLE,
            when=always,
            pack=pack,
            operands=(0, 1),
        ),
    ),
    canonical=canonical_whole,
)
