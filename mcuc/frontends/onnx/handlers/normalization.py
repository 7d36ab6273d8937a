"""BatchNormalization and its relatives, in parts that passes put together again."""

from __future__ import annotations

import math

import numpy as np

from mcuc.frontends.onnx.operator import Handler, Operator, Results


def batch_normalization(operator: Operator) -> Results:
    """scale (x - mean) / sqrt(var + epsilon) + bias, a factor and an offset per channel."""
    if operator.int("training_mode", 0) or operator.wants(1):
        raise operator.error("E115", "BatchNormalization in training mode")
    scale, bias, mean, var = (
        np.asarray(operator.const(i, name), np.float64).ravel()
        for i, name in enumerate(("scale", "bias", "mean", "variance"), 1)
    )
    rank = len(operator.shape())
    channels = operator.shape()[1] if rank > 1 else 1
    if any(data.size != channels for data in (scale, bias, mean, var)):
        raise operator.error("E111", f"the parameters have not the {channels} channels of the input")
    factor = scale / np.sqrt(var + operator.float("epsilon", 1e-5))
    shape = (channels, *(1,) * (rank - 2))
    graph = operator.graph
    factors, offsets = (
        graph.constant(data.astype(np.float32).reshape(shape))
        for data in (factor, bias - mean * factor)
    )
    return (operator.pair("add", operator.pair("mul", operator.value(), factors), offsets),)


def normalized(operator: Operator, x: int, axes: tuple[int, ...], epsilon: float) -> int:
    """(x - mean) / sqrt(variance + epsilon) over axes."""
    centered = operator.pair("sub", x, operator.reduced("mean", x, axes, keep=True))
    variance = operator.reduced("mean", operator.unary("square", centered), axes, keep=True)
    inverse = operator.unary("rsqrt", operator.scaled(variance, 1.0, epsilon))
    return operator.pair("mul", centered, inverse)


def layer_normalization(operator: Operator) -> Results:
    if operator.wants(1) or operator.wants(2):
        raise operator.error("E115", "mean and deviation of a LayerNormalization are not supported")
    rank = len(operator.shape())
    first = operator.axis(operator.int("axis", -1), max(1, rank))
    result = normalized(
        operator, operator.value(), tuple(range(first, rank)), operator.float("epsilon", 1e-5)
    )
    if operator.has(1):
        result = operator.pair("mul", result, operator.value(1))
    return (operator.pair("add", result, operator.value(2)) if operator.has(2) else result,)


def instance_normalization(operator: Operator) -> Results:
    return (_scaled_channels(operator, operator.value(), operator.shape()[1], _spatial(operator)),)


def _spatial(operator: Operator) -> tuple[int, ...]:
    return tuple(range(2, len(operator.shape())))


def _scaled_channels(
    operator: Operator, x: int, channels: int, axes: tuple[int, ...]
) -> int:
    graph = operator.graph
    result = normalized(operator, x, axes, operator.float("epsilon", 1e-5))
    shape = (channels, *(1,) * (len(operator.shape()) - 2))
    factor, offset = (graph.reshape(operator.value(i), shape) for i in (1, 2))
    return operator.pair("add", operator.pair("mul", result, factor), offset)


def group_normalization(operator: Operator) -> Results:
    """From operator set 21 on scale and bias are per channel, before per group."""
    graph, shape = operator.graph, operator.shape()
    groups = operator.int("num_groups", 0)
    if len(shape) < 2 or groups < 1 or shape[1] % groups:
        raise operator.error("E111", f"{groups} groups of the shape {shape}")
    split = graph.reshape(operator.value(), (shape[0], groups, math.prod(shape[1:]) // groups))
    result = normalized(operator, split, (2,), operator.float("epsilon", 1e-5))
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
    "InstanceNormalization": instance_normalization,
    "GroupNormalization": group_normalization,
}
