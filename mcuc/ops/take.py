"""Elements of a tensor by lists of indices, one list per axis: y[i, j, ..] = x[a[i], b[j], ..].

What SLICE, STRIDED_SLICE, SPLIT, UNPACK, TILE, BROADCAST_TO, MIRROR_PAD, REVERSE_V2, GATHER by a
constant and RESIZE_NEAREST_NEIGHBOR have in common: the frontend makes their lists. Elements are
moved as they are, so every element type is the same to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Canonical, Kernel, OperandSpec, OpSpec, Site, always, no_macs

MAX_SIZE = 1 << 16  # of an axis of the input: the kernel's tables are uint16

Pick = tuple[int, ...]


@dataclass(frozen=True)
class Attrs:
    """picks: for each axis the indices taken, or None for the whole axis as it is."""

    picks: tuple[Pick | None, ...]


def attrs_of(shape: Sequence[int], picks: Sequence[Sequence[int] | None]) -> Attrs:
    """Attributes with None for each list that takes the whole axis in its order."""
    return Attrs(
        tuple(
            None if pick is None or _is_whole(pick, size) else tuple(map(int, pick))
            for size, pick in zip(shape, picks, strict=True)
        )
    )


def _is_whole(pick: Sequence[int], size: int) -> bool:
    """Without a list as long as a damaged file says that an axis is."""
    return len(pick) == size and all(a == b for a, b in zip(pick, range(size), strict=True))


def infer(site: Site) -> tuple[TensorType, ...]:
    assert isinstance(site.attrs, Attrs)
    problems = Problems(site)
    x = problems.operand(0, "input", tuple(DType))
    shape: tuple[int, ...] = ()
    if x is not None:
        if site.output.dtype is not x.dtype:
            problems.add("E110", f"the result is {site.output.dtype.value}, not {x.dtype.value}")
        if len(site.attrs.picks) != len(x.shape):
            problems.add("E114", f"{len(site.attrs.picks)} lists for the shape {x.shape}")
        else:
            shape = _shape(problems, x, site.attrs.picks)
    problems.raise_all()
    return (TensorType(shape, site.output.dtype, site.output.quant),)


def _shape(problems: Problems, x: TensorType, picks: tuple[Pick | None, ...]) -> tuple[int, ...]:
    for axis, (size, pick) in enumerate(zip(x.shape, picks, strict=True)):
        if pick is not None and not pick:
            problems.add("E116", f"nothing is taken of axis {axis}: the result has no elements")
        elif pick is not None and not 0 <= min(pick) <= max(pick) < size:
            wrong = min(pick) if min(pick) < 0 else max(pick)
            problems.add("E115", f"index {wrong} of axis {axis} is outside of 0 .. {size - 1}")
    if max(_rows_of(x), x.nhwc[2]) > MAX_SIZE:
        problems.add("E117", f"the input {x.shape} has more than {MAX_SIZE} rows or columns")
    return tuple(
        size if pick is None else len(pick) for size, pick in zip(x.shape, picks, strict=True)
    )


def _rows_of(x: TensorType) -> int:
    return x.nhwc[0] * x.nhwc[1]


def _lists(site: Site) -> list[Pick]:
    """The indices of every axis, spelled out."""
    assert isinstance(site.attrs, Attrs)
    return [
        tuple(range(size)) if pick is None else pick
        for size, pick in zip(site.input().shape, site.attrs.picks, strict=True)
    ]


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    return (x[np.ix_(*_lists(site))] if x.ndim else x.copy(),)


def _batched(site: Site) -> bool:
    """Whether all batch elements are treated alike: nothing is picked from the leading axes."""
    assert isinstance(site.attrs, Attrs)
    picks = site.attrs.picks
    return all(pick is None for pick in picks[: _leading(len(picks))])


def _leading(rank: int) -> int:
    """How many axes make the batch (TensorType.nhwc)."""
    return 1 if rank == 3 else max(0, rank - 3)


def canonical(site: Site) -> Canonical:
    """NHWC, or where elements of the batch are picked all of it as one map of N * H rows."""
    shapes = [site.input().nhwc, site.output.nhwc]
    if _batched(site):
        return Canonical(shapes[0][0], (shapes[0][1:],), shapes[1][1:], (True,))
    source, result = ((n * h, w, c) for n, h, w, c in shapes)
    return Canonical(1, (source,), result, (True,))


def tables(site: Site) -> tuple[Pick, Pick, Pick]:
    """Input row, pixel and channel of each output row, pixel and channel, canonical."""
    lists = _lists(site)
    channels = lists[-1] if lists else (0,)
    columns = lists[-2] if len(lists) > 1 else (0,)
    first = _leading(len(lists)) if _batched(site) else 0
    rows = [0]
    for axis in range(first, len(lists) - 2):
        size = site.input().shape[axis]
        rows = [row * size + index for row in rows for index in lists[axis]]
    return tuple(rows), columns, channels


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    rows, columns, channels = tables(site)
    y = rows[out.y0 : out.y1]
    x = columns[out.x0 : out.x1]
    c = channels[out.c0 : out.c1]
    return (Box(min(y), max(y) + 1, min(x), max(x) + 1, min(c), max(c) + 1),)


def pack(site: Site) -> Params:
    rows, columns, channels = tables(site)
    runs: list[tuple[int, int]] = []
    for c in channels:
        if runs and sum(runs[-1]) == c:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((c, 1))
    size = site.input().dtype.size_bytes
    return Params(
        "mcuc_take_params",
        "take/take.h",
        {
            "rows": np.asarray(rows, np.uint16),
            "columns": np.asarray(columns, np.uint16),
            "runs": np.asarray(runs, np.int32).ravel() * size,
            "n_runs": len(runs),
            "whole": int(runs == [(0, site.input().nhwc[3])]),
        },
    )


SPEC = OpSpec(
    name="take",
    doc="Slices, splits, tiles, mirrored pads, gathers by constants, nearest-neighbour resizes",
    Attrs=Attrs,
    operands=(OperandSpec("x", tuple(DType)),),
    infer=infer,
    ref=ref,
    macs=no_macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_take_s8_s8__c",
            source="take/s8_s8__c.c",
            form=Form.ROWS,
            when=always,
            pack=pack,
        ),
    ),
    canonical=canonical,
)
