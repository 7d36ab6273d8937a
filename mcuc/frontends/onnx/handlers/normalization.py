"""BatchNormalization and its relatives, in parts that passes put together again."""

from __future__ import annotations

import math

import numpy as np

from mcuc.frontends.onnx.operator import Handler, Operator, Results
from mcuc.ops import layer_norm


def batch_normalization(operator: Operator) -> Results:
    """Scale (x - mean) / sqrt(var + epsilon) + bias, a factor and an offset per channel."""
    if operator.integer("training_mode", 0) or operator.wants(1):
        raise operator.error("E115", "BatchNormalization in training mode")
    scale, bias, mean, var = (
        np.asarray(operator.const(i, name), np.float64).ravel()
        for i, name in enumerate(("scale", "bias", "mean", "variance"), 1)
    )
    rank = len(operator.shape())
    channels = operator.shape()[1] if rank > 1 else 1
    if any(data.size != channels for data in (scale, bias, mean, var)):
        raise operator.error(
            "E111", f"the parameters have not the {channels} channels of the input"
        )
    var = var + operator.real("epsilon", 1e-5)
    if var.min() <= 0:
        raise operator.error("E115", f"the least variance with epsilon is {var.min()}")
    factor = scale / np.sqrt(var)
    shape = (channels, *(1,) * (rank - 2))
    graph = operator.graph
    factors, offsets = (
        graph.constant(data.astype(np.float32).reshape(shape))
        for data in (factor, bias - mean * factor)
    )
    return (operator.pair("add", operator.pair("mul", operator.value(), factors), offsets),)


def normalized(
    operator: Operator, x: int, axes: tuple[int, ...], epsilon: float
) -> tuple[int, int, int]:
    """(x - mean) / sqrt(variance + epsilon) over axes; the mean; one over the root."""
    mean = operator.reduced("mean", x, axes, keep=True)
    centered = operator.pair("sub", x, mean)
    variance = operator.reduced("mean", operator.unary("square", centered), axes, keep=True)
    inverse = operator.unary("rsqrt", operator.scaled(variance, 1.0, epsilon))
    return operator.pair("mul", centered, inverse), mean, inverse


def layer_normalization(operator: Operator) -> Results:
    """With scale and bias, both of the shape of the normalized axes; mean and 1 / deviation."""
    if _is_one_op(operator):
        attrs = layer_norm.Attrs(operator.real("epsilon", 1e-5))
        operands = [operator.value(), operator.optional(1), operator.optional(2)]
        while operands[-1] is None:
            operands.pop()
        return (operator.graph.add("layer_norm", attrs, operands),)
    result, mean, inverse = normalized(
        operator, operator.value(), _last_axes(operator), operator.real("epsilon", 1e-5)
    )
    if operator.has(1):
        result = operator.pair("mul", result, operator.value(1))
    if operator.has(2):
        result = operator.pair("add", result, operator.value(2))
    return (result, mean, inverse)


def _is_one_op(operator: Operator) -> bool:
    """Over the last axis, with constants, without further results."""
    constant = all(
        operator.graph.const(operator.value(i)) is not None for i in (1, 2) if operator.has(i)
    )
    alone = not operator.wants(1) and not operator.wants(2)
    return constant and alone and _last_axes(operator) == (len(operator.shape()) - 1,)


def skip_layer_normalization(operator: Operator) -> Results:
    """LayerNormalization of x + skip + bias; the sum is the fourth result."""
    total = operator.pair("add", operator.value(), operator.value(1))
    if operator.has(4):
        total = operator.pair("add", total, operator.value(4))
    axes = (len(operator.shape()) - 1,)
    result, mean, inverse = normalized(operator, total, axes, operator.real("epsilon", 1e-12))
    result = operator.pair("mul", result, operator.value(2))
    if operator.has(3):
        result = operator.pair("add", result, operator.value(3))
    return (result, mean, inverse, total)


