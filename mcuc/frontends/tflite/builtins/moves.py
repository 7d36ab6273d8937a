"""Operators that take, repeat or join elements as they are: slices, splits, tiles, gathers.

Most become `take`, lists of indices for each axis, with reshapes around it, which cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mcuc.frontends.tflite.operator import Builtin, Known, Mapped, Operator, Part, Parts
from mcuc.ir.types import DType, TensorType
from mcuc.ops import concatenation, gather, pad, reshape, resize_bilinear, select, take, transpose

Picks = Sequence[Sequence[int] | None]


def taken(
    operator: Operator,
    picks: Picks,
    shape: Sequence[int] | None = None,
    *,
    source: int = 0,
    result: int = 0,
    first: int | None = None,
) -> Parts:
    """A `take`, and a reshape behind it where the result has another shape.

    Args:
        picks: By axis of the operand.
        shape: Of the result; None = what `take` gives.
        source: Which operand.
        result: Which result.
        first: Operand position that the first part's result will have; None = it is the first.
    """
    if result >= len(operator.outputs):
        raise operator.error("E104", f"the operator has only {len(operator.outputs)} results")
    x = operator.type(source)
    _check_sizes(operator, [len(pick) for pick in picks if pick is not None])
    attrs = take.attrs_of(x.shape, picks)
    own = tuple(n if p is None else len(p) for n, p in zip(x.shape, attrs.picks, strict=True))
    wanted = own if shape is None else tuple(shape)
    if all(pick is None for pick in attrs.picks):
        return (Part("reshape", reshape.Attrs(wanted), (source,), result),)
    if wanted == own:
        return (Part("take", attrs, (source,), result),)
    place = len(operator.inputs) if first is None else first
    between = operator.outputs[result].type
    return (
        Part("take", attrs, (source,), between),
        Part("reshape", reshape.Attrs(wanted), (place,), result),
    )


def _check_sizes(operator: Operator, sizes: Sequence[int]) -> None:
    """Requires that the sizes of a result are such as a table can hold."""
    if any(size > take.MAX_SIZE for size in sizes):
        raise operator.error("E117", f"{max(sizes)} elements of an axis; at most {take.MAX_SIZE}")


def slice_(operator: Operator) -> Parts:
    """Operands: input, begin, size (-1 = up to the end)."""
    shape = operator.type().shape
    begin, size = operator.integers(1, "begin"), operator.integers(2, "size")
    if not len(shape) == len(begin) == len(size):
        raise operator.error("E111", f"begin {begin} and size {size} for the shape {shape}")
    ends = [n if s == -1 else b + s for n, b, s in zip(shape, begin, size, strict=True)]
    return taken(operator, [range(b, e) for b, e in zip(begin, ends, strict=True)])


def strided_slice(operator: Operator) -> Parts:
    """StridedSliceOptions: masks for begin, end, ellipsis, new axes, shrunk axes; offset.

    TFLite's `strided_slice.cc`: bit i of a mask speaks of entry i of begin, end and strides.
    """
    shape = operator.type().shape
    begin, end = operator.integers(1, "begin"), operator.integers(2, "end")
    strides = operator.integers(3, "strides")
    no_begin, no_end, ellipsis, new, shrunk = (
        operator.options.scalar(field, "i32") for field in range(5)
    )
    if not len(begin) == len(end) == len(strides) or 0 in strides:
        raise operator.error("E115", f"begin {begin}, end {end}, strides {strides}")
    if operator.options.scalar(5, "bool", False):
        end = tuple(b + e for b, e in zip(begin, end, strict=True))
    named = sum(not (ellipsis | new) >> i & 1 for i in range(len(begin)))
    picks: list[range | None] = []
    kept: list[int] = []
    for i in range(len(begin)):
        if ellipsis >> i & 1:
            rest = shape[len(picks) : len(shape) - named + len(picks)]
            kept += rest
            picks += [None] * len(rest)
        elif new >> i & 1:
            kept.append(1)
        elif len(picks) >= len(shape):
            raise operator.error("E111", f"{named} axes of a tensor of shape {shape} are sliced")
        else:
            low = None if no_begin >> i & 1 else begin[i]
            high = None if no_end >> i & 1 else end[i]
            found = range(*slice(low, high, strides[i]).indices(shape[len(picks)]))
            if shrunk >> i & 1:
                found = range(found.start, found.start + 1)
            else:
                kept.append(len(found))
            picks.append(found)
    kept += shape[len(picks) :]
    picks += [None] * (len(shape) - len(picks))
    return taken(operator, picks, kept)


def split(operator: Operator) -> Parts:
    """SplitOptions: num_splits. Operands: axis, input."""
    shape = operator.type(1).shape
    axis = operator.axis(operator.integer(0, "axis"), len(shape))
    count = max(1, len(operator.outputs))
    if shape[axis] % count:
        raise operator.error("E111", f"axis {axis} of {shape} cannot be split into {count} parts")
    return _pieces(operator, 1, axis, [shape[axis] // count] * count)


def split_v(operator: Operator) -> Parts:
    """Operands: input, sizes (one may be -1, what remains), axis."""
    shape = operator.type().shape
    sizes = list(operator.integers(1, "sizes"))
    axis = operator.axis(operator.integer(2, "axis"), len(shape))
    if -1 in sizes:
        sizes[sizes.index(-1)] = shape[axis] - sum(sizes) - 1
    if min(sizes, default=0) < 0 or sum(sizes) != shape[axis]:
        raise operator.error("E111", f"{sizes} are not the parts of axis {axis} of {shape}")
    return _pieces(operator, 0, axis, sizes)


def _pieces(operator: Operator, source: int, axis: int, sizes: Sequence[int]) -> Parts:
    parts: Parts = ()
    start = 0
    for result, size in enumerate(sizes):
        picks: list[range | None] = [None] * len(operator.type(source).shape)
        picks[axis] = range(start, start + size)
        parts += taken(operator, picks, source=source, result=result)
        start += size
    return parts


def unpack(operator: Operator) -> Parts:
    """UnpackOptions: num, axis."""
    shape = operator.type().shape
    axis = operator.axis(operator.options.scalar(1, "i32"), len(shape))
    parts: Parts = ()
    for i in range(shape[axis]):
        picks: list[range | None] = [None] * len(shape)
        picks[axis] = range(i, i + 1)
        place = len(operator.inputs) + len(parts)
        rest = (*shape[:axis], *shape[axis + 1 :])
        parts += taken(operator, picks, rest, result=i, first=place)
    return parts


def pack(operator: Operator) -> Parts:
    """PackOptions: values_count, axis. Each operand gets the new axis; then they are joined."""
    shape = operator.type().shape
    axis = operator.axis(operator.options.scalar(1, "i32"), len(shape) + 1)
    grown = reshape.Attrs((*shape[:axis], 1, *shape[axis:]))
    count = len(operator.inputs)
    parts: Parts = tuple(Part("reshape", grown, (i,), operator.type(i)) for i in range(count))
    joined = tuple(range(count, 2 * count))
    return (*parts, Part("concatenation", concatenation.Attrs(axis), joined))


def tile(operator: Operator) -> Parts:
    """Operands: input, how often each axis is repeated."""
    shape = operator.type().shape
    times = operator.integers(1, "multiples")
    if len(times) != len(shape):
        raise operator.error("E111", f"multiples {times} for the shape {shape}")
    _check_sizes(operator, [n * k for n, k in zip(shape, times, strict=True)])
    return taken(operator, [[*range(n)] * k for n, k in zip(shape, times, strict=True)])


def broadcast_to(operator: Operator) -> Parts:
    """Operands: input, shape. New axes stand in front."""
    shape, wanted = operator.type().shape, operator.integers(1, "shape")
    shape = (1,) * (len(wanted) - len(shape)) + shape
    if len(shape) != len(wanted) or any(
        n not in (1, m) for n, m in zip(shape, wanted, strict=True)
    ):
        raise operator.error("E111", f"a tensor of shape {shape} cannot become {wanted}")
    _check_sizes(operator, wanted)
    grown = replace(operator.type(), shape=shape)
    picks = [None if n == m else [0] * m for n, m in zip(shape, wanted, strict=True)]
    attrs = take.attrs_of(shape, picks)
    return (
        Part("reshape", reshape.Attrs(shape), (0,), grown),
        Part("take", attrs, (len(operator.inputs),)),
    )


def mirror_pad(operator: Operator) -> Parts:
    """MirrorPadOptions: mode, 0 = REFLECT, 1 = SYMMETRIC. Operands: input, paddings."""
    shape = operator.type().shape
    pairs = operator.pairs(1, "paddings")
    mode = "symmetric" if operator.options.scalar(0, "i8") else "reflect"
    most = [n if mode == "symmetric" else n - 1 for n in shape]
    if len(pairs) != len(shape) or any(
        not 0 <= p <= n for pair, n in zip(pairs, most, strict=True) for p in pair
    ):
        raise operator.error("E115", f"paddings {pairs} of the shape {shape} ({mode})")
    _check_sizes(operator, shape)
    picks = [
        np.pad(np.arange(n), pair, mode).tolist()  # type: ignore[call-overload]
        for n, pair in zip(shape, pairs, strict=True)
    ]
    return taken(operator, picks)


def reverse(operator: Operator) -> Parts:
    """Operands: input, axes."""
    shape = operator.type().shape
    picks: list[range | None] = [None] * len(shape)
    for axis in operator.integers(1, "axes"):
        place = operator.axis(axis, len(shape))
        picks[place] = range(shape[place] - 1, -1, -1)
    return taken(operator, picks)


def resize_nearest(operator: Operator) -> Parts:
    """ResizeNearestNeighborOptions: align_corners, half_pixel_centers. Operands: input, size."""
    shape = operator.type().shape
    size = operator.integers(1, "size")
    if len(shape) != 4 or len(size) != 2 or min(size) < 1:
        raise operator.error("E114", f"shape {shape} and size {size}; rank 4 and 2 are needed")
    _check_sizes(operator, size)
    corners, centers = (operator.options.scalar(field, "bool", False) for field in (0, 1))
    rows, columns = (
        _nearest(n, m, corners, centers) for n, m in zip(shape[1:3], size, strict=True)
    )
    return taken(operator, [None, rows, columns, None])


def resize_bilinear_(operator: Operator) -> Mapped:
    """ResizeBilinearOptions: align_corners, half_pixel_centers, behind two unused fields."""
    size = operator.integers(1, "size")
    if len(size) != 2:
        raise operator.error("E114", f"the size is {size}; rows and columns are needed")
    corners, centers = (operator.options.scalar(field, "bool", False) for field in (2, 3))
    attrs = resize_bilinear.Attrs((size[0], size[1]), corners, centers)
    return Mapped("resize_bilinear", attrs, operands=1)


def _nearest(size: int, out: int, corners: bool, centers: bool) -> list[int]:
    """TFLite `GetNearestNeighbor`, in float32."""
    one = np.float32(1)
    spans = (size - 1, out - 1) if corners and out > 1 else (size, out)
    scale = np.float32(spans[0]) / np.float32(spans[1])
    offset = np.float32(0.5) if centers else np.float32(0)
    real = (np.arange(out, dtype=np.float32) + offset) * (scale * one)
    index = np.floor(real + np.float32(0.5)) if corners else np.floor(real)
    return [min(max(int(i), 0), size - 1) for i in index]


def select_(operator: Operator) -> Parts:
    """SELECT: a condition of rank 1 chooses along the first axis."""
    condition, shape = operator.type(), operator.shape(1)
    if len(condition.shape) != 1 or len(shape) < 2:
        return (Part("select", select.Attrs(), (0, 1, 2)),)
    stretched = (*condition.shape, *(1,) * (len(shape) - 1))
    return (
        Part("reshape", reshape.Attrs(stretched), (0,), replace(condition, shape=stretched)),
        Part("select", select.Attrs(), (len(operator.inputs), 1, 2)),
    )


def gather_(operator: Operator) -> Parts:
    """GatherOptions: axis, batch_dims. Operands: input, indices of any shape."""
    shape = operator.type().shape
    axis = operator.axis(operator.options.scalar(0, "i32"), len(shape))
    shared = operator.options.scalar(1, "i32")
    if shared < 0:
        shared += len(operator.shape(1))
    listed = operator.inputs[1] if len(operator.inputs) > 1 else None
    if shared or listed is None or listed.const is None:
        return (Part("gather", gather.Attrs(axis, shared), (0, 1)),)
    indices = listed.const
    _check_sizes(operator, [indices.size])
    picks: list[list[int] | None] = [None] * len(shape)
    picks[axis] = [int(i) for i in np.ravel(indices)]
    return taken(operator, picks, (*shape[:axis], *indices.shape, *shape[axis + 1 :]))


def _moved(
    operator: Operator, split: Sequence[int], perm: Sequence[int], shape: Sequence[int]
) -> Parts:
    """A reshape, a transpose, a reshape."""
    x = operator.type()
    count = len(operator.inputs)
    moved = replace(x, shape=tuple(split[axis] for axis in perm))
    return (
        Part("reshape", reshape.Attrs(tuple(split)), (0,), replace(x, shape=tuple(split))),
        Part("transpose", transpose.Attrs(tuple(perm)), (count,), moved),
        Part("reshape", reshape.Attrs(tuple(shape)), (count + 1,)),
    )


def depth_to_space(operator: Operator) -> Parts:
    """DepthToSpaceOptions: block_size."""
    n, h, w, c, b = _blocks(operator)
    if c % (b * b):
        raise operator.error("E111", f"{c} channels do not fill blocks of {b}x{b}")
    rest = c // (b * b)
    return _moved(operator, (n, h, w, b, b, rest), (0, 1, 3, 2, 4, 5), (n, h * b, w * b, rest))


def space_to_depth(operator: Operator) -> Parts:
    """SpaceToDepthOptions: block_size."""
    n, h, w, c, b = _blocks(operator)
    if h % b or w % b:
        raise operator.error("E111", f"a map of {h}x{w} has no whole blocks of {b}x{b}")
    split = (n, h // b, b, w // b, b, c)
    return _moved(operator, split, (0, 1, 3, 2, 4, 5), (n, h // b, w // b, b * b * c))


def _blocks(operator: Operator) -> tuple[int, int, int, int, int]:
    """The shape of the input and the block size."""
    shape, block = operator.type().shape, operator.options.scalar(0, "i32")
    if len(shape) != 4 or block < 1:
        raise operator.error("E114", f"shape {shape}, block size {block}")
    return (*shape, block)


def space_to_batch(operator: Operator) -> Parts:
    """Operands: input [N, H, W, C] or [N, W, C], block shape, paddings."""
    x, block, pairs = _batch_blocks(operator, "paddings")
    n, *spatial, c = x.shape
    padded = [size + sum(pair) for size, pair in zip(spatial, pairs, strict=True)]
    if any(size % b for size, b in zip(padded, block, strict=True)):
        raise operator.error("E111", f"a map of {padded} has no whole blocks of {block}")
    count, rank = len(operator.inputs), len(spatial)
    steps = [(size // b, b) for size, b in zip(padded, block, strict=True)]
    split = (n, *(size for pair in steps for size in pair), c)
    perm = (*range(2, 2 * rank + 1, 2), 0, *range(1, 2 * rank, 2), 2 * rank + 1)
    grown = replace(x, shape=(n, *padded, c))
    paddings = np.asarray([(0, 0), *pairs, (0, 0)], np.int32)
    return (
        Known(paddings, TensorType(paddings.shape, DType.S32)),
        Part("pad", pad.Attrs(), (0, count), grown),
        Part("reshape", reshape.Attrs(split), (count + 1,), replace(x, shape=split)),
        Part(
            "transpose",
            transpose.Attrs(perm),
            (count + 2,),
            replace(x, shape=tuple(split[axis] for axis in perm)),
        ),
        Part(
            "reshape",
            reshape.Attrs((n * int(np.prod(block)), *(size for size, _ in steps), c)),
            (count + 3,),
        ),
    )


def batch_to_space(operator: Operator) -> Parts:
    """Operands: input [N, H, W, C] or [N, W, C], block shape, crops."""
    x, block, pairs = _batch_blocks(operator, "crops")
    n, *spatial, c = x.shape
    factor = int(np.prod(block))
    if n % factor:
        raise operator.error("E111", f"a batch of {n} has no whole blocks of {block}")
    count, rank = len(operator.inputs), len(spatial)
    split = (*block, n // factor, *spatial, c)
    perm = [rank]
    for axis in range(rank):
        perm += [rank + 1 + axis, axis]
    perm.append(2 * rank + 1)
    sizes = [size * b for size, b in zip(spatial, block, strict=True)]
    whole = (n // factor, *sizes, c)
    picks = [range(low, size - high) for size, (low, high) in zip(sizes, pairs, strict=True)]
    *front, last = _moved(operator, split, perm, whole)
    assert isinstance(last, Part)
    return (
        *front,
        replace(last, result=replace(x, shape=whole)),
        Part("take", take.attrs_of(whole, [None, *picks, None]), (count + 2,)),
    )


def _batch_blocks(
    operator: Operator, name: str
) -> tuple[TensorType, tuple[int, ...], list[tuple[int, int]]]:
    """The input's type, the block shape and a pair per spatial axis."""
    x, block = operator.type(), operator.integers(1, "block shape")
    pairs = operator.pairs(2, name)
    if len(x.shape) not in (3, 4) or not len(block) == len(pairs) == len(x.shape) - 2:
        raise operator.error("E114", f"shape {x.shape}, block {block}, {name} {pairs}")
    if min(block) < 1 or any(size < 0 for pair in pairs for size in pair):
        raise operator.error("E115", f"block {block}, {name} {pairs}")
    return x, block, pairs


