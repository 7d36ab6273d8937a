"""Which values share their integers' type, scale and zero point, and which they get.

Ops of kind "same" tie their operands and results together: all get the union of their ranges. A
result with fixed parameters (of a softmax) gives them to what is only moved from it; where a group
does not fit into them, it keeps its own and the operand is requantized.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import DType, Quant
from mcuc.quant.qparams import Range, activation_quant, real_limits
from mcuc.quant.rules import Rule, fixed_output


class Integers(NamedTuple):
    """What stands for the real numbers of a value."""

    dtype: DType
    quant: Quant


def shared_integers(
    graph: Graph,
    rules: Mapping[int, Rule],
    ranges: Mapping[int, Range],
    dtype: DType,
    wide: Set[int] = frozenset(),
) -> dict[int, Integers]:
    """The integers of each value that a quantized node reads or computes.

    Args:
        graph: The float graph.
        rules: Of the nodes that are quantized, by index.
        ranges: Of the values.
        dtype: Of the activations.
        wide: Values that get int16 whatever `dtype` is, and all that are tied to them.
    """
    groups = _Groups()
    fixed: dict[int, Node] = {}  # result -> the node whose op gives it its parameters
    for i, rule in rules.items():
        node = graph.nodes[i]
        (result,) = node.outputs
        operands = [
            v
            for p in rule.activations(node)
            if (v := node.inputs[p]) is not None and graph.values[v].const is None
        ]
        for v in (*operands, result):
            groups.add(v)
        if fixed_output(node, dtype) is not None:
            fixed[result] = node
        if rule.kind == "same":
            for v in operands:
                if v not in fixed or len(operands) == 1:
                    groups.join(v, result)
    found: dict[int, Integers] = {}
    for members in groups.members().values():
        own = dtype if wide.isdisjoint(members) else DType.S16
        for v, quant in _of_group(members, fixed, ranges, own).items():
            found[v] = Integers(own, quant)
    return found


def _of_group(
    members: list[int], fixed: Mapping[int, Node], ranges: Mapping[int, Range], dtype: DType
) -> dict[int, Quant]:
    own = {
        v: quant
        for v in members
        if v in fixed and (quant := fixed_output(fixed[v], dtype)) is not None
    }
    rest = [v for v in members if v not in own]
    if not rest:
        return own
    union = ranges[rest[0]]
    for v in rest[1:]:
        union = union | ranges[v]
    candidates = set(own.values())
    if len(candidates) == 1:
        (quant,) = candidates
        limits = real_limits(quant, dtype)
        if limits.low <= union.low and union.high <= limits.high + quant.scale:
            return {**own, **dict.fromkeys(rest, quant)}
    return {**dict.fromkeys(rest, activation_quant(union, dtype)), **own}


class _Groups:
    """Disjoint sets of values."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def add(self, v: int) -> None:
        self._parent.setdefault(v, v)

    def root(self, v: int) -> int:
        while self._parent[v] != v:
            v = self._parent[v]
        return v

    def join(self, a: int, b: int) -> None:
        low, high = sorted((self.root(a), self.root(b)))
        self._parent[high] = low

    def members(self) -> dict[int, list[int]]:
        """By root, in ascending order."""
        result: dict[int, list[int]] = {}
        for v in sorted(self._parent):
            result.setdefault(self.root(v), []).append(v)
        return result
