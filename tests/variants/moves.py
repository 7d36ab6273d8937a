"""What moves elements: every axis, permutation, mask and block."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mcuc.ir.types import DType, TensorType
from tests.builtins import moves
from tests.support.cases import Operand
from tests.support.one_op import OneOp, ints
from tests.support.type_matrix import kind_of
from tests.variants.making import variant

SHAPE = (2, 6, 4, 3)
RANKS = ((6,), (4, 6), (2, 4, 6), SHAPE)


def _axes() -> Iterator[tuple[tuple[int, ...], int]]:
    """Every axis of every rank, and the last counted from behind."""
    for shape in RANKS:
        yield from ((shape, axis) for axis in (*range(len(shape)), -1))


def _sized(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    at = axis % len(shape)
    return (*shape[:at], size, *shape[at + 1 :])


def _concatenation(dtype: DType) -> Iterator[OneOp]:
    for shape, axis in _axes():
        parts = [_sized(shape, axis, n) for n in (1, 3, 2)]
        result = _sized(shape, axis, 6)
        yield variant(f"{shape} {axis}", "CONCATENATION", dtype, parts, result, axis=axis)


def _reshape(dtype: DType) -> Iterator[OneOp]:
    for shape in ((144,), (12, 12), (2, -1), (4, 6, 6), (1, 144), (2, 3, 4, 3, 2)):
        result = np.zeros(144).reshape(shape).shape
        yield variant(f"{shape}", "RESHAPE", dtype, (SHAPE,), result, (ints(shape),))


def _expand(dtype: DType) -> Iterator[OneOp]:
    for axis in (0, 1, 2, 3, -1, -2):
        result = np.expand_dims(np.zeros((4, 3, 5)), axis).shape
        yield variant(f"{axis}", "EXPAND_DIMS", dtype, ((4, 3, 5),), result, (ints(axis),))


def _squeeze(dtype: DType) -> Iterator[OneOp]:
    shape = (1, 4, 1, 5)
    for axes in ((), (0,), (2,), (0, 2), (-2,)):
        result = np.squeeze(np.zeros(shape), axes or None).shape
        yield variant(f"{axes}", "SQUEEZE", dtype, (shape,), result, squeeze_dims=list(axes))


def _transpose(dtype: DType) -> Iterator[OneOp]:
    for shape in RANKS[1:]:
        for perm in itertools.permutations(range(len(shape))):
            result = [shape[i] for i in perm]
            yield variant(f"{perm}", "TRANSPOSE", dtype, (shape,), result, (ints(perm),))


def _slice(dtype: DType) -> Iterator[OneOp]:
    for shape, axis in _axes():
        begin, size = np.zeros(len(shape), int), list(shape)
        begin[axis], size[axis] = 1, -1 if axis % 2 else 1
        result = _sized(shape, axis, shape[axis] - 1 if axis % 2 else 1)
        extra = (ints(begin), ints(size))
        yield variant(f"{shape} {axis}", "SLICE", dtype, (shape,), result, extra)


def _strided(dtype: DType) -> Iterator[OneOp]:
    """Every mask, alone and with others, and negative strides."""
    for i in range(len(moves.STRIDED)):
        yield replace(moves.strided(i, dtype), version=2)


def _split(dtype: DType) -> Iterator[OneOp]:
    for shape, axis in _axes():
        size = shape[axis]
        count = size if size == 3 else 2
        part = _sized(shape, axis, size // count)
        name = f"{shape} {axis}"
        one = variant(
            name, "SPLIT", dtype, (shape,), part, (ints(axis),), results=count, num_splits=count
        )
        yield replace(one, operands=one.operands[::-1])


def _split_v(dtype: DType) -> Iterator[OneOp]:
    for shape, axis in _axes():
        sizes = (1, shape[axis] - 1)
        results = tuple(kind_of("SPLIT_V", _sized(shape, axis, n), dtype) for n in sizes)
        extra = (ints(1, -1), ints(axis))
        one = variant(f"{shape} {axis}", "SPLIT_V", dtype, (shape,), shape, extra, num_splits=2)
        yield replace(one, results=results)


def _pack(dtype: DType) -> Iterator[OneOp]:
    for axis in (0, 1, 2, 3, -1):
        shape = (2, 4, 3)
        result = np.stack([np.zeros(shape)] * 3, axis).shape
        yield variant(f"{axis}", "PACK", dtype, (shape,) * 3, result, values_count=3, axis=axis)


def _unpack(dtype: DType) -> Iterator[OneOp]:
    for shape, axis in _axes():
        rest = [n for i, n in enumerate(shape) if i != axis % len(shape)]
        count = shape[axis]
        name = f"{shape} {axis}"
        yield variant(name, "UNPACK", dtype, (shape,), rest, results=count, num=count, axis=axis)


def _gather(dtype: DType) -> Iterator[OneOp]:
    for shape, axis in _axes():
        for indices in (0, [1, 0, 1], [[1, 0], [0, 0]]):
            data = np.asarray(indices)
            result = np.take(np.zeros(shape), data, axis).shape
            name = f"{shape} {axis} {data.shape}"
            yield variant(name, "GATHER", dtype, (shape,), result, (ints(indices),), axis=axis)
    for axis in (1, 2):
        data = np.asarray([[1, 0, 2], [3, 3, 0]])
        result = (2, *SHAPE[1:axis], 3, *SHAPE[axis + 1 :])
        own = {"axis": axis, "batch_dims": 1}
        yield variant(f"batch {axis}", "GATHER", dtype, (SHAPE,), result, (ints(data),), **own)
    chosen = Operand(TensorType((4,), DType.S32), pattern="below 5")
    yield variant("run time", "GATHER", dtype, (SHAPE,), (2, 4, 4, 3), (chosen,), axis=1)


def _gather_nd(dtype: DType) -> Iterator[OneOp]:
    for depth in (1, 2, 3, 4):
        indices = np.asarray([[1, 3, 2, 0], [0, 5, 3, 2], [1, 0, 0, 1]])[:, :depth]
        result = (3, *SHAPE[depth:])
        yield variant(f"{depth}", "GATHER_ND", dtype, (SHAPE,), result, (ints(indices),))


def _tile(dtype: DType) -> Iterator[OneOp]:
    for shape, axis in _axes():
        times = np.ones(len(shape), int)
        times[axis] = 3
        result = _sized(shape, axis, 3 * shape[axis])
        yield variant(f"{shape} {axis}", "TILE", dtype, (shape,), result, (ints(times),))
    yield variant("all", "TILE", dtype, (SHAPE,), (4, 12, 12, 6), (ints(2, 2, 3, 2),))


def _broadcast(dtype: DType) -> Iterator[OneOp]:
    for shape in ((1, 1, 3), (3,), (1,), (1, 6, 1, 3), (2, 1, 4, 1), SHAPE):
        yield variant(f"{shape}", "BROADCAST_TO", dtype, (shape,), SHAPE, (ints(SHAPE),))


def _reverse(dtype: DType) -> Iterator[OneOp]:
    for shape, axis in _axes():
        yield variant(f"{shape} {axis}", "REVERSE_V2", dtype, (shape,), shape, (ints([axis]),))


def _to_space(dtype: DType) -> Iterator[OneOp]:
    for b in (2, 3):
        deep, wide = (2, 3, 2, 2 * b * b), (2, 3 * b, 2 * b, 2)
        yield variant(f"{b}", "DEPTH_TO_SPACE", dtype, (deep,), wide, block_size=b)


def _to_depth(dtype: DType) -> Iterator[OneOp]:
    for b in (2, 3):
        deep, wide = (2, 3, 2, 2 * b * b), (2, 3 * b, 2 * b, 2)
        yield variant(f"{b}", "SPACE_TO_DEPTH", dtype, (wide,), deep, block_size=b)


_BLOCKS = (
    ((2, 2), ((0, 0), (0, 0))),
    ((2, 3), ((1, 1), (0, 2))),
    ((3, 1), ((2, 1), (0, 0))),
    ((1, 2), ((0, 0), (1, 1))),
)


def _blocks(op: str, dtype: DType) -> Iterator[OneOp]:
    for block, pairs in _BLOCKS:
        small = [(n + sum(pair)) // b for n, b, pair in zip((6, 4), block, pairs, strict=True)]
        size = [s * b - sum(pair) for s, b, pair in zip(small, block, pairs, strict=True)]
        count = block[0] * block[1]
        x, apart = (2, *size, 3), (2 * count, *small, 3)
        if op == "BATCH_TO_SPACE_ND":
            x, apart = apart, x
        name = f"{block} {pairs}"
        yield variant(name, op, dtype, (x,), apart, (ints(block), ints(pairs)))


VARIANTS = {
    "CONCATENATION": _concatenation,
    "RESHAPE": _reshape,
    "EXPAND_DIMS": _expand,
    "SQUEEZE": _squeeze,
    "TRANSPOSE": _transpose,
    "SLICE": _slice,
    "STRIDED_SLICE": _strided,
    "SPLIT": _split,
    "SPLIT_V": _split_v,
    "PACK": _pack,
    "UNPACK": _unpack,
    "GATHER": _gather,
    "GATHER_ND": _gather_nd,
    "TILE": _tile,
    "BROADCAST_TO": _broadcast,
    "REVERSE_V2": _reverse,
    "DEPTH_TO_SPACE": _to_space,
    "SPACE_TO_DEPTH": _to_depth,
    "SPACE_TO_BATCH_ND": lambda dtype: _blocks("SPACE_TO_BATCH_ND", dtype),
    "BATCH_TO_SPACE_ND": lambda dtype: _blocks("BATCH_TO_SPACE_ND", dtype),
}
