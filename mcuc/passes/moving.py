"""A graph while transpositions are moved through it: what is noted, and what is done.

A transposition is noted at a value (`Moved`: the value u that stands for it, and how its axes are
to be moved), and done only where a reader wants the value itself.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from mcuc.errors import Loc
from mcuc.ir.graph import Graph, Node, Value
from mcuc.ops import reshape, transpose
from mcuc.passes.lazy import Moved, Perm, Shape, compose, inverse, is_identity, moved_shape


class Moving:
    """The state while one graph is rewritten.

    Attributes:
        graph: As it was.
        values, nodes, inputs: As they become.
        moved: Value of the graph -> what stands for it.
        flat: v = reshape(transpose(u, perm)) whose order cannot be turned -> u, perm.
        same: Value of the graph -> the value that it is.
        there: Values that are computed in the order of axes that the graph says.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.values: dict[int, Value] = dict(graph.values)
        self.nodes: list[Node] = []
        self.inputs = list(graph.inputs)
        self.moved: dict[int, Moved] = {}
        self.flat: dict[int, Moved] = {}
        self.same: dict[int, int] = {}
        self.there: set[int] = set(graph.sources)
        self._next = max(graph.values, default=0) + 1
        self._done: dict[tuple[int, Perm], int] = {}

    def enter(self, value: Value) -> int:
        """A new value."""
        self.values[self._next] = value
        self._next += 1
        return self._next - 1

    def shape(self, v: int) -> Shape:
        return self.values[v].type.shape

    def new(self, like: int, shape: Shape) -> int:
        """A value as another one, in another shape."""
        held = self.graph.values[like]
        return self.enter(Value(replace(held.type, shape=shape), held.name))

    def value(self, v: int) -> int:
        """A value in the order of axes that the graph says."""
        if v in self.same:
            return self.same[v]
        if v in self.there or self.values[v].const is not None:
            return v
        if v in self.flat:
            source = self.flat[v]
            between = self.transposed(source.u, source.perm, v)
            attrs = reshape.Attrs(self.shape(v))
            self.nodes.append(Node("reshape", (between,), (v,), attrs, self.loc(v)))
        else:
            source = self.moved[v]
            self.transposed(source.u, source.perm, v, v)
        self.there.add(v)
        return v

    def loc(self, v: int) -> Loc:
        return next(node.loc for node in self.graph.nodes if v in node.outputs)

    def transposed(self, u: int, perm: Perm, like: int, result: int | None = None) -> int:
        """The value of transpose(u, perm), each computed once."""
        if is_identity(perm):
            return u
        if result is None and (u, perm) in self._done:
            return self._done[u, perm]
        if self.values[u].const is not None:
            return self.constant(u, perm)
        if result is None:
            result = self.new(like, moved_shape(self.shape(u), perm))
            own = replace(self.values[u].type, shape=self.shape(result))
            self.values[result] = replace(self.values[result], type=own)
        loc = next((n.loc for n in self.graph.nodes if like in n.outputs), self.graph.nodes[0].loc)
        self.nodes.append(Node("transpose", (u,), (result,), transpose.Attrs(perm), loc))
        self._done[u, perm] = result
        return result

    def constant(self, v: int, perm: Perm) -> int:
        held = self.values[v]
        assert held.const is not None
        data = np.ascontiguousarray(np.transpose(held.const, perm))
        quant = held.type.quant
        if quant is not None and quant.axis is not None:
            quant = replace(quant, axis=list(perm).index(quant.axis))
        type_ = replace(held.type, shape=data.shape, quant=quant)
        return self.enter(Value(type_, held.name, data))

    def operand(self, v: int, perm: Perm) -> int:
        """An operand as the op reads it whose result is moved by perm."""
        shape = self.graph.type(v).shape
        source = self.lazy(v)
        if source is not None and source.perm == perm:
            return source.u
        if math.prod(shape) == 1 and self.values[v].const is not None:
            return v
        if source is not None:
            return self.transposed(source.u, compose(source.perm, inverse(perm)), v)
        found = self.value(v)
        if len(shape) < len(perm):
            found = self.grown(found, (1,) * (len(perm) - len(shape)) + shape)
        return self.transposed(found, inverse(perm), v)

    def grown(self, v: int, shape: Shape) -> int:
        """A value with more axes of size 1 in front."""
        held = self.values[v]
        quant = held.type.quant
        if held.const is not None:
            if quant is not None and quant.axis is not None:
                quant = replace(quant, axis=quant.axis + len(shape) - len(held.type.shape))
            type_ = replace(held.type, shape=shape, quant=quant)
            return self.enter(Value(type_, held.name, held.const.reshape(shape)))
        u = self.enter(Value(replace(held.type, shape=shape), held.name))
        loc = self.nodes[-1].loc if self.nodes else self.graph.nodes[0].loc
        self.nodes.append(Node("reshape", (v,), (u,), reshape.Attrs(shape), loc))
        return u

    def plain(self, node: Node) -> None:
        inputs = tuple(None if v is None else self.value(v) for v in node.inputs)
        self.nodes.append(replace(node, inputs=inputs))
        self.there.update(node.outputs)

    def lazy(self, v: int | None) -> Moved | None:
        """How a value is moved; None if it is there as it should be."""
        return None if v is None or v in self.same else self.moved.get(v)

    def emit(
        self, node: Node, inputs: tuple[int | None, ...], perm: Perm, attrs: Any = None
    ) -> bool:
        """The node on moved operands; its result is moved by perm."""
        (v,) = node.outputs
        u = self.new(v, moved_shape(self.shape(v), inverse(perm)))
        self.nodes.append(
            replace(node, inputs=inputs, outputs=(u,), attrs=node.attrs if attrs is None else attrs)
        )
        self.note(v, Moved(u, perm))
        return True

    def note(self, v: int, source: Moved) -> None:
        self.there.add(source.u)
        if is_identity(source.perm):
            self.same[v] = source.u
        else:
            self.moved[v] = source
