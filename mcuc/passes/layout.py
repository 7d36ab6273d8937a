"""Moves transpositions behind what does not care for the order of axes, until two cancel.

    op(transpose(x, p))                ->  transpose(op'(x), p)
    transpose(transpose(x, p), q)      ->  transpose(x, p q), nothing where that is the identity
    reshape(transpose(x, p))           ->  transpose(reshape(x), p'), where the axes that are joined
                                           lie one behind the other in x too
    fully_connected(flatten(transpose(x, p)), w)  ->  fully_connected(flatten(x), w'), where the
                                           columns of the weights are moved
    sum over axes, padding, slices ... ->  the same over the axes of x

An importer of NCHW files writes every convolution between two transpositions; this pass leaves
those that something wants. The nodes are gone through once: a transposition is noted, and done only
where a reader wants its result. Where operands of an element-wise op disagree, what moves fewer
bytes is done, with regard to what the readers of the result want.

With `io` "nhwc" the model's own inputs and outputs take the order of the layers inside.

Numerics: exact.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mcuc.ir.graph import Graph, Node
from mcuc.ops import transpose
from mcuc.ops.spec import Site
from mcuc.passes.layout_rules import ONE, RULES
from mcuc.passes.lazy import Moved, Perm, compose, inverse, is_free, moved_shape
from mcuc.passes.left_over import axes_name
from mcuc.passes.moving import Moving
from mcuc.passes.spec import Pass

IO_LAYOUTS = ("nchw", "nhwc")
_SEVERAL = ("add", "mul", "pairwise", "select")


def layout_pass(io: str = IO_LAYOUTS[0]) -> Pass:
    """The pass for an order of axes at the model's border."""

    def layout(graph: Graph) -> Graph:
        if not any(node.op == "transpose" for node in graph.nodes):
            return graph
        return _Layout(graph, io == "nhwc").run()

    return Pass("layout", layout, "exact")


