"""TRANSPOSE: any permutation of the axes, elements of 1, 2, 4 or 8 bytes.

Source: TFLite reference_ops `Transpose`. A permutation that only moves axes of size 1 leaves the
memory as it is: `is_reshape` tells, and a pass turns such a node into a reshape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Kernel, OperandSpec, OpSpec, Site, no_macs

LOOPS = 5  # of the kernels
DTYPES = (DType.S8, DType.U8, DType.S16, DType.S32, DType.F32, DType.S64, DType.BOOL)
_KERNELS = {1: "s8", 2: "s16", 4: "f32", 8: "s64"}  # by bytes of an element


@dataclass(frozen=True)
class Attrs:
    """perm: for each axis of the output, the axis of the input; negative ones from the end."""

    perm: tuple[int, ...]


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", DTYPES)
    if x is not None:
        rank = len(x.shape)
        in_range = all(-rank <= axis < rank for axis in site.attrs.perm)
        if not in_range or sorted(axis % rank for axis in site.attrs.perm) != list(range(rank)):
            problems.add("E115", f"{site.attrs.perm} is not a permutation of {rank} axes")
        elif len(loops(site)) > LOOPS:
            problems.add("E114", f"{x.shape} by {site.attrs.perm} takes more than {LOOPS} loops")
        if site.output.dtype is not x.dtype:
            problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
    problems.raise_all()
    shape = tuple(site.input().shape[axis] for axis in permutation(site))
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def permutation(site: Site) -> tuple[int, ...]:
    """The permutation with axes counted from the front."""
    assert isinstance(site.attrs, Attrs)
    return tuple(axis % len(site.attrs.perm) for axis in site.attrs.perm)


def is_reshape(site: Site) -> bool:
    """Whether the elements keep their order in memory: only axes of size 1 move."""
    shape = site.input().shape
    moved = [axis for axis in permutation(site) if shape[axis] > 1]
    return moved == sorted(moved)


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    return (np.ascontiguousarray(x.transpose(permutation(site))),)


def canonical_transpose(site: Site) -> Canonical:
    """Both tensors as one map each, the batch included: the permutation may move it."""
    shapes = [(n * h, w, c) for n, h, w, c in (site.input().nhwc, site.output.nhwc)]
    return Canonical(batch=1, inputs=(shapes[0],), output=shapes[1], batched=(False,))


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    return (Box.of(canonical_transpose(site).inputs[0]),)


def loops(site: Site) -> list[tuple[int, int]]:
    """(size, input stride in elements) of the fewest loops over the output, outermost first."""
    shape = site.input().shape
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
    result: list[tuple[int, int]] = []
    for axis in permutation(site):
        size, stride = shape[axis], strides[axis]
        if size == 1:
            continue
        if result and result[-1][1] == size * stride:
            result[-1] = (result[-1][0] * size, stride)
        else:
            result.append((size, stride))
    return result


def pack(site: Site) -> Params:
    found = loops(site)
    table = np.asarray([(1, 0)] * (LOOPS - len(found)) + found, dtype=np.int32)
    return Params("mcuc_transpose_params", "transpose/transpose.h", {"loops": table.ravel()})


def _kernel(size: int, name: str) -> Kernel:
    """For elements of so many bytes."""

    def when(site: Site, target: Target) -> bool:
        return site.input().dtype.size_bytes == size

    file = f"{name}_{name}__c"
    return Kernel(f"mcuc_transpose_{file}", f"transpose/{file}.c", Form.WHOLE, when, pack)


SPEC = OpSpec(
    name="transpose",
    doc="Any permutation of the axes",
    Attrs=Attrs,
    operands=(OperandSpec("x", DTYPES),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=tuple(_kernel(size, name) for size, name in _KERNELS.items()),
    canonical=canonical_transpose,
)
