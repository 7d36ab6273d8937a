"""Rows and columns of a float32 map as weighted sums of others: every interpolation by constants.

    y[i, j] = sum_t r[i, t] (sum_u c[j, u] x[row(i, t), column(j, u)])

ONNX Resize, linear and cubic, in all its modes: `linear` and `cubic` make the lists of an axis from
the real places at which it is read. Sums go in the order written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Params
from mcuc.ir.types import DType, TensorType
from mcuc.numerics.float32 import Floats
from mcuc.ops.problems import Problems
from mcuc.ops.spec import Kernel, OperandSpec, OpSpec, Site, always

MAX_SIZE = 1 << 15  # of an axis: the kernel's tables are int16


@dataclass(frozen=True)
class Taps:
    """How an axis is read.

    Attributes:
        places: By output element: the input elements that count, equally many for all.
        weights: Their factors.
    """

    places: tuple[tuple[int, ...], ...]
    weights: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Attrs:
    """The lists of both axes of the map."""

    rows: Taps
    columns: Taps


def whole(size: int) -> Taps:
    """An axis as it is."""
    return Taps(tuple((i,) for i in range(size)), ((1.0,),) * size)


def linear(at: Sequence[float], size: int) -> Taps:
    """Between the two neighbours of real places; beyond the ends the end."""
    places, weights = [], []
    for x in at:
        inside = min(max(x, 0.0), size - 1.0)
        low = math.floor(inside)
        places.append((low, min(low + 1, size - 1)))
        weights.append((1 - (inside - low), inside - low))
    return Taps(tuple(places), tuple(weights))


def cubic(at: Sequence[float], size: int, a: float = -0.75, outside: bool = True) -> Taps:
    """Through the four neighbours of real places (Keys' kernel with the parameter a).

    Args:
        at: Real places.
        size: Of the input's axis.
        a: -0.75 in ONNX, -0.5 in TensorFlow.
        outside: Neighbours beyond the ends count as the end; else they do not count and the
            other weights are enlarged (ONNX exclude_outside).
    """
    places, weights = [], []
    for x in at:
        first = math.floor(x) - 1
        four = [_keys(x - (first + k), a) for k in range(4)]
        if not outside:
            four = [w if 0 <= first + k < size else 0.0 for k, w in enumerate(four)]
            four = [w / sum(four) for w in four]
        places.append(tuple(min(max(first + k, 0), size - 1) for k in range(4)))
        weights.append(tuple(four))
    return Taps(tuple(places), tuple(weights))


def _keys(distance: float, a: float) -> float:
    d = abs(distance)
    if d <= 1:
        return ((a + 2) * d - (a + 3)) * d * d + 1
    return (((d - 5) * d + 8) * d - 4) * a if d < 2 else 0.0


def attrs_of(site: Site) -> Attrs:
    """The node's attributes."""
    assert isinstance(site.attrs, Attrs)
    return site.attrs


def infer(site: Site) -> tuple[TensorType, ...]:
    problems = Problems(site)
    attrs = attrs_of(site)
    x = problems.operand(0, "input", (DType.F32,))
    problems.result_like(x)
    shape: tuple[int, ...] = ()
    if problems.rank(x, "input", 4):
        assert x is not None
        shape = (x.shape[0], len(attrs.rows.places), len(attrs.columns.places), x.shape[3])
        for name, taps, size in (
            ("rows", attrs.rows, x.shape[1]),
            ("columns", attrs.columns, x.shape[2]),
        ):
            _check(problems, name, taps, size)
    problems.raise_all()
    return (TensorType(shape, DType.F32),)


def _check(problems: Problems, name: str, taps: Taps, size: int) -> None:
    counts = {len(row) for row in (*taps.places, *taps.weights)}
    if not taps.places or len(taps.places) != len(taps.weights) or len(counts) != 1 or 0 in counts:
        problems.add("E115", f"the lists of {name} differ in length, or are empty")
    elif not all(0 <= place < size for row in taps.places for place in row):
        problems.add("E115", f"the lists of {name} leave the input, which has {size}")
    elif max(size, len(taps.places)) > MAX_SIZE:
        problems.add("E117", f"more than {MAX_SIZE} {name}")


def ref(site: Site, x: Array) -> tuple[Array, ...]:
    attrs = attrs_of(site)
    value = np.asarray(x, np.float32)
    places, weights = _arrays(attrs.columns)
    across = _summed([value[:, :, places[:, u]] for u in range(places.shape[1])], weights, 2)
    places, weights = _arrays(attrs.rows)
    return (_summed([across[:, places[:, t]] for t in range(places.shape[1])], weights, 1),)


def _arrays(taps: Taps) -> tuple[Array, Floats]:
    return np.asarray(taps.places, np.int16), np.asarray(taps.weights, np.float32)


def _summed(terms: Sequence[Floats], weights: Floats, axis: int) -> Floats:
    """The terms times their weights, added up from 0."""
    shape = [1] * 4
    shape[axis] = len(weights)
    total = np.zeros_like(terms[0])
    with np.errstate(all="ignore"):
        for term, factor in zip(terms, weights.T, strict=True):
            total = total + term * factor.reshape(shape)
    return total


def region(site: Site, out: Box) -> tuple[Box | None, ...]:
    attrs = attrs_of(site)
    rows = [place for row in attrs.rows.places[out.y0 : out.y1] for place in row]
    columns = [place for row in attrs.columns.places[out.x0 : out.x1] for place in row]
    ends = (min(rows), max(rows) + 1, min(columns), max(columns) + 1)
    return (Box(*ends, out.c0, out.c1),)


def macs(site: Site) -> int:
    attrs = attrs_of(site)
    return site.output.elements * len(attrs.rows.places[0]) * (len(attrs.columns.places[0]) + 1)


def pack(site: Site) -> Params:
    attrs = attrs_of(site)
    rows, down = _arrays(attrs.rows)
    columns, across = _arrays(attrs.columns)
    return Params(
        "mcuc_resample_params",
        "resample/resample.h",
        {
            "channels": site.output.shape[3],
            "row_taps": rows.shape[1],
            "column_taps": columns.shape[1],
            "rows": rows,
            "columns": columns,
            "down": down,
            "across": across,
        },
    )


SPEC = OpSpec(
    name="resample",
    doc="Rows and columns as weighted sums of others: linear and cubic interpolation in any mode",
    Attrs=Attrs,
    operands=(OperandSpec("x", (DType.F32,)),),
    infer=infer,
    ref=ref,
    macs=macs,
    region=region,
    kernels=(
        Kernel(
            symbol="mcuc_resample_f32_f32__c",
            source="resample/f32_f32__c.c",
            form=Form.ROWS,
            when=always,
            pack=pack,
        ),
    ),
)
