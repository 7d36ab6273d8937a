"""Weights in TFLite's sparse encoding, decoded when the file is read.

SparsityParameters: the axes of the tensor, those of its blocks behind them, are gone through in
`traversal_order`. Each level is DENSE, with all its indices, or SPARSE_CSR: entry p of the level
before has the indices `array_indices[array_segments[p] : array_segments[p + 1]]`. A number is
stored for each index of the last level, in order; all others are 0.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mcuc.errors import Loc, ModelError
from mcuc.frontends.tflite.flatbuffer import Reader, Table
from mcuc.frontends.tflite.schema import MAX_RANK
from mcuc.ir.graph import Array

# Of a decoded tensor; a small file could otherwise demand any amount of memory.
MOST = 1 << 26
_ORDER, _BLOCK_MAP, _LEVELS = 0, 1, 2  # SparsityParameters
_FORMAT, _DENSE_SIZE, _SEGMENTS, _INDICES = 0, 1, 2, 4  # DimensionMetadata; unions are two fields
_VECTORS = {1: "<i4", 2: "<u2", 3: "u1"}  # SparseIndexVector

Ints = npt.NDArray[np.int64]


def decode(
    reader: Reader,
    sparsity: Table,
    dtype: np.dtype[np.generic],
    span: tuple[int, int],
    shape: tuple[int, ...],
    loc: Loc,
) -> Array:
    """The dense tensor.

    Args:
        reader: Of the file.
        sparsity: SparsityParameters.
        dtype: Of the numbers.
        span: Offset and size of the stored numbers.
        shape: Of the tensor.
        loc: For messages.

    Raises:
        ModelError: E101 for an encoding that contradicts itself, E117 for too many elements.
    """
    if math.prod(shape) > MOST:
        what = f"the sparse tensor of shape {shape} has more than {MOST:,} elements"
        raise ModelError("E117", what, loc=loc)
    levels = sparsity.tables(_LEVELS, 2 * MAX_RANK)
    order, blocked = (_list(sparsity, field) for field in (_ORDER, _BLOCK_MAP))
    rank = len(shape)
    count = rank + len(blocked)
    if (
        sorted(order) != list(range(count))
        or len(levels) != count
        or len({*blocked}) != len(blocked)
        or any(not 0 <= axis < rank for axis in blocked)
    ):
        raise reader.damaged(f"the axes {order} and blocks {blocked} of a sparse tensor {shape}")
    sizes = _sizes(reader, levels, order, blocked, shape)
    places: list[Ints] = []
    entries = 1
    for level, axis in zip(levels, order, strict=True):
        parents, own = _children(reader, level, entries, sizes[axis])
        places = [*(place[parents] for place in places), own]
        entries = len(own)
    start, size = span
    if size != entries * dtype.itemsize:
        raise reader.damaged(f"a sparse tensor of {entries} numbers has {size} bytes")
    by_axis = dict(zip(order, places, strict=True))
    index = []
    for axis in range(rank):
        place = by_axis[axis]
        if axis in blocked:
            block = rank + blocked.index(axis)
            place = place * sizes[block] + by_axis[block]
        index.append(place)
    numbers = np.frombuffer(reader.data, dtype.newbyteorder("<"), entries, start if entries else 0)
    dense = np.zeros(shape, dtype)
    dense[tuple(index)] = numbers
    return dense


def _list(table: Table, field: int) -> list[int]:
    numbers = table.numbers(field, "<i4")
    return [] if numbers is None else numbers[: 2 * MAX_RANK + 1].tolist()


def _sizes(
    reader: Reader,
    levels: list[Table],
    order: list[int],
    blocked: list[int],
    shape: tuple[int, ...],
) -> list[int]:
    """Of the axes, in blocks where they are blocked, and of the blocks."""
    by_axis = dict(zip(order, levels, strict=True))
    blocks = [by_axis[len(shape) + k].scalar(_DENSE_SIZE, "i32") for k in range(len(blocked))]
    sizes = list(shape)
    for axis, block in zip(blocked, blocks, strict=True):
        if block < 1 or shape[axis] % block:
            raise reader.damaged(f"axis {axis} of {shape} has no whole blocks of {block}")
        sizes[axis] = shape[axis] // block
    return [*sizes, *blocks]


def _children(reader: Reader, level: Table, entries: int, size: int) -> tuple[Ints, Ints]:
    """Of a level: for each entry the one of the level before, and its index."""
    if level.scalar(_FORMAT, "i8") == 0:
        if entries * size > MOST or level.scalar(_DENSE_SIZE, "i32") != size:
            raise reader.damaged(f"a dense level of a sparse tensor is not of size {size}")
        return np.repeat(np.arange(entries), size), np.tile(np.arange(size), entries)
    segments, indices = _vector(reader, level, _SEGMENTS), _vector(reader, level, _INDICES)
    fits = len(segments) == entries + 1 and segments[0] == 0 and segments[-1] == len(indices)
    lengths = np.diff(segments)
    if not fits or bool((lengths < 0).any()) or bool(((indices < 0) | (indices >= size)).any()):
        raise reader.damaged("the segments of a sparse tensor do not fit its indices")
    return np.repeat(np.arange(entries), lengths), indices


def _vector(reader: Reader, level: Table, field: int) -> Ints:
    """A union of vectors of integers: its type, and the table behind it."""
    kind, table = level.scalar(field, "u8"), level.table(field + 1)
    numbers = table.numbers(0, _VECTORS[kind]) if table is not None and kind in _VECTORS else None
    if numbers is None:
        raise reader.damaged("a sparse level lacks its segments or indices")
    return numbers.astype(np.int64)