def shape_of(operator: Operator) -> Parts:
    """ShapeOptions: out_type. Shapes are static."""
    dtype = operator.outputs[0].type.dtype.numpy
    return (Known(np.asarray(operator.type().shape, dtype)),)


def fill(operator: Operator) -> Parts:
    """Operands: shape, value."""
    value = operator.const(1, "value")
    shape = operator.integers(0, "shape")
    if min(shape, default=1) < 0 or value.size != 1:
        raise operator.error("E115", f"{shape} is not a shape, or {value.size} elements no value")
    _check_sizes(operator, [math.prod(shape)])
    return (Known(np.full(shape, np.ravel(value)[0])),)


def zeros_like(operator: Operator) -> Parts:
    """Zeros of the operand's shape, which alone counts."""
    dtype = operator.outputs[0].type.dtype
    if dtype not in (DType.F32, DType.S32, DType.S64):
        raise operator.error("E110", f"ZEROS_LIKE of {dtype.value}; f32, s32 and s64 are supported")
    return (Known(np.zeros(operator.type().shape, dtype.numpy)),)


def densify(operator: Operator) -> Parts:
    """Sparse weights are decoded where they are read."""
    return (Known(operator.const(0, "sparse tensor")),)


BUILTINS = {
    "DENSIFY": Builtin(densify),
    "ZEROS_LIKE": Builtin(zeros_like),
    "SLICE": Builtin(slice_),
    "STRIDED_SLICE": Builtin(strided_slice, "StridedSliceOptions"),
    "SPLIT": Builtin(split),
    "SPLIT_V": Builtin(split_v),
    "UNPACK": Builtin(unpack, "UnpackOptions"),
    "PACK": Builtin(pack, "PackOptions"),
    "TILE": Builtin(tile),
    "BROADCAST_TO": Builtin(broadcast_to),
    "MIRROR_PAD": Builtin(mirror_pad, "MirrorPadOptions"),
    "REVERSE_V2": Builtin(reverse),
    "RESIZE_NEAREST_NEIGHBOR": Builtin(resize_nearest, "ResizeNearestNeighborOptions"),
    "RESIZE_BILINEAR": Builtin(resize_bilinear_, "ResizeBilinearOptions"),
    "GATHER": Builtin(gather_, "GatherOptions"),
    "GATHER_ND": Builtin(lambda operator: Mapped("gather", gather.Attrs(several=True))),
    "SELECT": Builtin(select_),
    "SELECT_V2": Builtin(lambda operator: Mapped("select", select.Attrs())),
    "DEPTH_TO_SPACE": Builtin(depth_to_space, "DepthToSpaceOptions"),
    "SPACE_TO_DEPTH": Builtin(space_to_depth, "SpaceToDepthOptions"),
    "SPACE_TO_BATCH_ND": Builtin(space_to_batch),
    "BATCH_TO_SPACE_ND": Builtin(batch_to_space),
    "SHAPE": Builtin(shape_of),
    "FILL": Builtin(fill),
}
