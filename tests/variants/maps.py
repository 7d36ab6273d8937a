"""Windows, matrix products, resizes and paddings: strides, dilations, edges, flags, ranks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from mcuc.ir.types import DType, Quant, TensorType
from tests.support.cases import Operand
from tests.support.one_op import OneOp, ints, typed
from tests.support.tflite_build import OptionValue
from tests.support.type_matrix import MAKERS, kind_of
from tests.variants.making import variant

SIZE = (1, 7, 6, 4)
PADDINGS = ("SAME", "VALID")
ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")


def _places(size: int, window: int, stride: int, padding: str) -> int:
    return -(-(size if padding == "SAME" else size - window + 1) // stride)


def _pool(op: str, dtype: DType) -> Iterator[OneOp]:
    for padding, stride, (h, w) in itertools.product(PADDINGS, (1, 2), ((2, 2), (3, 1), (2, 3))):
        own: dict[str, OptionValue] = {"padding": padding, "stride_h": stride, "stride_w": stride}
        own |= {"filter_height": h, "filter_width": w}
        result = (1, _places(7, h, stride, padding), _places(6, w, stride, padding), 4)
        yield variant(f"{padding} {stride} {h}x{w}", op, dtype, (SIZE,), result, **own)
    for activation in ACTIVATIONS[1:] if op != "L2_POOL_2D" else ():
        own = {"padding": "SAME", "stride_h": 1, "stride_w": 1, "filter_height": 2}
        own |= {"filter_width": 2, "fused_activation_function": activation}
        yield variant(activation, op, dtype, (SIZE,), SIZE, **own)


def _weights(shape: tuple[int, ...], dtype: DType, seed: int, axis: int) -> list[Operand]:
    """Weights and a bias as the arithmetic of the input has them."""
    rng = np.random.default_rng(seed)
    own = DType.S8 if dtype is DType.S16 else dtype
    wide = {DType.S16: DType.S64, DType.F32: DType.F32}.get(dtype, DType.S32)
    zero = 120 if own is DType.U8 else 0
    weights = typed(shape, own, (0.02, zero))
    if dtype is DType.F32:
        data = rng.uniform(-1, 1, shape).astype(np.float32)
        sums = rng.uniform(-1, 1, shape[axis]).astype(np.float32)
    else:
        data = (rng.integers(-127, 128, shape) + (128 if zero else 0)).astype(own.numpy)
        sums = rng.integers(-2000, 2000, shape[axis]).astype(wide.numpy)
    assert weights.quant is not None or dtype is DType.F32
    source = kind_of("CONV_2D", (), dtype).quant
    scale = None
    if source is not None and weights.quant is not None:
        scale = Quant((float(np.float32(source.scale) * np.float32(weights.quant.scale)),), (0,))
    return [Operand(weights, data), Operand(TensorType((shape[axis],), wide, scale), sums)]


def _weighted(
    name: str,
    op: str,
    dtype: DType,
    shape: tuple[int, ...],
    weights: tuple[int, ...],
    result: tuple[int, ...],
    bias: bool = True,
    axis: int = 0,
    **own: OptionValue,
) -> OneOp:
    extra = _weights(weights, dtype, len(name), axis)[: 1 + bias]
    one = variant(name, op, dtype, (shape,), result, extra, **own)
    version = 4 if dtype is DType.S16 else 3
    return OneOp(one.name, op, one.operands, one.results, own, one.seed, version)


def _conv(op: str, dtype: DType) -> Iterator[OneOp]:
    deep = op == "DEPTHWISE_CONV_2D"
    for padding, stride, dilation in itertools.product(PADDINGS, (1, 2), (1, 2)):
        for (h, w), units in itertools.product(((3, 3), (1, 3)), (4, 8)):
            if max(stride, dilation) == 2 and (units == 8) != deep:
                continue
            if stride == dilation == 2:
                continue
            own: dict[str, OptionValue] = {"padding": padding}
            own |= {"stride_h": stride, "stride_w": stride}
            own |= {"dilation_h_factor": dilation, "dilation_w_factor": dilation}
            if deep:
                own["depth_multiplier"] = units // 4
            size = [
                _places(n, (k - 1) * dilation + 1, stride, padding) for n, k in ((7, h), (6, w))
            ]
            shape = (1, h, w, units) if deep else (units, h, w, 4)
            name = f"{padding} stride {stride} dilation {dilation} {h}x{w} to {units}"
            axis = 3 if deep else 0
            yield _weighted(name, op, dtype, SIZE, shape, (1, *size, units), axis=axis, **own)
    plain: dict[str, OptionValue] = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    if deep:
        plain["depth_multiplier"] = 1
    window, axis = ((1, 3, 3, 4), 3) if deep else ((4, 1, 1, 4), 0)
    batch = (2, *SIZE[1:])
    yield _weighted("batch", op, dtype, batch, window, batch, axis=axis, **plain)
    if deep:  # the interpreter wants one of a CONV_2D
        yield _weighted("no bias", op, dtype, SIZE, window, SIZE, False, axis, **plain)
    for activation in ACTIVATIONS[1:]:
        fused = {**plain, "fused_activation_function": activation}
        yield _weighted(activation, op, dtype, SIZE, window, SIZE, axis=axis, **fused)


def _transposed(dtype: DType) -> Iterator[OneOp]:
    for padding, stride, (h, w) in itertools.product(PADDINGS, (1, 2, 3), ((3, 3), (2, 4))):
        size = [
            n * stride if padding == "SAME" else (n - 1) * stride + max(k, stride)
            for n, k in ((7, h), (6, w))
        ]
        result = (1, *size, 3)
        own: dict[str, OptionValue] = {"padding": padding}
        own |= {"stride_h": stride, "stride_w": stride}
        name = f"{padding} stride {stride} {h}x{w}"
        for bias in (True, False):
            one = _weighted(name, "TRANSPOSE_CONV", dtype, SIZE, (3, h, w, 4), result, bias, **own)
            x, weights, *sums = one.operands
            operands = (ints(*result), weights, x, *sums)
            title = f"{one.name} bias {bias}"
            yield OneOp(title, one.op, operands, one.results, own, one.seed, one.version)


def _full(dtype: DType) -> Iterator[OneOp]:
    op, weights = "FULLY_CONNECTED", (3, 8)
    yield _weighted("one row", op, dtype, (1, 8), weights, (1, 3))
    yield _weighted("rows", op, dtype, (5, 8), weights, (5, 3))
    yield _weighted("no bias", op, dtype, (5, 8), weights, (5, 3), bias=False)
    yield _weighted("flattened", op, dtype, (2, 3, 4, 2), weights, (6, 3))
    yield _weighted("rank 3", op, dtype, (2, 3, 8), weights, (2, 3, 3), keep_num_dims=True)
    for activation in ACTIVATIONS[1:]:
        own = {"fused_activation_function": activation}
        yield _weighted(activation, op, dtype, (5, 8), weights, (5, 3), **own)


def _matmul(dtype: DType) -> Iterator[OneOp]:
    batches = {
        "plain": ((), ()),
        "batch": ((2,), (2,)),
        "left": ((2, 3), (3,)),
        "right": ((1,), (4,)),
        "crosswise": ((2, 1), (1, 3)),
    }
    for (name, (a, b)), x, y in itertools.product(batches.items(), (False, True), (False, True)):
        left, right = (5, 3) if x else (3, 5), (4, 5) if y else (5, 4)
        result = (*np.broadcast_shapes(a, b), 3, 4)
        shapes = ((*a, *left), (*b, *right))
        own: dict[str, OptionValue] = {"adj_x": x, "adj_y": y}
        yield variant(f"{name} {x} {y}", "BATCH_MATMUL", dtype, shapes, result, **own)


def _resize(op: str, dtype: DType) -> Iterator[OneOp]:
    sizes = ((14, 12), (3, 2), (7, 9), (5, 13), (1, 1))
    flags = ((False, False), (True, False), (False, True))
    for size, (corners, centers) in itertools.product(sizes, flags):
        own: dict[str, OptionValue] = {"align_corners": corners, "half_pixel_centers": centers}
        name = f"{size} {corners} {centers}"
        yield variant(name, op, dtype, (SIZE,), (1, *size, 4), (ints(size),), **own)
    yield variant("batch", op, dtype, ((2, *SIZE[1:]),), (2, 9, 9, 4), (ints(9, 9),))


def _pad(op: str, dtype: DType) -> Iterator[OneOp]:
    edges = ((0, 0), (2, 1))
    modes: list[dict[str, OptionValue]] = [{"mode": 0}, {"mode": 1}] if op == "MIRROR_PAD" else [{}]
    for shape in ((5,), (3, 5), (3, 4, 5), (3, 3, 4, 5)):
        for pairs, own in itertools.product(itertools.product(edges, repeat=len(shape)), modes):
            result = [n + sum(pair) for n, pair in zip(shape, pairs, strict=True)]
            extra: list[Operand | None] = [ints(pairs)]
            if op == "PADV2":
                fill = kind_of(op, (1,), dtype)
                extra.append(Operand(fill, np.ones(1, dtype.numpy)))
            yield variant(f"{pairs} {own}", op, dtype, (shape,), result, extra, **own)


POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")
VARIANTS = {
    **{op: partial(_pool, op) for op in POOLS if op in MAKERS},
    "CONV_2D": partial(_conv, "CONV_2D"),
    "DEPTHWISE_CONV_2D": partial(_conv, "DEPTHWISE_CONV_2D"),
    "TRANSPOSE_CONV": _transposed,
    "FULLY_CONNECTED": _full,
    "BATCH_MATMUL": _matmul,
    "RESIZE_BILINEAR": partial(_resize, "RESIZE_BILINEAR"),
    "RESIZE_NEAREST_NEIGHBOR": partial(_resize, "RESIZE_NEAREST_NEIGHBOR"),
    "PAD": partial(_pad, "PAD"),
    "PADV2": partial(_pad, "PADV2"),
    "MIRROR_PAD": partial(_pad, "MIRROR_PAD"),
}
