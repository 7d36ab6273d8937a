"""Geometry of reductions: which axes go, whether they fold row by row, the loops of the rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.ir.program import Box, Form, Params, Window
from mcuc.ir.target import Target
from mcuc.ir.types import DType, TensorType
from mcuc.ops.arithmetic import kernel_on
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Kernel, Site

LOOPS = 3  # groups of kept, and of reduced axes that the kernels have loops for
MAX_COUNT = 1 << 23  # a sum of so many bytes, and of their zero points, fits in int32

# Position in [N, H, W, C] of each axis, by rank (TensorType.nhwc).
_NHWC_AXES = {0: (), 1: (3,), 2: (2, 3), 3: (0, 2, 3), 4: (0, 1, 2, 3)}


@dataclass(frozen=True)
class AxesAttrs:
    """axes: reduced axes, negative ones count from the end; keep_dims: they stay with size 1."""

    axes: tuple[int, ...]
    keep_dims: bool = False


def check_axes(problems: Problems, x: TensorType) -> None:
    """Requires axes that exist, and loops enough for them."""
    attrs = problems.site.attrs
    assert isinstance(attrs, AxesAttrs)
    rank = len(x.shape)
    wrong = [axis for axis in attrs.axes if not -rank <= axis < rank]
    if wrong or not attrs.axes:
        what = f"axis {wrong[0]} does not exist" if wrong else "there is no axis to reduce"
        problems.add("E115", f"{what} in the input of rank {rank}")
        return
    if max(len(group) for group in _groups(problems.site)) > LOOPS:
        problems.add("E114", f"axes {attrs.axes} of {x.shape} take more than {LOOPS} loops")
    count = reduced_count(problems.site)
    if count > MAX_COUNT:
        problems.add("E117", f"{count} elements become one; the most is {MAX_COUNT}")


def reduced_axes(site: Site) -> frozenset[int]:
    """The reduced axes, counted from the front."""
    assert isinstance(site.attrs, AxesAttrs)
    rank = len(site.input().shape)
    return frozenset(axis % rank for axis in site.attrs.axes)


def reduced_count(site: Site) -> int:
    """How many elements become one."""
    return math.prod(site.input().shape[axis] for axis in reduced_axes(site))


def result_shape(site: Site) -> tuple[int, ...]:
    """The kept axes, and the others with size 1 if they stay."""
    assert isinstance(site.attrs, AxesAttrs)
    axes = reduced_axes(site)
    return tuple(
        1 if i in axes else size
        for i, size in enumerate(site.input().shape)
        if site.attrs.keep_dims or i not in axes
    )


def folds(site: Site) -> bool:
    """Whether exactly the rows and columns of the canonical map are reduced."""
    shape = site.input().shape
    if len(shape) not in _NHWC_AXES:
        return False
    axes = reduced_axes(site)
    return all(
        shape[axis] == 1 or (axis in axes) == (place in (1, 2))
        for axis, place in enumerate(_NHWC_AXES[len(shape)])
    )


def canonical_reduced(site: Site) -> Canonical:
    """[H, W, C] -> [1, 1, C] for each batch element where the axes fold; else all as one map."""
    n, h, w, c = site.input().nhwc
    if folds(site):
        return Canonical(batch=n, inputs=((h, w, c),), output=(1, 1, c), batched=(True,))
    out = site.output.nhwc
    result = (out[0] * out[1], out[2], out[3])
    return Canonical(batch=1, inputs=((n * h, w, c),), output=result, batched=(False,))


def region_reduced(site: Site, out: Box) -> tuple[Box | None, ...]:
    """The whole map; of a folded one only the channels wanted."""
    whole = Box.of(canonical_reduced(site).inputs[0])
    if not folds(site):
        return (whole,)
    return (Box(whole.y0, whole.y1, whole.x0, whole.x1, out.c0, out.c1),)


def _window_folded(site: Site) -> Window:
    """The folded map, for the driver."""
    height, width, _ = canonical_reduced(site).inputs[0]
    return Window(kernel=(height, width))


def loops(site: Site) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """LOOPS x (size, stride in elements) over kept and over reduced axes, outermost first."""
    kept, reduced = (
        np.asarray([(1, 0)] * (LOOPS - len(group)) + group, np.int32).ravel()
        for group in _groups(site)
    )
    return kept, reduced


def _groups(site: Site) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """(size, stride) of kept and of reduced axes; neighbours of one kind are one loop."""
    groups: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    axes = reduced_axes(site)
    shape = site.input().shape
    # A batch that folds: the kernel is called for one of its elements after another.
    batch = 0 if folds(site) and _NHWC_AXES[len(shape)][:1] == (0,) else None
    stride = 1
    last: int | None = None
    for axis, size in reversed(list(enumerate(shape))):
        kind = int(axis in axes)
        if size > 1 and axis != batch:
            if kind == last:
                inner = groups[kind].pop(0)
                groups[kind].insert(0, (size * inner[0], inner[1]))
            else:
                groups[kind].insert(0, (size, stride))
            last = kind
        stride *= size
    return groups


def _can_fold(site: Site, target: Target) -> bool:
    """Row by row into accumulators."""
    return folds(site)


def _acc_bytes(site: Site) -> int:
    """An accumulator of 4 bytes for each channel."""
    return 4 * site.input().nhwc[3]


def reduction_kernels(
    op: str,
    dtype: DType,
    pack_fold: Callable[[Site], Params],
    pack_whole: Callable[[Site], Params],
) -> tuple[Kernel, ...]:
    """The kernel that folds rows and columns, and the one for any axes."""
    file = f"{op}/{dtype.value}_{dtype.value}"
    return (
        kernel_on(
            dtype,
            f"{file}__c.c",
            Form.FOLD,
            pack_fold,
            when=_can_fold,
            window=_window_folded,
            acc_bytes=_acc_bytes,
        ),
        whole_kernel(op, dtype, pack_whole),
    )


def whole_kernel(op: str, dtype: DType, pack: Callable[[Site], Params]) -> Kernel:
    """The kernel for any axes."""
    return kernel_on(dtype, f"{op}/{dtype.value}_{dtype.value}_nd__c.c", Form.WHOLE, pack)
