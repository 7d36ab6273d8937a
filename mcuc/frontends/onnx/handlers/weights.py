"""Conv, ConvTranspose, Gemm, MatMul."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mcuc.frontends.onnx.graph_builder import MAX_ELEMENTS
from mcuc.frontends.onnx.handlers.maps import Geometry, geometry, on_map
from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ir.graph import Array
from mcuc.ops import conv2d, depthwise_conv2d, fully_connected, transpose_conv


def conv(operator: Operator) -> Results:
    """Weights [O, C / group, ...]; the kernel's size is theirs."""
    operator.const(1, "weights")
    return (convolved(operator, operator.value(), operator.value(1), operator.optional(2)),)


def convolved(operator: Operator, x: int, weights: int, bias: int | None) -> int:
    """The convolution of a float map with constant weights."""
    graph = operator.graph
    size, shape = graph.shape(x), graph.shape(weights)
    if len(shape) != len(size) or len(shape) not in (3, 4):
        raise operator.error(
            "E114",
            f"input {size} and weights {shape}",
            "convolutions over one or two axes are supported",
        )
    places = geometry(operator, shape[2:], size[2:])
    if len(shape) == 3:
        weights, shape = _one_row(operator, weights)
    group, channels = operator.integer("group", 1), size[1]
    if group < 1 or shape[1] * group != channels or shape[0] % group:
        what = f"weights {shape} in {group} groups for {channels} channels"
        raise operator.error("E111", what)
    window = (places.stride, places.dilation, places.pad)
    if 1 < group == channels:
        last = graph.transpose(weights, (1, 2, 3, 0))
        attrs: object = depthwise_conv2d.Attrs(*window)
        return on_map(operator, x, _node(operator, "depthwise_conv2d", attrs, last, bias))
    last = graph.transpose(weights, (0, 2, 3, 1))
    return on_map(operator, x, _node(operator, "conv2d", conv2d.Attrs(*window), last, bias))


def _one_row(operator: Operator, weights: int) -> tuple[int, tuple[int, ...]]:
    out, per_group, width = operator.graph.shape(weights)
    shape = (out, per_group, 1, width)
    return operator.graph.reshape_constant(weights, shape), shape


def _node(
    operator: Operator, op: str, attrs: object, weights: int, bias: int | None
) -> Callable[[int], int]:
    operands = (weights,) if bias is None else (weights, bias)
    return lambda x: operator.graph.add(op, attrs, (x, *operands))


def conv_transpose(operator: Operator) -> Results:
    """Weights [C, O / group, ...]. A dilated kernel is a larger one with zeros between."""
    graph = operator.graph
    weights = np.asarray(operator.const(1, "weights"))
    if weights.ndim not in (3, 4) or weights.ndim != len(operator.shape()):
        raise operator.error("E114", f"input {operator.shape()} and weights {weights.shape}")
    spatial, kernel = operator.shape()[2:], weights.shape[2:]
    places = geometry_of_transpose(operator, kernel, spatial)
    size, window = places
    if weights.ndim == 3:
        weights = weights[:, :, np.newaxis]
    weights = _dilated(operator, weights, window.dilation)
    group, channels = operator.integer("group", 1), operator.shape()[1]
    if group < 1 or weights.shape[0] != channels or channels % group:
        what = f"weights {weights.shape} in {group} groups for {channels} channels"
        raise operator.error("E111", what)
    attrs = transpose_conv.Attrs(size, window.stride, (window.pad[0], window.pad[2]))
    bias = None if not operator.has(2) else operator.const(2, "bias")
    each, units = channels // group, weights.shape[1]

    def function(x: int) -> int:
        parts = []
        for g in range(group):
            own = range(g * each, (g + 1) * each)
            filters = graph.constant(weights[own.start : own.stop].transpose(1, 2, 3, 0))
            part = graph.take(x, (None, None, None, own)) if group > 1 else x
            operands = [part, filters]
            if bias is not None:
                operands.append(graph.constant(bias[g * units : (g + 1) * units]))
            parts.append(graph.add("transpose_conv", attrs, operands))
        return graph.joined(parts, 3)

    return (on_map(operator, operator.value(), function),)


