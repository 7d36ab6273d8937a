"""Operators that move elements, over axes, masks, signs and element types."""

from __future__ import annotations

import itertools

import numpy as np

from mcuc.ir.types import DType, TensorType
from tests.support.cases import Operand
from tests.support.one_op import OneOp, ints, typed

SHAPE = (1, 6, 5, 4)
# B52. begin, end, strides, masks (begin, end, ellipsis, new axis, shrunk axis)
STRIDED = (
    ((0, 1, 0, 0), (1, 5, 5, 4), (1, 1, 1, 1), (0, 0, 0, 0, 0)),
    ((0, 0, 1, 0), (1, 6, 5, 4), (1, 2, 2, 3), (0, 0, 0, 0, 0)),
    ((0, -1, -1, -1), (1, -7, -6, -5), (1, -1, -2, -1), (0, 0, 0, 0, 0)),
    ((0, 5, 4, 3), (1, 0, 0, 0), (1, -1, -1, -1), (0, 14, 0, 0, 0)),
    ((3, 2, 2, 2), (1, 1, 1, 1), (1, 1, 1, 1), (15, 15, 0, 0, 0)),
    ((0, 2, 0, 0), (0, 3, 0, 0), (1, 1, 1, 1), (1, 13, 0, 0, 2)),
    ((0, 2, -2, 0), (0, 0, 0, 0), (1, 1, 1, 1), (0, 15, 0, 0, 15)),
    ((0, 1), (0, 3), (1, 1), (0, 0, 1, 0, 0)),
    ((0, 0, 1), (1, 0, 3), (1, 1, 1), (0, 0, 2, 0, 0)),
    ((0, 0, 2), (1, 0, 3), (1, 1, 1), (0, 0, 2, 0, 4)),
    ((0, 1), (1, 5), (1, 2), (0, 0, 0, 0, 0)),
    ((0, -100, -100, 1), (1, 100, 100, 100), (1, 3, 1, 2), (0, 0, 0, 0, 0)),
    ((0, 0, 1), (0, 1, 3), (1, 1, 1), (0, 0, 0, 1, 0)),
    ((0, 0, 0, 1), (0, 0, 1, 3), (1, 1, 1, 1), (0, 0, 2, 1, 0)),
)
DTYPES = (DType.S8, DType.U8, DType.S16, DType.S32, DType.F32)


def ops() -> list[OneOp]:
    found = [strided(i, dtype) for i in range(len(STRIDED)) for dtype in (DType.S8, DType.F32)]
    found += [strided(1, dtype) for dtype in (DType.U8, DType.S16, DType.S32, DType.BOOL)]
    for dtype in DTYPES:
        found += _of_type(dtype)
    found += [_joined(dtype) for dtype in (DType.S64, DType.BOOL)]
    return [*found, *_long(), *_mirrors(), *_resizes(), *_blocks(), *_gathers()]


def _joined(dtype: DType) -> OneOp:
    x = Operand(typed(SHAPE, dtype))
    return OneOp(dtype.value, "CONCATENATION", (x, x), (typed((1, 6, 5, 8), dtype),), {"axis": 3})


def _long() -> list[OneOp]:
    x = Operand(typed((2, 3, 4, 5), DType.S64))
    flat, part = typed((6, 20), DType.S64), typed((1, 2, 4, 3), DType.S64)
    return [
        OneOp("s64", "RESHAPE", (x, ints(6, 20)), (flat,), {"new_shape": [6, 20]}),
        OneOp("s64", "SLICE", (x, ints(1, 1, 0, 2), ints(1, 2, 4, 3)), (part,)),
    ]


def strided(i: int, dtype: DType) -> OneOp:
    begin, end, strides, masks = STRIDED[i]
    names = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    x = Operand(typed(SHAPE, dtype))
    return OneOp(
        f"{i}_{dtype.value}",
        "STRIDED_SLICE",
        (x, ints(begin), ints(end), ints(strides)),
        (typed(_result(i), dtype),),
        dict(zip(names, masks, strict=True)),
        seed=i,
    )


def _result(i: int) -> tuple[int, ...]:
    begin, end, strides, masks = STRIDED[i]
    entries: list[object] = []
    for k in range(len(begin)):
        no_begin, no_end, ellipsis, new, shrunk = (bool(mask >> k & 1) for mask in masks)
        if ellipsis:
            entries.append(Ellipsis)
        elif new:
            entries.append(None)
        elif shrunk:
            entries.append(0 if no_begin else begin[k])
        else:
            low, high = None if no_begin else begin[k], None if no_end else end[k]
            entries.append(slice(low, high, strides[k]))
    return np.zeros(SHAPE)[tuple(entries)].shape  # type: ignore[index]