class _Layout(Moving):
    """What one node's rule does not know: the border, and operands that disagree."""

    def __init__(self, graph: Graph, channels_last: bool) -> None:
        super().__init__(graph)
        self.channels_last = channels_last
        self.wants = _wants(graph)

    def run(self) -> Graph:
        self._border_inputs()
        for node in self.graph.nodes:
            rule = self._rule(node)
            if rule is None or not rule(node):
                self.plain(node)
        outputs = tuple(self._output(v) for v in self.graph.outputs)
        states = tuple(replace(s, result=self.value(s.result)) for s in self.graph.states)
        used = {v for node in self.nodes for v in (*node.inputs, *node.outputs) if v is not None}
        used.update(outputs, self.inputs, (v for s in states for v in (s.source, s.result)))
        values = {v: x for v, x in self.values.items() if v in used}
        return replace(
            self.graph, nodes=tuple(self.nodes), values=values, inputs=tuple(self.inputs),
            outputs=outputs, states=states,
        )  # fmt: skip

    def _border_inputs(self) -> None:
        """Inputs whose readers want channels last are given so, if asked; else they are named."""
        for place, v in enumerate(self.graph.inputs):
            shape = self.shape(v)
            perm = (0, *range(2, len(shape)), 1)
            rolling = any(v in pair for pair in self.graph.rolling)
            if len(shape) not in (3, 4) or perm not in self.wants.get(v, {}):
                continue
            if not self.channels_last or rolling:
                self.values[v] = replace(self.values[v], axes=axes_name(len(shape), False))
            else:
                u = self.new(v, moved_shape(shape, perm))
                self.values[u] = replace(self.values[u], axes=axes_name(len(shape), True))
                self.inputs[place] = u
                self.there.discard(v)
                self.moved[v] = Moved(u, inverse(perm))

    def _output(self, v: int) -> int:
        source = self.moved.get(v)
        rank = 0 if source is None else len(source.perm)
        turned = source is not None and source.perm == (0, rank - 1, *range(1, rank - 1))
        if source is not None and turned and rank in (3, 4):
            if self.channels_last and v not in self.there:
                return self._named(source.u, v, axes_name(rank, True))
            return self._named(self.value(v), v, axes_name(rank, False))
        return self._named(self.value(v), v, "")

    def _named(self, u: int, v: int, axes: str) -> int:
        """The value u under the name of the output v."""
        if u not in self.graph.sources and self.values[u].const is None:
            name = self.graph.values[v].name
            self.values[u] = replace(self.values[u], name=name, axes=axes)
        return u

    def _rule(self, node: Node) -> Callable[[Node], bool] | None:
        if len(node.outputs) != 1:
            return None
        if node.op in _SEVERAL:
            return self._several
        if node.op == "concatenation":
            return self._concatenation
        rule = RULES.get(node.op)
        return None if rule is None else functools.partial(rule, self)

    def _several(self, node: Node) -> bool:
        """Element-wise ops of operands that broadcast."""
        perm = self._agreed(node)
        if perm is None:
            return False
        inputs = [v if v is None else self.operand(v, perm) for v in node.inputs]
        return self.emit(node, tuple(inputs), perm)

    def _agreed(self, node: Node) -> Perm | None:
        """The order in which an element-wise op is cheapest; None = that of the graph."""
        (result,) = node.outputs
        shape = self.graph.type(result).shape
        lazy = [self.lazy(v) for v in node.inputs]
        perms = {s.perm for s in lazy if s is not None and len(s.perm) == len(shape)}
        costs: dict[Perm | None, int] = {None: self._cost(node, None)}
        costs.update({perm: self._cost(node, perm) for perm in sorted(perms)})
        return [perm for perm, cost in costs.items() if cost == min(costs.values())][-1]

    def _cost(self, node: Node, perm: Perm | None) -> int:
        """Bytes that are moved for the operands, and for the readers of the result."""
        (result,) = node.outputs
        type_ = self.graph.type(result)
        identity = tuple(range(len(type_.shape)))
        wanted = identity if perm is None else perm
        total = 0
        for v in node.inputs:
            if v is None or self.graph.values[v].const is not None:
                continue
            source = self.lazy(v)
            rank = len(self.graph.type(v).shape)
            if rank != len(wanted):
                continue
            own = tuple(range(rank)) if source is None else source.perm
            if own != wanted and not (wanted == identity and v in self.there):
                size = self.graph.type(v).size_bytes
                total += 0 if self._same_memory(v, own, wanted) else size
        for asked in self.wants.get(result, {}):
            if not is_free(moved_shape(type_.shape, inverse(wanted)), compose(wanted, asked)):
                total += type_.size_bytes
        return total

    def _same_memory(self, v: int, own: Perm, wanted: Perm) -> bool:
        shape = moved_shape(self.graph.type(v).shape, inverse(own))
        return is_free(shape, compose(own, inverse(wanted)))

    def _concatenation(self, node: Node) -> bool:
        perm = self._agreed(node)
        if perm is None:
            return False
        attrs: Any = node.attrs
        axis = perm[attrs.axis % len(perm)]
        inputs = [v if v is None else self.operand(v, perm) for v in node.inputs]
        return self.emit(node, tuple(inputs), perm, replace(attrs, axis=axis))


def _wants(graph: Graph) -> dict[int, dict[Perm, None]]:
    """By value: the transpositions of it that are read, found behind ops that keep the order."""
    wants: dict[int, dict[Perm, None]] = {}
    plain: set[int] = set(graph.results)
    for node in reversed(graph.nodes):
        if node.op == "transpose" and node.inputs[0] is not None:
            perm = transpose.permutation(Site.of(graph, node))
            wants.setdefault(node.inputs[0], {})[perm] = None
            continue
        through = node.op in (*ONE, *_SEVERAL, "concatenation", "pad", "take")
        (result, *_) = node.outputs
        for v in node.inputs:
            if v is None or graph.values[v].const is not None:
                continue
            rank = len(graph.type(v).shape)
            asked = wants.get(result, {}) if through and result not in plain else {}
            wants.setdefault(v, {}).update({p: None for p in asked if len(p) == rank})
    return wants


LAYOUT = layout_pass()