def _last_axes(operator: Operator) -> tuple[int, ...]:
    """From the attribute axis on."""
    rank = len(operator.shape())
    return tuple(range(operator.axis(operator.integer("axis", -1), rank), rank))


def rms_normalization(operator: Operator) -> Results:
    """X / sqrt(mean(x^2) + epsilon) times a scale."""
    x = operator.value()
    power = operator.reduced("mean", operator.unary("square", x), _last_axes(operator), keep=True)
    offset = operator.real("epsilon", 1e-5)
    inverse = operator.unary("rsqrt", operator.scaled(power, 1.0, offset))
    return (operator.pair("mul", operator.pair("mul", x, inverse), operator.value(1)),)


def mean_variance_normalization(operator: Operator) -> Results:
    axes = operator.ints("axes") or (0, 2, 3)
    rank = len(operator.shape())
    own = tuple(sorted(operator.axis(axis, rank) for axis in axes))
    return (normalized(operator, operator.value(), own, 1e-9)[0],)


def lp_normalization(operator: Operator) -> Results:
    """X over its 1- or 2-norm along an axis."""
    x, p = operator.value(), operator.integer("p", 2)
    axis = operator.axis(operator.integer("axis", -1), len(operator.shape()))
    if p not in (1, 2):
        raise operator.error("E115", f"a norm of order {p}")
    powers = operator.unary("abs" if p == 1 else "square", x)
    norm = operator.reduced("sum", powers, (axis,), keep=True)
    root = norm if p == 1 else operator.unary("sqrt", norm)
    least = operator.graph.scalar(float(np.finfo(np.float32).tiny))  # of zeros it is 0, not 0 / 0
    return (operator.pair("div", x, operator.pair("maximum", root, least)),)


def instance_normalization(operator: Operator) -> Results:
    if len(operator.shape()) < 3:
        raise operator.error("E114", f"the input is {operator.shape()}; rank 3 is needed")
    return (_scaled_channels(operator, operator.value(), operator.shape()[1], _spatial(operator)),)


def _spatial(operator: Operator) -> tuple[int, ...]:
    return tuple(range(2, len(operator.shape())))


def _scaled_channels(operator: Operator, x: int, channels: int, axes: tuple[int, ...]) -> int:
    graph = operator.graph
    result = normalized(operator, x, axes, operator.real("epsilon", 1e-5))[0]
    shape = (channels, *(1,) * (len(operator.shape()) - 2))
    factor, offset = (graph.reshape(operator.value(i), shape) for i in (1, 2))
    return operator.pair("add", operator.pair("mul", result, factor), offset)


def group_normalization(operator: Operator) -> Results:
    """From operator set 21 on scale and bias are per channel, before per group."""
    graph, shape = operator.graph, operator.shape()
    groups = operator.integer("num_groups", 0)
    if len(shape) < 2 or groups < 1 or shape[1] % groups:
        raise operator.error("E111", f"{groups} groups of the shape {shape}")
    split = graph.reshape(operator.value(), (shape[0], groups, math.prod(shape[1:]) // groups))
    result = normalized(operator, split, (2,), operator.real("epsilon", 1e-5))[0]
    per_group = math.prod(operator.shape(1)) == groups != shape[1]
    wanted = (groups, 1) if per_group else (shape[1], *(1,) * (len(shape) - 2))
    if not per_group:
        result = graph.reshape(result, shape)
    factor, offset = (graph.reshape(operator.value(i), wanted) for i in (1, 2))
    result = operator.pair("add", operator.pair("mul", result, factor), offset)
    return (graph.reshape(result, shape),)


HANDLERS: dict[str, Handler] = {
    "BatchNormalization": batch_normalization,
    "LayerNormalization": layer_normalization,
    "com.microsoft.SkipLayerNormalization": skip_layer_normalization,
    "RMSNormalization": rms_normalization,
    "MeanVarianceNormalization": mean_variance_normalization,
    "LpNormalization": lp_normalization,
    "InstanceNormalization": instance_normalization,
    "GroupNormalization": group_normalization,
}