def _of_type(dtype: DType) -> list[OneOp]:
    name = dtype.value
    x = Operand(typed(SHAPE, dtype))

    def out(*shape: int) -> tuple[TensorType, ...]:
        return (typed(shape, dtype),)

    found = [
        OneOp(f"rows_{name}", "SLICE", (x, ints(0, 2, 0, 0), ints(1, 3, -1, 4)), out(1, 3, 5, 4)),
        OneOp(f"all_{name}", "SLICE", (x, ints(0, 0, 2, 1), ints(1, 6, 2, 2)), out(1, 6, 2, 2)),
        OneOp(f"{name}", "TILE", (x, ints(2, 1, 2, 3)), out(2, 6, 10, 12)),
        OneOp(f"rows_{name}", "TILE", (x, ints(1, 2, 1, 1)), out(1, 12, 5, 4)),
    ]
    for axis, count in ((1, 3), (2, 5), (3, 2), (-1, 4)):
        sizes = list(SHAPE)
        sizes[axis] //= count
        parts = (typed(sizes, dtype),) * count
        options = {"num_splits": count}
        found.append(OneOp(f"axis{axis}_{name}", "SPLIT", (ints(axis), x), parts, options))
    for axis, given in ((1, (1, 2, 3)), (2, (4, -1)), (3, (1, -1, 2)), (-1, (4,))):
        sizes_ = [n if n >= 0 else SHAPE[axis] - sum(given) - 1 for n in given]
        results = []
        for n in sizes_:
            shape = list(SHAPE)
            shape[axis] = n
            results.append(typed(shape, dtype))
        operands = (x, ints(given), ints(axis))
        options = {"num_splits": len(given)}
        found.append(OneOp(f"axis{axis}_{name}", "SPLIT_V", operands, tuple(results), options))
    for axis in (0, 1, 2, 3, -1):
        shape = [n for k, n in enumerate(SHAPE) if k != axis % 4]
        results_ = (typed(shape, dtype),) * SHAPE[axis]
        options = {"num": SHAPE[axis], "axis": axis}
        found.append(OneOp(f"axis{axis}_{name}", "UNPACK", (x,), results_, options))
    part = Operand(typed((3, 4), dtype))
    for axis in (0, 1, 2, -1):
        shape = list(np.stack([np.zeros((3, 4))] * 3, axis).shape)
        options = {"values_count": 3, "axis": axis}
        operands = (part, part, part)
        found.append(OneOp(f"axis{axis}_{name}", "PACK", operands, (typed(shape, dtype),), options))
    return found


def _mirrors() -> list[OneOp]:
    found = []
    pads = (((0, 0), (1, 2), (2, 1), (0, 0)), ((0, 0), (0, 3), (1, 0), (2, 3)))
    for (i, pad), mode, dtype in itertools.product(
        enumerate(pads), ("REFLECT", "SYMMETRIC"), (DType.S8, DType.F32)
    ):
        shape = [n + sum(pair) for n, pair in zip(SHAPE, pad, strict=True)]
        operands = (Operand(typed(SHAPE, dtype)), ints(pad))
        name = f"{i}_{mode.lower()}_{dtype.value}"
        options = {"mode": int(mode == "SYMMETRIC")}
        found.append(OneOp(name, "MIRROR_PAD", operands, (typed(shape, dtype),), options))
    for axes in ((1,), (2,), (3,), (1, 2)):
        operands = (Operand(typed(SHAPE, DType.S8)), ints([*axes]))
        found.append(OneOp(f"{axes}", "REVERSE_V2", operands, (typed(SHAPE, DType.S8),)))
    broadcasts = (((1, 1, 4), (2, 3, 4)), ((4,), (3, 4)), ((1, 6, 1, 4), (1, 6, 5, 4)))
    for shape, wanted in broadcasts:
        for dtype in (DType.S8, DType.F32, DType.S32):
            operands = (Operand(typed(shape, dtype)), ints(wanted))
            name = f"{shape}_{wanted}_{dtype.value}"
            found.append(OneOp(name, "BROADCAST_TO", operands, (typed(wanted, dtype),), version=2))
    return found


def _resizes() -> list[OneOp]:
    """B55: each flag, to greater and smaller sizes."""
    found = []
    sizes = ((12, 10), (3, 2), (7, 9), (1, 1), (6, 5), (5, 13))
    flags = ((False, False), (True, False), (False, True))
    for size, (corners, centers), dtype in itertools.product(sizes, flags, (DType.S8, DType.F32)):
        operands = (Operand(typed(SHAPE, dtype)), ints(size))
        out = typed((1, *size, 4), dtype)
        options = {"align_corners": corners, "half_pixel_centers": centers}
        name = f"{size}_{corners}_{centers}_{dtype.value}"
        found.append(OneOp(name, "RESIZE_NEAREST_NEIGHBOR", operands, (out,), options))
    return found


def _blocks() -> list[OneOp]:
    found = []
    for dtype in (DType.S8, DType.F32):
        name = dtype.value
        for b in (1, 2, 3):
            deep, wide = typed((1, 3, 2, 2 * b * b), dtype), typed((1, 3 * b, 2 * b, 2), dtype)
            options = {"block_size": b}
            found.append(OneOp(f"{b}_{name}", "DEPTH_TO_SPACE", (Operand(deep),), (wide,), options))
            found.append(OneOp(f"{b}_{name}", "SPACE_TO_DEPTH", (Operand(wide),), (deep,), options))
    for pairs in (((0, 0), (0, 0)), ((0, 2), (1, 0))):
        h, w = (n + sum(pair) for n, pair in zip((4, 6 - sum(pairs[1])), pairs, strict=True))
        x = typed((1, 4, 6 - sum(pairs[1]), 3), DType.S8)
        small = typed((4, h // 2, w // 2, 3), DType.S8)
        operands = (Operand(x), ints([2, 2]), ints(pairs))
        found.append(OneOp(f"{pairs}", "SPACE_TO_BATCH_ND", operands, (small,)))
        operands = (Operand(small), ints([2, 2]), ints(pairs))
        found.append(OneOp(f"{pairs}", "BATCH_TO_SPACE_ND", operands, (x,)))
    return found


def _gathers() -> list[OneOp]:
    found = []
    for axis, indices in ((1, [3, 0, 0, 5]), (-1, [[1, 2], [3, 0]]), (2, 4), (0, [0, 0])):
        data = np.asarray(indices, np.int32)
        shape = np.take(np.zeros(SHAPE), data, axis).shape
        for dtype in (DType.S8, DType.F32):
            operands = (Operand(typed(SHAPE, dtype)), ints(indices))
            out = typed(shape, dtype)
            name = f"axis{axis}_{dtype.value}"
            found.append(OneOp(name, "GATHER", operands, (out,), {"axis": axis}))
    return found
