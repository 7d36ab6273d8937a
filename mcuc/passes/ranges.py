"""Which int8 values each channel (last axis) of a tensor can have, for any input of the graph.

Interval arithmetic through the ops' own integer rules. It is sound, not tight: an op that is not
known gives the whole range.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array, Graph, Node
from mcuc.ir.types import DType, TensorType
from mcuc.numerics import int8
from mcuc.ops import convolution, spec_of
from mcuc.ops.checks import activation_range, quant_of
from mcuc.ops.convolution import BIAS, INPUT, Ints
from mcuc.ops.spec import Site

# Ops that work channel by channel and never fall when an operand rises.
MONOTONE = ("add", "average_pool2d", "logistic", "max_pool2d", "mean", "relu")
_INT32 = 1 << 31


@dataclass(frozen=True)
class Interval:
    """Least and greatest value of each channel, int64 [C]."""

    low: Ints
    high: Ints

    @property
    def constant(self) -> npt.NDArray[np.bool_]:
        """Which channels have a single value."""
        same: npt.NDArray[np.bool_] = self.low == self.high
        return same


def ranges(graph: Graph, numerics: str) -> dict[int, Interval]:
    """An interval for every int8 tensor with channels."""
    found: dict[int, Interval] = {}
    for v, value in graph.values.items():
        if _is_map(value.type):
            found[v] = _whole(value.type) if value.const is None else _of_data(value.const)
    for node in graph.nodes:
        site = Site.of(graph, node, numerics)
        known = [None if v is None else found.get(v) for v in node.inputs]
        rule = _rule(graph, node)
        if rule is not None and node.outputs[0] in found:
            found[node.outputs[0]] = rule(site, known)
    return found


def _is_map(type_: TensorType) -> bool:
    return type_.dtype is DType.S8 and len(type_.shape) > 0


def _whole(type_: TensorType) -> Interval:
    channels = type_.shape[-1]
    return Interval(np.full(channels, -128), np.full(channels, 127))


def _of_data(data: Array) -> Interval:
    rows = data.reshape(-1, data.shape[-1]).astype(np.int64)
    return Interval(rows.min(axis=0), rows.max(axis=0))


_Rule = Callable[[Site, list[Interval | None]], Interval]


def _rule(graph: Graph, node: Node) -> _Rule | None:
    operands = [graph.type(v) for v in node.inputs if v is not None]
    if not operands or operands[0].dtype is not DType.S8:
        return None
    if node.op == "conv2d" and convolution.groups_of(Site.of(graph, node)) == 1:
        return _of_conv
    depthwise = node.op == "depthwise_conv2d" and operands[0].shape[3] == operands[1].shape[3]
    if depthwise:
        return _of_depthwise
    if goes_by_channel(graph, node) and node.op in MONOTONE:
        return functools.partial(_of_monotone, op=node.op)
    if goes_by_channel(graph, node) and node.op == "reshape":
        return lambda site, known: known[0] or _whole(site.output)
    return None


def goes_by_channel(graph: Graph, node: Node) -> bool:
    """Whether channel c of the result depends on channel c of each map that is read, alone."""
    operands = [graph.values[v] for v in node.inputs if v is not None]
    if node.op in ("depthwise_conv2d", "mean"):
        operands = operands[:1]
    out = graph.type(node.outputs[0])
    for operand in operands:
        same = _is_map(operand.type) and operand.type.shape[-1:] == out.shape[-1:]
        if operand.const is not None or not same:
            return False
    if node.op == "mean":
        return len(out.shape) == len(operands[0].type.shape) or _keeps_last(graph, node)
    return _is_map(out) and node.op in (*MONOTONE, "depthwise_conv2d", "mul", "reshape")


def _keeps_last(graph: Graph, node: Node) -> bool:
    """Whether a mean without kept axes is not over the last one."""
    axes: tuple[int, ...] = node.attrs.axes  # type: ignore[attr-defined]
    rank = len(graph.operand_types(node)[0].shape)  # type: ignore[union-attr]
    return rank - 1 not in [axis % rank for axis in axes]


def _of_monotone(site: Site, known: list[Interval | None], op: str) -> Interval:
    """The rule itself, on operands filled with their least and with their greatest values."""
    least, greatest = [], []
    for type_, interval in zip(site.inputs, known, strict=True):
        assert type_ is not None and interval is not None
        least.append(np.broadcast_to(interval.low.astype(np.int8), type_.shape))
        greatest.append(np.broadcast_to(interval.high.astype(np.int8), type_.shape))
    low, high = (_of_data(spec_of(op).ref(site, *ends)[0]) for ends in (least, greatest))
    return Interval(low.low, high.high)


def _of_conv(site: Site, known: list[Interval | None]) -> Interval:
    x = _input(site, known[INPUT])
    weights = convolution.centered(site)  # [O, KH, KW, C]
    taps = weights.transpose(0, 3, 1, 2).reshape(len(weights), len(x.low), -1)
    above = np.maximum(taps, 0).sum(axis=2)
    below = np.minimum(taps, 0).sum(axis=2)
    return _requantized(site, above @ x.low + below @ x.high, above @ x.high + below @ x.low)


def _of_depthwise(site: Site, known: list[Interval | None]) -> Interval:
    x = _input(site, known[INPUT])
    weights = convolution.centered(site)
    taps = weights.reshape(-1, weights.shape[3])
    above, below = np.maximum(taps, 0).sum(axis=0), np.minimum(taps, 0).sum(axis=0)
    return _requantized(site, above * x.low + below * x.high, above * x.high + below * x.low)


def _input(site: Site, interval: Interval | None) -> Interval:
    """What windows see, without the zero point; padding is the zero point."""
    interval = interval or _whole(site.input(INPUT))
    zero = quant_of(site.input(INPUT)).zero_point
    low, high = interval.low - zero, interval.high - zero
    if any(convolution.attrs_of(site).pad):
        low, high = np.minimum(low, 0), np.maximum(high, 0)
    return Interval(low, high)


def _requantized(site: Site, low: Ints, high: Ints) -> Interval:
    """Sums without the bias to outputs."""
    bias = convolution.bias_or_zero(
        site.consts[BIAS] if len(site.consts) > BIAS else None, len(low)
    )
    low, high = low + bias, high + bias
    factors = convolution.multipliers(site, len(low))
    clamp = activation_range(site, convolution.attrs_of(site).activation)
    zero = quant_of(site.output).zero_point
    ends = [
        int8.requantize_conv(acc, *factors, zero, clamp).astype(np.int64) for acc in (low, high)
    ]
    exact = (low >= -_INT32) & (high < _INT32)  # else it might wrap
    return Interval(
        np.where(exact, np.minimum(*ends), clamp[0]), np.where(exact, np.maximum(*ends), clamp[1])
    )