def geometry_of_transpose(
    operator: Operator, kernel: tuple[int, ...], size: tuple[int, ...]
) -> tuple[tuple[int, int], Geometry]:
    """The output's size, and the windows; output_padding, output_shape and auto_pad included."""
    axes = len(size)
    mode = operator.word("auto_pad", "NOTSET")
    stride = operator.ints("strides") or (1,) * axes
    dilation = operator.ints("dilations") or (1,) * axes
    extra = operator.ints("output_padding") or (0,) * axes
    wanted = operator.ints("output_shape")
    pads = operator.ints("pads") or (0,) * (2 * axes)
    lists = (stride, dilation, extra, kernel, wanted or size)
    if any(len(values) != axes for values in lists) or len(pads) != 2 * axes:
        raise operator.error("E111", f"attributes do not fit the map of {size}")
    if min((*stride, *dilation)) < 1 or min((*extra, *pads)) < 0:
        raise operator.error("E115", f"strides {stride}, dilations {dilation}, pads {pads}")
    out, before = [], []
    for i in range(axes):
        whole = (size[i] - 1) * stride[i] + extra[i] + (kernel[i] - 1) * dilation[i] + 1
        if whole > MAX_ELEMENTS:
            raise operator.error("E105", f"the result before its padding has a size of {whole}")
        if wanted is not None or mode in ("SAME_UPPER", "SAME_LOWER"):
            length = wanted[i] if wanted is not None else size[i] * stride[i]
            total = max(whole - length, 0)
            half = total // 2 if mode == "SAME_UPPER" else total - total // 2
            before.append(half)
            out.append(length)
        else:
            before.append(pads[i])
            out.append(whole - pads[i] - pads[i + axes])
    if min(out) < 1:
        raise operator.error("E115", f"the result has the size {tuple(out)}")
    if axes == 1:
        window = Geometry((1, kernel[0]), (1, stride[0]), (1, dilation[0]), (0, 0, before[0], 0))
        return (1, out[0]), window
    return (out[0], out[1]), Geometry(
        (kernel[0], kernel[1]),
        (stride[0], stride[1]),
        (dilation[0], dilation[1]),
        (before[0], 0, before[1], 0),
    )


def _dilated(operator: Operator, weights: Array, dilation: tuple[int, int]) -> Array:
    if dilation == (1, 1):
        return weights
    c, o, h, w = weights.shape
    shape = (c, o, (h - 1) * dilation[0] + 1, (w - 1) * dilation[1] + 1)
    if math.prod(shape) > MAX_ELEMENTS:
        raise operator.error("E105", f"the dilated weights of shape {shape} are too large")
    result = np.zeros(shape, weights.dtype)
    result[:, :, :: dilation[0], :: dilation[1]] = weights
    return result


def gemm(operator: Operator) -> Results:
    """Alpha A' B' + beta C."""
    graph = operator.graph
    alpha, beta = operator.real("alpha", 1.0), operator.real("beta", 1.0)
    if len(operator.shape()) != 2 or len(operator.shape(1)) != 2:
        raise operator.error("E114", f"operands {operator.shape()} and {operator.shape(1)}")
    a, b = operator.value(), operator.value(1)
    if operator.integer("transA", 0):
        a = graph.transpose(a, (1, 0))
    if operator.integer("transB", 0):
        b = graph.transpose(b, (1, 0))
    units = graph.shape(b)[1]
    bias = None
    if operator.has(2) and beta:
        bias = operator.value(2)
        if beta != 1:
            bias = operator.scaled(bias, beta)
    vector = None
    if bias is not None and graph.const(bias) is not None and graph.const(b) is not None:
        vector = _bias_vector(operator, bias, units)
    if alpha != 1:
        b = operator.scaled(b, alpha)
    result = product(operator, a, b, vector)
    if bias is not None and vector is None:
        result = operator.pair("add", result, bias)
    return (result,)


def _bias_vector(operator: Operator, bias: int, units: int) -> int | None:
    """C as one number per unit, or None if its rows differ."""
    graph = operator.graph
    shape = graph.shape(bias)
    if math.prod(shape) == units and shape[-1:] == (units,):
        return graph.reshape_constant(bias, (units,))
    data = graph.const(bias)
    if data is None or math.prod(shape) != 1:
        return None
    return graph.constant(np.full((units,), data.ravel()[0]))


def product(operator: Operator, a: int, b: int, bias: int | None = None) -> int:
    """The matrix product of the last two axes, with numpy's rules for the others."""
    graph = operator.graph
    if not graph.shape(a) or not graph.shape(b):
        raise operator.error("E114", "an operand of a matrix product has no axis")
    if len(graph.shape(a)) == 1:
        row = product(operator, graph.reshape(a, (1, *graph.shape(a))), b, bias)
        shape = graph.shape(row)
        gone = len(shape) - (1 if len(graph.shape(b)) == 1 else 2)
        return graph.reshape(row, shape[:gone] + shape[gone + 1 :])
    if len(graph.shape(b)) == 1:
        column = product(operator, a, graph.reshape(b, (*graph.shape(b), 1)), bias)
        return graph.reshape(column, graph.shape(column)[:-1])
    left, right = graph.shape(a), graph.shape(b)
    if left[-1] != right[-2]:
        raise operator.error("E111", f"the shapes {left} and {right} have no matrix product")
    constant = graph.const(b) is not None and math.prod(right[:-2]) == 1
    if constant and len(left) >= len(right):
        matrix = graph.reshape_constant(b, right[-2:])
        weights = graph.transpose(matrix, (1, 0))
        operands = (a, weights) if bias is None else (a, weights, bias)
        return graph.add("fully_connected", fully_connected.Attrs(keep_num_dims=True), operands)
    result = graph.matmul(a, b)
    return result if bias is None else operator.pair("add", result, bias)


def matmul(operator: Operator) -> Results:
    return (product(operator, operator.value(), operator.value(1)),)


HANDLERS: dict[str, Handler] = {
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Gemm": gemm,
    "MatMul": matmul,
}
